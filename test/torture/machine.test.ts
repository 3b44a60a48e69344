// @module-tag long
// @module-tag extended
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, audit, runUntilQuiet } from './audit.js';
import { Chance } from './chance.js';
import { DAY_MS, Trial } from './trial.js';

const YAML = `start_date: 2026-11-19
lookback_days: 2
exports:
  budget: { records_per_run: 100000, records_per_month: 1000000 }
`;

const trials: Trial[] = [];
const disks: Disk[] = [];
afterEach(async () => {
  for (const disk of disks.splice(0)) disk.unmount();
  await Promise.all(trials.splice(0).map((trial) => trial.remove()));
});

/** A disk of its own, in memory, as large as a test wants it. */
class Disk {
  private constructor(readonly folder: string) {}

  /** @throws when this account may not mount */
  static mountAt(folder: string, mib: number): Disk {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'none', folder], { stdio: 'ignore' });
    return new Disk(folder);
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Fills it up until so many bytes are left. */
  async fill(left: number): Promise<void> {
    await writeFile(join(this.folder, 'filler'), Buffer.alloc(Math.max(0, this.free - left)));
  }

  async empty(): Promise<void> {
    await rm(join(this.folder, 'filler'), { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder], { stdio: 'ignore' });
  }
}

/** Whether this account may mount a disk at all: tests that need one say so when it may not. */
async function canMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-disk-'));
  try {
    Disk.mountAt(folder, 1).unmount();
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function make(exportSeconds = 0): Promise<Trial> {
  const trial = await Trial.make(YAML, { exportSeconds }, undefined, 'inside');
  trials.push(trial);
  return trial;
}

/** Everything is there, once, and nothing waits. */
async function expectComplete(trial: Trial, bills: number): Promise<void> {
  await runUntilQuiet(trial, ['run']);
  expect(await audit(trial)).toEqual([]);
  expect(trial.bills()).toHaveLength(bills);
}

const mayMount = await canMount();
if (!mayMount) process.stderr.write('no disk can be mounted here: the tests of a full disk are left out\n');

describe.skipIf(!mayMount)('a disk of its own', () => {
  async function onDisk(): Promise<{ trial: Trial; disk: Disk }> {
    const trial = await make();
    const folder = join(trial.place.folder, 'data');
    await mkdir(folder);
    const disk = Disk.mountAt(folder, 96);
    disks.push(disk);
    return { trial, disk };
  }

  /** A disk that refuses is met by a process of its own; the runs before and after it are not what is tried. */
  const asProcess = (trial: Trial): Promise<Ended> =>
    trial.watch(['run'], trial.place.start(['run'], { DAWNLOAD_NOW: trial.clock.now().toISOString() }));

  test('that is full, at any step, costs nothing: the next run with room goes on', async () => {
    const { trial, disk } = await onDisk();
    await expectComplete(trial, 2);
    const chance = new Chance(7);
    const codes: (number | null)[] = [];
    for (const left of [0, 100_000, 600_000, 4_000_000]) {
      trial.clock.shift(DAY_MS);
      await disk.fill(left + chance.below(40_000));
      const result = await asProcess(trial);
      codes.push(result.code);
      expect([0, 1], result.stderr).toContain(result.code);
      if (result.code === 1)
        expect(result.stderr).toMatch(/full|cannot be (written|closed)|could not be closed/);
      assertNotPaidTwice(trial);
      await disk.empty();
    }
    expect(codes).toContain(1);
    await expectComplete(trial, 6);
  });
});

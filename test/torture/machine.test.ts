// @module-tag long
// @module-tag extended
import { execFileSync, spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { CLI, type Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, audit, runUntilQuiet } from './audit.js';
import { Chance } from './chance.js';
import { contents, differences } from '../support/contents.js';
import { Reader } from './reader.js';
import { Clock, DAY_MS, Trial } from './trial.js';

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

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

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

  /** False when it cannot be had. */
  remount(how: 'ro' | 'rw'): boolean {
    return succeeds('mount', '-o', `remount,${how}`, this.folder);
  }

  unmount(): void {
    succeeds('umount', '-l', this.folder);
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

/** Makes a file unchangeable, for the owner of all files too; false when it cannot be had. */
function freeze(path: string): boolean {
  return succeeds('chattr', '+i', path);
}

function thaw(path: string): void {
  succeeds('chattr', '-i', path);
}

interface Circumstances {
  readonly clock?: Clock;
  readonly exportSeconds?: number;
}

async function make({ clock, exportSeconds = 0 }: Circumstances = {}): Promise<Trial> {
  const trial = await Trial.make(YAML, { exportSeconds }, clock, 'inside');
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

  test('that has turned read-only stops the run before anything is paid', async () => {
    const { trial, disk } = await onDisk();
    await expectComplete(trial, 2);
    trial.clock.shift(DAY_MS);
    expect(disk.remount('ro')).toBe(true);
    const result = await asProcess(trial);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/read-only/);
    expect(trial.bills()).toHaveLength(2);
    expect(disk.remount('rw')).toBe(true);
    await expectComplete(trial, 3);
  });
});

describe('a machine that fails', () => {
  test('with a limit on the size of files: what was paid for arrives when the limit is gone', async () => {
    const trial = await make();
    for (const blocks of [1, 64, 600]) {
      // Blocks of 1,024 bytes, as bash counts them.
      const child = spawn('bash', ['-c', `ulimit -f ${blocks}; exec "${process.execPath}" "${CLI}" run`], {
        cwd: trial.place.folder,
        env: {
          PATH: process.env['PATH'] ?? '',
          ...trial.place.environment,
          DAWNLOAD_NOW: trial.clock.now().toISOString(),
        },
      });
      const result = await trial.watch([`run with ulimit -f ${blocks}`], child);
      expect(result.code, result.stderr).not.toBe(0);
      assertNotPaidTwice(trial);
    }
    await expectComplete(trial, 2);
  });

  test('with a ledger that cannot be written: nothing is paid, and the message names the file', async () => {
    const trial = await make();
    await expectComplete(trial, 2);
    trial.clock.shift(DAY_MS);
    const ledger = join(trial.data, 'ledger', 'journal.jsonl');
    if (!freeze(ledger)) {
      process.stderr.write('no file can be made unchangeable here\n');
      return;
    }
    let result: Ended;
    try {
      result = await trial.run(['run']);
    } finally {
      thaw(ledger);
    }
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('journal.jsonl');
    expect(trial.bills()).toHaveLength(2);
    await expectComplete(trial, 3);
  });

  test('two runs at once: one does the work, the other names it and ends with 75', async () => {
    const trial = await make();
    const first = trial.place.start(['run']);
    const second = trial.place.start(['run']);
    const [a, b] = await Promise.all([trial.watch(['run'], first), trial.watch(['run'], second)]);
    expect([a.code, b.code].sort()).toEqual([0, 75]);
    const late = a.code === 75 ? a : b;
    expect(late.stderr).toContain(`process ${a.code === 75 ? second.pid : first.pid}`);
    await expectComplete(trial, 2);
  });

  test('a clock that jumps a day ahead, and back, pays for nothing twice and loses nothing', async () => {
    const trial = await make();
    await expectComplete(trial, 2);
    const at = (days: number): Record<string, string> => ({
      DAWNLOAD_NOW: new Date(trial.clock.now().getTime() + days * DAY_MS).toISOString(),
    });
    for (const days of [1, -1, 0]) {
      const result = await trial.run(['run'], at(days));
      // A clock that does not agree with the service's is told, and nothing is paid on its word.
      expect(result.code, result.stderr).toBe(days === 0 ? 0 : 1);
      expect(trial.bills()).toHaveLength(2);
    }
    trial.clock.shift(DAY_MS);
    await expectComplete(trial, 3);
  });

  test('in New York and on Lord Howe Island the days are those of Korea', async () => {
    const clock = new Clock();
    const sums: Record<string, string>[] = [];
    for (const TZ of ['America/New_York', 'Australia/Lord_Howe']) {
      const trial = await make({ clock });
      // Hashed recipients would differ: each folder has a key of its own.
      await trial.place.configure(`${YAML}privacy: { recipients: keep }\n`);
      expect((await trial.run(['run'], { TZ })).code).toBe(0);
      sums.push(await contents(trial.place.published));
    }
    const [one = {}, other = {}] = sums;
    expect(differences(one, other)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s at any moment, once or twice, ends with 130 and leaves nothing behind that costs',
    async (signal) => {
      const trial = await make({ exportSeconds: 0.3 });
      const chance = new Chance(signal.length);
      const reader = new Reader(trial.place.published);
      reader.start();
      let interrupted = 0;
      for (let night = 0; night < 3; night++) {
        if (night > 0) trial.clock.shift(DAY_MS);
        const child = trial.place.start(['run'], { DAWNLOAD_NOW: trial.clock.now().toISOString() });
        const result = trial.watch([`run, ${signal}`], child);
        // Before the command is loaded nobody listens to signals yet.
        await new Promise((resolve) => child.stderr?.once('data', resolve));
        await wait(chance.below(1_500));
        child.kill(signal);
        if (night % 2 === 1) {
          await wait(chance.below(60));
          child.kill(signal);
        }
        const { code: given, signal: by, stderr } = await result;
        // Ended by SIGINT, as the second signal does it, is 130 for a shell.
        const code = by === 'SIGINT' ? 130 : given;
        expect([0, 130], stderr).toContain(code);
        if (code === 130) interrupted++;
        assertNotPaidTwice(trial);
      }
      await reader.stop();
      expect(reader.found).toEqual([]);
      expect(interrupted).toBeGreaterThan(0);
      await runUntilQuiet(trial, ['run']);
      // A second signal may come between the paid request and its answer: then, and only then, a person is asked.
      expect((await audit(trial)).length).toBeLessThanOrEqual(3);
    },
  );
});

// @module-tag long
/** `dawnload schedule` as a process: its signals, and no two runs at once. */
import { realEffects } from '../../src/ground/effects.js';
import { Journal, RUN } from '../../src/journal/journal.js';

import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { ended, type Ended, type Place } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const YAML = 'start_date: 2026-11-19\nlookback_days: 1\n';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Scheduler {
  readonly child: ChildProcess;
  readonly result: Promise<Ended>;
  /** All that it said so far. */
  readonly said: () => string;
  readonly says: (words: RegExp) => Promise<RegExpExecArray>;
}

function scheduler(made: Place, args: readonly string[] = []): Scheduler {
  const child = made.start(['schedule', ...args]);
  children.push(child);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (some: string) => (text += some));
  const says = async (words: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = words.exec(text);
      if (found !== null) return found;
      if (child.exitCode !== null) throw new Error(`it ended without saying ${words.source}: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { child, result: ended(child), said: () => text, says };
}

/** Sends SIGTERM; resolves with its exit code, and how long it took in milliseconds. */
async function stopped({
  child,
  result,
}: Scheduler): Promise<{ code: number | null; ms: number; stderr: string }> {
  const began = Date.now();
  child.kill('SIGTERM');
  const { code, stderr } = await result;
  return { code, ms: Date.now() - began, stderr };
}

const runs = async (made: Place) => {
  const journal = await Journal.read({ dataDir: join(made.folder, 'data') }, realEffects({}));
  return journal.of(RUN).filter((line) => line.event === 'ended');
};

test('it catches up, and stops during a pause', async () => {
  const place = await makePlace(YAML);
  const keeper = scheduler(place);
  await keeper.says(/The next run is at 2026-11-22 07:10 KST\./);
  expect(keeper.said()).toContain('The run ended with exit code 0.');
  const { code, ms } = await stopped(keeper);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(2_000);
});

const BUDGET = 'exports: { budget: { records_per_run: 10000000, records_per_month: 10000000 } }\n';

test('it stops while an export is being made', async () => {
  const place = await makePlace(YAML + BUDGET, { exportSeconds: 100_000 });
  const keeper = scheduler(place);
  while (place.sandbox.requests().E21 < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const { code, ms, stderr } = await stopped(keeper);
  expect(code, stderr).toBe(0);
  expect(ms).toBeLessThan(10_000);
  expect(stderr).toContain('Interrupted.');
});

test('on SIGTERM a paid request keeps its whole timeout, so its outcome is in the journal, and nothing is paid twice', async () => {
  // More than the time that a run without a paid request has.
  const place = await makePlace(`${YAML}${BUDGET}request_timeout_seconds: 9\n`, {
    faults: [{ kind: 'no-answer', endpoint: 'E20', billed: true }],
  });
  const keeper = scheduler(place);
  while (place.sandbox.requests().E20 < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  const { code, stderr } = await stopped(keeper);
  expect(code, stderr).toBe(0);
  expect((await runs(place)).map(({ exitCode }) => exitCode)).toEqual([130]);
  place.sandbox.setFaults([]);
  const night = await place.run(['run']);
  expect(night.code).toBe(1);
  expect(night.stderr).toMatch(/dawnload exports decide/);
});

extended('two schedulers at once never run at once: the second comes later', async () => {
  const place = await makePlace(YAML, { latencyMs: 1_000 });
  const first = scheduler(place);
  while (place.sandbox.requests().E17 < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = scheduler(place, ['--now']);
  await second.says(/The run ended with exit code 75\. The next run is at/);
  expect(second.said()).toMatch(/Another run \(process \d+, `dawnload run`[^)]*\) has the lock/);
  await first.says(/The run ended with exit code 0\./);
  expect((await runs(place)).map(({ exitCode }) => exitCode)).toEqual([0]);
});

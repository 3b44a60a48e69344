/**
 * When the scheduler comes back to a night.
 *
 * @module-tag long
 */
import { afterEach, expect, test } from 'vitest';
import { RunJournal } from '../../src/run/journal.js';
import { attemptsOf } from '../../src/schedule/attempts.js';
import { Place } from '../support/dawnload.js';

let place: Place | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});

test('a run that left an export at the service is one to come back for; the next pays nothing and ends the night', async () => {
  const settings = (minutes: number): string =>
    `start_date: 2026-11-20\nexports: { max_wait_minutes: ${minutes}, budget: { records_per_run: 1000000 } }\n`;
  place = await Place.make(settings(1), { exportSeconds: 600 });
  const journal = new RunJournal(`${place.folder}/data`);
  expect((await place.run(['run'])).code).toBe(1);
  expect(attemptsOf(await journal.runs(), []).map(({ verdict }) => verdict)).toEqual(['waiting']);
  await place.configure(settings(20));
  expect((await place.run(['run'])).code).toBe(0);
  // Each command of a test begins at the same instant, so their order is chance.
  const verdicts = attemptsOf(await journal.runs(), []).map(({ verdict }) => verdict);
  expect(verdicts.sort()).toEqual(['done', 'waiting']);
  expect(place.sandbox.requests().E20).toBe(1);
});

test('a run of one’s own counts once, by its process, and keeps its exit code where the record lacks one', () => {
  const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 22, minute));
  const begun = { runId: 'a', command: 'run', startedAt: at(10), version: '0.0.0', processId: 7 };
  const others = [
    { begun: { ...begun, runId: 'b', processId: 8, startedAt: at(20) }, over: undefined },
    { begun: { ...begun, runId: 'c', command: 'backfill', processId: 9 }, over: undefined },
  ];
  const own = { processId: 7, startedAt: at(9), endedAt: at(12), exitCode: 1 };
  const killed = { processId: undefined, startedAt: at(30), endedAt: at(30), exitCode: 75 };
  expect(attemptsOf([{ begun, over: undefined }, ...others], [own, killed])).toEqual([
    { startedAt: at(9), endedAt: at(12), exitCode: 1, verdict: 'failed' },
    { startedAt: at(20), endedAt: undefined, exitCode: undefined, verdict: 'unfinished' },
    { startedAt: at(30), endedAt: at(30), exitCode: 75, verdict: 'busy' },
  ]);
});

import { expect, test } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { nextRun, nightOf, verdictOn, type Verdict } from '../../src/operations/schedule.js';
import type { PastRun } from '../../src/run/journal.js';

const AT = { hour: 7, minute: 10 };

/** A time of day in Korea on 21 November, or on another day of November. */
function kst(time: string, day = 21): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(
    windowOf(`2026-11-${String(day).padStart(2, '0')}`).start.getTime() + (hours * 60 + minutes) * 60_000,
  );
}

const CODES = { done: 0, waiting: 1, person: 2, failed: 1 };

/** A run of five minutes that ended so. */
function attempt(time: string, verdict: Verdict, day = 21, exitCode?: number): PastRun {
  const startedAt = kst(time, day);
  const runId = startedAt.toISOString();
  const begun = { runId, command: 'run', startedAt, version: '0.0.0', processId: 1 };
  if (verdict === 'unfinished') return { begun, over: undefined };
  const summary = verdict === 'waiting' ? { pending_exports: ['2026-11-20.1'] } : {};
  const finishedAt = new Date(startedAt.getTime() + 5 * 60_000);
  return {
    begun,
    over: { runId, finishedAt, exitCode: exitCode ?? CODES[verdict], outcome: verdict, summary },
  };
}

test('a night lasts from its time of day in Korea to the next one', () => {
  expect(nightOf(kst('07:09'), AT)).toEqual({ start: kst('07:10', 20), end: kst('07:10') });
  expect(nightOf(kst('07:10'), AT)).toEqual({ start: kst('07:10'), end: kst('07:10', 22) });
  expect(nightOf(kst('23:59'), { hour: 23, minute: 59 }).start).toEqual(kst('23:59'));
});

test.each<[what: string, now: Date, runs: PastRun[], at: Date, reason: string]>([
  ['the time has come', kst('07:10'), [], kst('07:10'), 'night'],
  ['a laptop wakes in the evening', kst('21:00'), [], kst('07:10'), 'night'],
  ['it starts before the time, and the night before is missing', kst('03:00'), [], kst('07:10', 20), 'night'],
  [
    'only runs of nights before',
    kst('07:10'),
    [attempt('07:10', 'done', 20), attempt('22:00', 'done', 20)],
    kst('07:10'),
    'night',
  ],
  ['it is done', kst('07:20'), [attempt('07:10', 'done')], kst('07:10', 22), 'night'],
  [
    'somebody did it by hand after a failure',
    kst('09:00'),
    [attempt('07:10', 'failed'), attempt('07:30', 'done')],
    kst('07:10', 22),
    'night',
  ],
  ['a person is needed', kst('07:20'), [attempt('07:10', 'person')], kst('07:10', 22), 'night'],
  ['the first failure', kst('07:16'), [attempt('07:10', 'failed')], kst('07:25'), 'failed'],
  ['ten minutes after the first failure', kst('07:25'), [attempt('07:10', 'failed')], kst('07:25'), 'failed'],
  [
    'the second failure',
    kst('07:31'),
    [attempt('07:10', 'failed'), attempt('07:25', 'failed')],
    kst('08:00'),
    'failed',
  ],
  [
    'the third failure',
    kst('08:06'),
    [attempt('07:10', 'failed'), attempt('07:25', 'failed'), attempt('08:00', 'failed')],
    kst('09:35'),
    'failed',
  ],
  [
    'the fourth failure',
    kst('09:41'),
    [
      attempt('07:10', 'failed'),
      attempt('07:25', 'failed'),
      attempt('08:00', 'failed'),
      attempt('09:35', 'failed'),
    ],
    kst('07:10', 22),
    'night',
  ],
  ['an export is being made', kst('07:16'), [attempt('07:10', 'waiting')], kst('07:35'), 'waiting'],
  [
    'an export is being made for hours',
    kst('11:00'),
    [attempt('07:10', 'waiting'), attempt('10:30', 'waiting')],
    kst('10:55'),
    'waiting',
  ],
  ['an export is being made at noon', kst('12:06'), [attempt('12:00', 'waiting')], kst('07:10', 22), 'night'],
  ['a run of which no end is known', kst('07:19'), [attempt('07:10', 'unfinished')], kst('07:20'), 'failed'],
  [
    'a run of the future, which a wrong clock saw',
    kst('07:10'),
    [attempt('07:10', 'done', 29)],
    kst('07:10'),
    'night',
  ],
  [
    'a pause that would reach into the next night',
    kst('07:00', 22),
    [attempt('06:55', 'failed', 22)],
    kst('07:10', 22),
    'night',
  ],
])('%s', (_, now, runs, at, reason) => {
  expect(nextRun(now, AT, runs)).toEqual({ at, reason });
});

test.each<[Verdict, number, Record<string, unknown>]>([
  ['done', 0, {}],
  ['person', 2, {}],
  ['person', 3, {}],
  ['waiting', 1, { pending_exports: ['2026-11-20.1'], gaps: [{}] }],
  ['person', 1, { needs_attention: ['x'] }],
  ['failed', 1, { needs_attention: ['x'], gaps: [{}] }],
  ['failed', 1, { needs_attention: ['x'], findings: [{ severity: 'stop' }] }],
  ['failed', 1, { pending_exports: ['2026-11-20.1'], failure: 'The disk is full.' }],
  ['failed', 1, { pending_exports: 'of another version' }],
  ['failed', 130, {}],
])('a run is %s with exit code %i and %j', (verdict, exitCode, summary) => {
  const run = attempt('07:10', 'failed', 21, exitCode);
  expect(verdictOn({ ...run, over: run.over && { ...run.over, summary } })).toBe(verdict);
});

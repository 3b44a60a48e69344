import { expect, test } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { decide, nightOf, type Attempt, type Verdict } from '../../src/schedule/due.js';
import { healthOf, isWell } from '../../src/schedule/health.js';

const AT = { hour: 7, minute: 10 };

/** A time of day in Korea on 21 November, or on another day of November. */
function kst(time: string, day = 21): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(
    windowOf(`2026-11-${String(day).padStart(2, '0')}`).start.getTime() + (hours * 60 + minutes) * 60_000,
  );
}

/** An attempt that lasted five minutes. */
function attempt(time: string, verdict: Verdict, day = 21): Attempt {
  const startedAt = kst(time, day);
  const codes = { done: 0, waiting: 1, busy: 75, person: 2, failed: 1, unfinished: undefined };
  return {
    startedAt,
    endedAt: verdict === 'unfinished' ? undefined : new Date(startedAt.getTime() + 5 * 60_000),
    exitCode: codes[verdict],
    verdict,
  };
}

test('a night lasts from its time of day in Korea to the next one', () => {
  expect(nightOf(kst('07:09'), AT)).toEqual({ start: kst('07:10', 20), end: kst('07:10') });
  expect(nightOf(kst('07:10'), AT)).toEqual({ start: kst('07:10'), end: kst('07:10', 22) });
  expect(nightOf(kst('23:59'), { hour: 23, minute: 59 }).start).toEqual(kst('23:59'));
});

test.each<[what: string, now: Date, attempts: Attempt[], kind: 'run' | 'wait', at: Date, reason: string]>([
  ['the time has come', kst('07:10'), [], 'run', kst('07:10'), 'night'],
  ['a laptop wakes in the evening', kst('21:00'), [], 'run', kst('21:00'), 'night'],
  [
    'it starts before the time, and the night before is missing',
    kst('03:00'),
    [],
    'run',
    kst('03:00'),
    'night',
  ],
  [
    'only runs of nights before',
    kst('07:10'),
    [attempt('07:10', 'done', 20), attempt('22:00', 'done', 20)],
    'run',
    kst('07:10'),
    'night',
  ],
  ['it is done', kst('07:20'), [attempt('07:10', 'done')], 'wait', kst('07:10', 22), 'night'],
  [
    'somebody did it by hand after a failure',
    kst('09:00'),
    [attempt('07:10', 'failed'), attempt('07:30', 'done')],
    'wait',
    kst('07:10', 22),
    'night',
  ],
  ['a person is needed', kst('07:20'), [attempt('07:10', 'person')], 'wait', kst('07:10', 22), 'night'],
  ['the first failure', kst('07:16'), [attempt('07:10', 'failed')], 'wait', kst('07:25'), 'failed'],
  [
    'ten minutes after the first failure',
    kst('07:25'),
    [attempt('07:10', 'failed')],
    'run',
    kst('07:25'),
    'failed',
  ],
  [
    'the second failure',
    kst('07:31'),
    [attempt('07:10', 'failed'), attempt('07:25', 'failed')],
    'wait',
    kst('08:00'),
    'failed',
  ],
  [
    'the third failure',
    kst('08:06'),
    [attempt('07:10', 'failed'), attempt('07:25', 'failed'), attempt('08:00', 'failed')],
    'wait',
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
    'wait',
    kst('07:10', 22),
    'night',
  ],
  ['another run at work', kst('07:16'), [attempt('07:10', 'busy')], 'wait', kst('07:25'), 'busy'],
  [
    'another run at work is no failure',
    kst('08:00'),
    [attempt('07:10', 'busy'), attempt('07:25', 'busy'), attempt('07:40', 'failed')],
    'run',
    kst('08:00'),
    'failed',
  ],
  ['an export is being made', kst('07:16'), [attempt('07:10', 'waiting')], 'wait', kst('07:35'), 'waiting'],
  [
    'an export is being made for hours',
    kst('11:00'),
    [attempt('07:10', 'waiting'), attempt('10:30', 'waiting')],
    'run',
    kst('11:00'),
    'waiting',
  ],
  [
    'an export is being made at noon',
    kst('12:06'),
    [attempt('12:00', 'waiting')],
    'wait',
    kst('07:10', 22),
    'night',
  ],
  [
    'a run of which no end is known',
    kst('07:19'),
    [attempt('07:10', 'unfinished')],
    'wait',
    kst('07:20'),
    'busy',
  ],
  [
    'a run of the future, which a wrong clock saw',
    kst('07:10'),
    [attempt('07:10', 'done', 29)],
    'run',
    kst('07:10'),
    'night',
  ],
  [
    'a pause that would reach into the next night',
    kst('07:00', 22),
    [attempt('06:55', 'failed', 22)],
    'wait',
    kst('07:10', 22),
    'night',
  ],
])('%s', (_, now, attempts, kind, at, reason) => {
  expect(decide(now, AT, attempts)).toEqual({ kind, at, reason });
});

test.each<
  [what: string, now: Date, attempts: Attempt[], running: Date | undefined, status: string, well: boolean]
>([
  ['before the first run', kst('05:00'), [], undefined, 'starting', true],
  ['the first run', kst('05:00'), [], kst('04:59'), 'running', true],
  ['a done night', kst('09:00'), [attempt('07:10', 'done')], undefined, 'ok', true],
  ['an export is being made', kst('09:00'), [attempt('07:10', 'waiting')], undefined, 'waiting', true],
  ['a failed night', kst('09:00'), [attempt('07:10', 'failed')], undefined, 'failed', false],
  [
    'a failed night that is tried again',
    kst('09:00'),
    [attempt('07:10', 'failed')],
    kst('08:59'),
    'failed',
    false,
  ],
  ['a wrong setting', kst('09:00'), [attempt('07:10', 'person')], undefined, 'failed', false],
  ['no budget', kst('09:00'), [{ ...attempt('07:10', 'person'), exitCode: 3 }], undefined, 'ok', true],
  [
    'another run at work',
    kst('09:00'),
    [attempt('07:10', 'done', 20), attempt('07:10', 'busy')],
    undefined,
    'ok',
    true,
  ],
  [
    'a run by hand, at work',
    kst('09:00'),
    [attempt('07:10', 'done', 20), attempt('08:59', 'unfinished')],
    undefined,
    'ok',
    true,
  ],
  ['nothing done by noon', kst('12:11'), [attempt('07:10', 'done', 20)], undefined, 'overdue', false],
  [
    'a run done in a future that a wrong clock saw',
    kst('12:11'),
    [attempt('07:10', 'done', 20), attempt('07:10', 'done', 28)],
    undefined,
    'overdue',
    false,
  ],
  [
    'a run that failed in such a future',
    kst('12:11'),
    [attempt('07:10', 'done'), attempt('07:10', 'failed', 28)],
    undefined,
    'ok',
    true,
  ],
  ['a run that does not end', kst('12:11'), [attempt('07:10', 'done', 20)], kst('07:10'), 'overdue', false],
  [
    'an export that is not made by noon',
    kst('12:30'),
    [attempt('12:00', 'waiting')],
    undefined,
    'overdue',
    false,
  ],
])('health: %s', (_, now, attempts, runningSince, status, well) => {
  const since = attempts.length === 0 ? kst('04:58') : kst('00:00', 20);
  const health = healthOf(now, { at: AT, since, attempts, runningSince, next: decide(now, AT, attempts) });
  expect(health.status).toBe(status);
  expect(isWell(health)).toBe(well);
});

test('a scheduler that has just started is not overdue', () => {
  const health = healthOf(kst('20:00'), {
    at: AT,
    since: kst('19:59'),
    attempts: [attempt('07:10', 'done', 15)],
    runningSince: kst('19:59'),
    next: undefined,
  });
  expect(health).toEqual({
    status: 'running',
    last_run: { started_at: kst('07:10', 15), finished_at: kst('07:15', 15), exit_code: 0, outcome: 'done' },
    running_since: kst('19:59'),
    next_run_at: kst('07:10', 22),
  });
});

/** What a scheduler has to do now: run the job, or wait, and until when. Pure. */
import { fromZonedTime } from 'date-fns-tz/fromZonedTime';
import { NIGHTLY } from '../../jobs/nightly.js';
import { dayOf, KST, shiftDay, type Window } from '../calendar.js';
import { clock, type TimeOfDay } from './time-of-day.js';

/**
 * How an attempt ended.
 *
 * - `done`: nothing is left to do
 * - `waiting`: the service is still making an export; what else there was is loaded
 * - `busy`: another run held the lock
 * - `person`: only a person can go on: a wrong setting, no budget, an export in doubt
 * - `unfinished`: somebody else's run of which no end is on record: it is at work, or was killed
 * - `failed`: anything else
 */
export type Verdict = 'done' | 'waiting' | 'busy' | 'person' | 'unfinished' | 'failed';

/** One run of the job, started by this scheduler or by anybody else. */
export interface Attempt {
  readonly startedAt: Date;
  /** Undefined when it is not known to have ended. */
  readonly endedAt: Date | undefined;
  readonly exitCode: number | undefined;
  readonly verdict: Verdict;
}

/** Why there is a run: its time of day has come, or the attempt before it ended like that. */
export type Reason = 'night' | 'failed' | 'waiting' | 'busy';

export interface Decision {
  readonly kind: 'run' | 'wait';
  /** When to run: now, or in the future. */
  readonly at: Date;
  readonly reason: Reason;
}

/** The night at an instant: from its time of day in Korea to that of the next one. */
export function nightOf(now: Date, at: TimeOfDay): Window {
  const today = dayOf(now);
  const begins = (day: string): Date => fromZonedTime(`${day}T${clock(at)}:00`, KST);
  const first = now >= begins(today) ? today : shiftDay(today, -1);
  return { start: begins(first), end: begins(shiftDay(first, 1)) };
}

/** What to do at an instant, after those attempts. One run does the work of all nights that were missed. */
export function decide(now: Date, at: TimeOfDay, attempts: readonly Attempt[]): Decision {
  const night = nightOf(now, at);
  // Also not those of a future that a wrong clock once saw.
  const tried = attempts.filter(({ startedAt }) => startedAt >= night.start && startedAt < night.end);
  const next = nextTry(tried, night);
  if (next === undefined || next.at >= night.end) return { kind: 'wait', at: night.end, reason: 'night' };
  return next.at > now ? { kind: 'wait', ...next } : { kind: 'run', at: now, reason: next.reason };
}

/** When the night is tried again after those attempts; undefined when it is over. */
function nextTry(
  tried: readonly Attempt[],
  night: Window,
): { readonly at: Date; readonly reason: Reason } | undefined {
  const last = tried.at(-1);
  if (last === undefined) return { at: night.start, reason: 'night' };
  if (tried.some(({ verdict }) => verdict === 'done')) return undefined;
  const after = (minutes: number): Date => later(last.endedAt ?? last.startedAt, minutes);
  switch (last.verdict) {
    case 'done':
    case 'person':
      return undefined;
    case 'busy':
      return { at: after(NIGHTLY.busyMinutes), reason: 'busy' };
    case 'waiting': {
      const at = after(NIGHTLY.exports.pauseMinutes);
      return at < morningEnd(night.start) ? { at, reason: 'waiting' } : undefined;
    }
    case 'unfinished':
    case 'failed': {
      const failures = tried.filter(({ verdict }) => verdict === 'failed' || verdict === 'unfinished').length;
      const pause = NIGHTLY.retryPausesMinutes[failures - 1];
      const reason = last.verdict === 'unfinished' ? 'busy' : 'failed';
      return pause === undefined ? undefined : { at: after(pause), reason };
    }
  }
}

/** The end of the time in which a night is to be done, and in which the scheduler comes back for exports. */
export function morningEnd(start: Date): Date {
  return later(start, NIGHTLY.exports.untilHours * 60);
}

function later(instant: Date, minutes: number): Date {
  return new Date(instant.getTime() + minutes * 60_000);
}

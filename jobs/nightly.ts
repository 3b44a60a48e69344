/**
 * The nightly job: loads every day that is missing or may have been restated, up to the last complete day, at any time and any
 * number of times.
 */
import { completeFrom, formatKst, lastCompleteDay, shiftDay, type Day } from '../src/ground/calendar.js';
import { JOB_STREAMS, keptFrom, type Job } from '../src/ground/streams.js';

/** The time of the nightly job in KST, shortly after yesterday is complete, and the retries of a night that failed. */
export const NIGHTLY = {
  at: '07:10',
  /** The pause before each retry of a failed night. */
  retryPausesMinutes: [10, 30, 90],
} as const;

interface Wanted {
  readonly startDate: Day;
  readonly lookbackDays: number;
  readonly exports: { readonly startDate: Day | undefined };
  readonly retention: { readonly events?: number | undefined };
}

export function nightly({ startDate, lookbackDays, exports, retention }: Wanted, now: Date): Job {
  const end = lastCompleteDay(now);
  return {
    name: 'run',
    streams: new Set(JOB_STREAMS),
    days: { start: startDate, end },
    again: { start: shiftDay(end, 1 - lookbackDays), end },
    acceptEmpty: false,
    eventDays: { start: exports.startDate ?? startDate, end },
    keptFrom: keptFrom(retention, now),
    consent: 'budget',
  };
}

/** The reason, as a clause, why no day is wanted yet; undefined once `start_date` is complete. */
export function notBegun(startDate: Day, now: Date): string | undefined {
  return startDate <= lastCompleteDay(now)
    ? undefined
    : `the start_date ${startDate} is complete from ${formatKst(completeFrom(startDate))}`;
}

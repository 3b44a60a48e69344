/**
 * The nightly job: every day that is missing or may have been restated, up to the last complete one.
 *
 * It may run at any time and any number of times; ten past seven is when yesterday has just become complete.
 */
import { KST, lastCompleteDay, shiftDay, type Day } from '../src/calendar.js';
import { JOB_STREAMS, type Job } from '../src/run/invocation.js';

/** When it runs, in KST, and how a night that did not work out is tried again. */
export const NIGHTLY = {
  zone: KST,
  hour: 7,
  minute: 10,
  /** The pause before each further attempt of a night that failed. */
  retryPausesMinutes: [10, 30, 90],
  /** After a run that found another one at work. */
  busyMinutes: 10,
  /** Exports that the service is still making: how soon, and for how long, a night comes back for them. */
  exports: { pauseMinutes: 20, untilHours: 5 },
} as const;

interface Wanted {
  readonly startDate: Day;
  readonly lookbackDays: number;
  readonly exports: { readonly startDate: Day | undefined };
}

export function nightly({ startDate, lookbackDays, exports }: Wanted, now: Date): Job {
  const end = lastCompleteDay(now);
  return {
    name: 'run',
    streams: new Set(JOB_STREAMS),
    days: { start: startDate, end },
    again: { start: shiftDay(end, 1 - lookbackDays), end },
    acceptEmpty: false,
    eventDays: { start: exports.startDate ?? startDate, end },
    consent: 'budget',
  };
}

/**
 * A backfill: runs the stages of the nightly job over a range of days that the user names. Free streams are pulled again
 * even if the days are already in the warehouse; paid days are never requested twice.
 */
import type { DayRange } from '../src/ground/calendar.js';
import type { Job, JobStream } from '../src/ground/streams.js';

export interface BackfillWish {
  readonly days: DayRange;
  readonly streams: ReadonlySet<JobStream>;
  /** True if `--yes-paid` was given. */
  readonly yesPaid: boolean;
  /** True if `--accept-empty` was given. */
  readonly acceptEmpty: boolean;
}

export function backfill({ days, streams, yesPaid, acceptEmpty }: BackfillWish): Job {
  return {
    name: 'backfill',
    streams,
    days,
    again: days,
    acceptEmpty,
    eventDays: days,
    consent: yesPaid ? 'given' : 'ask',
  };
}

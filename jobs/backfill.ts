/**
 * A backfill: the same stages over a range of days that a person names. Free streams are pulled again whether they are
 * there or not; what is paid for is never asked for twice.
 */
import type { DayRange } from '../src/calendar.js';
import type { Job, JobStream } from '../src/run/invocation.js';

export interface BackfillWish {
  readonly days: DayRange;
  readonly streams: ReadonlySet<JobStream>;
  /** `--yes-paid`. */
  readonly yesPaid: boolean;
  /** `--accept-empty`. */
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

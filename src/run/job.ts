/** What a run pulls: which streams, over which days, and who consents to paying. Made by the recipes in jobs/. */
import { dayCount, shiftDay, type Day, type DayRange } from '../calendar.js';
import { REFERENCE_STREAMS } from '../storage/pull.js';

/** Those whose days a job goes through; those of reference data are taken as they are today. */
export const DAY_STREAMS = ['statistics', 'campaigns', 'events'] as const;

export const JOB_STREAMS = [...DAY_STREAMS, ...REFERENCE_STREAMS] as const;

/** What a person names on the command line; `statistics` stands for E17 and E18 together. */
export type JobStream = (typeof JOB_STREAMS)[number];

export interface Job {
  readonly name: 'run' | 'backfill';
  readonly streams: ReadonlySet<JobStream>;
  /** The free streams: these days are pulled where the warehouse lacks them. */
  readonly days: DayRange;
  /** Part of `days` that is pulled even if it is there, since counts may be restated. */
  readonly again: DayRange;
  /** Whether answers of the free streams are accepted even if they delete days that the warehouse holds. */
  readonly acceptEmpty: boolean;
  /** The days whose events are wanted. */
  readonly eventDays: DayRange;
  /**
   * Who consents to paid exports: `budget`, the standing consent of the configuration; `given`, a person on the command
   * line; `ask`, nobody yet.
   */
  readonly consent: 'budget' | 'given' | 'ask';
}

/** The same job without the days after `last`; the days that it pulls again move back by as many. */
export function until(job: Job, last: Day): Job {
  const cut = Math.max(0, dayCount({ start: last, end: job.days.end }) - 1);
  const shortened = ({ start, end }: DayRange): DayRange => ({ start, end: end < last ? end : last });
  return {
    ...job,
    days: shortened(job.days),
    again: { start: shiftDay(job.again.start, -cut), end: shiftDay(job.again.end, -cut) },
    eventDays: shortened(job.eventDays),
  };
}

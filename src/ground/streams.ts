/** The streams of the service's data, and a job: what of them a run is asked to pull. */
import { dayOf, shiftDay, type Day, type DayRange } from './calendar.js';

/** The streams of reference data, which explains the ids in events and statistics: snapshots of lists as they are today. */
export const REFERENCE_STREAMS = ['catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs'] as const;

export type ReferenceStream = (typeof REFERENCE_STREAMS)[number];

/** The streams with a row for every day; a missing day can be requested. Only requests of events are billed. */
export const DAILY_STREAMS = ['statistics', 'statistics_by_subchannel', 'campaigns', 'events'] as const;

export const STREAMS = [...DAILY_STREAMS, ...REFERENCE_STREAMS] as const;

export type Stream = (typeof STREAMS)[number];

/** The streams with a row per day. Reference data has none: it is pulled as it is today. */
export const DAY_STREAMS = ['statistics', 'campaigns', 'events'] as const;

export const JOB_STREAMS = [...DAY_STREAMS, ...REFERENCE_STREAMS] as const;

/** The streams as named on the command line; `statistics` means E17 and E18 together. */
export type JobStream = (typeof JOB_STREAMS)[number];

export interface Job {
  readonly name: 'run' | 'backfill';
  readonly streams: ReadonlySet<JobStream>;
  /** For the free streams: days to pull if the warehouse lacks them. */
  readonly days: DayRange;
  /** The part of `days` to pull even if the warehouse holds it, since counts may be restated. */
  readonly again: DayRange;
  /** True to accept answers of the free streams even if they delete days that the warehouse holds. */
  readonly acceptEmpty: boolean;
  /** For paid exports: the days whose events are wanted. */
  readonly eventDays: DayRange;
  /** The first day that `retention.events` keeps: a day before it would be deleted at once, so it is never bought. */
  readonly keptFrom?: Day | undefined;
  /**
   * The consent to paid exports: `budget` is the standing consent of the configuration; `given` is a person's consent
   * on the command line; `ask` means that a person still has to be asked.
   */
  readonly consent: 'budget' | 'given' | 'ask';
}

/** The first day of events that `retention.events` keeps; undefined without that setting. */
export const keptFrom = ({ events }: { readonly events?: number | undefined }, now: Date): Day | undefined =>
  events === undefined ? undefined : shiftDay(dayOf(now), -events);

export interface Gap {
  readonly stream: Stream;
  readonly days: DayRange;
  /** Whole sentences: the cause, then the remedy. */
  readonly reason: string;
}

/** A matter that needs a person: whole sentences that say what to do, and the command that lists such cases. */
export interface Needed {
  readonly advice: string;
  readonly list: string;
}

/** A gap of one day of events. */
export function eventGap(day: Day, reason: string): Gap {
  return { stream: 'events', days: { start: day, end: day }, reason };
}

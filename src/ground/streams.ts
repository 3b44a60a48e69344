/** Types about streams that all layers share: names, and the job with the days that a run pulls. */
import { dayOf, shiftDay, type Day, type DayRange } from './calendar.js';

/** The name of a stream in the landing zone, in coverage and in `ops`. */
export type StreamName = string;

/** The stream of paid exports, which land in separate folders and record what persons did. */
export const EVENTS = 'events';

export interface Job {
  readonly name: 'run' | 'backfill';
  /** The streams to pull, as `--streams` names them. */
  readonly streams: ReadonlySet<string>;
  /** The days of the free streams to pull if the warehouse lacks them. */
  readonly days: DayRange;
  /** The part of `days` to pull even if it is loaded, because counts may be restated. */
  readonly again: DayRange;
  /** True to accept answers of the free streams even if they delete loaded days. */
  readonly acceptEmpty: boolean;
  /** The days whose events are wanted, from paid exports. */
  readonly eventDays: DayRange;
  /** The first day that `retention.events` keeps: a day before it would be deleted immediately, so it is never bought. */
  readonly keptFrom?: Day | undefined;
  /** `budget` is the standing consent of the settings, `given` that of the command line; `ask` still asks you. */
  readonly consent: 'budget' | 'given' | 'ask';
}

export interface Retention {
  readonly events?: number | undefined;
}

/** The first day of events that `retention.events` keeps; undefined without that setting. */
export const keptFrom = ({ events }: Retention, now: Date): Day | undefined =>
  events === undefined ? undefined : shiftDay(dayOf(now), -events);

export interface Gap {
  readonly stream: StreamName;
  readonly days: DayRange;
  /** Whole sentences: the cause, then the remedy. */
  readonly reason: string;
}

/** Something that needs your decision: sentences with what to do, and the command that lists such cases. */
export interface Needed {
  readonly advice: string;
  readonly list: string;
}

export function eventGap(day: Day, reason: string): Gap {
  return { stream: EVENTS, days: { start: day, end: day }, reason };
}

/** How the names of own tables begin in the landing zone, in coverage and in `ops`. */
export const OWN = 'own_';

export const ownStream = (table: string): string => `${OWN}${table}`;

/** The own table of the persons that holdouts assigned to an arm, which the night itself writes. */
export const ASSIGNMENTS = 'assignments';

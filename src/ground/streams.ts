/** Types about streams that all layers share: names, and the job with the days to pull. */
import { dayOf, shiftDay, type Day, type DayRange } from './calendar.js';

/** The name of a stream in the landing zone, in coverage and in `ops`. */
export type StreamName = string;

/** The stream of paid exports, which land in separate folders and record what persons did. */
export const EVENTS = 'events';

export interface Job {
  readonly name: 'run' | 'backfill';
  /** The streams to pull, by their names in `--streams`. */
  readonly streams: ReadonlySet<string>;
  /** The days for which free streams are pulled if the warehouse lacks them. */
  readonly days: DayRange;
  /** The part of `days` that is pulled even if loaded, because counts may still change. */
  readonly again: DayRange;
  /** True to accept answers of free streams even if they remove the rows of loaded days. */
  readonly acceptEmpty: boolean;
  /** The days whose paid event exports are wanted. */
  readonly eventDays: DayRange;
  /** The first day that `retention.events` keeps. An earlier day would be deleted immediately, so it is never paid for. */
  readonly keptFrom?: Day | undefined;
  /** Who consents to pay: `budget` the settings, `given` the command line, `ask` you, when asked. */
  readonly consent: 'budget' | 'given' | 'ask';
}

export interface Retention {
  readonly events?: number | undefined;
}

/** The first day whose events `retention.events` keeps; undefined without that setting. */
export const keptFrom = ({ events }: Retention, now: Date): Day | undefined =>
  events === undefined ? undefined : shiftDay(dayOf(now), -events);

export interface Gap {
  readonly stream: StreamName;
  readonly days: DayRange;
  /** Whole sentences: the cause, and then the remedy. */
  readonly reason: string;
}

/** Something that needs your decision: sentences about what to do, and the command that lists such cases. */
export interface Needed {
  readonly advice: string;
  readonly list: string;
}

export function eventGap(day: Day, reason: string): Gap {
  return { stream: EVENTS, days: { start: day, end: day }, reason };
}

/** The prefix of own tables' names in the landing zone, in coverage and in `ops`. */
export const OWN = 'own_';

export const ownStream = (table: string): string => `${OWN}${table}`;

/** The own table of people assigned to the arms of holdouts. Nights write it themselves. */
export const ASSIGNMENTS = 'assignments';

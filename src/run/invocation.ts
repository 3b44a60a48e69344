/** The invocation of a command: its settings, the outside world, and a way to be stopped. */
import type { Config, Flags } from '../config.js';
import type { Environment } from '../config/files.js';
import type { Effects } from '../effects.js';
import type { LakeCatalog } from '../lake/lake.js';
import type { Terminal } from '../terminal/terminal.js';
import { dayCount, shiftDay, type Day, type DayRange } from '../calendar.js';
import { REFERENCE_STREAMS } from '../storage/pull.js';

export interface Invocation {
  readonly flags: Flags;
  readonly effects: Effects;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C or SIGTERM, with an `InterruptedError` as its reason. */
  readonly signal: AbortSignal;
  /** Identifies this process in every line of the log, in `ops.runs`, and in alerts. */
  readonly runId: string;
  /** The version of this package, `1.2.3`. */
  readonly version: string;
  /** The environment, for what is no setting. */
  readonly environment: Environment;
  /** How the lake's catalog is attached; the real one where nothing else is given. */
  readonly lakeCatalog?: LakeCatalog;
  /**
   * Reads the settings, when a command needs them.
   *
   * @throws ConfigError
   */
  loadConfig(): Config;
}

/** The streams with a row per day; reference data is taken as it is today. */
export const DAY_STREAMS = ['statistics', 'campaigns', 'events'] as const;

export const JOB_STREAMS = [...DAY_STREAMS, ...REFERENCE_STREAMS] as const;

/** The streams as a person names them on the command line; `statistics` means E17 and E18 together. */
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
   * The consent to paid exports: `budget`, the standing consent of the configuration; `given`, a person on the command
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

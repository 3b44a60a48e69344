/** The invocation of a command: its settings, the outside world, and the signal that stops it. */
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
  /** Identifies this process in log lines, in `ops.runs`, and in alerts. */
  readonly runId: string;
  /** The version of this package, `1.2.3`. */
  readonly version: string;
  /** The environment variables, for values that are not settings. */
  readonly environment: Environment;
  /** Attaches the lake's catalog; undefined for the real one. */
  readonly lakeCatalog?: LakeCatalog;
  /**
   * Reads the settings, when a command needs them.
   *
   * @throws ConfigError
   */
  loadConfig(): Config;
}

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
  /**
   * The consent to paid exports: `budget` is the standing consent of the configuration; `given` is a person's consent
   * on the command line; `ask` means that a person still has to be asked.
   */
  readonly consent: 'budget' | 'given' | 'ask';
}

/** Returns the job without the days after `last`; `again` moves back by the same number of days. */
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

/** `dawnload backfill`: runs the stages of the nightly job over a range of days that the user names. */
import { closest } from 'fastest-levenshtein';
import { backfill } from '../../jobs/backfill.js';
import { requireService, streamsOn, type ServiceConfig } from '../config/config.js';
import {
  ConfigError,
  EXIT,
  RefusedError,
  UsageError,
  type ExitCode,
  TryLaterError,
} from '../ground/errors.js';
import { type Invocation } from '../config/invocation.js';
import { runJob } from '../job/run.js';
import { makePlan, printPlan } from './plan.js';
import { summarise } from './run.js';
import type { JsonOptions } from './shared.js';
import {
  completeFrom,
  dayCount,
  dayOf,
  formatKst,
  isDay,
  lastCompleteDay,
  type Day,
  type DayRange,
} from '../ground/calendar.js';
import { formatDuration } from '../terminal/terminal.js';
import { DAY_STREAMS, JOB_STREAMS, type Job, type JobStream, REFERENCE_STREAMS } from '../ground/streams.js';

export interface BackfillOptions extends JsonOptions {
  readonly start: string;
  readonly end: string;
  readonly streams?: string;
  readonly dryRun?: boolean;
  readonly yesPaid?: boolean;
  readonly acceptEmpty?: boolean;
}

export async function backfillCommand(options: BackfillOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const days = parseDays(options.start, options.end, effects.now());
  const streams = parseStreams(options.streams);
  const config = requireService(invocation.loadConfig());
  const job = backfill({
    days,
    streams,
    yesPaid: options.yesPaid === true,
    acceptEmpty: options.acceptEmpty === true,
  });
  if (options.dryRun === true) {
    const plan = await makePlan(job, config, invocation);
    printPlan(plan, options.json, terminal);
    return plan.events.needs_attention.length > 0 ? EXIT.incomplete : EXIT.done;
  }
  assertPayable(job, config, options);
  assertConfigured(job, config);
  terminal.note(`Backfilling ${days.start} to ${days.end} (KST days): ${[...streams].join(', ')}.`, {
    event: 'started',
    start: days.start,
    end: days.end,
  });
  const outcome = await runJob(job, config, invocation);
  return summarise('backfill', outcome, outcome.days ?? days, options.json, config, invocation);
}

function parseStreams(text: string | undefined): ReadonlySet<JobStream> {
  if (text === undefined) return new Set(DAY_STREAMS);
  const names = text.split(',').map((name) => name.trim());
  const streams = names.map((name) => {
    const stream = JOB_STREAMS.find((known) => known === name);
    if (stream === undefined) {
      throw new UsageError(`There is no stream "${name}".`, {
        hint: `Did you mean ${closest(name, JOB_STREAMS)}? Give any of ${JOB_STREAMS.join(',')} to --streams.`,
      });
    }
    return stream;
  });
  return new Set(streams);
}

/** Fails immediately if the user names reference data that is not configured. */
function assertConfigured({ streams }: Job, { reference }: ServiceConfig): void {
  const on = streamsOn(reference);
  const off = REFERENCE_STREAMS.find((stream) => streams.has(stream) && !on.includes(stream));
  if (off === undefined) return;
  throw new ConfigError(`reference.${off} is not set, so there is nothing to pull.`, {
    hint: `Set reference.${off} in dawnload.yaml, or leave ${off} out of --streams.`,
  });
}

/** Fails immediately if the user names events, or consents to paying, and no budget is configured. */
function assertPayable(job: Job, config: ServiceConfig, { streams, yesPaid }: BackfillOptions): void {
  const named = job.streams.has('events') && (streams !== undefined || yesPaid === true);
  if (!named || config.exports.budget !== undefined) return;
  throw new RefusedError('Event exports are billed, and exports.budget is not set.', {
    hint: 'Set exports.budget in dawnload.yaml, or leave events out with --streams statistics,campaigns.',
  });
}

/**
 * Maximum number of days in a range. No warehouse goes back further, and a mistyped year must not cause thousands of
 * requests.
 */
const MOST_DAYS = 3_700;

/**
 * Parses a range of complete KST days.
 *
 * @throws UsageError for a day that does not exist, or a range that ends before its start or in the future
 * @throws TryLaterError if the last days of the range are not complete yet
 */
export function parseDays(startText: string, endText: string, now: Date): DayRange {
  const start = parseDay('--start', startText);
  const end = parseDay('--end', endText);
  if (end < start) {
    throw new UsageError(`--end ${end} is before --start ${start}.`, { hint: 'Swap them, or correct one.' });
  }
  const today = dayOf(now);
  const last = lastCompleteDay(now);
  if (end > today) {
    throw new UsageError(`${start > today ? start : end} is in the future (today is ${today} in Korea).`, {
      hint: `The last complete day is ${last}.`,
    });
  }
  if (end > last) {
    const from = completeFrom(end);
    throw new TryLaterError(`${end} is not complete before ${formatKst(from)}.`, {
      hint: `Try again in ${formatDuration(from.getTime() - now.getTime())}, or end with ${last}.`,
    });
  }
  if (dayCount({ start, end }) > MOST_DAYS) {
    throw new UsageError(`${start} to ${end} is more than ${MOST_DAYS} days.`, {
      hint: 'Correct --start, or backfill in parts.',
    });
  }
  return { start, end };
}

function parseDay(flag: string, text: string): Day {
  if (isDay(text)) return text;
  throw new UsageError(`${flag} ${text} is not a day that exists.`, { hint: 'Write it like 2026-11-20.' });
}

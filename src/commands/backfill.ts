/** `dawnload backfill`: the same stages over a range of days that a person names. */
import { closest } from 'fastest-levenshtein';
import { backfill } from '../../jobs/backfill.js';
import { requireService, type ServiceConfig } from '../config.js';
import { streamsOn } from '../config/reference.js';
import { ConfigError, EXIT, RefusedError, UsageError, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/data-files.js';
import { DAY_STREAMS, JOB_STREAMS, type Job, type JobStream } from '../run/job.js';
import { REFERENCE_STREAMS } from '../storage/pull.js';
import { runJob } from '../run.js';
import type { Invocation } from '../run/invocation.js';
import { parseDays } from './days.js';
import { makePlan, printPlan } from './plan.js';
import { outcomeJson, summarise } from './summary.js';

export interface BackfillOptions {
  readonly start: string;
  readonly end: string;
  readonly streams?: string;
  readonly dryRun?: boolean;
  readonly yesPaid?: boolean;
  readonly acceptEmpty?: boolean;
  readonly json?: boolean;
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
    printPlan(plan, options.json === true, terminal);
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
  const exitCode = summarise(outcome, terminal, dataFiles(config.dataDir).published, effects.now());
  if (options.json === true) terminal.out(outcomeJson('backfill', outcome.days ?? days, outcome));
  return exitCode;
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

/** Fails at once when a person names reference data that is off. */
function assertConfigured({ streams }: Job, { reference }: ServiceConfig): void {
  const on = streamsOn(reference);
  const off = REFERENCE_STREAMS.find((stream) => streams.has(stream) && !on.includes(stream));
  if (off === undefined) return;
  throw new ConfigError(`reference.${off} is not set, so there is nothing to pull.`, {
    hint: `Set reference.${off} in dawnload.yaml, or leave ${off} out of --streams.`,
  });
}

/** Fails at once when a person names events, or consents to paying, and there is no budget. */
function assertPayable(job: Job, config: ServiceConfig, { streams, yesPaid }: BackfillOptions): void {
  const named = job.streams.has('events') && (streams !== undefined || yesPaid === true);
  if (!named || config.exports.budget !== undefined) return;
  throw new RefusedError('Event exports are billed, and exports.budget is not set.', {
    hint: 'Set exports.budget in dawnload.yaml, or leave events out with --streams statistics,campaigns.',
  });
}

/** Reads the state of the published warehouse, for commands that may run at the same time as a run. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { ledgerState, type LedgerState } from '../exports/ledger.js';
import { dataFiles } from '../landing/paths.js';
import { assertSameProject } from './data-folder.js';
import { wantedDays, type WantedDay } from './wanted-days.js';
import { dayOf, type Day } from '../ground/calendar.js';
import { findingGroup, type FindingGroup } from '../warehouse/checks.js';
import { headIn, Reader } from '../warehouse/reader.js';
import { doubtfulDays, emptyDay, messageTotals } from '../warehouse/rows.js';
import { statement } from '../warehouse/session.js';
import { type Job, type Stream, STREAMS } from '../ground/streams.js';

const instant = z.number().transform((ms) => new Date(ms));
const coverageRow = z
  .object({ stream: z.enum(STREAMS), date: z.string(), rows: z.number(), loaded_at_ms: instant })
  .transform(({ stream, date, rows, loaded_at_ms }) => ({ stream, day: date, rows, loadedAt: loaded_at_ms }));
type CoveredDay = z.output<typeof coverageRow>;

const runRow = z
  .object({
    run_id: z.string(),
    command: z.string(),
    started_at_ms: instant,
    finished_at_ms: instant.nullable(),
    exit_code: z.number().nullable(),
    outcome: z.string().nullable(),
  })
  .transform((row) => ({
    begun: { runId: row.run_id, command: row.command, at: row.started_at_ms },
    over: { at: row.finished_at_ms, exitCode: row.exit_code, outcome: row.outcome },
  }));
export type PublishedRun = z.output<typeof runRow>;

const heldDay = z.object({ stream: z.enum(STREAMS), date: z.string() });

/** Runs statements of `sql/status.sql`; without a file each has no rows. */
type Rows = <R>(name: string, shape: z.ZodType<R>) => Promise<R[]>;

/**
 * Reads the published file.
 *
 * @throws CorruptDatabaseError if the file is not a warehouse or is damaged
 */
async function fromPublished<T>(
  file: string,
  work: (rows: Rows, reader: Reader | undefined) => Promise<T>,
): Promise<T> {
  const reader = existsSync(file) ? await Reader.open(file) : undefined;
  try {
    return await work(
      async (name, shape) => z.array(shape).parse((await reader?.objects(statement(`status/${name}`))) ?? []),
      reader,
    );
  } finally {
    await reader?.close();
  }
}

/** The wanted days of a job, by what the published file and the ledger know, and what was read to tell them. */
export interface DaysNow {
  readonly wanted: readonly WantedDay[];
  readonly state: LedgerState;
  readonly coverage: readonly CoveredDay[];
  readonly removed: readonly Day[];
  readonly runs: readonly PublishedRun[];
  readonly findings: readonly FindingGroup[];
  readonly latestChange: readonly { readonly date: Day; readonly days_after: number }[];
}

/**
 * Reads the wanted days beside a run, for `plan`, `status` and `doctor`.
 *
 * @param jobFrom returns the job; its argument is the first day that the file covers. Without a job no days are wanted
 * @throws ConfigError when the data folder holds another project
 * @throws CorruptDatabaseError, DamageError if the file or the journal cannot be read
 */
export async function daysNow(
  config: Config,
  effects: Effects,
  jobFrom: (first: Day | undefined) => Job | undefined,
): Promise<DaysNow> {
  const now = effects.now();
  const { published: file } = dataFiles(config.dataDir);
  const { head, heldBack, emptyOnce, messages, ...published } = await fromPublished(
    file,
    async (rows, reader) => ({
      coverage: await rows('coverage', coverageRow),
      runs: await rows('runs', runRow),
      findings: await rows('findings', findingGroup),
      removed: (await rows('removed', z.object({ date: z.string() }))).map(({ date }) => date),
      // Days whose last answer was held back, and days that were empty on exactly one night, with that night.
      heldBack: await rows('held_back', heldDay),
      emptyOnce: await rows('empty_once', emptyDay),
      messages: await rows('messages', messageTotals),
      // The change of counts that was found the latest after its day.
      latestChange: await rows('latest_change', z.object({ date: z.string(), days_after: z.number() })),
      head: reader === undefined ? [] : await headIn(reader, file),
    }),
  );
  const { coverage, removed } = published;
  const state = await ledgerState(config, head, effects);
  assertSameProject(state.journal, config);
  const [first] = coverage.map(({ day }) => day).sort();
  const job = jobFrom(first);
  const known = {
    coverage: coverage.map(({ stream, day }) => ({ stream, date: day })),
    doubtful: doubtfulDays(heldBack, emptyOnce, dayOf(now)),
    removed,
    messages: new Map(messages.map(({ date, ...totals }) => [date, totals])),
    entries: state.ledger.entries(),
    unsure: state.doubt !== undefined,
    isRunning: state.lock.taken,
  };
  const wanted = job === undefined ? [] : wantedDays(job, known, config.exports, now);
  return { wanted, state, ...published };
}

/** The newest day of a stream. */
export function newestOf(coverage: readonly CoveredDay[], stream: Stream): Day | undefined {
  return coverage
    .flatMap((row) => (row.stream === stream ? [row.day] : []))
    .sort()
    .at(-1);
}

/**
 * The newest day of the daily statistics in the published file.
 *
 * @throws CorruptDatabaseError if the file is not a warehouse or is damaged
 */
export async function newestDay(file: string): Promise<Day | undefined> {
  return newestOf(await fromPublished(file, (rows) => rows('coverage', coverageRow)), 'statistics');
}

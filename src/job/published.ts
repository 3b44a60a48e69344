/** Reads the state of the published warehouse, for commands that may run at the same time as a run. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { ledgerState, type LedgerState } from '../exports/ledger.js';
import type { KnownHead } from '../journal/doubt.js';
import { dataFiles } from '../landing/paths.js';
import { assertSameProject } from './data-folder.js';
import { wantedDays, type WantedDay } from './wanted-days.js';
import { dayOf, type Day } from '../ground/calendar.js';
import { findingGroup, type FindingGroup } from '../warehouse/checks.js';
import { Reader } from '../warehouse/reader.js';
import { headIn } from '../warehouse/remembered-exports.js';
import { emptyDay, messageTotals, type MessageTotals } from '../warehouse/rows.js';
import { statement } from '../warehouse/session.js';
import { type Job, type Stream, STREAMS } from '../ground/streams.js';

export interface CoveredDay {
  readonly stream: Stream;
  readonly day: Day;
  readonly rows: number;
  readonly loadedAt: Date;
}

export interface PastRun {
  readonly runId: string;
  readonly command: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly exitCode: number | null;
  readonly outcome: string | null;
}

const instant = z.number().transform((ms) => new Date(ms));
const coverageRow = z
  .object({ stream: z.enum(STREAMS), date: z.string(), rows: z.number(), loaded_at_ms: instant })
  .transform(({ stream, date, rows, loaded_at_ms }) => ({ stream, day: date, rows, loadedAt: loaded_at_ms }));
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
    runId: row.run_id,
    command: row.command,
    startedAt: row.started_at_ms,
    finishedAt: row.finished_at_ms,
    exitCode: row.exit_code,
    outcome: row.outcome,
  }));

const heldDay = z.object({ stream: z.enum(STREAMS), date: z.string() });
type StreamDay = z.infer<typeof heldDay>;

/**
 * The state of the published file. Each method runs one statement of `sql/status.sql` and returns an empty result if
 * there is no file.
 */
interface Published {
  coverage(): Promise<CoveredDay[]>;
  /** Days whose last answer was held back. */
  heldBack(): Promise<StreamDay[]>;
  /** Days that were empty on exactly one night, with that night. */
  emptyOnce(): Promise<z.infer<typeof emptyDay>[]>;
  messages(): Promise<ReadonlyMap<Day, MessageTotals>>;
  /** The latest runs, newest first. */
  runs(): Promise<PastRun[]>;
  findings(): Promise<FindingGroup[]>;
  /** Days whose events were removed from the file. */
  removed(): Promise<Day[]>;
  /** The head of the journal when the file was published, as a list of at most one. */
  head(): Promise<KnownHead[]>;
}

/**
 * Reads only the requested parts of the published file.
 *
 * @throws CorruptDatabaseError if the file is not a warehouse or is damaged
 */
export async function readPublished<T>(file: string, work: (published: Published) => Promise<T>): Promise<T> {
  const reader = existsSync(file) ? await Reader.open(file) : undefined;
  const rows = async <R>(name: string, shape: z.ZodType<R>): Promise<R[]> =>
    z.array(shape).parse((await reader?.objects(statement(`status/${name}`))) ?? []);
  try {
    return await work({
      coverage: () => rows('coverage', coverageRow),
      heldBack: () => rows('held_back', heldDay),
      emptyOnce: () => rows('empty_once', emptyDay),
      messages: async () =>
        new Map((await rows('messages', messageTotals)).map(({ date, ...totals }) => [date, totals])),
      runs: () => rows('runs', runRow),
      findings: () => rows('findings', findingGroup),
      removed: async () => (await rows('removed', z.object({ date: z.string() }))).map(({ date }) => date),
      head: async () => (reader === undefined ? [] : headIn(reader, file)),
    });
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
  readonly runs: readonly PastRun[];
  readonly findings: readonly FindingGroup[];
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
  const published = await readPublished(dataFiles(config.dataDir).published, async (tables) => ({
    coverage: await tables.coverage(),
    runs: await tables.runs(),
    findings: await tables.findings(),
    heldBack: await tables.heldBack(),
    emptyOnce: await tables.emptyOnce(),
    removed: await tables.removed(),
    head: await tables.head(),
    messages: await tables.messages(),
  }));
  const { coverage, runs, findings, removed } = published;
  const state = await ledgerState(config, published.head, effects);
  assertSameProject(state.journal, config);
  const [first] = coverage.map(({ day }) => day).sort();
  const job = jobFrom(first);
  const known = {
    coverage: coverage.map(({ stream, day }) => ({ stream, date: day })),
    doubtful: [...published.heldBack, ...published.emptyOnce.filter(({ asked }) => asked < dayOf(now))],
    removed,
    messages: published.messages,
    entries: state.ledger.entries(),
    unsure: state.doubt !== undefined,
    isRunning: state.lock.held,
  };
  const wanted = job === undefined ? [] : wantedDays(job, known, config.exports, now);
  return { wanted, state, coverage, removed, runs, findings };
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
 * @throws CorruptDatabaseError as `readPublished` does
 */
export async function newestDay(file: string): Promise<Day | undefined> {
  const coverage = await readPublished(file, (published) => published.coverage());
  const days = coverage.filter(({ stream }) => stream === 'statistics').map(({ day }) => day);
  return days.sort().at(-1);
}

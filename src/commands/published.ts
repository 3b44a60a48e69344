/** Reads the state of the published warehouse, for commands that may run at the same time as a run. */
import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import type { LedgerState } from '../exports/ledger.js';
import type { KnownHead } from '../journal/doubt.js';
import type { KnownDays } from '../run/wanted-days.js';
import { dayOf, type Day } from '../calendar.js';
import { findingGroup, type FindingGroup } from '../warehouse/checks.js';
import { Reader } from '../warehouse/reader.js';
import { headIn } from '../warehouse/remembered-exports.js';
import { emptyDay, messageTotals, type MessageTotals } from '../warehouse/rows.js';
import { statement } from '../warehouse/session.js';
import { join, sep } from 'node:path';
import { UsageError } from '../errors.js';
import { realPlace } from '../queries/sink.js';
import { type Stream, STREAMS } from '../streams.js';

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

/** The days that the published file and the ledger know, for the states of the days that a job wants. */
export function knownDays(
  published: {
    readonly coverage: readonly CoveredDay[];
    readonly heldBack: readonly StreamDay[];
    readonly emptyOnce: readonly z.infer<typeof emptyDay>[];
    readonly removed: readonly Day[];
    readonly messages: ReadonlyMap<Day, MessageTotals>;
  },
  { ledger, lock, doubt }: LedgerState,
  now: Date,
): KnownDays {
  return {
    coverage: published.coverage.map(({ stream, day }) => ({ stream, date: day })),
    doubtful: [...published.heldBack, ...published.emptyOnce.filter(({ asked }) => asked < dayOf(now))],
    removed: published.removed,
    messages: published.messages,
    entries: ledger.entries(),
    unsure: doubt !== undefined,
    isRunning: lock.held,
  };
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

/**
 * Checks the path of an output file. Paths inside the data folder are refused, because the output could overwrite the
 * warehouse, the ledger or landed files. Links in the data folder to other disks are followed.
 *
 * @throws UsageError
 */
export function outsideOf(dataDir: string, output: string): string {
  const place = realPlace(output);
  const isWithin = (folder: string): boolean => place === folder || place.startsWith(`${folder}${sep}`);
  if (!placesOf(dataDir).some(isWithin)) return output;
  throw new UsageError(`${output} is inside the data folder, where only the job may write.`, {
    hint: 'Choose another place for --output.',
  });
}

/** The real paths of the data folder, of its entries, and of the entries of its subfolders: databases, ledger, streams. */
function placesOf(dataDir: string): string[] {
  const within = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name));
  const top = within(dataDir);
  return [...new Set([dataDir, ...top, ...top.flatMap(within)].map(realPlace))];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

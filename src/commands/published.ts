/** What the published warehouse says about itself, for commands that may work beside a run. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { findingGroup, type FindingGroup } from '../run/findings.js';
import type { Stream } from '../storage/pull.js';
import { STREAMS } from '../storage/pull.js';
import { Reader } from '../warehouse/reader.js';
import { rememberedExport } from '../warehouse/remembered-exports.js';
import { messageTotals, type ExportRow, type MessageTotals } from '../warehouse/rows.js';
import { statement } from '../warehouse/statements.js';

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

export interface Published {
  readonly coverage: readonly CoveredDay[];
  /** Days whose last answer was held back. */
  readonly heldBack: readonly { readonly stream: Stream; readonly date: Day }[];
  readonly messages: ReadonlyMap<Day, MessageTotals>;
  readonly runs: readonly PastRun[];
  readonly findings: readonly FindingGroup[];
  /** Paid exports as the ledger knew them when the file was published. */
  readonly exports: readonly ExportRow[];
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

const NOTHING: Published = {
  coverage: [],
  heldBack: [],
  messages: new Map(),
  runs: [],
  findings: [],
  exports: [],
};

/**
 * Reads the published file; without one, nothing is covered.
 *
 * @throws CorruptDatabaseError when it is not a warehouse, or a damaged one
 */
export async function readPublished(file: string): Promise<Published> {
  return reading(file, NOTHING, async (rows) => {
    const messages = await rows('messages', messageTotals);
    return {
      coverage: await rows('coverage', coverageRow),
      heldBack: await rows('held_back', heldDay),
      messages: new Map(messages.map(({ date, ...totals }) => [date, totals])),
      runs: await rows('runs', runRow),
      findings: await rows('findings', findingGroup),
      exports: await rows('exports', rememberedExport),
    };
  });
}

/** The newest day of the daily statistics that readers see. Throws as `readPublished` does. */
export function newestDay(file: string): Promise<Day | undefined> {
  return reading(file, undefined, async (rows) => {
    const coverage = await rows('coverage', coverageRow);
    const days = coverage.filter(({ stream }) => stream === 'statistics').map(({ day }) => day);
    return days.sort().at(-1);
  });
}

/** The rows of a statement of `sql/status`. */
type Rows = <T>(name: string, shape: z.ZodType<T>) => Promise<T[]>;

async function reading<T>(file: string, nothing: T, work: (rows: Rows) => Promise<T>): Promise<T> {
  if (!existsSync(file)) return nothing;
  const reader = await Reader.open(file);
  try {
    return await work(async (name, shape) =>
      z.array(shape).parse(await reader.objects(statement(`status/${name}`))),
    );
  } finally {
    await reader.close();
  }
}

/** Reads from a closed warehouse file its schema, and the paid exports, to compare the ledger with. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { CorruptDatabaseError } from '../errors.js';
import { isOfDuckDB } from '../storage/duckdb.js';
import { Reader } from './reader.js';
import type { ExportRow } from './rows.js';
import { statement } from './session.js';

const instant = z.number().transform((ms) => new Date(ms));
const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);
const number = z
  .number()
  .nullable()
  .transform((value) => value ?? undefined);
const maybeInstant = number.transform((ms) => (ms === undefined ? undefined : new Date(ms)));

/** A row of `the section exports of sql/status.sql`. */
const rememberedExport = z
  .object({
    key: z.string(),
    window_start_ms: instant,
    window_end_ms: instant,
    date: z.string(),
    state: z.string(),
    export_id: text,
    message_data: z
      .boolean()
      .nullable()
      .transform((value) => value ?? true),
    records: number,
    pages: number,
    estimated_records: number,
    price_per_record: number,
    requested_at_ms: maybeInstant,
    updated_at_ms: maybeInstant,
    note: text,
  })
  .transform((row): ExportRow => ({
    key: row.key,
    windowStart: row.window_start_ms,
    windowEnd: row.window_end_ms,
    date: row.date,
    state: row.state,
    exportId: row.export_id,
    messageData: row.message_data,
    records: row.records,
    pages: row.pages,
    estimatedRecords: row.estimated_records,
    pricePerRecord: row.price_per_record,
    requestedAt: row.requested_at_ms,
    updatedAt: row.updated_at_ms,
    note: row.note,
  }));

/** The schema and the paid exports of a closed file. */
interface Remembered {
  /** The number of its last migration; 0 where there is none. */
  readonly schema: number;
  readonly exports: readonly ExportRow[];
}

/**
 * Reads a file that this process has not opened. Empty where it does not exist or DuckDB cannot read it: that is
 * reported where the warehouse itself is opened. Any other error ends the run before it pays.
 *
 * @param tracked the keys of exports not to tell of: after years they are all but a few
 */
export async function remembered(file: string, tracked: readonly string[] = []): Promise<Remembered> {
  let schema = 0;
  if (!existsSync(file)) return { schema, exports: [] };
  let reader: Reader | undefined;
  try {
    // What is paid counts, whoever wrote it down.
    reader = await Reader.open(file, 'read');
    schema = await reader.schema();
    return { schema, exports: await exportsIn(reader, tracked) };
  } catch (error) {
    if (!(error instanceof CorruptDatabaseError) && !isOfDuckDB(error)) throw error;
    return { schema, exports: [] };
  } finally {
    await reader?.close();
  }
}

/** The paid exports of an open file but those with these keys. */
export async function exportsIn(reader: Reader, tracked: readonly string[] = []): Promise<ExportRow[]> {
  return z
    .array(rememberedExport)
    .parse(await reader.objects(statement('status/exports'), { tracked: JSON.stringify(tracked) }));
}

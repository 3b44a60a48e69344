/** Reads the schema and the paid exports of a closed warehouse file, to compare them with the ledger. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { CorruptDatabaseError } from '../errors.js';
import { isOfDuckDB } from '../storage/duckdb.js';
import { Reader } from './reader.js';
import type { ExportRow } from './rows.js';
import { statement } from './session.js';

const instant = z.number().transform((ms) => new Date(ms));

/** A column that earlier versions left null; null is converted to undefined. */
const noted = <T>(type: z.ZodType<T>) => type.nullable().transform((value) => value ?? undefined);

/** A row of the section `exports` of `sql/status.sql`. */
const rememberedExport = z
  .object({
    key: z.string(),
    day: z.string(),
    start: instant,
    end: instant,
    state: z.string(),
    messageData: z
      .boolean()
      .nullable()
      .transform((value) => value ?? true),
    exportId: noted(z.string()),
    records: noted(z.number()),
    pages: noted(z.number()),
    estimate: noted(z.number()),
    pricePerRecord: noted(z.number()),
    requestedAt: noted(instant),
    updatedAt: noted(instant),
    note: noted(z.string()),
  })
  .transform(({ start, end, ...row }): ExportRow => ({ ...row, window: { start, end } }));

/** The schema number and the paid exports of a closed file. */
interface Remembered {
  /** The number of its last migration; 0 if it has no migration. */
  readonly schema: number;
  readonly exports: readonly ExportRow[];
}

/**
 * Reads a file that this process has not opened. Returns an empty result if the file does not exist or DuckDB cannot
 * read it: opening the warehouse reports that. Any other error ends the run before a paid request.
 *
 * @param tracked the keys of exports to leave out; after years they are nearly all exports of the file
 */
export async function remembered(file: string, tracked: readonly string[] = []): Promise<Remembered> {
  let schema = 0;
  if (!existsSync(file)) return { schema, exports: [] };
  let reader: Reader | undefined;
  try {
    // Every paid export counts, whichever process recorded it.
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

/** Returns the paid exports of an open file, without the given keys. */
export async function exportsIn(reader: Reader, tracked: readonly string[] = []): Promise<ExportRow[]> {
  return z
    .array(rememberedExport)
    .parse(await reader.objects(statement('status/exports'), { tracked: JSON.stringify(tracked) }));
}

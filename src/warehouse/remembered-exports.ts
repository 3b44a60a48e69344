/** Reads from a closed warehouse file its schema, and the paid exports, to compare the ledger with. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { CorruptDatabaseError } from '../errors.js';
import { isOfDuckDB } from '../storage/duckdb.js';
import { Reader } from './reader.js';
import type { ExportRow } from './rows.js';
import { statement } from './session.js';

const instant = z.number().transform((ms) => new Date(ms));

/** A column that earlier versions did not fill. */
const noted = <T>(type: z.ZodType<T>) => type.nullable().transform((value) => value ?? undefined);

/** A row of `status/exports`. */
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
    // Every paid export counts, no matter which process recorded it.
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

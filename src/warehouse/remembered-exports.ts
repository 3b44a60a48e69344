/** What a warehouse file knows of the journal: its head, and the paid exports. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { CorruptDatabaseError } from '../ground/errors.js';
import type { KnownHead } from '../journal/doubt.js';
import { headShape } from '../journal/lines.js';
import { isOfDuckDB, unlessMissing } from '../landing/duckdb.js';
import { Reader } from './reader.js';
import type { ExportRow } from './rows.js';
import { statement } from './session.js';

const instant = z.number().transform((ms) => new Date(ms));

/** A column that may be null, which is converted to undefined. */
const noted = <T>(type: z.ZodType<T>) => type.nullable().transform((value) => value ?? undefined);

/** A row of the section `exports` of `sql/status.sql`. */
const rememberedExport = z.object({
  key: z.string(),
  day: z.string(),
  state: z.string(),
  messageData: z.boolean(),
  exportId: noted(z.string()),
  records: noted(z.number()),
  pages: noted(z.number()),
  estimate: noted(z.number()),
  pricePerRecord: noted(z.number()),
  requestedAt: noted(instant),
  updatedAt: noted(instant),
  note: noted(z.string()),
});

/** The journal's head that a closed file carries, and the number of its last migration; nothing if it cannot be read. */
export async function knownBy(file: string): Promise<{ head: KnownHead[]; schema: number }> {
  return ask(file, { head: [], schema: 0 }, async (reader) => ({
    head: await headIn(reader, file),
    schema: await reader.schema(),
  }));
}

/** The journal's head that an open file carries, as a list of at most one. */
export async function headIn(reader: Reader, file: string): Promise<KnownHead[]> {
  const rows = await unlessMissing(reader.objects(statement('ops/journal')), []);
  return z
    .array(headShape)
    .parse(rows)
    .map((head) => ({ ...head, place: file }));
}

/** The paid exports that a closed file lists; every one counts, whichever process recorded it. */
export async function exportsKnownBy(file: string): Promise<ExportRow[]> {
  return ask(file, [], async (reader) =>
    z.array(rememberedExport).parse(await reader.objects(statement('status/exports'))),
  );
}

const knownErasure = z.object({
  line: z.number(),
  persons: z.number(),
  records: z.number(),
  rows: z.number(),
  ids: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
});

/** The erasures that a closed file lists, with the digests of the erased ids. */
export async function erasuresKnownBy(file: string): Promise<z.output<typeof knownErasure>[]> {
  return ask(file, [], async (reader) =>
    z.array(knownErasure).parse(await unlessMissing(reader.objects(statement('erasure/known')), [])),
  );
}

/** Asks a file that this process has not opened. A file that DuckDB cannot read is reported where it is opened. */
async function ask<T>(file: string, otherwise: T, question: (reader: Reader) => Promise<T>): Promise<T> {
  if (!existsSync(file)) return otherwise;
  let reader: Reader | undefined;
  try {
    reader = await Reader.open(file, 'read');
    return await question(reader);
  } catch (error) {
    if (!(error instanceof CorruptDatabaseError) && !isOfDuckDB(error)) throw error;
    return otherwise;
  } finally {
    await reader?.close();
  }
}

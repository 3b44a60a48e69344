/** Prepares landed files for DuckDB: determines their sizes, and makes repaired copies of files that DuckDB rejects. */
import { open, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { damaged, unreadable } from '../landing/storage-error.js';
import { type Page, gzipped, readWhole } from '../landing/landing-zone.js';
import { repairedJson } from '../ground/envelope.js';
import { type Session, count } from './session.js';
import { z } from 'zod';
import { DamageError, DawnloadError, messageOf, StorageError } from '../ground/errors.js';

/** Number of copies made so far, for unique names: several batches are repaired at a time. */
let copies = 0;

/** A page is about 1 MB. If the gzip trailer announces more than this limit, the file is unpacked to measure it. */
const PLAUSIBLE = 16 * 1024 * 1024;

/** A gzip file has a header of 10 bytes and a trailer of 8. */
const SMALLEST_GZIP = 18;

/** Minimum of DuckDB's maximum_object_size, in bytes: each thread keeps a buffer of twice it; pages are about 1 MB. */
export const SMALLEST_BUFFER = 4 * 1024 * 1024;

/**
 * Returns the pages with the JSON size that each has now.
 *
 * @throws DamageError when a file is missing or empty
 */
export async function sized<P extends { readonly file: string }>(
  pages: readonly P[],
): Promise<(P & { readonly bytes: number })[]> {
  const all: (P & { readonly bytes: number })[] = [];
  for (const page of pages) all.push({ ...page, bytes: await inflatedSize(page.file) });
  return all;
}

/** Divides pages into batches of so many bytes of JSON, or of one larger page. */
export function* inBatches<P extends { readonly bytes: number }>(
  pages: readonly P[],
  most: number,
): Generator<readonly P[]> {
  let batch: P[] = [];
  let size = 0;
  for (const page of pages) {
    if (batch.length > 0 && size + page.bytes > most) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(page);
    size += page.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the JSON size of the largest page in bytes, and at least the size that DuckDB needs. Throws as `sized` does. */
export async function largestOf(pages: readonly { readonly file: string }[]): Promise<number> {
  return (await sized(pages)).reduce((largest, { bytes }) => Math.max(largest, bytes), SMALLEST_BUFFER);
}

/**
 * Escapes a path so that it is a glob pattern matching this path alone: DuckDB reads `*`, `?` and `[` in file names as
 * patterns.
 */
export function asPattern(file: string): string {
  return file.replace(/[*?[]/g, '[$&]');
}

/**
 * Uncompressed size of a gzip file according to its trailer; correct for files of one member below 4 GiB, as landing
 * writes them.
 */
async function inflatedSize(file: string): Promise<number> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const trailer = Buffer.alloc(4);
      await handle.read(trailer, 0, 4, Math.max(0, size - 4));
      const said = trailer.readUInt32LE(0);
      // The tail of a truncated file is arbitrary bytes, so a size read from it must not be trusted for an allocation.
      if (size >= SMALLEST_GZIP && said < PLAUSIBLE) return said;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
  return (await readWhole(file)).length;
}

/**
 * Writes a copy of a JSON file that DuckDB accepts, and resolves with the path of the copy. Bytes that are not UTF-8
 * become U+FFFD; `repairedJson` repairs the rest.
 *
 * @throws DamageError when the file is not whole, or not JSON
 */
async function repair(file: string, folder: string): Promise<string> {
  const repaired = repairedJson((await readWhole(file)).toString('utf8'));
  if (repaired === undefined) throw damaged(file, 'is not JSON');
  const copy = join(folder, `repaired-${process.pid}-${copies++}.json.gz`);
  await writeFile(copy, await gzipped(Buffer.from(repaired)), { mode: 0o600 });
  return copy;
}

/**
 * Does work with pages among which DuckDB rejected one: those that it rejects are read from repaired copies, which are
 * removed afterwards. Errors name the landed pages.
 *
 * @param work gets the pages to read, and those that were repaired
 * @throws DamageError when a file is not JSON, even when repaired
 */
export async function withRepairs<P extends { readonly file: string }, T>(
  session: Session,
  pages: readonly P[],
  tempDirectory: string,
  work: (usable: readonly P[], repaired: readonly P[]) => Promise<T>,
): Promise<T> {
  const copies = new Map<string, P>();
  const usable: P[] = [];
  try {
    for (const page of pages) {
      const given = { files: [asPattern(page.file)], largest_object: await largestOf([page]) };
      const isRejected = await session.runWith('ops/read_file', given).then(() => false, isRefusal);
      const file = isRejected ? await repair(page.file, tempDirectory) : page.file;
      if (isRejected) copies.set(file, page);
      usable.push({ ...page, file });
    }
    return await work(usable, [...copies.values()]);
  } catch (error) {
    for (const [copy, { file }] of copies)
      if (error instanceof Error) error.message = error.message.replaceAll(copy, file);
    throw error;
  } finally {
    await Promise.all([...copies.keys()].map((copy) => rm(copy, { force: true })));
  }
}

const counted = z.object({
  rows: count,
  /** Number of rows whose id already occurred on an earlier page. */
  repeated: count,
  /** Number of rows without an id that equal another row, on the same page or another one. */
  equal: count,
});

export type CountedRows = Readonly<z.infer<typeof counted>>;

/**
 * Counts the rows of the pages, and the duplicates among them.
 *
 * @param id a JSON pointer to the id of a row; '' if the whole row identifies it
 * @param tempDirectory the folder for repaired copies of files that DuckDB rejects
 * @throws DamageError for a file that is not JSON, even when repaired
 */
export async function countRows(
  session: Session,
  pages: readonly Page[],
  id: string,
  tempDirectory: string,
): Promise<CountedRows> {
  const countIn = async (some: readonly Page[]): Promise<CountedRows> => {
    const [all] = await session.rows(
      'ops/count_rows',
      counted,
      {},
      {
        files: some.map(({ file }) => asPattern(file)),
        id_pointer: id,
        largest_object: await largestOf(some),
      },
    );
    return counted.parse(all);
  };
  try {
    return await countIn(pages);
  } catch (error) {
    if (!isRefusal(error)) throw loadError(error, pages[0]?.file ?? '');
  }
  return withRepairs(session, pages, tempDirectory, countIn);
}

/** Messages that SQL files raise with `error()`; the name of the file follows them. */
const OUR_REFUSAL = /not an? (?:page of records|answer with statistics): (.+)/;

/**
 * True if DuckDB rejected what it read, though a repair may make it usable: half a surrogate pair, an invalid byte, a
 * duplicate key, a malformed record. An error that our own SQL raises about the shape of a page is final.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DawnloadError) return false;
  const message = messageOf(error);
  // Bytes that are not gzip are a fault of the file, although DuckDB calls it an IO error.
  if (/^IO Error: .*gzip/is.test(message)) return true;
  return /^(Invalid Input|Conversion) Error/.test(message) && !OUR_REFUSAL.test(message);
}

/**
 * Converts the failure of a load to a `DawnloadError`: `DamageError` for a file with a wrong answer, `StorageError` for
 * a lack of disk or memory. Any other error is returned unchanged, except for reference data: its failure must not end a
 * run, so it becomes a `DamageError`.
 */
export function loadError(error: unknown, pull: string, isReference = false): Error {
  if (error instanceof DawnloadError) return error;
  if (!(error instanceof Error)) return new Error(messageOf(error));
  const { message } = error;
  const kind = /^([A-Z][A-Za-z ]+ Error)/.exec(message)?.[1];
  const file = OUR_REFUSAL.exec(message)?.[1] ?? /in file "([^"]+)"/.exec(message)?.[1];
  const isUnforeseen = kind === undefined || /^(Binder|Parser|Catalog|Not implemented) Error/.test(message);
  if ((isUnforeseen && !isReference) || /^(Internal|INTERNAL) Error/.test(message)) return error;
  if (/^(IO|Out of Memory|FATAL|TransactionContext) Error|No space left|invalidated/.test(message)) {
    return new StorageError(`The pull ${pull} could not be written into the warehouse (${kind}).`, {
      hint: 'The load was rolled back, and nothing that was received is lost. Free disk or memory, then run again. If that does not help, the file is damaged: run `dawnload rebuild`.',
      cause: new Error(withoutValues(message)),
    });
  }
  if (file !== undefined) return damaged(file, 'is not an answer of the expected shape');
  return new DamageError(`The pull ${pull} cannot be loaded (${kind ?? error.name}).`, {
    hint: 'The other days are loaded without it. It stays in the landing zone. Please report this with its shape.',
    cause: new Error(withoutValues(message)),
  });
}

/** The first line of the message, without the values that it quotes. */
function withoutValues(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/'[^']*'|"[^"]*"|[{[].*/g, '…');
}

/** A set of documents, as SQL from a fixed list: a table, two of its columns, and a condition on its rows. */
export interface Documents {
  readonly relation: string;
  readonly document: string;
  /** The column that takes what no other column can. */
  readonly extra: string;
  readonly condition: string;
}

/** The table `documents` of the free streams. */
export const DOCUMENTS: Documents = {
  relation: 'documents',
  document: 'document',
  extra: 'extra',
  condition: 'true',
};

/**
 * Moves into `extra` the members with unknown keys, or the whole text of a document with a value of another kind; the
 * document then lacks the values of another kind. Planning that takes longer than to see that no document is odd.
 */
export async function split(
  session: Session,
  place: string,
  documents: Documents = DOCUMENTS,
): Promise<void> {
  const names = { ...documents, place };
  const [odd] = await session.rows('load/documents/odd', z.object({ found: z.boolean() }), names);
  if (odd?.found === true) await session.run('load/documents/split', names);
}

/**
 * Prepares landed pages for DuckDB: batches, slices of large pages, and repaired copies of pages that DuckDB rejects. Also converts errors
 * of loads to errors with a remedy.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bytesOf, readEnvelope, repairedJson } from '../ground/envelope.js';
import { DamageError, DawnloadError, MemoryError, messageOf, StorageError } from '../ground/errors.js';
import { elementsIn } from '../ground/large-body.js';
import { isEucKr } from '../ground/text.js';
import { FILE_MODE, FOLDER_MODE } from '../disk/atomic-file.js';
import { faultIn, isOutOfMemory } from '../disk/duckdb.js';
import type { Page, Pull } from '../landing/landing-zone.js';
import { gzipped, likelySizeOf, readBody, readWhole, textOf } from '../landing/page-file.js';
import { pageName, pageOf } from '../disk/paths.js';
import { damaged, orStorageError } from '../disk/storage-error.js';
import type { Session } from './session.js';

/** A landed page, a slice of it, or a repaired copy. */
export type Readable<P> = P & {
  /** The path of the original page, for errors. */
  readonly landed: string;
  /** Number of records on the page before this slice. */
  readonly first: number;
};

/** A pull with the files to read. */
export interface ReadablePull extends Pull {
  readonly read: readonly Readable<Page>[];
}

export const whole = <P extends { readonly file: string }>(page: P): Readable<P> => ({
  ...page,
  landed: page.file,
  first: 0,
});

const temporaryIn = (folder: string, name: string): Promise<string> =>
  orStorageError('create a folder in', folder, () => mkdtemp(join(folder, name)));

/** Minimum of DuckDB's maximum_object_size, in bytes. Pages are about 1 MB, and each thread keeps a buffer of twice this size. */
export const SMALLEST_BUFFER = 4 * 1024 * 1024;

/**
 * Adds its current JSON size to each page.
 *
 * @throws DamageError when a file is missing or empty
 */
export async function sized<P extends { readonly file: string }>(
  pages: readonly P[],
): Promise<(P & { readonly bytes: number })[]> {
  const all: (P & { readonly bytes: number })[] = [];
  for (const page of pages) all.push({ ...page, bytes: await likelySizeOf(page.file) });
  return all;
}

/** Divides pages into batches with at most this many bytes of JSON, or with one larger page. */
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

/**
 * Returns the JSON size of the largest page in bytes, but at least `SMALLEST_BUFFER`.
 *
 * @throws DamageError when a page is missing or empty
 */
export async function largestOf(pages: readonly { readonly file: string }[]): Promise<number> {
  return (await sized(pages)).reduce((largest, { bytes }) => Math.max(largest, bytes), SMALLEST_BUFFER);
}

/**
 * The parameters of a statement that reads landed pages: their paths, the same as glob patterns, and the size of the largest page.
 *
 * @throws DamageError when a page is missing or empty
 */
export async function pagesGiven(pages: readonly { readonly file: string }[]) {
  const paths = pages.map(({ file }) => file);
  return { files: paths.map(asPattern), paths, largest_object: await largestOf(pages) };
}

/** Escapes a path so that it is a glob pattern for this path only. DuckDB treats `*`, `?` and `[` in file names as patterns. */
export function asPattern(file: string): string {
  return file.replace(/[*?[]/g, '[$&]');
}

// Large pages are cut into slices, because DuckDB has several copies of a page in memory while it reads the page.

/** Pages of at least this size in bytes of JSON are cut into slices of this size, or of one larger record. */
const DIVIDED = 16 * 1024 * 1024;
const SLICE = 2 * 1024 * 1024;

export function isDivided({ bytes }: { readonly bytes: number }): boolean {
  return bytes >= DIVIDED;
}

/** Does `work` with the pages, cutting large ones into slices, and then removes the slices. */
export async function withSlices<P extends { readonly file: string; readonly bytes: number }, T>(
  pages: readonly P[],
  tempDirectory: string,
  work: (slices: readonly Readable<P>[]) => Promise<T>,
): Promise<T> {
  const folders: string[] = [];
  const all: Readable<P>[] = [];
  try {
    for (const page of pages) {
      if (!isDivided(page)) {
        all.push(whole(page));
        continue;
      }
      const folder = await temporaryIn(tempDirectory, 'sliced-');
      folders.push(folder);
      const slices = await slicesOf(page.file, folder);
      all.push(...(slices?.map((slice) => ({ ...page, ...slice, landed: page.file })) ?? [whole(page)]));
    }
    return await work(all);
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

interface Slice {
  readonly file: string;
  readonly first: number;
}

/** Writes the slices of a page. Undefined if the records are neither the whole text nor its `data`. */
async function slicesOf(file: string, folder: string): Promise<Slice[] | undefined> {
  const outside = await outsideOf(file);
  if (outside === undefined) return undefined;
  const slices: Slice[] = [];
  let [records, size, first]: [Buffer[], number, number] = [[], 0, 0];
  const write = async (): Promise<void> => {
    const own = join(folder, String(slices.length));
    const slice = join(own, basename(file));
    const list = records.flatMap((record, nth) => (nth === 0 ? [record] : [COMMA, record]));
    const page = Buffer.concat([outside.before, ...list, outside.after]);
    await orStorageError('write', slice, async () => {
      await mkdir(own, { mode: FOLDER_MODE });
      await writeFile(slice, await gzipped(page), { mode: FILE_MODE });
    });
    slices.push({ file: slice, first });
    first += records.length;
    [records, size] = [[], 0];
  };
  for await (const pieces of elementsIn(textOf(file), outside.key))
    for (const { isElement, bytes } of pieces) {
      if (!isElement) continue;
      if (records.length > 0 && size + bytes.length > SLICE) await write();
      records.push(bytes);
      size += bytes.length;
    }
  if (records.length > 0 || slices.length === 0) await write();
  return slices;
}

const COMMA = Buffer.from(',');

async function outsideOf(
  file: string,
): Promise<{ key: string | undefined; before: Buffer; after: Buffer } | undefined> {
  const body = await readBody(file);
  const envelope = readEnvelope(body);
  if (envelope?.kind === 'array')
    return { key: undefined, before: Buffer.from('['), after: Buffer.from(']') };
  const list = envelope?.parts.get('data');
  if (list?.elements === undefined || envelope?.twice.has('data') === true) return undefined;
  const bytes = bytesOf(body);
  // Copy these parts, so that the body can be freed.
  const [before, after] = [bytes.subarray(0, list.start), bytes.subarray(list.end)];
  return {
    key: 'data',
    before: Buffer.concat([before, Buffer.from('[')]),
    after: Buffer.concat([Buffer.from(']'), after]),
  };
}

// Pages that DuckDB rejects, and the errors of loads.

/**
 * True if DuckDB rejected the data but a repair may help: half a surrogate pair, an invalid byte, a duplicate key, a malformed record. An
 * error that our own SQL raises about the shape of a page is final.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DawnloadError) return false;
  const { kind, isMisshapen, isOfGzip } = faultIn(error);
  // Damaged gzip is a fault of the file, although DuckDB calls it an IO error.
  return isOfGzip || (!isMisshapen && (kind === 'Invalid Input' || kind === 'Conversion'));
}

/** What a load or a search was working on: a pull by its id, or a landed file. */
interface Subject {
  readonly name: string;
  /** True for reference data, because its failure must not end a run. */
  readonly isSnapshot?: boolean;
}

/**
 * Does `work` with pages. If DuckDB rejects some of them, repeats it with repaired copies, which are removed afterwards.
 *
 * @param work gets the pages to read, and which of them are repaired copies
 * @throws DamageError when a file is not JSON, even when repaired; otherwise the error of `loadError`
 */
export async function orRepaired<P, T>(
  session: Session,
  pages: readonly Readable<P & { readonly file: string }>[],
  tempDirectory: string,
  subject: Subject,
  work: (usable: typeof pages, repaired: typeof pages) => Promise<T>,
): Promise<T> {
  try {
    return await work(pages, []);
  } catch (error) {
    if (!isRefusal(error)) throw loadError(error, subject, pages);
  }
  const usable = [...pages];
  const repaired: typeof usable = [];
  try {
    for (const [nth, page] of pages.entries()) {
      const params = { files: [asPattern(page.file)], largest_object: await largestOf([page]) };
      const isRejected = await session.run('ops/read_file', params).then(() => false, isRefusal);
      if (!isRejected) continue;
      usable[nth] = { ...page, file: await repair(page, tempDirectory) };
      repaired.push(usable[nth]);
    }
    return await work(usable, repaired);
  } catch (error) {
    throw loadError(error, subject, usable);
  } finally {
    await Promise.all(repaired.map(({ file }) => rm(dirname(file), { recursive: true })));
  }
}

/**
 * Writes a copy of a JSON file that DuckDB accepts, and resolves with the path of the copy. Bytes that are not UTF-8
 * become U+FFFD; `repairedJson` repairs the rest.
 *
 * @throws DamageError when the file is not whole, or not JSON
 */
async function repair({ file, landed }: Readable<{ file: string }>, tempDirectory: string): Promise<string> {
  const bytes = await readWhole(file);
  if (isEucKr(bytes)) throw damaged(landed, 'is in EUC-KR and not in UTF-8, so its Korean cannot be read');
  const repaired = repairedJson(bytes.toString('utf8'));
  if (repaired === undefined) throw damaged(landed, 'is not JSON');
  const folder = await temporaryIn(tempDirectory, 'repaired-');
  const copy = join(folder, pageName(pageOf(basename(file)) ?? 0));
  await writeFile(copy, await gzipped(Buffer.from(repaired)), { mode: FILE_MODE });
  return copy;
}

/**
 * Converts the error of a load to a `DawnloadError`: `DamageError` for a wrong file, `StorageError` for a full disk, `MemoryError`. Other
 * errors are returned unchanged, except for reference data.
 *
 * @param pages the pages that were read, so that an error about a copy can name the landed page
 */
export function loadError(
  error: unknown,
  { name, isSnapshot = false }: Subject,
  pages: readonly Readable<{ readonly file: string }>[] = [],
): Error {
  if (error instanceof DawnloadError) return error;
  if (!(error instanceof Error)) return new Error(messageOf(error));
  if (isOutOfMemory(error)) return new MemoryError(error);
  const { kind = '', file, isOfDisk } = faultIn(error);
  const isUnforeseen = ['', 'Binder', 'Parser', 'Catalog', 'Not implemented'].includes(kind);
  if ((isUnforeseen && !isSnapshot) || kind.toUpperCase() === 'INTERNAL') return error;
  const shown = kind === '' ? error.name : `${kind} Error`;
  const cause = new Error(withoutValues(error.message));
  if (isOfDisk)
    return new StorageError(`The pull ${name} could not be written into the warehouse (${shown}).`, {
      hint: 'The load was rolled back, and nothing that was received is lost. Free disk space, then run again. If that does not help, the file is damaged: run `dawnload rebuild`.',
      cause,
    });
  const page = pages.find((one) => one.file === file)?.landed ?? file;
  if (page !== undefined) return damaged(page, 'is not an answer of the expected shape');
  return new DamageError(`The pull ${name} cannot be loaded (${shown}).`, {
    hint: 'The other days are loaded without it. It stays in the landing zone. Please report its keys and types, without values.',
    cause,
  });
}

/** The first line of the message, without the values that it quotes. */
function withoutValues(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/'[^']*'|"[^"]*"|[{[].*/g, '…');
}

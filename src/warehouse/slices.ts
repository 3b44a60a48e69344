/**
 * Divides pages that are too large to read whole into smaller pages with some of their records each, because DuckDB has
 * a page in memory several times while it reads it.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bytesOf, readEnvelope } from '../ground/envelope.js';
import { elementsIn } from '../ground/large-body.js';
import { FILE_MODE, FOLDER_MODE } from '../landing/atomic-file.js';
import type { Page, Pull } from '../landing/landing-zone.js';
import { gzipped, readBody, textOf } from '../landing/page-file.js';
import { orStorageError } from '../landing/storage-error.js';

/** The JSON size of a page from which on it is divided, and the size of a slice unless one record is larger, in bytes. */
const DIVIDED = 16 * 1024 * 1024;
const SLICE = 2 * 1024 * 1024;

let divided = 0;

export type Slice<P> = P & { readonly first: number };

/** A pull with the files to read: repaired copies and slices in place of some pages. */
export interface ReadablePull extends Pull {
  readonly read: readonly Slice<Page>[];
}

export function isDivided({ bytes }: { readonly bytes: number }): boolean {
  return bytes >= DIVIDED;
}

/** Does work with pages of which the large ones are divided; the slices are removed afterwards. */
export async function withSlices<P extends { readonly file: string; readonly bytes: number }, T>(
  pages: readonly P[],
  tempDirectory: string,
  work: (slices: readonly Slice<P>[]) => Promise<T>,
): Promise<T> {
  const folders: string[] = [];
  const all: Slice<P>[] = [];
  try {
    for (const page of pages) {
      if (!isDivided(page)) {
        all.push({ ...page, first: 0 });
        continue;
      }
      const folder = join(tempDirectory, `sliced-${process.pid}-${divided++}`);
      await orStorageError('create the folder', folder, () => mkdir(folder, { mode: FOLDER_MODE }));
      folders.push(folder);
      const slices = await slicesOf(page.file, folder);
      all.push(...(slices ?? [{ file: page.file, first: 0 }]).map((slice) => ({ ...page, ...slice })));
    }
    return await work(all);
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the slices of a page; undefined if its records are not the text itself or its `data`. */
async function slicesOf(file: string, folder: string): Promise<Slice<{ file: string }>[] | undefined> {
  const outside = await outsideOf(file);
  if (outside === undefined) return undefined;
  const slices: Slice<{ file: string }>[] = [];
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
  // Copies, so that the body is not kept.
  const [before, after] = [bytes.subarray(0, list.start), bytes.subarray(list.end)];
  return {
    key: 'data',
    before: Buffer.concat([before, Buffer.from('[')]),
    after: Buffer.concat([Buffer.from(']'), after]),
  };
}

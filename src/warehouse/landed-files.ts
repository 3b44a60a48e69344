/** Landed files for DuckDB: their sizes, and repaired copies where DuckDB is too strict. */
import { createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { damaged, unreadable } from '../storage/storage-error.js';
import type { SizedFile } from '../storage/pull.js';
import { gzipped } from '../storage/whole-gzip.js';
import { repairedJson } from '../storage/repair-json.js';

/** Copies that were made: batches are repaired beside each other, so each has a name of its own. */
let copies = 0;

const decompress = promisify(gunzip);

/** A page is about 1 MB; the size of a larger file is counted, not read from its trailer. */
const PLAUSIBLE = 16 * 1024 * 1024;

/** DuckDB keeps a buffer of twice this size for each thread; pages are about 1 MB. */
export const SMALLEST_BUFFER = 4 * 1024 * 1024;

/**
 * How large the largest of the files is in JSON, or what DuckDB needs at least.
 *
 * @throws DamageError when a file is missing or empty
 */
export async function largestOf(files: readonly string[]): Promise<number> {
  let largest = SMALLEST_BUFFER;
  for (const file of files) largest = Math.max(largest, await inflatedSize(file));
  return largest;
}

/** The files with the bytes of JSON that each holds. Throws as `largestOf` does. */
export async function sized(files: readonly string[]): Promise<SizedFile[]> {
  const all: SizedFile[] = [];
  for (const file of files) all.push({ file, bytes: await inflatedSize(file) });
  return all;
}

/** A path as a pattern that matches it alone: DuckDB takes `*`, `?` and `[` in file names for patterns. */
export function asPattern(file: string): string {
  return file.replace(/[*?[]/g, '[$&]');
}

/** How many bytes a gzip file holds, by its trailer; right for files of one member below 4 GiB, as landing writes them. */
async function inflatedSize(file: string): Promise<number> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw damaged(file, 'is a folder');
    const { size } = stats;
    if (!file.endsWith('.gz')) return size;
    if (size < 18) throw damaged(file, 'is not a complete gzip file');
    const trailer = Buffer.alloc(4);
    await handle.read(trailer, 0, 4, size - 4);
    const said = trailer.readUInt32LE(0);
    // The end of a file that was cut short says anything; memory is not given away for that.
    return said < PLAUSIBLE ? said : await countInflated(file);
  } finally {
    await handle.close();
  }
}

async function countInflated(file: string): Promise<number> {
  let bytes = 0;
  const counter = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(file), createGunzip(), counter).catch(() => {
    throw damaged(file, 'is not a complete gzip file');
  });
  return bytes;
}

/**
 * Writes a copy of a JSON file that DuckDB accepts: bytes that are not UTF-8 become U+FFFD there, and the rest is repaired
 * as `repairedJson` says. Resolves with the path of the copy.
 *
 * @throws DamageError when the file is not JSON
 */
export async function repair(file: string, folder: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  const body = file.endsWith('.gz') ? await decompress(bytes).catch(() => undefined) : bytes;
  if (body === undefined) throw damaged(file, 'is not a complete gzip file');
  const repaired = repairedJson(body.toString('utf8'));
  if (repaired === undefined) throw damaged(file, 'is not JSON');
  const copy = join(folder, `repaired-${process.pid}-${copies++}.json.gz`);
  await writeFile(copy, await gzipped(Buffer.from(repaired)), { mode: 0o600 });
  return copy;
}

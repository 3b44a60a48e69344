/** Reads compressed landed files, completely or piece by piece. Throws `StorageError`, and `DamageError` for an incomplete file. */
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, createGzip, gunzip, gzip } from 'node:zlib';
import type { Body } from '../ground/envelope.js';
import { asError, codeOf, DamageError, DawnloadError } from '../ground/errors.js';
import { LARGE, OutsideReader } from '../ground/large-body.js';
import { FAST } from '../disk/atomic-file.js';
import { damaged, unreadable } from '../disk/storage-error.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export function gzipped(body: Uint8Array): Promise<Buffer> {
  return compress(body, FAST);
}

export function compressed(text: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gzip = createGzip(FAST);
  pipeline(text, gzip).catch((error: unknown) => gzip.destroy(asError(error)));
  return gzip;
}

export async function readBody(file: string): Promise<Body> {
  try {
    return await readWhole(file);
  } catch (error) {
    if (!(error instanceof TooLargeToHold)) throw error;
  }
  const outside = new OutsideReader();
  for await (const piece of textOf(file)) outside.push(piece);
  return outside.end(file);
}

/** Returns the uncompressed size of a landed file in bytes, by reading the whole file. */
export async function sizeOf(file: string): Promise<number> {
  let size = 0;
  for await (const piece of textOf(file)) size += piece.length;
  return size;
}

/** Yields the uncompressed content of a landed file, piece by piece. Damage may be noticed only at the end. */
export async function* textOf(file: string): AsyncGenerator<Buffer> {
  let length = 0;
  const compressed = createReadStream(file);
  const gunzip = compressed.pipe(createGunzip({ chunkSize: 256 * 1024 }));
  compressed.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const piece of gunzip) {
      if (!Buffer.isBuffer(piece)) continue;
      length += piece.length;
      yield piece;
    }
    if ((await lengthAtEnd(file)) !== length % 2 ** 32) throw damaged(file, 'is incomplete or damaged');
  } catch (error) {
    throw readingError(file, error);
  } finally {
    compressed.destroy();
  }
}

/** The smallest gzip file in bytes: a header of 10 and a trailer of 8. */
const SMALLEST = 18;

/** A page is about 1 MB. A larger size in the trailer is not believed, because a truncated file ends in arbitrary bytes. */
const PLAUSIBLE = 16 * 1024 * 1024;

/** The uncompressed size of a landed file in bytes: from its trailer if plausible, otherwise by reading the file. */
export async function likelySizeOf(file: string): Promise<number> {
  const length = await lengthAtEnd(file).catch((error: unknown) => {
    throw readingError(file, error);
  });
  return length >= 0 && length < PLAUSIBLE ? length : sizeOf(file);
}

/** Throws DamageError if the end of a Parquet file is missing. */
export async function assertTable(file: string): Promise<void> {
  const { end } = await endOf(file).catch((error: unknown) => {
    throw readingError(file, error);
  });
  if (end.toString('latin1') !== 'PAR1') throw damaged(file, 'is not a whole Parquet file');
}

/**
 * Reads the uncompressed size at the end of a gzip file. It has to be checked, because gunzip accepts an empty file and ignores trailing
 * bytes.
 */
async function lengthAtEnd(file: string): Promise<number> {
  const { size, end } = await endOf(file);
  return size < SMALLEST ? -1 : end.readUInt32LE(0);
}

/** The size of a file, and its last four bytes. */
async function endOf(file: string): Promise<{ size: number; end: Buffer }> {
  const handle = await open(file);
  try {
    const end = Buffer.alloc(4);
    const { size } = await handle.stat();
    await handle.read(end, 0, 4, Math.max(0, size - 4));
    return { size, end };
  } finally {
    await handle.close();
  }
}

class TooLargeToHold extends DamageError {}

export async function readWhole(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    const body = await decompress(bytes, { maxOutputLength: LARGE });
    if (bytes.length < 4 || bytes.readUInt32LE(bytes.length - 4) !== body.length)
      throw damaged(file, 'is incomplete or damaged');
    return body;
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw new TooLargeToHold(`${file} has more than 64 MiB.`);
    throw readingError(file, error);
  }
}

function readingError(file: string, error: unknown): DawnloadError {
  if (error instanceof DawnloadError) return error;
  const isDamage = (codeOf(error) ?? '').startsWith('Z_');
  return isDamage ? damaged(file, 'is incomplete or damaged', error) : unreadable(file, error);
}

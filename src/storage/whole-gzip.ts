/** Compression of landed answers, and the check that a file is intact. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import { codeOf, DamageError } from '../errors.js';
import { damaged, unreadable } from './storage-error.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Level 1 takes half the time of the default level and hardly more room; off the JavaScript thread, in pieces so large
 * that a page crosses over to it once or twice and not sixteen times.
 */
export function gzipped(body: Uint8Array): Promise<Buffer> {
  return compress(body, { level: 1, memLevel: 9, chunkSize: 256 * 1024 });
}

/** The body of a landed file, as it was received. Throws `DamageError` when it is not whole, `StorageError`. */
export async function readWhole(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    if (bytes.length === 0) throw damaged(file, 'is incomplete or damaged');
    return await decompress(bytes);
  } catch (error) {
    throw readingError(file, error);
  }
}

/** Reads a file from end to end without keeping it. Throws `DamageError` when it is not one whole gzip, `StorageError`. */
export async function verifyWhole(file: string): Promise<void> {
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const inflate = createGunzip();
  try {
    const { size } = await stat(file);
    await pipeline(createReadStream(file), inflate, nowhere);
    // gunzip takes an empty file for an empty body, and passes over bytes after the end.
    if (size === 0 || inflate.bytesWritten !== size) throw damaged(file, 'is incomplete or damaged');
  } catch (error) {
    throw readingError(file, error);
  }
}

function readingError(file: string, error: unknown): Error {
  if (error instanceof DamageError) return error;
  const code = codeOf(error) ?? '';
  return code.startsWith('Z_') ? damaged(file, 'is incomplete or damaged', error) : unreadable(file, error);
}

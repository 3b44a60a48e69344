/** Where an answer goes: standard output, at the pace of its reader, or a file, written completely or not at all. */
import { createReadStream, createWriteStream, readlinkSync, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, DawnloadError, messageOf, StorageError } from '../errors.js';

/** Pieces of text or bytes, produced on demand. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/** Writes all pieces to a stream that stays open. A reader that has seen enough (`| head`) ends it silently. */
export async function writeTo(stream: Writable, pieces: Pieces): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), stream, { end: false });
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
  }
}

/**
 * Lets `write` create a file beside `file`, and renames it to `file` when it is complete.
 *
 * @throws StorageError when the file cannot be written
 */
export async function writeFileWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  // A pipe or a device (/dev/stdout) must not be replaced by a file; nothing else is written through a link.
  const whole = !isSpecial(file);
  const target = whole ? realPlace(file) : file;
  const partial = whole ? `${target}.partial` : target;
  try {
    if (whole) await rm(partial, { force: true });
    await write(partial);
    if (whole) await rename(partial, target);
  } catch (cause) {
    if (whole) await rm(partial, { force: true }).catch(() => undefined);
    if (cause instanceof DawnloadError || !isFileError(cause)) throw cause;
    throw new StorageError(`${file} cannot be written: ${messageOf(cause)}.`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}

function isSpecial(file: string): boolean {
  if (/^\/(?:dev(?!\/shm\/)|proc)\//.test(resolve(file))) return true;
  try {
    return !statSync(file).isFile();
  } catch {
    // Whatever stands in the way, such as a name that is too long, stands in the way of writing too.
    return false;
  }
}

/** Where a file is, or will be, with every link followed, also one to a file that is not there yet. */
export function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(file) === file) return file;
  }
  const folder = realPlace(dirname(file));
  const link = linkAt(join(folder, basename(file)));
  return link === undefined ? join(folder, basename(file)) : realPlace(resolve(folder, link));
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isFileError(error: unknown): boolean {
  return codeOf(error) !== undefined || messageOf(error).startsWith('IO Error');
}

/** Writes all pieces into a new file. */
export async function writePieces(file: string, pieces: Pieces): Promise<void> {
  await pipeline(Readable.from(pieces), createWriteStream(file));
}

/** The bytes of a file. */
export function bytesOf(file: string): Pieces {
  return createReadStream(file);
}

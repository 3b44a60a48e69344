/** Where an answer goes: standard output, with patience for a slow reader, or a file that is there whole or not at all. */
import { createReadStream, createWriteStream, lstatSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, DawnloadError, messageOf, StorageError } from '../errors.js';

/** Pieces of text or bytes, made as fast as they are taken. */
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
 * Lets `write` make a file beside the one that is wanted, and puts it in its place once it is whole.
 *
 * @throws StorageError when the file cannot be written
 */
export async function writeFileWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  // A pipe or a device (/dev/stdout) must not be replaced by a file.
  const partial = isSpecial(file) ? file : `${file}.partial`;
  try {
    await write(partial);
    if (partial !== file) await rename(partial, file);
  } catch (cause) {
    if (partial !== file) await rm(partial, { force: true });
    if (cause instanceof DawnloadError || !isFileError(cause)) throw cause;
    throw new StorageError(`${file} cannot be written: ${messageOf(cause)}.`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}

function isSpecial(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
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

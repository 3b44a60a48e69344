/** `pull.json`, the manifest of a pull of many files, written last: without it the pull never ended and does not count. */
import type { z } from 'zod';
import { codeOf, DamageError, StorageError } from '../errors.js';
import { readIfThere } from './storage-error.js';

/**
 * What a manifest says; undefined where there is none.
 *
 * @param again what brings back what it stood for, as a sentence
 * @throws DamageError when it cannot be read, StorageError
 */
export async function readManifest<T>(
  path: string,
  shape: z.ZodType<T>,
  again: string,
): Promise<T | undefined> {
  try {
    const text = await readIfThere(path);
    if (text === undefined) return undefined;
    return shape.parse(JSON.parse(text.toString('utf8')));
  } catch (cause) {
    // A folder in its place is damage; a disk that refuses is not.
    if (cause instanceof StorageError && codeOf(cause.cause) !== 'EISDIR') throw cause;
    throw new DamageError(`${path} is not a valid manifest.`, {
      hint: `Move its folder away. ${again}`,
      cause,
    });
  }
}

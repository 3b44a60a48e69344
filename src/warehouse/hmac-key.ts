/** The key under which recipients are hashed: made once, kept private, never in the warehouse. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Effects } from '../effects.js';
import { DamageError } from '../errors.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';

const BYTES = 32;

/**
 * The key of a data folder, 32 bytes, made at the first call. For the holder of the lock. Throws `DamageError` when
 * the file holds something else, `StorageError`.
 */
export async function hmacKey(dataDir: string, effects: Pick<Effects, 'reach'>): Promise<Buffer> {
  const path = join(foldersOf(dataDir).private, 'hmac.key');
  const known = await readIfThere(path);
  if (known?.length === BYTES) return known;
  if (known !== undefined) {
    throw new DamageError(`${path} is not a valid key.`, {
      hint: 'Restore it from a backup. With another key the same recipient would get another hash.',
    });
  }
  const key = randomBytes(BYTES);
  await new DurableFolder(dataDir, effects).write(path, key, 'hmac-key');
  return key;
}

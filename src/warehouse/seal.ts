/**
 * The seal of a database that lies closed: the checksum of its bytes, beside it. DuckDB notices damage only in the blocks
 * that it happens to read, which may be next year's; with the seal it is noticed at the next opening.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CorruptDatabaseError, StorageError } from '../errors.js';
import { sync } from './sync.js';

const SEAL = z.object({ bytes: z.number(), sha256: z.string() });
type Seal = z.infer<typeof SEAL>;

/** Bytes read at once. */
const CHUNK = 4 * 1024 * 1024;

/** Where the seal of a database lies. */
export function sealOf(path: string): string {
  return `${path}.seal`;
}

/** Seals a database that was closed. Without its seal, a disk that is full for one, it is only not looked at as closely. */
export async function seal(path: string): Promise<void> {
  const next = `${sealOf(path)}.next`;
  try {
    await writeFile(next, JSON.stringify(await sumOf(path)), { mode: 0o600 });
    await rename(next, sealOf(path));
  } catch {
    await rm(next, { force: true }).catch(() => undefined);
  }
}

/**
 * Looks at a seal and takes it off: from now on the database may change. It must not be open, since reading a file that
 * is open drops its lock. Of one that has no seal nothing is known; a killed run leaves it so.
 *
 * @throws CorruptDatabaseError when the file is not what was sealed; the seal stays on
 */
export async function breakSeal(path: string): Promise<void> {
  const sealed = await readSeal(path);
  if (sealed !== undefined && existsSync(path)) {
    const { bytes, sha256 } = await sumOf(path);
    if (bytes !== sealed.bytes || sha256 !== sealed.sha256) {
      throw new CorruptDatabaseError(`${path} is damaged: it is not what the last run left there.`);
    }
  }
  await removeSeal(path);
}

/** Takes a seal off for good, also after a power cut: left on, it would speak of another file. */
export async function removeSeal(path: string): Promise<void> {
  if (!existsSync(sealOf(path))) return;
  try {
    await rm(sealOf(path), { force: true });
    await sync(dirname(path));
  } catch (cause) {
    throw new StorageError(`${sealOf(path)} cannot be removed.`, {
      hint: 'Correct the rights of the data folder, then run again.',
      cause,
    });
  }
}

/** The seal; undefined when there is none, or only part of one. */
async function readSeal(path: string): Promise<Seal | undefined> {
  try {
    return SEAL.parse(JSON.parse(await readFile(sealOf(path), 'utf8')));
  } catch {
    return undefined;
  }
}

async function sumOf(path: string): Promise<Seal> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    if (!Buffer.isBuffer(chunk)) continue;
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * The way back from an upgrade: the closed file of the older schema is copied beside itself before the first migration,
 * and stays until a run of the new schema has succeeded.
 */
import { constants } from 'node:fs';
import { copyFile, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Effects } from '../effects.js';
import { codeOf, StorageError } from '../errors.js';
import { fsync, fsyncFolder } from '../storage/folder-sync.js';
import { orStorageError } from '../storage/storage-error.js';

/** The crash points of an upgrade, in order. */
export const UPGRADE_POINTS = [
  'upgrade/before-copy',
  'upgrade/before-rename',
  'upgrade/copied',
  'upgrade/before-commit',
  'upgrade/migrated',
] as const;

/** What a copy has after the name of the file, before the number of its schema. */
const MARK = '.before-upgrade-';

/** What an unfinished copy ends with. */
const UNFINISHED = '.part';

/**
 * Copies a closed file of that schema beside itself. One that is there is of the same schema and older: it is replaced.
 *
 * @throws StorageError when there is too little room, or the disk refuses; then nothing has changed
 */
export async function keepCopy(
  path: string,
  schema: number,
  { reach }: Pick<Effects, 'reach'>,
): Promise<void> {
  const copy = `${path}${MARK}${schema}`;
  const unfinished = `${copy}${UNFINISHED}`;
  await orStorageError('copy', path, async () => {
    await rm(unfinished, { force: true });
    await assertRoom(path);
    reach('upgrade/before-copy');
    try {
      await copyFile(path, unfinished, constants.COPYFILE_FICLONE);
      await fsync(unfinished);
      reach('upgrade/before-rename');
      await rename(unfinished, copy);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
    await fsyncFolder(dirname(path));
  });
  reach('upgrade/copied');
}

/** The copies that are kept beside a file, also those of several upgrades. */
export async function keptCopies(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => name.startsWith(basename(path) + MARK) && !name.endsWith(UNFINISHED))
    .sort()
    .map((name) => join(dirname(path), name));
}

/** Removes them, once what they were kept for has succeeded. */
export async function discardCopies(path: string): Promise<void> {
  await orStorageError('remove the copies of', path, async () => {
    for (const copy of await keptCopies(path)) await rm(copy, { force: true });
  });
}

async function assertRoom(path: string): Promise<void> {
  const { size } = await stat(path);
  const { bavail, bsize } = await statfs(dirname(path));
  const free = bavail * bsize;
  if (free > size) return;
  throw new StorageError(
    `${path} is not upgraded: a copy of it needs ${megabytes(size)} and ${megabytes(free)} are free.`,
    { hint: 'Free disk space, then run again. Nothing has changed.' },
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/**
 * Publishes the private file with one rename. Readers keep the old file while they have it open, and get the new one when they open the
 * path again.
 */
import { constants, createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { codeOf, DamageError, messageOf, StorageError } from '../ground/errors.js';
import { escaped, isLocked, openInstance } from '../disk/duckdb.js';
import { openElsewhere } from '../disk/storage-error.js';
import { asidePath, type DataFiles } from '../disk/paths.js';
import { fsync, fsyncFolder } from '../disk/atomic-file.js';
import { storageError } from '../disk/storage-error.js';
import { writing } from './opening.js';
import { Session } from './session.js';

/** The magic bytes of a DuckDB file; they follow its first checksum. */
const MAGIC = 'DUCK';
const MAGIC_AT = 8;

/**
 * Checks that the file to be replaced is a database.
 *
 * @throws DamageError if it is another kind of file, or a link: a rename would replace the link, and readers of its target would keep the
 *   old file forever
 */
export async function assertReplaceable(published: string): Promise<void> {
  const link = await readlink(published).catch(() => undefined);
  if (link !== undefined) {
    throw new DamageError(`${published} is a link to ${link}, so it is not replaced.`, {
      hint: 'Replace the link by the file that it points to. For readers elsewhere, create a link to this path.',
    });
  }
  if (!existsSync(published) || (await isDatabase(published))) return;
  throw new DamageError(`${published} is not a DuckDB file, so it is not replaced.`, {
    hint: 'Move it away and run again, or run `dawnload rebuild`, which renames it and rebuilds the warehouse.',
  });
}

/**
 * Checks, before a paid request, that `publish` and the other writes next to the published file would succeed.
 *
 * @throws StorageError as `publish`
 */
export async function assertPublishable(published: string): Promise<void> {
  const probe = `${published}.next-${process.pid}`;
  await assertNotWritten(published);
  try {
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    throw cannotPublish(published, cause);
  }
}

export async function setAside(published: string, now: Date): Promise<string | undefined> {
  if (!existsSync(published) || (await isDatabase(published))) return undefined;
  const aside = asidePath(published, now);
  await rename(published, aside);
  return aside;
}

async function isDatabase(path: string): Promise<boolean> {
  const end = MAGIC_AT + MAGIC.length - 1;
  try {
    // Opening a named pipe would wait for a writer.
    if (!(await stat(path)).isFile()) return false;
    const chunks: AsyncIterable<string> = createReadStream(path, {
      start: MAGIC_AT,
      end,
      encoding: 'latin1',
    });
    let magic = '';
    for await (const chunk of chunks) magic += chunk;
    return magic === MAGIC;
  } catch (cause) {
    if (codeOf(cause) === 'EACCES') throw storageError('read', path, cause);
    return false;
  }
}

/**
 * Copies the private file beside the published one and renames the copy into place. Resolves with its size in bytes.
 *
 * @throws DamageError if the private file still has a log (WAL), because a copy would lack the rows in it
 * @throws StorageError when the disk refuses, or another program has the published file open for writing; the published file is unchanged
 */
export async function publish({
  working,
  published,
  effects,
}: {
  readonly working: string;
  readonly published: string;
  readonly effects: Pick<Effects, 'reach'>;
}): Promise<number> {
  if (existsSync(`${working}.wal`)) {
    throw new DamageError(`${working} was not closed: its log ${basename(working)}.wal is still there.`, {
      hint: 'Run again. If the log stays, run `dawnload rebuild`.',
    });
  }
  const next = `${published}.next-${process.pid}`;
  try {
    await sweep(published);
    // While the copy is made, DuckDB checks whether another program has the old file open.
    const free = assertNotWritten(published);
    free.catch(() => undefined);
    effects.reach('publish/before-copy');
    // Copy-on-write if the file system supports it. The private file stays in use while others read the published one.
    await copyFile(working, next, constants.COPYFILE_FICLONE);
    // Only the job's account may read the private file, but everyone with access to the folder may read the published one.
    await chmod(next, 0o644);
    effects.reach('publish/before-fsync');
    await fsync(next);
    await free;
    // A program killed while it wrote to the published file leaves a log. DuckDB would apply that log to the new file.
    await rm(`${published}.wal`, { force: true });
    effects.reach('publish/before-rename');
    await rename(next, published);
    effects.reach('publish/after-rename');
    await fsyncFolder(dirname(published));
    effects.reach('publish/after-folder-fsync');
    return (await stat(published)).size;
  } catch (cause) {
    await rm(next, { force: true }).catch(() => undefined);
    if (cause instanceof StorageError) throw cause;
    throw cannotPublish(published, cause);
  }
}

function cannotPublish(published: string, cause: unknown): StorageError {
  return new StorageError(`${published} cannot be written (${codeOf(cause) ?? messageOf(cause)}).`, {
    hint: 'Readers still see the previous file, if there is one. Free disk space or correct the permissions, then run again.',
    cause,
  });
}

/** Replaces one closed database by another. Removes the log of the old one, because DuckDB would apply it to the new one. */
export async function replaceDatabase(
  from: string,
  to: string,
  effects: Pick<Effects, 'reach'>,
): Promise<void> {
  effects.reach('replace/before-rename');
  await rm(`${to}.wal`, { force: true });
  await rename(from, to);
  await fsyncFolder(dirname(to));
  effects.reach('replace/after-rename');
}

/**
 * Rewrites the closed private file without free blocks, because these still contain the bytes of deleted rows.
 *
 * @throws CorruptDatabaseError when a block of the file is damaged, StorageError when the disk refuses; the file is unchanged
 */
export async function rewriteDatabase(
  { working, rebuilt, temp }: DataFiles,
  effects: Pick<Effects, 'reach'>,
): Promise<void> {
  await discardDatabase(rebuilt);
  const instance = await openInstance(':memory:', {
    temp_directory: temp,
    preserve_insertion_order: 'false',
    // Copying needs memory for one row group per thread.
    memory_limit: '256MB',
  });
  const session = await Session.open(instance);
  try {
    await writing(rebuilt, async () => {
      await session.run('publish/copy_database', { old: escaped(working), new: escaped(rebuilt) });
    });
  } finally {
    session.close();
  }
  await replaceDatabase(rebuilt, working, effects);
}

export async function discardDatabase(path: string): Promise<void> {
  await rm(`${path}.wal`, { force: true });
  await rm(path, { force: true });
}

/**
 * Throws StorageError if a program has the published file open for writing. Its log would remain, and DuckDB would apply it to the new
 * file.
 */
async function assertNotWritten(published: string): Promise<void> {
  if (!existsSync(published)) return;
  try {
    const instance = await openInstance(published, { access_mode: 'READ_ONLY' });
    instance.closeSync();
  } catch (cause) {
    // The old file may be damaged in any other way, because it is replaced.
    if (isLocked(cause)) throw openElsewhere(published, cause);
  }
}

async function sweep(published: string): Promise<void> {
  const folder = dirname(published);
  const stale = (await readdir(folder)).filter((name) => name.startsWith(`${basename(published)}.next-`));
  await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
}

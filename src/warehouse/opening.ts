/** Opens the working file with DuckDB's settings, reports why it cannot be opened, and migrates its schema. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  codeOf,
  CorruptDatabaseError,
  DawnloadError,
  MemoryError,
  messageOf,
  StorageError,
  TryLaterError,
} from '../ground/errors.js';
import { FOLDER_MODE } from '../disk/atomic-file.js';
import { faultIn, isLocked, isOutOfMemory, openInstance, rejectsLog, unlessMissing } from '../disk/duckdb.js';
import { asidePath } from '../disk/paths.js';
import { orStorageError } from '../disk/storage-error.js';
import { count, Session, statement, statementsIn, streamFolders } from './session.js';
import { limitsOf } from './memory-limit.js';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import type { ExperimentSettings } from '../config/schema.js';
import type { Field } from '../ground/fields.js';
import type { Loadable } from './load.js';
import type { Privacy } from './privacy.js';

export interface WarehouseOptions {
  readonly path: string;
  readonly tempDirectory: string;
  /** The brand word: the prefix of `_user_id` and `_device_id` in export records, and the name of the web-push object. */
  readonly brand: string;
  readonly messenger: string;
  readonly fields: readonly Field[];
  readonly streams?: readonly Loadable[];
  readonly privacy: Privacy;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** Memory limit of DuckDB for ordinary loads, in MB; see `limitsOf`. */
  readonly memoryLimitMb?: number;
  readonly threads?: number;
  readonly warn?: (sentence: string) => void;
  /** If it aborts, every method except `close` throws its reason, and the transaction is rolled back. */
  readonly signal?: AbortSignal;
  readonly timed?: (stage: string, work: () => Promise<void>) => Promise<void>;
  readonly experiments?: Readonly<Record<string, ExperimentSettings>>;
  readonly mainGoals?: Readonly<Record<string, string>>;
  /** Names of events that are not clicks, besides the built-in ones. */
  readonly notClicks?: readonly string[];
  /** Ids of people and devices that belong to nobody, besides the built-in ones. */
  readonly placeholderIds?: readonly string[];
  /** User ids of excluded staff and test people. */
  readonly excluded?: readonly string[];
}

/**
 * Opens the working file exclusively, and creates it if it does not exist.
 *
 * @throws StorageError when its folder cannot be written
 * @throws TryLaterError when another program has it open
 * @throws CorruptDatabaseError when it is not a database, or damaged
 */
export async function openSession(options: WarehouseOptions): Promise<Session> {
  const { path, tempDirectory, signal } = options;
  const limits = limitsOf(options);
  // DuckDB creates its log and spill files itself; the umask decides their mode.
  process.umask(0o077);
  // One after the other, so that nothing more is created after a failure.
  for (const folder of [dirname(path), tempDirectory])
    await orStorageError('create the folder', folder, () =>
      mkdir(folder, { recursive: true, mode: FOLDER_MODE }),
    );
  await sweep(tempDirectory);
  const size = (await stat(path).catch(() => undefined))?.size;
  // A run killed while DuckDB creates the file leaves an empty one, which DuckDB rejects.
  if (size === 0) await rm(path, { force: true });
  const settings = {
    memory_limit: `${limits.megabytes}MB`,
    // Below 64 MB, one thread costs less than several. The load of a large export raises the number.
    threads: String(size === undefined || size < 2 ** 26 ? 1 : limits.threads),
    temp_directory: tempDirectory,
    // Rows have no order. Preserving one would cost memory and the use of the second core.
    preserve_insertion_order: 'false',
    // The oldest version of DuckDB that can read the file. The format of 1.0 takes 50% more space.
    storage_compatibility_version: 'v1.4.0',
  };
  const open = async (): Promise<Session> => Session.open(await openInstance(path, settings), signal);
  const log = `${path}.wal`;
  try {
    // Opening a named pipe would wait for a writer.
    const isOdd = (await stat(log).catch(() => undefined))?.isFile() === false;
    if (isOdd) await setAsideLog(log, options);
    return await open().catch(async (cause: unknown) => {
      if (!rejectsLog(cause)) throw cause;
      await setAsideLog(log, options);
      return open();
    });
  } catch (cause) {
    throw openingError(path, cause);
  }
}

async function setAsideLog(log: string, options: WarehouseOptions): Promise<void> {
  const aside = asidePath(log, options.effects.now());
  await orStorageError('rename', log, () => rename(log, aside));
  options.warn?.(
    `DuckDB rejects the log of the private warehouse, which is now ${aside}. Its data is loaded again from the landing zone.`,
  );
}

/** Removes files of killed runs that may contain personal data: spill files, repaired copies and slices of pages, copies of own tables. */
async function sweep(tempDirectory: string): Promise<void> {
  const left = (await readdir(tempDirectory)).filter((name) =>
    /^(duckdb_temp|repaired-|sliced-|batch_|own-)/.test(name),
  );
  await Promise.all(left.map((name) => rm(join(tempDirectory, name), { recursive: true, force: true })));
}

function openingError(path: string, cause: unknown): Error {
  const text = messageOf(cause);
  if (isOutOfMemory(cause)) return new MemoryError(cause);
  if (isLocked(cause)) {
    return new TryLaterError(`${path} is open in another program.`, {
      hint: 'Close it there. To look at data, open the published file.',
      cause,
    });
  }
  if (/Permission denied|Cannot open file|No space left|Read-only file system|Is a directory/.test(text)) {
    return new StorageError(`${path} cannot be opened for writing.`, {
      hint: 'Correct the permissions of the data folder, or free disk space, then run again.',
      cause,
    });
  }
  return new CorruptDatabaseError(`${path} is not a DuckDB file that can be opened.`, cause);
}

/**
 * Does work that writes. A DuckDB error caused by the disk becomes a `StorageError`.
 *
 * @param signal if aborted, its reason is thrown, because an interrupted commit looks like a disk error
 * @throws StorageError that names the file
 */
export async function writing<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DawnloadError || (!faultIn(cause).isOfDisk && codeOf(cause) === undefined))
      throw cause;
    signal?.throwIfAborted();
    throw new StorageError(`${path} cannot be written.`, {
      hint: 'Free disk space, then run again. Nothing that was received is lost.',
      cause,
    });
  }
}

/**
 * Migrates the file to the schema of this program, in one transaction.
 *
 * @throws CorruptDatabaseError when another build made the tables of the file
 */
export async function migrate(session: Session, { now }: Pick<Effects, 'now'>): Promise<void> {
  const rows = session.rows('ops/migrations', z.object({ number: count, name: z.string() }));
  const applied = await unlessMissing(rows, []);
  const all = migrations();
  const names = new Map(all.map(({ number, name }) => [number, name]));
  if (applied.some(({ number, name }) => names.get(number) !== name))
    throw new CorruptDatabaseError(
      'The private warehouse was made by another build of dawnload: its tables differ.',
    );
  const missing = all.slice(applied.length);
  if (missing.length === 0) return;
  await session.transaction(async () => {
    for (const { file } of missing) await session.runText(statement(file));
    const numbers = missing.map(({ number }) => String(number));
    await session.run('ops/note_migrations', {
      numbers,
      names: missing.map(({ name }) => name),
      applied_at: now(),
    });
  });
}

/**
 * Lists the files of `sql/schema` and `sql/streams`. `streams/campaigns/0003_campaigns` has the number 3; its name is `campaigns-…`, ending
 * in a part of the checksum of its statements.
 */
export function migrations() {
  return ['schema', ...streamFolders()]
    .flatMap(statementsIn)
    .flatMap((file) => {
      const [, number, name] = /^(\d+)_(\w+)$/.exec(basename(file)) ?? [];
      if (number === undefined || name === undefined) return [];
      const checksum = createHash('sha256').update(statement(file)).digest('hex').slice(0, 12);
      return [{ number: Number(number), name: `${name}-${checksum}`, file }];
    })
    .sort((a, b) => a.number - b.number);
}

// The macros of the load are stored in the file, in the schema `macros`. DuckDB binds a macro's body when the macro is created, so creating
// them in every session would take as long as a small load.

/** Recreates all macros if they are from another version of this program. */
export async function keepMacros(session: Session): Promise<void> {
  const names = statementsIn('shared/macros');
  const version = createHash('sha256')
    .update(names.map((name) => statement(name)).join('\0'))
    .digest('hex');
  const stored = session.row('ops/macros_version', z.object({ version: z.string() }));
  if ((await unlessMissing(stored, { version: '' })).version === version) return;
  await session.transaction(async () => {
    for (const name of names) await session.runText(statement(name, { version }));
  });
}

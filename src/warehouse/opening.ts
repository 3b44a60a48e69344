/** Opens the working file with DuckDB's settings, and reports why it cannot be opened. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  codeOf,
  CorruptDatabaseError,
  DawnloadError,
  messageOf,
  StorageError,
  TryLaterError,
} from '../ground/errors.js';
import { FOLDER_MODE } from '../landing/atomic-file.js';
import { isLocked, openInstance } from '../landing/duckdb.js';
import { orStorageError } from '../landing/storage-error.js';
import { Session, statement } from './session.js';
import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import type { ExperimentSettings } from '../config/schema.js';
import type { Privacy } from './privacy.js';
import { Reader } from './reader.js';

export interface WarehouseOptions {
  /** The private working file; readers use the published one. */
  readonly path: string;
  /** Folder for data that DuckDB spills when memory does not suffice. */
  readonly tempDirectory: string;
  /** The brand word: precedes `_user_id` and `_device_id` in export records, and names the web-push object. */
  readonly brand: string;
  /** The messenger's own name in channel names; it is replaced by `chatapp`. */
  readonly messenger: string;
  readonly privacy: Privacy;
  /** The format of a new file: the oldest DuckDB that reads it. */
  readonly storageVersion?: 'v1.0.0' | 'v1.4.0';
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** Memory limit of DuckDB for ordinary loads, in MB; see src/warehouse/opening.ts. */
  readonly memoryLimitMb?: number;
  readonly threads?: number;
  /** Once it aborts, every method except `close` throws its reason; the current transaction is rolled back. */
  readonly signal?: AbortSignal;
  /** Settings of A/B tests, by campaign id. */
  readonly experiments?: Readonly<Record<string, ExperimentSettings>>;
  /** Main goals: the conversion that counts, by campaign or user journey id. */
  readonly mainGoals?: Readonly<Record<string, string>>;
  /** Names of events that are no clicks, besides the built-in ones. */
  readonly notClicks?: readonly string[];
}

/**
 * Opens the working file for this process alone, and creates it if it does not exist.
 *
 * @throws StorageError when its folder cannot be written
 * @throws TryLaterError when another program has it open
 * @throws CorruptDatabaseError when it is not a database, or damaged
 */
export async function openSession(options: WarehouseOptions): Promise<Session> {
  const { path, tempDirectory, storageVersion = 'v1.4.0', signal } = options;
  const limits = limitsOf(options);
  // DuckDB creates its log and its spill files itself, with the mode that the umask leaves.
  process.umask(0o077);
  // Sequentially: after a failure, nothing further is created.
  for (const folder of [dirname(path), tempDirectory])
    await orStorageError('create the folder', folder, () =>
      mkdir(folder, { recursive: true, mode: FOLDER_MODE }),
    );
  await sweep(tempDirectory);
  await removeEmpty(path);
  const settings = {
    memory_limit: `${limits.megabytes}MB`,
    threads: String(limits.threads),
    temp_directory: tempDirectory,
    // Tables have no row order; preserving one would cost memory and the second core.
    preserve_insertion_order: 'false',
    storage_compatibility_version: storageVersion,
  };
  try {
    return await Session.open(await openInstance(path, settings), signal);
  } catch (cause) {
    throw openingError(path, cause);
  }
}

/** Removes spill files and repaired copies of killed runs, which may hold personal data. */
async function sweep(tempDirectory: string): Promise<void> {
  const left = (await readdir(tempDirectory)).filter((name) => /^(duckdb_temp|repaired-|batch_)/.test(name));
  await Promise.all(left.map((name) => rm(join(tempDirectory, name), { recursive: true, force: true })));
}

/** Removes an empty file, left by a run that was killed while DuckDB created it; DuckDB rejects an empty file. */
async function removeEmpty(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === 0) await rm(path, { force: true });
}

function openingError(path: string, cause: unknown): Error {
  const text = messageOf(cause);
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

/** DuckDB's memory limit, enough for a day of any size with ordinary messages; the process needs about 150 MB more. */
const ORDINARY_MB = 320;

/** The maximum share of the machine's memory for an extraordinary load. */
const AT_MOST = 0.6;

export interface MemoryLimit {
  readonly megabytes: number;
  readonly threads: number;
}

/** The limits of ordinary loads. */
export function limitsOf({
  memoryLimitMb: megabytes = ORDINARY_MB,
  threads = Math.min(availableParallelism(), 4),
}: Pick<WarehouseOptions, 'memoryLimitMb' | 'threads'>): MemoryLimit {
  return { megabytes, threads };
}

/** The factors by which an extraordinary load raises the memory limit, in turn. */
const STEPS = [3, 10];

/**
 * The higher limits use one thread, since each thread holds a page and its messages in memory, and at most a share of
 * the machine's memory.
 */
function higherLimits({ megabytes }: MemoryLimit): MemoryLimit[] {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  const most = Math.max(megabytes, Math.floor(machine * AT_MOST));
  return STEPS.map((step) => ({ megabytes: Math.min(megabytes * step, most), threads: 1 }));
}

/** Runs the work within the limits; repeats it with higher limits if DuckDB runs out of memory. */
export async function withMemoryLimit<T>(
  session: Session,
  limits: MemoryLimit,
  work: (limits: MemoryLimit) => Promise<T>,
): Promise<T> {
  let given = limits;
  const higher = higherLimits(limits);
  try {
    for (;;) {
      try {
        return await work(given);
      } catch (error) {
        const next = higher.shift();
        if (next === undefined || !messageOf(error).includes('Out of Memory Error')) throw error;
        given = next;
        await apply(session, given);
      }
    }
  } finally {
    if (given !== limits) await apply(session, limits);
  }
}

async function apply(session: Session, { megabytes, threads }: MemoryLimit): Promise<void> {
  await session.run('ops/memory_limit', { megabytes: String(megabytes), threads: String(threads) });
}

export function cannotWrite(path: string, cause: unknown): StorageError {
  return new StorageError(`${path} cannot be written.`, {
    hint: 'Free disk space, then run again. Nothing that was received is lost.',
    cause,
  });
}

export function isStorage(error: unknown): boolean {
  return (
    codeOf(error) !== undefined || /^(IO|FATAL|TransactionContext) Error|No space left/.test(messageOf(error))
  );
}

/**
 * Resolves with what the work returns; an error of DuckDB that means that the disk refuses becomes one for people.
 *
 * @param signal once it has aborted, its reason is thrown: an interrupted commit makes DuckDB report what looks like a disk error
 * @throws StorageError that names the file
 */
export async function writing<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DawnloadError || !isStorage(cause)) throw cause;
    signal?.throwIfAborted();
    throw cannotWrite(path, cause);
  }
}

/**
 * Reads every value of every table; resolves with the number of tables.
 *
 * @throws CorruptDatabaseError when a block is damaged
 */
export function readEveryBlock(path: string): Promise<number> {
  return Reader.using(path, async (reader) => {
    const tables = await reader.rows('ops/tables', z.object({ name: z.string() }));
    for (const { name } of tables) await reader.objects(statement('ops/read_table', { table: name }));
    return tables.length;
  });
}

/** Opens the working file with DuckDB's settings, and explains why it cannot be opened. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effects } from '../effects.js';
import { codeOf, CorruptDatabaseError, messageOf, StorageError, TryLaterError } from '../errors.js';
import { openInstance } from '../storage/duckdb.js';
import { keepCopy } from './publish.js';
import { keepMacros, migrate, olderSchema } from './migrate.js';
import { Session, statement } from './session.js';
import { availableParallelism, totalmem } from 'node:os';
import { z } from 'zod';
import { Reader } from './reader.js';

interface Opening {
  readonly path: string;
  readonly tempDirectory: string;
  readonly limits: MemoryLimit;
  /** Interrupts whatever the session does. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens the working file and brings it to the schema of this program; of an older one a copy stays beside it.
 *
 * @throws ConfigError when a newer version of this program made it, and what `openSession` and `keepCopy` throw
 */
export async function openUpgraded(
  opening: Opening,
  effects: Pick<Effects, 'now' | 'reach'>,
): Promise<Session> {
  const session = await openSession(opening);
  const schema = await orClose(session, () => olderSchema(session));
  if (schema === undefined) return migrated(session, effects);
  // Only a closed file without a log can be copied.
  await orClose(session, () => session.checkpoint());
  session.close();
  await keepCopy(opening.path, schema, effects);
  return migrated(await openSession(opening), effects);
}

function migrated(session: Session, effects: Pick<Effects, 'now' | 'reach'>): Promise<Session> {
  return orClose(session, async () => {
    await session.run('session/1_settings');
    await migrate(session, effects);
    await keepMacros(session);
    return session;
  });
}

async function orClose<T>(session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    session.close();
    throw error;
  }
}

/**
 * Opens the working file for this process alone, creating it where there is none.
 *
 * @throws StorageError when its folder cannot be written
 * @throws TryLaterError when another program has it open
 * @throws CorruptDatabaseError when it is not a database, or a damaged one
 */
async function openSession(opening: Opening): Promise<Session> {
  const { path, tempDirectory, limits, signal } = opening;
  // DuckDB makes its log and what it spills as it goes, and knows no modes of its own.
  process.umask(0o077);
  // One after the other: after a failure nothing is made any more.
  await folder(dirname(path));
  await folder(tempDirectory);
  await sweep(tempDirectory);
  await removeEmpty(path);
  const settings = {
    memory_limit: `${limits.megabytes}MB`,
    threads: String(limits.threads),
    temp_directory: tempDirectory,
    // Rows of a table have no order; keeping one would cost memory and the second core.
    preserve_insertion_order: 'false',
  };
  try {
    return await Session.open(await openInstance(path, settings), signal);
  } catch (cause) {
    throw openingError(path, cause);
  }
}

async function folder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new StorageError(`The folder ${path} cannot be created (${codeOf(cause) ?? 'unknown'}).`, {
      hint: 'Correct the permissions of the data folder, then run again.',
      cause,
    });
  });
}

/** Removes spilled and repaired data of killed runs, which may be personal. */
async function sweep(tempDirectory: string): Promise<void> {
  const left = (await readdir(tempDirectory)).filter((name) => /^(duckdb_temp|repaired-|batch_)/.test(name));
  await Promise.all(left.map((name) => rm(join(tempDirectory, name), { recursive: true, force: true })));
}

/** Removes the empty file of a run that was killed while DuckDB created it; DuckDB would refuse it. */
async function removeEmpty(path: string): Promise<void> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
  if (size === 0) await rm(path, { force: true });
}

function openingError(path: string, cause: unknown): Error {
  const text = messageOf(cause);
  if (/Could not set lock|Conflicting lock/.test(text)) {
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

/** Enough for a day of any size with ordinary messages; the process takes about 150 MB more. */
const ORDINARY_MB = 320;

/** The share of the machine that an extraordinary load may take. */
const AT_MOST = 0.6;

export interface MemoryLimit {
  readonly megabytes: number;
  readonly threads: number;
}

export function ordinaryLimit(
  megabytes = ORDINARY_MB,
  threads = Math.min(availableParallelism(), 4),
): MemoryLimit {
  return { megabytes, threads };
}

/** The factors of the higher limits of an extraordinary load. */
const STEPS = [3, 10];

/** One thread, since each holds a page and its messages in memory, and at most a share of the machine's memory. */
function higherLimits({ megabytes }: MemoryLimit): MemoryLimit[] {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  const most = Math.max(megabytes, Math.floor(machine * AT_MOST));
  return STEPS.map((step) => ({ megabytes: Math.min(megabytes * step, most), threads: 1 }));
}

/** Does the work within the limits; again with higher ones where DuckDB ran out of memory. */
export async function withMemoryLimit<T>(
  session: Session,
  limits: MemoryLimit,
  work: (limits: MemoryLimit) => Promise<T>,
): Promise<T> {
  let given = limits;
  let [next, ...higher] = higherLimits(limits);
  try {
    for (;;) {
      try {
        return await work(given);
      } catch (error) {
        if (next === undefined || !messageOf(error).includes('Out of Memory Error')) throw error;
        given = next;
        await apply(session, given);
        [next, ...higher] = higher;
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

const table = z.object({ name: z.string() });

/**
 * Reads every value of every table; resolves with how many tables there are.
 *
 * @throws CorruptDatabaseError when a block is damaged
 */
export async function readEveryBlock(path: string): Promise<number> {
  const reader = await Reader.open(path);
  try {
    const tables = z.array(table).parse(await reader.objects(statement('ops/tables')));
    for (const { name } of tables) await reader.objects(statement('ops/read_table', { table: name }));
    return tables.length;
  } finally {
    await reader.close();
  }
}

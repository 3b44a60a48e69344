/**
 * Allows only one run at a time in a data folder. The lock is a tiny DuckDB database that is open for writing. The kernel releases it when
 * the process ends, so it is never stale. `lock.json` only informs a second run about the first.
 */
import { chmod, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { formatKst } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { jsonOf } from '../ground/envelope.js';
import { messageOf, StorageError, TryLaterError } from '../ground/errors.js';
import { DurableFolder, FILE_MODE, sweepTemporaries } from './atomic-file.js';
import { isLocked, openInstance } from './duckdb.js';
import { foldersOf } from './paths.js';
import { instant } from '../ground/shapes.js';
import { nearestExisting, orStorageError, storageError } from './storage-error.js';

const holder = z.object({
  pid: z.number().int().positive(),
  /** The command of the process, such as `dawnload run`. */
  command: z.string(),
  since: instant,
});
type LockHolder = z.output<typeof holder>;

const SETTINGS = { threads: '1' };

/** DuckDB opens a file a second time in the same process without an error, and closing one of the two releases the lock of both. */
const taken = new Set<string>();

export class RunLock {
  private constructor(
    private readonly path: string,
    private readonly inode: number,
    private instance: DuckDBInstance | undefined,
  ) {}

  /** Takes the lock of a data folder, without waiting. Throws `TryLaterError` naming the other run, `StorageError`. */
  static async take(dataDir: string, command: string, effects: Effects): Promise<RunLock> {
    if (process.getuid?.() === 0) await assertRootOwns(dataDir);
    const disk = new DurableFolder(dataDir, effects);
    const folder = foldersOf(dataDir).private;
    await disk.makeFolder(folder);
    const path = await fileOf(dataDir);
    if (taken.has(path)) throw new TryLaterError(`This process already has the lock of ${dataDir}.`);
    taken.add(path);
    let instance: DuckDBInstance | undefined;
    try {
      instance = await openAlone(path, dataDir);
      // From here on the file must not be opened with node:fs: closing it would release the lock.
      await orStorageError('protect', path, () => chmod(path, FILE_MODE));
      await sweepTemporaries(folder);
      const { ino } = await orStorageError('find', path, () => stat(path));
      const about = { pid: process.pid, command, since: effects.now() };
      await disk.write(join(folder, 'lock.json'), `${JSON.stringify(about)}\n`, 'lock');
      return new RunLock(path, ino, instance);
    } catch (error) {
      instance?.closeSync();
      taken.delete(path);
      throw error;
    }
  }

  /**
   * Called before a paid request: checks that nobody removed the lock's file, because then another run could start. Throws `StorageError`.
   */
  async assertHeld(): Promise<void> {
    const inode = await stat(this.path).then(
      ({ ino }) => ino,
      () => undefined,
    );
    if (this.instance !== undefined && inode === this.inode) return;
    throw new StorageError(`The lock ${this.path} was removed or replaced during this run.`, {
      hint: 'Leave data/private alone during a run. Run again when no other run is active.',
    });
  }

  async release(): Promise<void> {
    if (this.instance === undefined) return;
    const instance = this.instance;
    this.instance = undefined;
    await rm(join(this.path, '..', 'lock.json'), { force: true }).catch(() => undefined);
    instance.closeSync();
    taken.delete(this.path);
  }
}

async function fileOf(dataDir: string): Promise<string> {
  const folder = foldersOf(dataDir).private;
  return join(await orStorageError('find', folder, () => realpath(folder)), 'lock.duckdb');
}

/** Returns the last recorded holder, for messages only: a process that was killed leaves its entry behind. */
export async function lockHolder(dataDir: string): Promise<LockHolder | undefined> {
  const text = await readFile(join(foldersOf(dataDir).private, 'lock.json'), 'utf8').catch(() => '');
  return holder.safeParse(jsonOf(text)).data;
}

/** `taken`: whether a process has the lock. The holder named in the lock file may be a process that was killed. */
interface LockState {
  readonly taken: boolean;
  readonly holder?: LockHolder;
}

/**
 * Returns whether a process, perhaps this one, has the lock of a data folder, and the last recorded holder. Does not take the lock. Throws
 * `StorageError`.
 */
export async function lockState(dataDir: string): Promise<LockState> {
  const named = await lockHolder(dataDir);
  // Without a recorded holder, the lock is free. Don't open it: that would take it for an instant.
  if (named === undefined) return { taken: false };
  const path = await fileOf(dataDir);
  if (taken.has(path)) return { taken: true, holder: named };
  try {
    const instance = await openInstance(path, { ...SETTINGS, access_mode: 'READ_ONLY' });
    instance.closeSync();
  } catch (error) {
    const holder = namedBy(error, named);
    if (isLocked(error)) return { taken: true, ...(holder && { holder }) };
  }
  return { taken: false, holder: named };
}

/**
 * Opens the lock file, and repairs a damaged one. Throws `TryLaterError` if another run has it, `StorageError`.
 *
 * @param mendings number of repairs still allowed; another process may write to the file between a repair and the next attempt
 */
async function openAlone(path: string, dataDir: string, mendings = 3): Promise<DuckDBInstance> {
  try {
    return await openInstance(path, SETTINGS);
  } catch (error) {
    if (isLocked(error)) throw await otherRun(dataDir, error);
    if (mendings === 0) throw storageError('lock', path, error);
  }
  await orStorageError('lock', path, () => mend(path));
  return openAlone(path, dataDir, mendings - 1);
}

/** Repairs the lock file in place, because a new file of the same name would be a second lock. */
async function mend(path: string): Promise<void> {
  const fresh = join(path, '..', `.mend-${process.pid}`);
  try {
    // Errors of node:fs have a code that determines the remedy; errors of DuckDB have none.
    await writeFile(fresh, '');
    await rm(fresh);
    const instance = await openInstance(fresh, SETTINGS);
    instance.closeSync();
    await writeFile(path, await readFile(fresh), { flag: 'r+', flush: true });
  } finally {
    await rm(fresh, { force: true }).catch(() => undefined);
  }
}

async function otherRun(dataDir: string, cause: unknown): Promise<TryLaterError> {
  const named = namedBy(cause, await lockHolder(dataDir));
  const who =
    named === undefined
      ? `process ${pidIn(cause)}`
      : `process ${named.pid}, \`${named.command}\`, since ${formatKst(named.since)}`;
  return new TryLaterError(`Another run (${who}) has the lock of ${dataDir}.`, {
    hint: 'Run the command again when it has ended.',
    cause,
  });
}

/** Returns the recorded holder unless it was killed: the kernel must report the same process, or none (another container). */
function namedBy(conflict: unknown, holder: LockHolder | undefined): LockHolder | undefined {
  return [0, holder?.pid].includes(pidIn(conflict)) ? holder : undefined;
}

function pidIn(error: unknown): number {
  return Number(/\(PID (\d+)\)/.exec(messageOf(error))?.[1] ?? 0);
}

/**
 * Refuses root in another account's data folder, because that account could not read root's files. Creates a file to find out its owner,
 * because mounts may map root to another account.
 */
async function assertRootOwns(dataDir: string): Promise<void> {
  const folder = nearestExisting(dataDir);
  const { uid } = await orStorageError('find', folder, () => stat(folder));
  if (uid === 0) return;
  const probe = join(folder, `.tmp-owner-${process.pid}`);
  await orStorageError('write', probe, () => writeFile(probe, ''));
  const { uid: ofProbe } = await orStorageError('find', probe, () => stat(probe));
  await rm(probe, { force: true });
  if (ofProbe !== 0) return;
  throw new StorageError(
    `${folder} belongs to account ${uid}, which could not read the files that root leaves there.`,
    {
      hint: `Run the command as that account (\`sudo -u '#${uid}' dawnload …\`), or give the folder to root (\`chown -R root\`).`,
    },
  );
}

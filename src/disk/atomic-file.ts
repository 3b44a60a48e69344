/**
 * Writes files atomically: temporary name, fsync, rename, fsync of the folder. A reader sees the complete file or none, even after a power
 * failure.
 */
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Appended, FileName } from '../ground/crash-points.js';
import type { Effects } from '../ground/effects.js';
import { codeOf, DamageError } from '../ground/errors.js';
import { namesIn, orStorageError, storageError, unless } from './storage-error.js';

/** Modes of folders and files: only the account that runs the job has access, because they contain personal data. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Gzip options: half the time of the default level for hardly more space. A page fits in one or two chunks. */
export const FAST = { level: 1, memLevel: 9, chunkSize: 256 * 1024 };

type Body = Uint8Array | string | AsyncIterable<Buffer> | ((file: FileHandle) => Promise<string>);

const TEMPORARY = /^\.tmp-\d+-\d+$/;
let temporaries = 0;

export class DurableFolder {
  readonly #root: string;
  readonly #effects: Pick<Effects, 'reach'>;
  readonly #folders = new Map<string, Promise<void>>();
  readonly #sync = new FolderSync();

  constructor(root: string, effects: Pick<Effects, 'reach'>) {
    this.#root = resolve(root);
    this.#effects = effects;
  }

  /**
   * Writes a whole file, replacing an existing one, and resolves when it is durable under its name. `what` names the crash points for
   * tests. After a `StorageError`, no temporary file is left and an existing file is unchanged.
   *
   * @param body the bytes, or a function of the open file that returns them
   */
  async write(path: string, body: Body, what: FileName): Promise<void> {
    await this.#place(this.#temporaryFor(path), path, what, async (file) =>
      writeFile(file, typeof body === 'function' ? await body(file) : body),
    );
  }

  /**
   * Like `write`, but `fill` writes the file to the temporary path that it gets. Resolves with the size of the file.
   *
   * @throws the errors of `fill`; then no file is left
   */
  async make(path: string, what: FileName, fill: (temporary: string) => Promise<void>): Promise<number> {
    const temporary = this.#temporaryFor(path);
    await this.makeFolder(dirname(temporary));
    try {
      await fill(temporary);
      await chmod(temporary, FILE_MODE);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    const { size } = await stat(temporary);
    await this.adopt(temporary, path, what);
    return size;
  }

  #temporaryFor(path: string): string {
    return join(this.#partOf(path), `.tmp-${process.pid}-${temporaries++}`);
  }

  /**
   * Compresses a text into a temporary file in the path's top folder, such as `landing/`, and resolves with the file's
   * path.
   *
   * @throws StorageError, and any error of the text; then no file is left
   */
  async store(text: AsyncIterable<Buffer>, path: string): Promise<string> {
    const temporary = this.#temporaryFor(path);
    await this.makeFolder(dirname(temporary));
    let failure: { readonly cause: unknown } | undefined;
    async function* pieces(): AsyncGenerator<Buffer> {
      try {
        yield* text;
      } catch (cause) {
        failure = { cause };
        throw cause;
      }
    }
    try {
      await pipeline(pieces, createGzip(FAST), createWriteStream(temporary, { mode: FILE_MODE }));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw failure === undefined ? storageError('write', path, error) : failure.cause;
    }
    return temporary;
  }

  /** Renames a complete temporary file to its final path, and resolves when that is durable. Throws as `write`. */
  adopt(temporary: string, path: string, what: FileName): Promise<void> {
    return this.#place(temporary, path, what);
  }

  async #place(
    temporary: string,
    path: string,
    what: FileName,
    fill?: (file: FileHandle) => Promise<void>,
  ): Promise<void> {
    const folder = dirname(path);
    await this.makeFolder(folder);
    await orStorageError('write', path, async () => {
      try {
        this.#effects.reach(`${what}/before-write`);
        const file = await open(temporary, fill === undefined ? 'r+' : 'w', FILE_MODE);
        try {
          await fill?.(file);
          this.#effects.reach(`${what}/before-fsync`);
          await file.sync();
        } finally {
          await file.close();
        }
        this.#effects.reach(`${what}/before-rename`);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw error;
      }
      this.#effects.reach(`${what}/before-folder-fsync`);
      await this.#sync.sync(folder);
      this.#effects.reach(`${what}/durable`);
    });
  }

  /**
   * Appends to a file, creating it if needed, and resolves when the bytes are durable. `what` names the crash points for tests. After a
   * `StorageError`, the file is unchanged or has another size.
   *
   * @param size the size of the file, in bytes
   * @throws DamageError if the file has another size; then nothing is written
   */
  async append(path: string, bytes: Uint8Array, what: Appended, size: number): Promise<void> {
    await orStorageError('write', path, async () => {
      const file = await open(path, 'a', FILE_MODE);
      try {
        if ((await file.stat()).size !== size)
          throw new DamageError(`${path} changed since this run last wrote to it.`, {
            hint: 'Another program changed it, or the disk failed. Find the cause, then run again.',
          });
        this.#effects.reach(`${what}/before-append`);
        try {
          await file.appendFile(bytes);
          this.#effects.reach(`${what}/before-fsync`);
          await file.sync();
          if (size === 0) await this.#sync.sync(dirname(path));
        } catch (error) {
          await file
            .truncate(size)
            .then(() => file.sync())
            .catch(() => undefined);
          throw error;
        }
        this.#effects.reach(`${what}/durable`);
      } finally {
        // All bytes are fsynced or truncated by now, so an error on closing does not matter.
        await file.close().catch(() => undefined);
      }
    });
  }

  /** The folder for temporary files, directly below the root, so that a sweep lists only one folder. */
  #partOf(path: string): string {
    const [part = '', ...below] = relative(this.#root, path).split(sep);
    return below.length === 0 ? this.#root : join(this.#root, part);
  }

  syncFolder(folder: string): Promise<void> {
    return orStorageError('write', folder, () => this.#sync.sync(folder));
  }

  /** Creates a folder. Fsyncs an existing folder once too, because its creator may have died before the fsync. */
  makeFolder(folder: string): Promise<void> {
    const path = resolve(folder);
    const earlier = this.#folders.get(path);
    if (earlier !== undefined) return earlier;
    const making = orStorageError('create the folder', path, () => this.#make(path));
    this.#folders.set(path, making);
    making.catch(() => this.#folders.delete(path));
    return making;
  }

  /**
   * Creates the root and its parents, readable for everyone, because other accounts read the published file. Creates them one by one,
   * because a recursive mkdir hangs below folders such as /proc.
   */
  async #make(path: string): Promise<void> {
    const isInside = path.startsWith(this.#root + sep);
    if (!isInside && (await isFolder(path))) return;
    if (dirname(path) !== path) await this.makeFolder(dirname(path));
    try {
      await mkdir(path, { mode: isInside ? FOLDER_MODE : undefined });
    } catch (error) {
      // Another process that starts at the same time may have created it.
      if (codeOf(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
    }
    await this.#sync.sync(dirname(path));
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then((stats) => stats.isDirectory(), unless('ENOENT', false));
}

/** Removes temporary files of dead processes from a folder directly below the root. Requires the lock. */
export async function sweepTemporaries(folder: string): Promise<void> {
  const stale = (await namesIn(folder)).filter((name) => TEMPORARY.test(name));
  await orStorageError('clean up', folder, () =>
    Promise.all(stale.map((name) => rm(join(folder, name), { force: true }))),
  );
}

/** Makes many renames durable with few fsyncs (group commit): callers that arrive during a folder's fsync share the next one. */
export class FolderSync {
  /** By folder: the fsync that is running or was last, and the next one. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();
  /** Number of fsyncs so far. */
  count = 0;

  /** Resolves after an fsync of the folder that started after this call. */
  sync(folder: string): Promise<void> {
    const begin = (): Promise<void> => {
      this.#next.delete(folder);
      this.count++;
      const running = fsyncFolder(folder);
      this.#last.set(folder, running);
      return running;
    };
    const next = this.#next.get(folder) ?? (this.#last.get(folder) ?? Promise.resolve()).then(begin, begin);
    this.#next.set(folder, next);
    return next;
  }
}

/** Makes the names in a folder durable, except on network filesystems that cannot fsync a folder. */
export function fsyncFolder(folder: string): Promise<void> {
  return fsync(folder).catch(unless('EINVAL ENOTSUP ENOSYS', undefined));
}

/** Resolves once the contents of a file, or the names in a folder, are on the disk. */
export async function fsync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

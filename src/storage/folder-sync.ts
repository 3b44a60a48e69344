/**
 * Makes renames durable, many at a time. A rename is durable once its folder is fsynced; with a thousand pages in one
 * folder that would be a thousand fsyncs of the same folder. Group commit: while one fsync is under way, all who ask
 * wait for one more that starts after it and serves them all.
 */
import { open } from 'node:fs/promises';
import { codeOf } from '../errors.js';

interface Round {
  readonly running: Promise<void>;
  next: Promise<void> | undefined;
}

export class FolderSync {
  readonly #rounds = new Map<string, Round>();
  #count = 0;

  /** How many fsyncs of folders were done. */
  get count(): number {
    return this.#count;
  }

  /** Resolves once an fsync of the folder that began after this call has ended. */
  sync(folder: string): Promise<void> {
    const round = this.#rounds.get(folder);
    if (round === undefined) return this.#start(folder);
    // The fsync under way may have begun before the caller's rename: only the next one is sure to hold it.
    round.next ??= round.running.then(
      () => this.#start(folder),
      () => this.#start(folder),
    );
    return round.next;
  }

  #start(folder: string): Promise<void> {
    this.#count++;
    const running = fsyncFolder(folder);
    const round: Round = { running, next: undefined };
    this.#rounds.set(folder, round);
    const forget = (): void => {
      if (round.next === undefined) this.#rounds.delete(folder);
    };
    running.then(forget, forget);
    return running;
  }
}

/** Some network filesystems cannot fsync a folder and say so; their renames are as durable as they get. */
const CANNOT = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS']);

export async function fsyncFolder(folder: string): Promise<void> {
  try {
    await fsync(folder);
  } catch (error) {
    if (!CANNOT.has(codeOf(error) ?? '')) throw error;
  }
}

/** Resolves once what was written to a file, or the names in a folder, are on the disk. */
export async function fsync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * What this data folder knows of its lake: who it is as a writer, the last commit that it saw there, and the commit whose
 * outcome it does not know. A lake has one writer; two would undo each other's days.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, DamageError } from '../errors.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';
import type { Commit } from './commits.js';

const shape = z.object({ writer: z.string(), head: z.string().nullable(), pending: z.string().nullable() });

export class LakeState {
  readonly #path: string;
  readonly #disk: DurableFolder;
  #state: z.infer<typeof shape>;

  private constructor(path: string, disk: DurableFolder, state: z.infer<typeof shape>) {
    this.#path = path;
    this.#disk = disk;
    this.#state = state;
  }

  /**
   * Reads it; a data folder without one is a new writer.
   *
   * @throws DamageError, StorageError when the file cannot be read
   */
  static async open(dataDir: string, effects: Pick<Effects, 'reach'>): Promise<LakeState> {
    const path = join(foldersOf(dataDir).private, 'lake.json');
    const text = await readIfThere(path);
    const fresh = { writer: randomUUID(), head: null, pending: null };
    return new LakeState(
      path,
      new DurableFolder(dataDir, effects),
      text === undefined ? fresh : read(path, text),
    );
  }

  get writer(): string {
    return this.#state.writer;
  }

  /** Before a commit is asked for: whatever happens then, the next push knows which one to look for. */
  async begin(commit: string): Promise<void> {
    await this.#write({ ...this.#state, pending: commit });
  }

  /** After a commit was found in the lake, or was found not to be there. */
  async settle(head: string | null): Promise<void> {
    await this.#write({ ...this.#state, head, pending: null });
  }

  /**
   * Compares the newest commit of the lake with what this folder knows.
   *
   * @throws ConfigError when another writer, or another copy of this folder, has written since
   */
  async agree(newest: Commit | undefined): Promise<void> {
    const { writer, head, pending } = this.#state;
    if (newest === undefined || (newest.id === head && pending === null)) return;
    if (newest.id === pending || newest.id === head) return this.settle(newest.id);
    const who = newest.writer === writer ? 'another copy of this data folder' : 'another data folder';
    throw new ConfigError(
      `The lake is written by ${who}: its last commit, ${newest.id}, is not from here. A lake has one writer.`,
      {
        hint: 'Push from there, or set another lake.namespace. If the other one is gone for good: `dawnload lake setup --take-over`.',
      },
    );
  }

  async #write(state: z.infer<typeof shape>): Promise<void> {
    this.#state = state;
    await this.#disk.write(this.#path, `${JSON.stringify(state)}\n`, 'lake-state');
  }
}

function read(path: string, text: Uint8Array | string): z.infer<typeof shape> {
  try {
    return shape.parse(JSON.parse(text.toString()));
  } catch (cause) {
    throw new DamageError(`${path} cannot be understood.`, {
      hint: 'Remove it, then run `dawnload lake setup --take-over`. No data is lost by that.',
      cause,
    });
  }
}

/**
 * What this data folder knows of its lakes: who it is as a writer, and of each the last commit that it saw there, and the
 * commits that it asked for and did not see. A lake has one writer; two would undo each other's days.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, DamageError } from '../errors.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';
import type { LakeConfig } from '../config/lake.js';
import type { Commit } from './commits.js';

/** Which lake, seen from which data folder. */
export interface LakeAddress {
  readonly dataDir: string;
  readonly lake: Pick<LakeConfig, 'catalog' | 'namespace'>;
}

const known = z.object({
  head: z.string().nullable(),
  /** Oldest first. A catalog may carry out a request long after its answer was given up. */
  pending: z.array(z.string()),
});

/** The lakes by address and namespace: trying another one forgets nothing of the first. */
const shape = z.object({ writer: z.string(), lakes: z.record(z.string(), known) });

/** So many of them are remembered. */
const MOST_PENDING = 10;

export class LakeState {
  readonly #path: string;
  readonly #disk: DurableFolder;
  readonly #lake: string;
  #all: z.infer<typeof shape>;

  private constructor(path: string, disk: DurableFolder, lake: string, all: z.infer<typeof shape>) {
    this.#path = path;
    this.#disk = disk;
    this.#lake = lake;
    this.#all = all;
  }

  /**
   * Reads it; a data folder without one is a new writer.
   *
   * @throws DamageError, StorageError when the file cannot be read
   */
  static async open(
    { dataDir, lake: { catalog, namespace } }: LakeAddress,
    effects: Pick<Effects, 'reach'>,
  ): Promise<LakeState> {
    const path = join(foldersOf(dataDir).private, 'lake.json');
    const text = await readIfThere(path);
    const all = text === undefined ? { writer: randomUUID(), lakes: {} } : read(path, text);
    const lake = `${catalog.uri} ${catalog.warehouse} ${namespace}`;
    return new LakeState(path, new DurableFolder(dataDir, effects), lake, all);
  }

  get #state(): z.infer<typeof known> {
    return this.#all.lakes[this.#lake] ?? { head: null, pending: [] };
  }

  get writer(): string {
    return this.#all.writer;
  }

  /** Before a commit is asked for: whatever happens then, the next push knows which one to look for. */
  async begin(commit: string): Promise<void> {
    const pending = [...this.#state.pending, commit].slice(-MOST_PENDING);
    await this.#write({ ...this.#state, pending });
  }

  /** A commit was not asked for in the end. */
  async drop(commit: string): Promise<void> {
    await this.#write({ ...this.#state, pending: this.#state.pending.filter((id) => id !== commit) });
  }

  /** The newest commit of the lake is this one. */
  async settle(head: string | null): Promise<void> {
    const pending = this.#state.pending.filter((id) => id !== head);
    await this.#write({ head, pending });
  }

  /**
   * Compares the newest commit of the lake with what this folder knows, and notes it.
   *
   * @throws ConfigError as `assertOurs` does
   */
  async agree(newest: Commit | undefined): Promise<void> {
    this.assertOurs(newest);
    if (newest !== undefined && newest.id !== this.#state.head) await this.settle(newest.id);
  }

  /** Throws ConfigError when another writer, or another copy of this folder, has written since. Changes nothing. */
  assertOurs(newest: Commit | undefined): void {
    const { head, pending } = this.#state;
    if (newest === undefined || newest.id === head || pending.includes(newest.id)) return;
    const who = newest.writer === this.writer ? 'another copy of this data folder' : 'another data folder';
    throw new ConfigError(
      `The lake is written by ${who}: its last commit, ${newest.id}, is not from here. A lake has one writer.`,
      {
        hint: 'Push from there, or set another lake.namespace. If the other one is gone for good: `dawnload lake setup --take-over`.',
      },
    );
  }

  async #write(state: z.infer<typeof known>): Promise<void> {
    this.#all = { ...this.#all, lakes: { ...this.#all.lakes, [this.#lake]: state } };
    await this.#disk.write(this.#path, `${JSON.stringify(this.#all)}\n`, 'lake-state');
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

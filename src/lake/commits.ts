/** Commits of the lake. Each commit is one transaction of the catalog and adds one row to `lake_commits`. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, InterruptedError, ServiceError, DamageError } from '../errors.js';
import { count } from '../warehouse/session.js';
import { catalogFailure, isMissing, type Lake, quoted } from './lake.js';
import { join } from 'node:path';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';
import type { LakeConfig } from '../config/lake.js';

export interface Commit {
  /** Starts at 1. */
  readonly number: number;
  readonly id: string;
  /** The identity of the data folder that wrote the commit. */
  readonly writer: string;
  readonly at: Date;
  /** The command, such as `run`. */
  readonly command: string;
  /** The version of this program. */
  readonly version: string;
  /** Number of days of streams in the commit. */
  readonly days: number;
  readonly rows: number;
}

const row = z
  .object({
    number: count,
    commit_id: z.string(),
    writer: z.string(),
    committed_at_ms: count,
    command: z.string(),
    version: z.string(),
    days: count,
    rows: count,
  })
  .transform(({ commit_id, committed_at_ms, ...commit }) => ({
    ...commit,
    id: commit_id,
    at: new Date(committed_at_ms),
  }));

/**
 * The newest commits, newest first.
 *
 * @throws ConfigError if the lake is not set up
 */
export async function latestCommits(lake: Lake, limit: number): Promise<Commit[]> {
  try {
    return await lake.session.rows('lake/commits', row, { ...lake.ops, limit: String(limit) });
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigError(`The lake has no namespace ${lake.schemas.ops} with commits yet.`, {
      hint: 'Create its tables with `dawnload lake setup`.',
      cause: error,
    });
  }
}

/** The changes made by one commit. */
export interface Written {
  readonly days: number;
  readonly rows: number;
}

interface Committing {
  readonly lake: Lake;
  readonly state: LakeState;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  readonly command: string;
  readonly version: string;
}

/**
 * Runs the work in one transaction of the catalog. If the answer to a commit is lost, the lake is searched for the
 * commit; a commit is never repeated.
 *
 * @returns undefined if the work found nothing to change
 * @throws TryLaterError if another client changed the same tables; nothing was changed in that case
 * @throws ServiceError if the outcome cannot be determined now; the next push starts by determining it
 */
export async function commitTogether(
  { lake, state, effects, command, version }: Committing,
  work: () => Promise<Written | undefined>,
): Promise<Commit | undefined> {
  const [newest] = await latestCommits(lake, 1);
  await state.agree(newest);
  const commit = {
    id: randomUUID(),
    number: (newest?.number ?? 0) + 1,
    writer: state.writer,
    command,
    version,
  };
  const at = effects.now();
  await state.begin(commit.id);
  const progress: { written?: Written; asked?: true } = {};
  try {
    await lake.session.transaction(async () => {
      const written = await work();
      if (written === undefined) throw new NothingToDo();
      progress.written = written;
      await lake.session.run('lake/note_commit', {
        ...lake.ops,
        number: String(commit.number),
        commit: quoted(commit.id),
        writer: quoted(commit.writer),
        at: quoted(at.toISOString()),
        command: quoted(command),
        version: quoted(version),
        days: String(written.days),
        rows: String(written.rows),
      });
      effects.reach('lake/before-commit');
      progress.asked = true;
    });
  } catch (error) {
    // A commit request is never interrupted.
    const asked = progress.asked === true && !(error instanceof InterruptedError);
    if (!asked) await state.drop(commit.id);
    if (error instanceof NothingToDo) return undefined;
    if (!asked || !(await isThere(lake, commit.id, error))) throw catalogFailure(error);
  }
  effects.reach('lake/after-commit');
  await state.settle(commit.id);
  return { ...commit, at, days: progress.written?.days ?? 0, rows: progress.written?.rows ?? 0 };
}

class NothingToDo extends Error {}

/**
 * True if the lake contains the commit although the answer was an error: an answer may be lost, or a repeated request
 * refused.
 */
async function isThere(lake: Lake, id: string, error: unknown): Promise<boolean> {
  try {
    const found = await lake.session.rows('lake/find_commit', z.object({ commit_id: z.string() }), {
      ...lake.ops,
      commit: quoted(id),
    });
    return found.length > 0;
  } catch {
    throw new ServiceError(
      'Whether the last commit reached the lake is not known: the catalog did not answer.',
      {
        hint: 'The published file is complete. `dawnload lake push`, or the next run, first looks whether the commit is there.',
        cause: error,
      },
    );
  }
}

// The state that this data folder keeps about its lakes: its identity as a writer, the last commit seen in each lake, and
// the commits that it requested and has not seen. A lake has one writer, because two writers would undo each other's
// days.

/** Identifies a lake and the data folder that writes to it. */
interface LakeAddress {
  readonly dataDir: string;
  readonly lake: Pick<LakeConfig, 'catalog' | 'namespace'>;
}

const known = z.object({
  head: z.string().nullable(),
  /** Oldest first. A catalog may execute a request long after the client stopped waiting for the answer. */
  pending: z.array(z.string()),
});

/** The lakes by address and namespace, so that a second lake does not replace the state of the first. */
const shape = z.object({ writer: z.string(), lakes: z.record(z.string(), known) });

/** Maximum number of pending commits that are remembered. */
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
   * Reads the state; a data folder without a state file becomes a new writer.
   *
   * @throws DamageError, StorageError if the file cannot be read
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

  /** Records a commit before it is requested, so that after any failure the next push knows which commit to look for. */
  async begin(commit: string): Promise<void> {
    const pending = [...this.#state.pending, commit].slice(-MOST_PENDING);
    await this.#write({ ...this.#state, pending });
  }

  /** Removes a recorded commit that was not requested. */
  async drop(commit: string): Promise<void> {
    await this.#write({ ...this.#state, pending: this.#state.pending.filter((id) => id !== commit) });
  }

  /** Records the newest commit of the lake. */
  async settle(head: string | null): Promise<void> {
    const pending = this.#state.pending.filter((id) => id !== head);
    await this.#write({ head, pending });
  }

  /**
   * Compares the newest commit of the lake with the state of this folder, and records it.
   *
   * @throws ConfigError as `assertOurs` does
   */
  async agree(newest: Commit | undefined): Promise<void> {
    this.assertOurs(newest);
    if (newest !== undefined && newest.id !== this.#state.head) await this.settle(newest.id);
  }

  /**
   * Changes nothing.
   *
   * @throws ConfigError if another writer, or another copy of this folder, has written to the lake since
   */
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

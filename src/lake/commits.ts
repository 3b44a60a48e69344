/** Commits of the lake. Each one is a single transaction of the catalog and adds one row to `lake_commits`. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Journal, Kind, when } from '../journal/journal.js';
import type { Effects } from '../ground/effects.js';
import { ConfigError, InterruptedError, ServiceError } from '../ground/errors.js';
import { count } from '../warehouse/session.js';
import { isMissing, type Lake } from './lake.js';
import type { LakeConfig } from '../config/config.js';

const row = z.object({
  number: count,
  commit_id: z.string(),
  writer: z.string(),
  committed_at: z.date(),
  command: z.string(),
  version: z.string(),
  days: count,
  rows: count,
});

export type Commit = z.infer<typeof row>;

/**
 * Returns the latest commits, latest first.
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

export interface Writing {
  readonly lake: Lake;
  readonly state: LakeState;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  readonly command: string;
  readonly version: string;
}

/**
 * Does the work in one transaction of the catalog. If the answer to the commit is lost, the lake is searched for the commit, which is never
 * repeated.
 *
 * @returns undefined if the work found nothing to change
 * @throws TryLaterError if another client changed the same tables; then nothing was changed
 * @throws ServiceError if the outcome cannot be determined now; the next push determines it first
 */
export async function commitTogether(
  { lake, state, effects, command, version }: Writing,
  work: () => Promise<Pick<Commit, 'days' | 'rows'> | undefined>,
): Promise<Commit | undefined> {
  const newest = await state.agree(lake);
  const number = (newest?.number ?? 0) + 1;
  const id = randomUUID();
  const about = {
    number,
    commit_id: id,
    writer: state.writer,
    committed_at: effects.now(),
    command,
    version,
  };
  await state.note('begun', id);
  const request: { commit?: Commit } = {};
  try {
    await lake.session.transaction(async () => {
      await lake.session.run('lake/begin_notes');
      const written = await work();
      if (written === undefined) throw new NothingToDo();
      const commit = { ...about, ...written };
      await lake.session.run('lake/end_parts', lake.ops);
      await lake.session.run('lake/note_commit', { ...commit, ...lake.ops });
      effects.reach('lake/before-commit');
      request.commit = commit;
    });
  } catch (error) {
    // A commit request is never interrupted.
    const isSent = request.commit !== undefined && !(error instanceof InterruptedError);
    if (!isSent) await state.note('dropped', id);
    if (error instanceof NothingToDo) return undefined;
    if (!isSent || !(await isThere(lake, id, error))) throw error;
  }
  effects.reach('lake/after-commit');
  await state.note('settled', id);
  return request.commit;
}

class NothingToDo extends Error {}

/** Searches the lake for a commit: the answer may have been lost, or a repeated request refused, although the commit succeeded. */
async function isThere(lake: Lake, id: string, error: unknown): Promise<boolean> {
  try {
    return (await latestCommits(lake, MOST_PENDING)).some(({ commit_id }) => commit_id === id);
  } catch {
    throw new ServiceError(
      'The catalog did not answer, so it is unknown whether the last commit reached the lake.',
      {
        hint: 'The published file is complete. `dawnload lake push`, or the next run, first checks whether the commit succeeded.',
        cause: error,
      },
    );
  }
}

/**
 * This folder's commits to a lake; `lake` names catalog, warehouse and namespace. `begun` is written before a commit is requested, so that
 * the next push can look for it after a failure; `dropped` if it was not requested after all; `settled` has the latest commit seen in the
 * lake, or null if the lake is empty.
 */
const LAKE = new Kind(
  'lake',
  z.object({
    ...when,
    event: z.enum(['begun', 'dropped', 'settled']),
    lake: z.string(),
    commit: z.string().nullable(),
  }),
);

const MOST_PENDING = 10;

/** The journal's lines about a lake. A lake has only one writer, because two would overwrite each other's days. */
export class LakeState {
  readonly #lake: string;
  /** Identifies this data folder as a writer. */
  readonly writer: string;

  /** @param journal open for writing if commits will be requested */
  constructor(
    private readonly journal: Journal,
    { catalog, namespace }: Pick<LakeConfig, 'catalog' | 'namespace'>,
  ) {
    this.#lake = `${catalog.uri} ${catalog.warehouse} ${namespace}`;
    this.writer = journal.id;
  }

  async note(event: 'begun' | 'dropped' | 'settled', commit: string | null): Promise<void> {
    await this.journal.append(LAKE, { event, lake: this.#lake, commit });
  }

  /** Compares the latest commit of the lake with the state of this folder, and records it. Throws as `newestOfOurs` does. */
  async agree(lake: Lake): Promise<Commit | undefined> {
    const newest = await this.newestOfOurs(lake);
    if (newest !== undefined && newest.commit_id !== this.#seen().head)
      await this.note('settled', newest.commit_id);
    return newest;
  }

  /**
   * Returns the latest commit of the lake. Changes nothing.
   *
   * @throws ConfigError if the lake is not set up, or another writer, or another copy of this folder, has written to it
   */
  async newestOfOurs(lake: Lake): Promise<Commit | undefined> {
    const [newest] = await latestCommits(lake, 1);
    const { head, pending } = this.#seen();
    const id = newest?.commit_id;
    if (newest === undefined || id === undefined || id === head || pending.includes(id)) return newest;
    const who = newest.writer === this.writer ? 'another copy of this data folder' : 'another data folder';
    throw new ConfigError(
      `The lake is written by ${who}: its last commit, ${id}, is not from here. A lake has one writer.`,
      {
        hint: 'Push from there, or set another lake.namespace. If the other warehouse is lost, run `dawnload lake setup --take-over`.',
      },
    );
  }

  /** The last commit seen in the lake, and the commits that were requested but not seen. */
  #seen(): { readonly head: string | null; readonly pending: readonly (string | null)[] } {
    let head: string | null = null;
    let pending: (string | null)[] = [];
    for (const { lake, event, commit } of this.journal.of(LAKE)) {
      if (lake !== this.#lake) continue;
      // A catalog may execute a request long after the client stopped waiting for the answer.
      pending = pending.filter((id) => id !== commit);
      if (event === 'settled') head = commit;
      else if (event === 'begun') pending = [...pending, commit].slice(-MOST_PENDING);
    }
    return { head, pending };
  }
}

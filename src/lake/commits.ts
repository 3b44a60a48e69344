/** Commits of the lake: each is one transaction of the catalog, and leaves one row in its `lake_commits`. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, InterruptedError, ServiceError } from '../errors.js';
import { count } from '../warehouse/session.js';
import { catalogFailure, isMissing } from './failure.js';
import type { Lake } from './lake.js';
import { quoted } from './sql.js';
import type { LakeState } from './state.js';

export interface Commit {
  /** Counted from 1. */
  readonly number: number;
  readonly id: string;
  /** The data folder that it came from. */
  readonly writer: string;
  readonly at: Date;
  /** Such as `run`. */
  readonly command: string;
  /** Of this program. */
  readonly version: string;
  /** Days of streams that it brought. */
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
 * @throws ConfigError when the lake is not set up
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

/** What one commit changed. */
export interface Written {
  readonly days: number;
  readonly rows: number;
}

export interface Committing {
  readonly lake: Lake;
  readonly state: LakeState;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  readonly command: string;
  readonly version: string;
}

/**
 * Does the work in one transaction of the catalog. A commit whose answer was lost is looked for in the lake, never repeated.
 * Returns undefined where the work found nothing to change.
 *
 * @throws TryLaterError when somebody else changed the same tables; nothing was changed then
 * @throws ServiceError when the outcome cannot be known now; the next push begins with finding out
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
    // A commit itself is not interrupted.
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

/** Whether the lake has the commit although it was answered with an error: an answer may be lost, or a repeated request refused. */
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

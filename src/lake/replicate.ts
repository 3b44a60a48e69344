/**
 * Makes the lake equal to the published file: replaces the days of streams and models that differ, and all other
 * relations that differ. Each commit is one transaction of the catalog over all tables and contains the coverage of its
 * days, so that a reader of the coverage never finds an incomplete day. A nightly run makes one commit; a backfill makes
 * one for each day of events.
 */
import { z } from 'zod';
import { ConfigError } from '../ground/errors.js';
import { changesOf, Transaction, type Pushing } from './transaction.js';
import type { LakeConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { Journal } from '../journal/journal.js';
import { latestCommits, LakeState, type Commit } from './commits.js';
import { catalogFailure, removedDays, icebergCatalog, Lake, type LakeCatalog, relationsOf } from './lake.js';
import { COLUMNS_PART, columnsVersion, prepareTables } from './setup.js';
import { plural } from '../terminal/text.js';

/** The points at which a rehearsal can kill a push. */
export const LAKE_POINTS = [
  'lake/prepared',
  'lake/after-delete',
  'lake/after-insert',
  'lake/before-commit',
  'lake/after-commit',
  'lake/settled',
] as const;

/**
 * Pushes the differences between the file and the lake.
 *
 * @param together true to put all days of events into one commit
 * @returns the commits
 * @throws the errors of `commitTogether`; earlier commits remain
 * @throws ConfigError if the lake is not set up, has another writer, or its columns cannot be adapted
 */
export async function push(pushing: Pushing, together = false): Promise<Commit[]> {
  const { lake, state, effects } = pushing;
  const [newest] = await latestCommits(lake, 1);
  await state.agree(newest);
  const relations = await relationsOf(lake);
  const recorded = await recordedColumns(lake);
  if (recorded === undefined) {
    throw new ConfigError('The set-up of the lake did not end well, so nothing is pushed to it.', {
      hint: 'Run `dawnload lake setup` and see what it says.',
    });
  }
  const columns = columnsVersion(relations);
  if (recorded !== columns) await prepareTables(lake, relations);
  effects.reach('lake/prepared');
  const changes = await changesOf(lake);
  const commits: Commit[] = [];
  const keep = (commit: Commit | undefined): void => {
    if (commit !== undefined) commits.push(commit);
    effects.reach('lake/settled');
  };
  const events = changes.streams.get('events') ?? [];
  const transaction = new Transaction(pushing, relations, await removedDays(lake));
  for (const day of together ? [] : events.slice(0, -1)) {
    pushing.progress(`pushing the events of ${day}`);
    keep(await transaction.commit(async () => transaction.eventsOf(day)));
  }
  pushing.progress(
    events.length === 0 ? 'pushing' : `pushing the events of ${events.at(-1) ?? ''}, and all that changed`,
  );
  keep(
    await transaction.commit(() =>
      transaction.all(
        changes,
        together ? events : events.slice(-1),
        recorded === columns ? undefined : columns,
      ),
    ),
  );
  return commits;
}

/** An invocation whose lake may have another catalog than the settings name. */
export interface LakeInvocation extends Invocation {
  /** Attaches the lake's catalog; undefined for the real one. */
  readonly lakeCatalog?: LakeCatalog;
}

interface LakeSettings {
  readonly dataDir: string;
  readonly lake: LakeConfig;
}

/** Opens the lake, does the work, and closes it. Throws as `Lake.open` does. */
export async function withLake<T>(
  { dataDir, lake: settings }: LakeSettings,
  { signal, lakeCatalog }: LakeInvocation,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const catalog = lakeCatalog ?? icebergCatalog(settings);
  try {
    const lake = await Lake.open({ dataDir, lake: settings, signal, catalog });
    try {
      return await work(lake);
    } finally {
      await lake.close();
    }
  } catch (error) {
    throw catalogFailure(error);
  }
}

/** Pushes the differences to the lake. Requires the lock. Throws as `push` does. */
export function pushLake(
  settings: LakeSettings,
  invocation: LakeInvocation,
  journal: Journal,
  command: string,
  /** Called before an erasure is pushed. */
  prepare?: (lake: Lake) => Promise<void>,
): Promise<Commit[]> {
  const { effects, terminal, version } = invocation;
  return withLake(settings, invocation, async (lake) => {
    await prepare?.(lake);
    const state = new LakeState(journal, settings.lake);
    return push(
      {
        lake,
        state,
        effects,
        command,
        version,
        progress: (what) => {
          terminal.progress(what);
        },
        erases: prepare !== undefined,
      },
      prepare !== undefined,
    );
  });
}

/** The fingerprint of the columns in the lake; undefined if the set-up was interrupted before recording it. */
async function recordedColumns({ session, ops }: Lake): Promise<string | undefined> {
  await session.run('lake/recorded_parts', ops);
  const part = z.object({ version: z.string() });
  const [columns] = await session.rows('lake/recorded_version', part, { relation: COLUMNS_PART });
  return columns?.version;
}

/** The number of rows that the commits added. */
export function rowsAdded(commits: readonly Commit[]): number {
  return commits.reduce((sum, { rows }) => sum + rows, 0);
}

/** A sentence about the rows that a push wrote. */
export function describePushed({
  commits,
  rows,
}: {
  readonly commits: number;
  readonly rows: number;
}): string {
  return commits === 0
    ? 'The lake holds all of the published file already.'
    : `Pushed ${plural(rows, 'row')} to the lake in ${plural(commits, 'commit')}.`;
}

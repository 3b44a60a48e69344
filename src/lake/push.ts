/**
 * Brings the lake to what the published file holds: the days of streams and models that differ, and whatever else does. Each
 * commit is one transaction of the catalog over all its tables, with the coverage of its days; so a reader of the coverage
 * never finds half a day. A night is one commit, a backfill one for each day of events.
 */
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { changesOf, Transaction, type Pushing } from './transaction.js';
import { latestCommits, type Commit } from './commits.js';
import { type Lake, hasArchived, relationsOf } from './lake.js';
import { COLUMNS_PART, columnsVersion, prepareTables } from './tables.js';
/** Where a push can be killed, for rehearsals. */
export const LAKE_POINTS = [
  'lake/prepared',
  'lake/after-delete',
  'lake/after-insert',
  'lake/before-commit',
  'lake/after-commit',
  'lake/settled',
] as const;

/**
 * Pushes what differs; returns the commits.
 *
 * @param together whether all days of events are one commit
 * @throws what `commitTogether` throws; the commits before it stand
 * @throws ConfigError when the lake is not set up, has another writer, or its columns cannot be brought in line
 */
export async function push(pushing: Pushing, together = false): Promise<Commit[]> {
  const { lake, state, effects } = pushing;
  const [newest] = await latestCommits(lake, 1);
  await state.agree(newest);
  const relations = await relationsOf(lake);
  const held = await heldColumns(lake);
  if (held === undefined) {
    throw new ConfigError('The set-up of the lake did not end well, so nothing is pushed to it.', {
      hint: 'Run `dawnload lake setup` and see what it says.',
    });
  }
  const columns = columnsVersion(relations);
  if (held !== columns) await prepareTables(lake, relations);
  effects.reach('lake/prepared');
  const changes = await changesOf(lake);
  const commits: Commit[] = [];
  const keep = (commit: Commit | undefined): void => {
    if (commit !== undefined) commits.push(commit);
    effects.reach('lake/settled');
  };
  const events = changes.streams.get('events') ?? [];
  const transaction = new Transaction(pushing, relations, await hasArchived(lake));
  for (const day of together ? [] : events.slice(0, -1)) {
    pushing.progress(`pushing the events of ${day}`);
    keep(await transaction.commit(async () => transaction.eventsOf(day)));
  }
  pushing.progress(
    events.length === 0 ? 'pushing' : `pushing the events of ${events.at(-1) ?? ''}, and all that changed`,
  );
  keep(
    await transaction.commit(() =>
      transaction.all(changes, together ? events : events.slice(-1), held === columns ? undefined : columns),
    ),
  );
  return commits;
}

/** The fingerprint of the columns that the lake has; undefined where the set-up did not come to it. */
async function heldColumns({ session, ops }: Lake): Promise<string | undefined> {
  await session.run('lake/held_parts', ops);
  const part = z.object({ version: z.string() });
  const [columns] = await session.rows('lake/held_version', part, { relation: COLUMNS_PART });
  return columns?.version;
}

/**
 * Sets up a lake: creates its tables, registers the writer, and verifies that the catalog commits several tables at once.
 */
import type { Effects } from '../ground/effects.js';
import { ConfigError } from '../ground/errors.js';
import { listOf } from '../warehouse/session.js';
import { commitTogether, latestCommits, type Commit, type LakeState } from './commits.js';
import { type Lake, quoted, LAKE_TABLES, nameOf, relationsOf, type Relation } from './lake.js';
import { COLUMNS_PART, columnsVersion, prepareNamespaces, prepareTables, type Prepared } from './tables.js';

interface SettingUp {
  readonly lake: Lake;
  readonly state: LakeState;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  readonly version: string;
  /** True if this data folder replaces another one as the writer of the lake. */
  readonly takeOver: boolean;
}

/**
 * Creates the missing tables and makes this data folder the writer. Repeating the call changes nothing.
 *
 * @throws ConfigError if the lake has another writer, or its catalog commits each table separately
 */
export async function setUp(settingUp: SettingUp): Promise<Prepared> {
  const { lake, state, takeOver } = settingUp;
  await prepareNamespaces(lake);
  // The tables of another writer are not touched, because they may belong to another version.
  const newest = await newestCommit(lake);
  if (takeOver) await state.settle(newest?.id ?? null);
  else await state.agree(newest);
  const relations = await relationsOf(lake);
  const own = await prepareTables(lake, LAKE_TABLES);
  await commit(settingUp, () => notePart(lake, 'setup', state.writer));
  if (!(await lake.catalog.commitsTogether(lake.session))) {
    throw new ConfigError('The catalog commits table by table, so readers could find half a night.', {
      hint: 'Use a catalog that commits several tables at once, such as Nessie, Lakekeeper or Polaris; docs/scale.md names more.',
    });
  }
  const rest = await prepareTables(lake, relations);
  await commit(settingUp, async () => {
    await forget(lake, rest.created);
    await notePart(lake, COLUMNS_PART, columnsVersion(relations));
  });
  return { created: [...own.created, ...rest.created], added: own.added + rest.added };
}

function commit(
  { lake, state, effects, version }: SettingUp,
  work: () => Promise<void>,
): Promise<Commit | undefined> {
  return commitTogether({ lake, state, effects, command: 'lake setup', version }, async () => {
    await lake.session.run('lake/begin_notes');
    await work();
    await lake.session.run('lake/end_parts', lake.ops);
    return { days: 0, rows: 0 };
  });
}

async function notePart(lake: Lake, relation: string, version: string): Promise<void> {
  await lake.session.run('lake/note_part', { relation, version: quoted(version) });
}

/** Removes the recorded state of tables that had to be created, because the earlier tables were dropped. */
async function forget(lake: Lake, created: readonly Relation[]): Promise<void> {
  if (created.length === 0) return;
  await lake.session.run('lake/forget_relations', {
    ...lake.ops,
    relations: listOf(created.map(nameOf)),
    streams: listOf(created.flatMap(({ stream }) => stream ?? [])) || "''",
  });
}

async function newestCommit(lake: Lake): Promise<Commit | undefined> {
  try {
    return (await latestCommits(lake, 1))[0];
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Sets up a lake: creates its tables, registers the writer, and verifies that the catalog commits several tables at once.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { ConfigError } from '../ground/errors.js';
import { listOf } from '../warehouse/session.js';
import { commitTogether, latestCommits, type Commit, type LakeState } from './commits.js';
import {
  type Column,
  isMissing,
  type Lake,
  quoted,
  LAKE_TABLES,
  nameOf,
  relationsOf,
  type Relation,
} from './lake.js';

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

// The columns of the lake: missing tables and columns are added, and nothing else is changed.

interface Prepared {
  /** The tables that were missing and have been created. */
  readonly created: readonly Relation[];
  /** Number of columns added to existing tables. */
  readonly added: number;
}

/** The part of `lake_parts` that records the columns of the lake. */
export const COLUMNS_PART = 'columns';

/** A fingerprint of all tables and columns. */
export function columnsVersion(relations: readonly Relation[]): string {
  const text = JSON.stringify(relations.map(({ schema, name, columns }) => [schema, name, columns]));
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Creates the missing namespaces. Must be called before any other access, because DuckDB caches that a namespace was not
 * found.
 */
async function prepareNamespaces(lake: Lake): Promise<void> {
  for (const schema of Object.values(lake.schemas)) await lake.session.run('lake/create_schema', { schema });
}

/**
 * Creates the missing tables and columns.
 *
 * @throws ConfigError if a column of the lake has another type or does not exist in the file
 */
export async function prepareTables(lake: Lake, relations: readonly Relation[]): Promise<Prepared> {
  const created: Relation[] = [];
  const missing: { readonly table: string; readonly column: Column }[] = [];
  for (const relation of relations) {
    const stored = await columnsIn(lake, relation);
    if (stored === undefined) created.push(relation);
    else missing.push(...missingColumns(lake, relation, stored));
  }
  // Tables are created before the push, because a transaction that creates a table is not committed in one request.
  await lake.session.transaction(async () => {
    for (const relation of created) await create(lake, relation);
  });
  for (const { table, column } of missing) {
    await lake.session.run('lake/add_column', { table, column: `"${column.name}" ${column.type}` });
  }
  return { created, added: missing.length };
}

const column = z.object({ name: z.string(), type: z.string() });

async function columnsIn(lake: Lake, relation: Relation): Promise<z.infer<typeof column>[] | undefined> {
  try {
    return await lake.session.rows('lake/describe', column, { table: lake.tableOf(relation) });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function create(lake: Lake, relation: Relation): Promise<void> {
  // Only events and messages are large enough for one file per day.
  const byDay = relation.stream === 'events' && relation.columns.some(({ name }) => name === 'date');
  await lake.session.run('lake/create_table', {
    table: lake.tableOf(relation),
    columns: relation.columns.map(({ name, type }) => `"${name}" ${type}`).join(', '),
    clauses: lake.catalog.tableClauses(byDay ? 'date' : undefined),
  });
}

/** The columns that the table lacks. */
function missingColumns(
  lake: Lake,
  relation: Relation,
  stored: readonly z.infer<typeof column>[],
): { readonly table: string; readonly column: Column }[] {
  const table = lake.tableOf(relation);
  const inLake = new Map(stored.map(({ name, type }) => [name, type]));
  for (const { name, type } of relation.columns) {
    const lakeType = inLake.get(name);
    if (lakeType !== undefined && lakeType !== type) {
      throw differs(
        `Column ${name} of ${table} has the type ${lakeType} in the lake and would need ${type}.`,
      );
    }
  }
  const unknown = stored.find(({ name }) => !relation.columns.some((column) => column.name === name));
  if (unknown !== undefined) {
    throw differs(`Column ${unknown.name} of ${table} is in the lake and not in the file.`);
  }
  return relation.columns.filter(({ name }) => !inLake.has(name)).map((column) => ({ table, column }));
}

function differs(message: string): ConfigError {
  return new ConfigError(message, {
    hint: 'Only new columns are added to a lake. Set another lake.namespace, or change the table there, then run `dawnload lake setup` and `dawnload lake push`.',
  });
}

/** Sets up a lake: creates its tables, registers the writer, and verifies that the catalog commits several tables in one step. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../ground/errors.js';
import { listOf } from '../warehouse/session.js';
import { commitTogether, latestCommits, type Writing } from './commits.js';
import { isMissing, type Lake, quoted, relationsOf, type Relation } from './lake.js';

/**
 * Creates missing tables and makes this data folder the writer. Repeating the call changes nothing.
 *
 * @param takeOver true if this data folder replaces another one as the writer of the lake
 * @throws ConfigError if the lake has another writer, or its catalog commits each table separately
 */
export async function setUp(writing: Writing, takeOver: boolean): Promise<Prepared> {
  const { lake, state } = writing;
  const { session, ops } = lake;
  const notePart = (relation: string, version: string, before?: () => Promise<void>): Promise<unknown> =>
    commitTogether(writing, async () => {
      await before?.();
      await session.run('lake/note_part', { relation, version: quoted(version) });
      return { days: 0, rows: 0 };
    });
  // Do this first, because DuckDB remembers if it did not find a namespace.
  await createSchemas(lake);
  await session.run('lake/create_own', { ...ops, clauses: lake.catalog.tableClauses(undefined) });
  // Don't touch the tables of another writer, because they may be of another version.
  if (takeOver) await state.note('settled', (await latestCommits(lake, 1))[0]?.commit_id ?? null);
  else await state.agree(lake);
  const relations = await relationsOf(lake);
  await notePart('setup', state.writer);
  if (!(await lake.catalog.commitsTogether(session)))
    throw new ConfigError('The catalog commits table by table, so readers could see an incomplete night.', {
      hint: 'Use a catalog that commits several tables in one step, such as Nessie, Lakekeeper or Polaris; docs/scale.md names more.',
    });
  const prepared = await prepareTables(lake, relations);
  const { created } = prepared;
  await notePart(COLUMNS_PART, columnsVersion(relations), async () => {
    // Delete records about tables that were created now; they describe tables that were dropped.
    const names = listOf(created.map(({ name }) => name)) || "''";
    const streams = listOf(created.flatMap(({ stream }) => stream ?? [])) || "''";
    await session.run('lake/clear_relations', { ...ops, relations: names, streams });
  });
  return prepared;
}

async function createSchemas({ session, schemas, used }: Lake): Promise<void> {
  for (const name of used) await session.run('lake/create_schema', { schema: schemas[name] });
}

// The columns of the lake. Missing tables and columns are added; nothing else changes.

interface Prepared {
  readonly created: readonly Relation[];
  readonly added: number;
}

/** The row of `lake_parts` that has the fingerprint of the lake's columns. */
export const COLUMNS_PART = 'columns';

export function columnsVersion(relations: readonly Relation[]): string {
  const text = JSON.stringify(relations.map(({ schema, table, columns }) => [schema, table, columns]));
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Creates missing tables and columns.
 *
 * @throws ConfigError if a column of the lake has another type or does not exist in the file
 */
export async function prepareTables(lake: Lake, relations: readonly Relation[]): Promise<Prepared> {
  const created: Relation[] = [];
  let added = 0;
  // Needed again, because a lake that was set up before own tables were copied lacks their namespace.
  await createSchemas(lake);
  for (const relation of relations) {
    const table = lake.tableOf(relation);
    let stored = await columnsIn(lake, table);
    // Own tables may change from night to night, so a table with other columns is created anew.
    if (relation.schema === 'own' && stored !== undefined && !hasColumns(stored, relation)) {
      await lake.session.run('lake/drop_own', { table });
      stored = undefined;
    }
    if (stored === undefined) created.push(relation);
    for (const [name, type] of stored ?? []) {
      const column = relation.columns.find((one) => one.name === name);
      if (column?.type === type) continue;
      const fault =
        column === undefined
          ? 'is in the lake but not in the file'
          : `has the type ${type} in the lake and would need ${column.type}`;
      throw new ConfigError(`Column ${name} of ${table} ${fault}.`, {
        hint: 'Dawnload only adds columns to a lake. Set another lake.namespace, or change the table there, then run `dawnload lake setup` and `dawnload lake push`.',
      });
    }
    for (const { name, type } of relation.columns) {
      if (stored === undefined || stored.has(name)) continue;
      await lake.session.run('lake/add_column', { table, column: `"${name}" ${type}` });
      added++;
    }
  }
  // Create tables before the push, because a transaction that creates a table is not committed in one request.
  await lake.session.transaction(async () => {
    for (const relation of created) {
      // Only events and messages are large enough for one file per day.
      const byDay = relation.stream === 'events' && relation.columns.some(({ name }) => name === 'date');
      await lake.session.run('lake/create_table', {
        table: lake.tableOf(relation),
        columns: relation.columns.map(({ name, type }) => `"${name}" ${type}`).join(', '),
        clauses: lake.catalog.tableClauses(byDay ? 'date' : undefined),
      });
    }
  });
  return { created, added };
}

const hasColumns = (stored: ReadonlyMap<string, string>, { columns }: Relation): boolean =>
  stored.size === columns.length && columns.every(({ name, type }) => stored.get(name) === type);

/** Drops own tables that are no longer copied to the lake. Resolves with the names of those that are. */
export async function dropOwn(lake: Lake, relations: readonly Relation[]): Promise<string> {
  const kept = listOf(relations.filter(({ schema }) => schema === 'own').map(({ name }) => name)) || "''";
  const gone = await lake.session.rows('lake/gone_own', z.object({ table: z.string() }), { relations: kept });
  for (const { table } of gone)
    await lake.session.run('lake/drop_own', { table: lake.tableOf({ schema: 'own', table }) });
  return kept;
}

const column = z.object({ name: z.string(), type: z.string() });

/** The columns of a table in the lake, each with its type; undefined if the table is missing. */
async function columnsIn(lake: Lake, table: string): Promise<Map<string, string> | undefined> {
  try {
    const columns = await lake.session.rows('lake/describe', column, { table });
    return new Map(columns.map(({ name, type }) => [name, type]));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Gives the tables of the lake the columns of the file: adds missing tables and columns, and changes nothing else. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../ground/errors.js';
import { isMissing, type Lake, type Column, type Relation } from './lake.js';

export interface Prepared {
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
export async function prepareNamespaces(lake: Lake): Promise<void> {
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

/** Reads a data folder for comparisons: the tables of a warehouse file, landed pages, and files that contain a text. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { reading } from './dawnload.js';

/** Schemas, tables and columns to leave out of a comparison. */
export interface Except {
  readonly schemas?: readonly string[];
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/** Records of pulls and loads, which may differ between warehouses with the same data. */
const PULLS: Except = {
  schemas: ['ops'],
  tables: ['campaign_collections_history', 'campaign_metric_totals_history'],
  columns: ['pull', 'loaded_at', 'pulled_at', 'updated_at', 'checked_at', 'detected_at', 'collected_at'],
};

/** The number of rows of each table, and a checksum that does not depend on their order. */
export function contents(file: string, except = PULLS): Promise<Record<string, string>> {
  const quoted = (names: readonly string[] = []): string =>
    ['', ...names].map((name) => `'${name}'`).join(', ');
  return reading(file, async (ask) => {
    const tables = await ask(
      `select schema_name || '.' || table_name as name, list(column_name order by column_index) as columns
       from duckdb_columns() join duckdb_tables() using (schema_name, table_name)
       where schema_name not in (${quoted(except.schemas)}) and table_name not in (${quoted(except.tables)})
         and column_name not in (${quoted(except.columns)})
       group by all order by all`,
    );
    const sums: Record<string, string> = {};
    for (const { name, columns } of tables as { name: string; columns: string[] }[]) {
      const list = columns.map((column) => `"${column}"`).join(', ');
      const [row] = await ask(
        `select count(*) || ' rows, ' || coalesce(sum(hash(${list})::hugeint)::varchar, '-') as sum from ${name}`,
      );
      sums[name] = String(row?.['sum']);
    }
    return sums;
  });
}

/** The tables that differ, one line each. */
export function differences(a: Record<string, string>, b: Record<string, string>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((table) => a[table] !== b[table])
    .map((table) => `${table}: ${a[table] ?? 'missing'} and ${b[table] ?? 'missing'}`);
}

/** The landed pages of a stream, in order. */
export async function landedPages(
  data: string,
  stream = 'events',
): Promise<{ file: string; page: unknown }[]> {
  const names = await readdir(join(data, 'landing', stream), { recursive: true });
  const files = names.filter((name) => name.endsWith('.json.gz')).sort();
  return Promise.all(
    files.map(async (name) => {
      const file = join('landing', stream, name);
      return { file, page: JSON.parse(gunzipSync(await readFile(join(data, file))).toString()) as unknown };
    }),
  );
}

/** The files below a folder that contain one of the texts, also inside compressed files. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const one of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!one.isFile()) continue;
    const file = join(one.parentPath, one.name);
    const bytes = await readFile(file);
    const held = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    if (texts.some((text) => held.includes(text))) found.push(file);
  }
  return found;
}

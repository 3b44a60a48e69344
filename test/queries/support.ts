/** Real DuckDB warehouses for the tests of the bundled queries: the repository's own tables and views, and rows made by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/package.js';
import { answerOf } from '../../src/queries/answer.js';
import { csvText } from '../../src/queries/csv.js';

export const HERE = join(PACKAGE_ROOT, 'test', 'queries');

/** Tables first, then the views on them. */
const FOLDERS = ['schema', 'models'].map((folder) => join(PACKAGE_ROOT, 'sql', folder));

/** Makes an empty warehouse in a file, or in memory, and fills it with the small hand-made one where wanted. */
export async function makeWarehouse(fill: 'empty' | 'small', path = ':memory:'): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((file) => join(folder, file)),
  );
  if (fill === 'small') files.push(join(HERE, 'small-warehouse.sql'));
  for (const file of files) await runScript(connection, readFileSync(file, 'utf8'));
  connection.closeSync();
  return instance;
}

/** Runs every statement of a script; `connection.run` answers with the first one only. */
export async function runScript(connection: DuckDBConnection, sql: string): Promise<void> {
  const statements = await connection.extractStatements(sql);
  for (let i = 0; i < statements.count; i++) await (await statements.prepare(i)).run();
}

/** What a statement answers on a plain connection, as CSV with line feeds. */
export async function ask(connection: DuckDBConnection, sql: string): Promise<string> {
  let text = '';
  for await (const piece of csvText(answerOf(await connection.run(sql)))) text += piece;
  return text.replaceAll('\r\n', '\n');
}

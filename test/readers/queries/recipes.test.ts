/** The SQL of docs/recipes.md that needs no other program. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, makeWarehouse } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'dawnload-recipes-'));
beforeAll(() =>
  Promise.all([
    makeWarehouse('small', join(folder, 'shop.duckdb')),
    makeWarehouse('empty', join(folder, 'travel.duckdb')),
  ]),
);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('two projects are asked in one question, each by its own views', async () => {
  const [, , recipe = ''] =
    /## Two projects(.*?)```sql\n(.*?)```/s.exec(readFileSync('docs/recipes.md', 'utf8')) ?? [];
  const sql = recipe.replaceAll(/\/srv\/(\w+)\/data\/warehouse/g, `${folder}/$1`);
  const one = await rowsOf(sql);
  expect(one[1]).toMatch(/^shop,chatapp-alimtalk,/);
  expect(one.filter((row) => row.startsWith('travel'))).toEqual([]);
  const both = await rowsOf(
    sql.replace(/(?<=\/)(shop|travel)(?=\.duckdb)/g, (name) => (name === 'shop' ? 'travel' : 'shop')),
  );
  // The other way round, the rows are those of the second project.
  expect(both).toEqual(one.map((row) => row.replace(/^shop/, 'travel')));
});

async function rowsOf(sql: string): Promise<string[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const statements = await connection.extractStatements(sql);
  for (let i = 0; i < statements.count - 1; i++) await (await statements.prepare(i)).run();
  const rows = (await ask(connection, sql.slice(sql.lastIndexOf('use memory;') + 'use memory;'.length)))
    .trimEnd()
    .split('\n');
  connection.closeSync();
  instance.closeSync();
  return rows;
}

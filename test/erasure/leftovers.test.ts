// @module-tag long
/** DuckDB writes leftovers of its memory into its files. An erasure therefore runs with memory that is filled with zeros. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** Fills the process's memory with a mark, frees it, and copies a database, six times; prints how many copies have the mark. */
const COPIES = `
const { rmSync, readFileSync } = require('node:fs');
const duckdb = require('@duckdb/node-api');
const [, folder] = process.argv;
const [from, to] = [folder + '/old', folder + '/new'];
const using = async (path, settings, statements) => {
  const instance = await duckdb.DuckDBInstance.create(path, settings);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
};
const columns = "range as id, 'name ' || range % 97 as name, md5(range::varchar) as text, random() as share, [range, range + 1] as list, " +
  "'https://example.com/' || md5((range % 1000)::varchar) || '/page' as url, {a: range, b: range::varchar} as pair";
(async () => {
  const rows = Array.from({ length: 15 }, (_, nth) => 100 + nth * 3053);
  await using(from, {}, rows.map((count, nth) => 'create table t' + nth + ' as select ' + columns + ' from range(' + count + ')'));
  let marked = 0;
  for (let n = 0; n < 6; n++) {
    rmSync(to, { force: true });
    await using(':memory:', { memory_limit: '256MB', preserve_insertion_order: 'false' }, [
      "create temp table marks as select repeat('LEFTOVER', (range % 40)::integer) || range as mark from range(200000)",
      'select count(distinct mark), max(mark) from marks',
      'drop table marks',
      "attach '" + from + "' as old (read_only)",
      "attach '" + to + "' as new",
      'copy from database old to new',
      'checkpoint new',
      'detach new',
    ]);
    if (readFileSync(to).includes('LEFTOVER')) marked++;
  }
  console.log(marked);
})();
`;

async function copiesWithMark(setting: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { ...process.env, DUCKDB_JE_MALLOC_CONF: setting };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', COPIES, folder], { env });
  return Number(stdout);
}

test.skipIf(process.platform !== 'linux')('DuckDB obeys the setting that `forget` starts with', async () => {
  const [, setting = ''] =
    /DUCKDB_JE_MALLOC_CONF'\] = '(.*?)'/.exec(await readFile('src/cli.ts', 'utf8')) ?? [];
  expect(await copiesWithMark(setting)).toBe(0);
  // If this fails, DuckDB no longer writes its memory, and the setting may go.
  expect(await copiesWithMark('')).toBeGreaterThan(0);
});

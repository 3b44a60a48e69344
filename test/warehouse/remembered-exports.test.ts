/** What a file that is not open remembers of paid exports. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { remembered } from '../../src/warehouse/remembered-exports.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-remembered-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileWith(name: string, sql: string): Promise<string> {
  const path = join(folder, name);
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
  return path;
}

const EXPORTS = `create schema ops;
  create table ops.exports as
  select
    key, timestamptz '2026-11-18 15:00:00Z' as window_start, timestamptz '2026-11-19 15:00:00Z' as window_end,
    date '2026-11-19' as date, 'loaded' as state, 'exp-1' as export_id, true as message_data, 10 as records, 1 as pages,
    10 as estimated_records, 0::double as price_per_record, null::timestamptz as requested_at, null::timestamptz as updated_at,
    null::varchar as note
  from (values ('2026-11-19.1'), ('2026-11-20.1')) as given (key)`;

describe('a file that is not open', () => {
  test('tells of the exports that are not tracked, all of them where none is', async () => {
    const file = await fileWith('some.duckdb', EXPORTS);
    const keysBut = async (...tracked: string[]): Promise<string[]> =>
      (await remembered(file, tracked)).exports.map(({ key }) => key);
    expect(await keysBut()).toEqual(['2026-11-19.1', '2026-11-20.1']);
    expect(await keysBut('2026-11-19.1', "odd ' key")).toEqual(['2026-11-20.1']);
    expect(await keysBut('2026-11-19.1', '2026-11-20.1')).toEqual([]);
  });

  test('tells nothing where it does not exist, is no database, or is no warehouse', async () => {
    const garbage = join(folder, 'garbage.duckdb');
    await writeFile(garbage, 'not a database');
    const foreign = await fileWith('foreign.duckdb', 'create table t (i integer)');
    const other = await fileWith('other.duckdb', 'create schema ops; create table ops.exports (key varchar)');
    for (const file of [join(folder, 'none.duckdb'), garbage, foreign, other]) {
      expect(await remembered(file, [])).toEqual({ schema: 0, exports: [] });
    }
  });

  test('passes on an error that is not of the database: what is paid must not be overlooked', async () => {
    const file = await fileWith('sound.duckdb', EXPORTS);
    await expect(remembered(file, [1n as unknown as string])).rejects.toThrow(TypeError);
  });
});

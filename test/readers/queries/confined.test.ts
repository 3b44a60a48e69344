/** Attempts to get out of the warehouse by SQL, on the reader of agents, of `dawnload query` and of pushes. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UsageError } from '../../../src/ground/errors.js';
import { answer } from '../../../src/readers/queries/agent.js';
import { loadCatalogue, questionOf } from '../../../src/readers/queries/catalogue.js';
import { Reader } from '../../../src/warehouse/reader.js';
import { copyTemplate } from '../../support/template.js';

const folder = mkdtempSync(join(tmpdir(), 'dawnload-confined-'));
const file = join(folder, 'data', 'warehouse.duckdb');
const secret = join(folder, 'secret.csv');
let reader: Reader;
let written: Stats;
const HOW = { language: 'en', limits: { rows: 1000, characters: 50_000 } };

beforeAll(async () => {
  copyTemplate(file);
  writeFileSync(secret, 'a,b\nthe-secret,1\n');
  mkdirSync(join(folder, 'other'));
  copyTemplate(join(folder, 'other', 'private.duckdb'));
  written = statSync(file);
  process.env['THE_SECRET'] = 'the-secret';
  reader = await Reader.open(file);
  await reader.confine();
});

afterAll(async () => {
  await reader.close();
  delete process.env['THE_SECRET'];
  rmSync(folder, { recursive: true, force: true });
});

/** The answer as an agent gets it, in a session of its own. */
async function attempt(sql: string): Promise<string> {
  const session = await reader.beside();
  try {
    return await answer(questionOf({ sql }, new Date())!, session, HOW);
  } finally {
    await session.close();
  }
}

it.each([
  // The bytes of the warehouse itself.
  "from read_duckdb('WAREHOUSE', table_name = 'events')",
  "from read_blob('WAREHOUSE')",
  "from read_blob('WAREHOUSE.wal')",
  "from glob('WAREHOUSE')",
  // Files by functions, under any spelling and wherever a select may stand.
  "from read_text('SECRET')",
  `select * from system.main."read_blob"('SECRET')`,
  "with x as materialized (from read_csv_auto('SECRET')) from x",
  "from read_parquet('SECRET')",
  "from read_text('/dev/stdin')",
  "from glob('FOLDER/*')",
  "call read_text('SECRET')",
  "set variable x = (select content from read_text('SECRET')); select getvariable('x')",
  "create temp macro m(f) as table from read_text(f); from m('SECRET')",
  // Files by replacement scans.
  "from 'SECRET'",
  "describe 'SECRET'",
  "from query_table('SECRET')",
  // Other databases.
  "attach 'FOLDER/other/private.duckdb' as other (read_only)",
  "from read_duckdb('FOLDER/other/private.duckdb', table_name = 'events')",
  "attach 'WAREHOUSE' as again (read_only)",
  // SQL that is put together.
  "from query('from read_text(''SECRET'')')",
  "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
  "prepare p as select content from read_text('SECRET'); execute p",
  // Writing.
  "copy (select 1) to 'FOLDER/out.csv'",
  "export database 'FOLDER/out'",
  'merge into events using (select 1) on true when matched then delete',
  // Logs, settings, extensions, secrets, the network.
  "call enable_logging('QueryLog', storage = 'stdout')",
  "set logging_storage = 'stdout'; select 1",
  "set enable_external_access = true; from 'SECRET'",
  "set temp_directory = 'FOLDER/out'; select 1",
  "load 'FOLDER/x.duckdb_extension'",
  "create secret s (type s3, key_id 'x')",
  'from duckdb_secrets()',
  "select getenv('THE_SECRET')",
  "from 'https://example.com/a.csv'",
  'call start_ui()',
  // The file of the warehouse itself, which DuckDB leaves open.
  "copy (select 1) to 'WAREHOUSE' (format csv, use_tmp_file false)",
  "prepare x as copy (select 1) to 'WAREHOUSE' (format csv, use_tmp_file false); execute x",
  "select $$'$$; explain analyze copy (select 1) to 'WAREHOUSE' (format csv, use_tmp_file false)",
  'detach warehouse',
  'delete from events',
  'checkpoint',
  "from force_checkpoint('warehouse')",
  // Functions that change the database, under any spelling.
  'select * from "ENABLE_LOGGING" /* x */ ()',
  'from enable_logging -- x\n -- y\n ()',
  "from query('from enable' || '_logging()')",
  "from query\u200b('from enable' || '_logging()')",
  'from "checkpoint"/**/()',
  "from read_csv_auto\u00a0('SECRET')",
  'explain from events',
  'explain analyze call enable_logging()',
  'explain analyze pragma enable_profiling',
  'explain analyze checkpoint',
  'set variable a = 1; explain analyze checkpoint',
  'from duckdb_logs()',
  'create temp macro m() as table from disable_logging(); from m()',
  "pragma profiling_output = 'FOLDER/out'",
  "select write_log('x')",
  'from arrow_scan_dumb(null, null, null)',
  'set threads = 1',
  // Two answers for one question.
  'select 1; from events',
])('gets nothing out of the warehouse: %s', async (given) => {
  const sql = given.replaceAll('SECRET', secret).replaceAll('WAREHOUSE', file).replaceAll('FOLDER', folder);
  const error: unknown = await attempt(sql).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).not.toContain('the-secret,1');
  expect(readdirSync(folder).sort()).toEqual(['data', 'other', 'secret.csv']);
  expect(readdirSync(join(folder, 'data'))).toEqual(['warehouse.duckdb']);
  expect(statSync(file)).toMatchObject({ mtimeMs: written.mtimeMs, size: written.size });
});

it.each([
  'from events',
  'with x as (select 1 as n) from x',
  'describe marts.channel_days',
  'from duckdb_tables()',
  "from pragma_table_info('events')",
  "pragma table_info('events')",
  'select uuid(), random(), count(*) from generate_series(1, 3)',
  "set variable a = 1; select getvariable('a')",
  "from query_table('events')",
  'create temp table own as select 1 as n; from own',
  'select 1 as query, 2 as checkpoint',
  '-- the weeks to show\n-- and no more\nselect 1 as n',
  ...loadCatalogue().map(({ sql }) => sql),
])('still reads the warehouse: %.60s', async (sql) => {
  expect(JSON.parse(await attempt(sql))).toMatchObject({ cut: null });
});

it('what is too large for the memory fails instead of going to the disk', async () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  copyTemplate(join(own, 'small.duckdb'));
  const small = await Reader.open(join(own, 'small.duckdb'));
  await small.confine(40);
  await expect(
    answer(
      questionOf({ sql: 'select md5(range::varchar) as x from range(2000000) order by x' }, new Date())!,
      small,
      HOW,
    ),
  ).rejects.toThrow(/Out of Memory/);
  expect(readdirSync(own)).toEqual(['small.duckdb']);
  await small.close();
  rmSync(own, { recursive: true });
});

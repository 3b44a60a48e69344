import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CorruptDatabaseError, TryLaterError } from '../../src/ground/errors.js';
import { migrations } from '../../src/warehouse/opening.js';
import { statement } from '../../src/warehouse/session.js';
import { record, Workshop } from './support.js';
import { change } from '../support/dawnload.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { long } from '../support/tags.js';

const GOLDEN = join(import.meta.dirname, 'schema.txt');
const ANSWERS = join(import.meta.dirname, '../readers/queries/golden.txt');

/** Every column of the file, in the order of its relation. */
const COLUMNS = `
  select schema_name || '.' || table_name as relation, column_name as name, lower(data_type) as type
  from duckdb_columns() where database_name = current_database() and not internal
  order by relation, column_index`;
const TABLES = `select schema_name || '.' || table_name as relation from duckdb_tables() where not internal order by 1`;

/**
 * What docs/tables.md, which lists the columns of every relation, leaves open: which relations are tables, and the type of each
 * column by its name. Where a name has several types, the rarer ones stand with their relations.
 */
async function dump(workshop: Workshop): Promise<string> {
  const rows = await workshop.look(`
    with counted as (
      select *, count(*) over (partition by name, type) as uses from (${COLUMNS}) as columns
    ), typed as (
      select *, first_value(type) over (partition by name order by uses desc, type) as usual from counted
    )
    select 'table' as type, list(relation) as names from (${TABLES}) as tables
    union all
    select type, list_sort(list(distinct if(type = usual, name, relation || '.' || name))) from typed group by type
    order by type`);
  return rows
    .map(({ type, names }) => `${String(type)}: ${(names as string[]).join(', ')}\n`)
    .join('')
    .replaceAll(/(.{80,105}), /g, '$1,\n    ');
}

async function migrated(): Promise<Workshop> {
  const workshop = new Workshop({}, 'nothing');
  await workshop.with(refreshModels);
  return workshop;
}

/** A copy of the template, closed: the same, made once. */
async function made(): Promise<Workshop> {
  const workshop = new Workshop();
  await workshop.open();
  await workshop.close();
  return workshop;
}

test('the migrations make the schema that is on record', async () => {
  const found = await dump(await migrated());
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, found);
  expect(found).toBe(readFileSync(GOLDEN, 'utf8'));
});

test('every table, view and column has a comment, and no temporary table stays in the file', async () => {
  const workshop = await made();
  expect(await workshop.look(`select table_name from duckdb_tables() where temporary`)).toEqual([]);
  expect(
    await workshop.look(`
      select schema_name, table_name, column_name from duckdb_columns() where not internal and comment is null
      union all
      select schema_name, table_name, null from duckdb_tables() where not internal and comment is null
      union all
      select schema_name, view_name, null from duckdb_views() where not internal and comment is null`),
  ).toEqual([]);
});

long('each migration is applied once, in one opening or in many', async () => {
  const workshop = await migrated();
  await workshop.close();
  await workshop.with(refreshModels);
  const rows = await workshop.look('select number, name from ops.migrations order by number');
  expect(rows.map(({ number }) => number)).toEqual(migrations().map(({ number }) => number));
  expect(rows[0]?.['name']).toMatch(/^ops-[0-9a-f]{12}$/);
});

long('a file of an older schema is brought forward and keeps its rows', async () => {
  const workshop = new Workshop({}, 'nothing');
  const older = migrations().slice(0, 3);
  await change(
    workshop.path,
    `${older.map(({ file }) => statement(file)).join('')}
    insert into ops.migrations values ${older.map(({ number, name }) => `(${number}, '${name}', now())`).join()};
    insert into ops.privacy (recipients) values ('keep');
    insert into daily_statistics (date, click) values ('2026-11-20', 7)`,
  );
  await workshop.with(refreshModels);
  const today = await made();
  for (const shape of [COLUMNS, TABLES]) expect(await workshop.look(shape)).toEqual(await today.look(shape));
  expect(await workshop.look('select date::varchar as date, click from daily_statistics')).toEqual([
    { date: '2026-11-20', click: '7' },
  ]);
});

test('macros that another version made are made again', async () => {
  const workshop = await made();
  await workshop.change(`
    create or replace macro macros.made_of() as table select 'another' as version;
    create or replace macro macros.shape(place) as 'not a shape'`);
  await workshop.close();
  const [report] = await workshop.load(workshop.events('2026-11-20', [[record({ id: 'a' })]]));
  expect(report).toMatchObject({ rows: 1 });
  expect(await workshop.look(`select version <> 'another' as is_new from macros.made_of()`)).toEqual([
    { is_new: true },
  ]);
});

test('a file that is no database, or a damaged one, is told apart from a full disk', async () => {
  for (const damage of ['x', 'not a database '.repeat(2000)]) {
    const workshop = new Workshop({}, 'nothing');
    writeFileSync(workshop.path, damage);
    const failure: unknown = await workshop.open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CorruptDatabaseError);
    expect(failure).toMatchObject({ hint: expect.stringContaining('dawnload rebuild') as string });
  }
  const workshop = await made();
  const bytes = readFileSync(workshop.path);
  for (let place = 12_288; place < bytes.length; place += 4096) bytes.fill(0xaa, place, place + 512);
  writeFileSync(workshop.path, bytes);
  await expect(workshop.open()).rejects.toBeInstanceOf(CorruptDatabaseError);
});

test('an empty file is a new warehouse', async () => {
  const workshop = new Workshop({}, 'nothing');
  writeFileSync(workshop.path, '');
  await workshop.with(async (warehouse) => {
    expect(await warehouse.loader.loaded()).toEqual(new Set());
  });
});

test('a file that another program holds is tried later', async () => {
  const workshop = await made();
  const { spawn } = await import('node:child_process');
  const holder = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { DuckDBInstance } from '${import.meta.resolve('@duckdb/node-api')}';
     globalThis.held = await DuckDBInstance.create(${JSON.stringify(workshop.path)});
     console.log('open');
     setInterval(() => globalThis.held, 1000);`,
  ]);
  try {
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect(workshop.open()).rejects.toBeInstanceOf(TryLaterError);
  } finally {
    holder.kill();
  }
});

test('what killed runs left in the temporary folder is swept', async () => {
  const workshop = new Workshop({}, 'nothing');
  await workshop.open();
  await workshop.close();
  const repaired = join(workshop.folder, 'tmp', 'repaired-1-0.json.gz');
  const batch = join(workshop.folder, 'tmp', 'batch_0_1');
  writeFileSync(repaired, 'x');
  mkdirSync(batch);
  writeFileSync(join(batch, 'events.parquet'), 'x');
  await workshop.open();
  expect([repaired, batch].filter((left) => existsSync(left))).toEqual([]);
});

test('relations made here and answers have one word for each thing, that of docs/metrics.md', () => {
  const table = /## Words\n([^#]+)/.exec(readFileSync('docs/metrics.md', 'utf8'))?.[1] ?? '';
  const never = new Set(
    [...table.matchAll(/^\| `\w+` +\| (.+) \|$/gm)].flatMap(([, words = '']) =>
      [...words.matchAll(/`(\w+)`/g)].map(([, word]) => word),
    ),
  );
  expect(never.size).toBeGreaterThan(5);
  const relations = readFileSync(GOLDEN, 'utf8').split(/\n(?=\w)/);
  const ours = relations.filter((text) => /^\w+ (marts|ops)\.|^view main\./.test(text));
  const heads = readFileSync(ANSWERS, 'utf8')
    .split('\n# ')
    .map((answer) => answer.split('\n')[1] ?? '');
  const columns = [
    ...ours.flatMap((text) => text.match(/\w+(?=,|$)/gm) ?? []),
    ...heads.flatMap((head) => head.split(',')),
  ];
  expect(columns).toContain('clicked');
  expect([...new Set(columns)].filter((column) => never.has(column))).toEqual([]);
});

long('a file with the tables of another build is refused with the command that makes it new', async () => {
  const workshop = await migrated();
  await workshop.close();
  await change(workshop.path, "update ops.migrations set name = 'ops' where number = 1");
  await expect(workshop.with(refreshModels)).rejects.toThrow(
    new CorruptDatabaseError(
      'The private warehouse was made by another build of dawnload: its tables differ.',
    ),
  );
});

// @module-tag long
/** Your own tables: copied each night, joined with events by the ids as stored, and refused in one sentence if they are hostile. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { DamageError, messageOf } from '../../src/ground/errors.js';
import { STREAMS } from '../../src/streams/index.js';
import { readCopies } from '../../src/streams/own/read.js';
import { copySource } from '../../src/streams/own/source.js';
import { filesWith, landedPages } from '../support/contents.js';
import { reading, type Place } from '../support/dawnload.js';
import { answeringHere, answeringInItsProcess, describingTemplate } from '../support/here.js';
import { invocationOf } from '../support/in-process.js';
import { beginWithNight, ends, makePlace, Nights } from '../support/place.js';

answeringHere();
describingTemplate();

const YAML = `start_date: 2026-11-19
lookback_days: 1
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;

const ORDERS = `order_id,member,amount,ordered_at,memo,phone
1,u-1,"12,000",2026-11-20 10:00,call 010-1234-5678,01012345678
2,u-2,9000.5,2026-11-20T03:00:00Z,"a ""quoted"", text",
003,u-1,,2026-11-21 09:30:00,=1+1,
`;

const tables = (orders: string): string => `${YAML}tables:\n  orders: { ${orders} }\n`;
const FROM_CSV = 'from: ./orders.csv, keys: { user_id: member }';

async function withOrders(yaml = tables(FROM_CSV), text: string | Buffer = ORDERS): Promise<Place> {
  const place = await makePlace(yaml);
  await writeFile(join(place.folder, 'orders.csv'), text);
  return place;
}

/** Nights with the orders, of which the first has passed. */
const firstNight = (): Promise<Nights> => Nights.begun(tables(FROM_CSV), { 'orders.csv': ORDERS });

function copies(place: Place): string[] {
  const folder = join(place.folder, 'data', 'landing', 'own_orders');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  return names.filter((name) => name.endsWith('.parquet'));
}

const SHOWN = `select order_id, user_id, amount, strftime(ordered_at at time zone 'UTC', '%m-%d %H:%M') as at, left(memo, 5) as memo, if(phone ~ '[0-9a-f]{64}', 'hash', phone) as phone
  from own.orders order by all`;

test('a CSV of orders is a table of the warehouse, typed, described, and without numbers of people', async () => {
  const place = await withOrders(tables(`${FROM_CSV}, unique: [order_id, member]`));
  await ends(place.run(['run']), 0);
  expect(await place.rows(SHOWN)).toEqual([
    { order_id: '003', user_id: 'u-1', amount: null, at: '11-21 00:30', memo: '=1+1', phone: null },
    {
      order_id: '1',
      user_id: 'u-1',
      amount: 12000,
      at: '11-20 01:00',
      memo: 'call ',
      phone: 'hash',
    },
    { order_id: '2', user_id: 'u-2', amount: 9000.5, at: '11-20 03:00', memo: 'a "qu', phone: null },
  ]);
  expect(await filesWith(join(place.folder, 'data'), ['01012345678', '010-1234-5678'])).toEqual([]);
  const [known] = await place.rows(
    'select * exclude (pulled_at, newest_at, source) replace (rows::integer as rows, repeated::integer as repeated, persons::integer as persons, known_persons::integer as known_persons) from ops.own_tables',
  );
  expect(known).toEqual({
    ...{ table_name: 'orders', keys: ['user_id'], unique_columns: ['order_id', 'user_id'] },
    ...{ rows: 3, repeated: 0, persons: 2, known_persons: 0 },
  });
  const described = await place.rows(
    "select comment from duckdb_columns() where schema_name = 'own' and comment is null",
  );
  expect(described).toEqual([]);
  const { stdout } = await ends(place.run(['docs', 'own.orders']), 0);
  expect(stdout).toMatch(/^own\.orders \(table\)\n[\s\S]*\n3 rows, copied 2026-11-21 07:30/);
  expect(stdout).toMatch(
    /\n {2}user_id +varchar [\s\S]*\n {2}amount +double [\s\S]*\n {2}ordered_at +timestamptz /,
  );
  expect(JSON.parse((await place.run(['docs', 'own.orders', '--json'])).stdout)).toMatchObject({ rows: 3 });
  expect((await place.run(['docs'])).stdout).toMatch(/\n {2}own\.orders /);
  const checks = await place.rows(
    "select name from ops.checks where name like 'own_%' and findings > 0".replace('findings > 0', 'true'),
  );
  expect(checks.map(({ name }) => name)).toContain('own_keys_known');
});

test('each night takes another copy, and removes the earlier one after publication', async () => {
  const nights = await firstNight();
  const { place } = nights;
  const [first] = copies(place);
  await writeFile(join(place.folder, 'orders.csv'), `${ORDERS}4,u-4,1,2026-11-21 10:00,,\n`);
  nights.night = 1;
  await ends(nights.run(), 0);
  expect(await place.rows('select count(*)::integer as rows from own.orders')).toEqual([{ rows: 4 }]);
  expect(copies(place)).toHaveLength(1);
  expect(copies(place)).not.toContain(first);
  await rm(join(place.folder, 'orders.csv'));
  await ends(place.run(['rebuild']), 0);
  expect(await place.rows('select count(*)::integer as rows from own.orders')).toEqual([{ rows: 4 }]);
});

test('a table that fails keeps its last copy, and the night publishes', async () => {
  const nights = await firstNight();
  const { place } = nights;
  await writeFile(join(place.folder, 'orders.csv'), 'order_id,member\n1,u-1,3\n');
  nights.night = 1;
  await ends(nights.run(), 1, 'line 2 is not like the first line');
  expect(await place.rows('select count(*)::integer as rows from own.orders')).toEqual([{ rows: 3 }]);
  expect(await place.rows('select max(date)::varchar as day from daily_statistics')).toEqual([
    { day: '2026-11-21' },
  ]);
  await writeFile(join(place.folder, 'orders.csv'), 'order_id,member\n');
  nights.night = 2;
  await ends(nights.run(), 1, 'it has no rows, and its last copy has some');
  expect(copies(place)).toHaveLength(1);
});

test('a table that fails delays no retention', async () => {
  const place = await makePlace(
    `${tables('from: ./none.csv, persons: none')}retention: { events: 30 days }\n`,
  );
  const { stderr } = await ends(place.run(['run']), 1, 'none.csv cannot be read');
  expect(stderr).not.toContain('Retention removes nothing');
});

// The other steps of files and manifests are those of all streams.
test('a night that dies while it lands a copy leaves nothing half done', async () => {
  const nights = await firstNight();
  const { place } = nights;
  await writeFile(join(place.folder, 'orders.csv'), `${ORDERS}4,u-4,1,2026-11-21 10:00,,\n`);
  nights.night = 1;
  const { signal } = await place.dying(['run'], {
    DAWNLOAD_NOW: nights.now.toISOString(),
    DAWNLOAD_CRASH_AT: 'land/own_orders/durable',
  });
  expect(signal).toBe('SIGKILL');
  await ends(nights.run(), 0);
  expect(await place.rows('select count(*)::integer as rows from own.orders')).toEqual([{ rows: 4 }]);
  expect(copies(place)).toHaveLength(1);
});

test('a table that the settings name no more leaves the warehouse and the landing zone', async () => {
  const nights = await firstNight();
  const { place } = nights;
  await place.configure(YAML);
  nights.night = 1;
  await ends(nights.run(), 0);
  expect(await place.rows("from duckdb_tables() where schema_name = 'own'")).toEqual([]);
  expect(copies(place)).toEqual([]);
});

interface LandedRow extends Readonly<Record<string, unknown>> {
  readonly message_data?: { readonly recipientNo?: string } | null;
}

test('each kind of key is hashed as in events and messages, so that both join', async () => {
  const ids = ['user_id', 'service_user_id', 'device_id', 'service_device_id'];
  const place = await makePlace(YAML);
  await beginWithNight(place, YAML);
  const pages = (await landedPages(join(place.folder, 'data'))) as { page: { data: LandedRow[] } }[];
  const rows = pages.flatMap(({ page }) => page.data);
  const first = (kind: string, idOf: (row: LandedRow) => unknown) => ({
    kind,
    id: rows.map(idOf).find((id) => typeof id === 'string' && id !== ''),
  });
  const plain = [
    ...ids.map((kind) => first(kind, (row) => row[kind])),
    first('recipient', (row) =>
      row['channel'] === 'text-message' ? row.message_data?.recipientNo : undefined,
    ),
  ];
  await rm(join(place.folder, 'data'), { recursive: true });
  const named = plain.map(({ kind }) => `  t_${kind}: { from: ./${kind}.csv, keys: { ${kind}: who } }\n`);
  const rules = ids.map((kind) => `${kind}: hash`).join(', ');
  await place.configure(
    `${YAML}privacy: { recipients: hash, columns: { ${rules} } }\ntables:\n${named.join('')}`,
  );
  for (const { kind, id } of plain)
    await writeFile(join(place.folder, `${kind}.csv`), `who,amount\n${String(id)},1\n"nobody",2\n`);
  await ends(place.run(['run']), 0);
  expect(
    await place.rows(
      'select table_name, persons::integer as persons, known_persons::integer as known from ops.own_tables order by all',
    ),
  ).toEqual(
    plain
      .map(({ kind }) => ({ table_name: `t_${kind}`, persons: 2, known: 1 }))
      .sort((a, b) => (a.table_name < b.table_name ? -1 : 1)),
  );
  for (const kind of ids) {
    const [joined] = await place.rows(
      `select count(*)::integer as n, bool_and(${kind} ~ '[0-9a-f]{64}') as hashed from own.t_${kind} inner join events using (${kind})`,
    );
    expect(joined, kind).toEqual({ n: expect.any(Number) as number, hashed: true });
    expect(Number(joined?.['n']), kind).toBeGreaterThan(0);
  }
  const [texts] = await place.rows(
    'select count(*)::integer as n from own.t_recipient inner join text_messages on recipient = recipient_no',
  );
  expect(Number(texts?.['n'])).toBeGreaterThan(0);
  const landed = join(place.folder, 'data', 'landing');
  const own = readdirSync(landed).filter((name) => name.startsWith('own_'));
  expect(own).toHaveLength(5);
  for (const name of own)
    expect(
      await filesWith(
        join(landed, name),
        plain.map(({ id }) => String(id)),
      ),
    ).toEqual([]);
}, 120_000);

/** Copies and reads the table as a night does; the text is its file. */
async function read(
  yaml: string,
  text: string | Buffer,
): Promise<Awaited<ReturnType<typeof readCopies>> & { out: string }> {
  const place = await mkdtemp(join(tmpdir(), 'dawnload-'));
  await writeFile(join(place, 'orders.csv'), text);
  await writeFile(join(place, 'dawnload.yaml'), yaml);
  const config = loadConfig(STREAMS, {}, {}, place);
  const [table] = config.tables;
  if (table === undefined) throw new Error('The settings have no table.');
  const folder = join(place, 'temporary');
  await mkdir(folder);
  const invocation = invocationOf();
  const files = await copySource(table, folder, { config, invocation });
  const out = join(folder, 'read.parquet');
  return { ...(await readCopies({ table, files, out, folder }, invocation.signal)), out };
}

const refused = (yaml: string, text: string | Buffer): Promise<string> =>
  read(yaml, text).then(
    () => 'nothing',
    (error: unknown) => (error instanceof DamageError ? error.sentences : messageOf(error)),
  );

const wide = Array.from({ length: 500 }, (_, nth) => `c${nth}`).join(',');

const bytes = (text: string, ...more: number[]): Buffer =>
  Buffer.concat([Buffer.from(text), Buffer.from(more)]);

const LINES = `${FROM_CSV}, format: json`;
const NO_COLUMN = 'it has no column customer (tables.orders.keys); its columns are order_id, member';
const NO_INTEGER = '3 values of its column memo cannot be read as integer (tables.orders.types.memo)';
const OPEN = /cannot be read as CSV: line \d+ is not like the first line\. The warehouse keeps/;
const TOO_LARGE = 'it has more than 1 MiB (tables.orders.largest).';
const NO_FILE = 'none.csv cannot be read (it does not exist).';
const FAILED = 'its command failed (it ended with exit code 3).';
const noColumn = (name: string): string => `own.orders has no column ${name} (types or unique).`;

describe('a source', () => {
  test.each<[what: string, orders: string, text: string | Buffer, rows: number]>([
    ['with a byte order mark', FROM_CSV, `\ufeff${ORDERS}`, 3],
    ['in EUC-KR, as set', `${FROM_CSV}, encoding: euc-kr`, bytes('member,memo\nu-1,', 0xb0, 0xa1, 10), 1],
    ['with semicolons and line ends of Windows', FROM_CSV, 'member;amount\r\nu-1;"1;2"\r\n', 1],
    ['of JSON lines', LINES, '{"member":"u-1","items":[{"sku":1}]}\n{"member":7}\n', 2],
    ['that a command writes', 'command: "cat orders.csv", format: csv, keys: { user_id: member }', ORDERS, 3],
    ['that several files make', 'from: "./ord*.csv", keys: { user_id: member }', ORDERS, 3],
    ['without persons', 'from: ./orders.csv, persons: none, columns: { cost: amount }', ORDERS, 3],
    ['of 500 columns', 'from: ./orders.csv, persons: none', `${wide}\n${wide}\n`, 1],
  ])('%s is a table', async (_, orders, text, rows) => {
    expect((await read(tables(orders), text)).rows).toBe(rows);
  });

  test('in a DuckDB file or in Parquet is a table', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
    const instance = await DuckDBInstance.create(join(folder, 'shop.duckdb'));
    const connection = await instance.connect();
    await connection.run(
      "create table orders as select 7 as member, timestamp '2026-11-20 10:00' as ordered_at, [1, 2] as items, 5::hugeint as total, 1e38::hugeint as large",
    );
    await connection.run(`copy (select 1.5 as price) to '${join(folder, 'items.parquet')}'`);
    connection.closeSync();
    instance.closeSync();
    const from = (file: string, keys: string): string => tables(`from: ${join(folder, file)}, ${keys}`);
    const { columns } = await read(from('shop.duckdb', 'keys: { user_id: member }'), '');
    expect(columns).toEqual([
      { name: 'user_id', kind: 'key' },
      { name: 'ordered_at', kind: 'value' },
      { name: 'items', kind: 'document' },
      { name: 'total', kind: 'value' },
      { name: 'large', kind: 'text' },
    ]);
    expect((await read(from('items.parquet', 'persons: none'), '')).rows).toBe(1);
  });

  const BY_A = `${FROM_CSV.replace('user_id: member', 'user_id: a')}, format: json`;
  const PHONE = `${FROM_CSV}, format: json, columns: { 휴대폰: a }`;

  test.each<[what: string, text: string, type: string, value: string, orders?: string]>([
    ['19 digits', 'member,a\n,9223372036854775807\n', 'BIGINT', '9223372036854775807'],
    ['20 digits', 'member,a\n,12345678901234567890\n', 'VARCHAR', '12345678901234567890'],
    ['many thousands', 'member,a\n,"1,234,567,890,123,456,789"\n', 'BIGINT', '1234567890123456789'],
    ['17 digits and places', 'member,a\n,12345678901234567.89\n', 'VARCHAR', '12345678901234567.89'],
    [
      '20 digits in JSON',
      '{"member":"","a":"12345678901234567890"}',
      'VARCHAR',
      '12345678901234567890',
      LINES,
    ],
    ['an id with empty places', '{"a":1001.0}\n{"a":null}', 'VARCHAR', '1001', BY_A],
    ['a telephone with empty places', '{"member":"","a":1012345678.0}', 'VARCHAR', '1012345678', PHONE],
  ])('with %s loses no digit', async (_, text, type, value, orders = FROM_CSV) => {
    const { out, columns } = await read(tables(orders), text);
    const name = columns.find((one) => one.name !== 'user_id')?.name ?? 'user_id';
    const rows = await reading(':memory:', (ask) =>
      ask(
        `select typeof("${name}") as type, "${name}"::varchar as value from read_parquet('${out}') where "${name}" is not null`,
      ),
    );
    expect(rows).toEqual([{ type, value }]);
  });

  // A sentence with a full stop goes on with what the warehouse keeps.
  test.each<[what: string, text: string | Buffer, sentence: string | RegExp, orders?: string]>([
    [
      'EUC-KR',
      bytes('member,memo\nu-1,', 0xb0, 0xa1, 0xb3, 0xaa, 10),
      'is in EUC-KR (tables.orders.encoding).',
    ],
    ['bytes', bytes('member\n', 0xff, 0xfe, 0x80), 'it is not in UTF-8.'],
    ['an empty JSON list', '[]', 'its JSON has no objects, so its columns', LINES],
    ['NUL', 'member\nu\0-1\n', 'NUL'],
    ['a column twice', 'member,amount,Amount\nu-1,1,2\n', 'it has the column Amount twice.'],
    ['a column twice in JSON', '{"member":"u","member":"v"}', 'it has the column member twice.', LINES],
    ['a column without a name', 'member,,x\nu-1,1,2\n', 'one of its columns has no name.'],
    ['an open quote', 'member,memo\nu-1,"open\n', OPEN],
    ['two kinds of line ends', 'member,x\r\nu-1,1\r\nu-2,2\n', 'its lines may end in two ways'],
    ['no such column', ORDERS, NO_COLUMN, 'from: ./orders.csv, keys: { user_id: customer }'],
    ['an id that is no key', 'member,user_id\nu-1,1\n', 'its column user_id has ids; name it under keys'],
    ['a value of another type', ORDERS, NO_INTEGER, `${FROM_CSV}, types: { memo: integer }`],
    ['a type of no column', ORDERS, noColumn('amuont'), `${FROM_CSV}, types: { amuont: number }`],
    ['a unique value of no column', ORDERS, noColumn('membre'), `${FROM_CSV}, unique: membre`],
    ['text in place of Parquet', ORDERS, 'it cannot be read as parquet.', `${FROM_CSV}, format: parquet`],
    ['text in place of DuckDB', ORDERS, 'it cannot be read as duckdb.', `${FROM_CSV}, format: duckdb`],
    ['too many bytes', 'member\n'.repeat(200_000), TOO_LARGE, `${FROM_CSV}, largest: 1MiB`],
    ['a name of a column that is a placeholder', 'member,{to}\nu-1,1\n', 'has braces or line breaks'],
    ['nothing', '', 'its first line is empty, and should name the columns.'],
    ['an empty first line', '\n\nmember\nu-1\n', 'its first line is empty'],
    ['no file', ORDERS, NO_FILE, 'from: ./none.csv, keys: { user_id: member }'],
    ['no match', ORDERS, 'no file matches', 'from: ./none*.csv, keys: { user_id: member }'],
    ['a failed command', ORDERS, FAILED, 'command: "exit 3", format: csv, persons: none'],
  ])('with %s ends in one sentence', async (_, text, sentence, orders = FROM_CSV) => {
    const said = await refused(tables(orders), text);
    const whole = String(sentence).endsWith('.') ? `${String(sentence)} The warehouse keeps` : sentence;
    expect(said).toEqual(
      typeof whole === 'string' ? expect.stringContaining(whole) : expect.stringMatching(whole),
    );
    expect(said).not.toContain('u-1');
  });

  test('that is a link, a pipe, a folder or 3 GB ends in one sentence', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'dawnload-')), 'orders.csv');
    const said = (): Promise<string> => refused(tables(`from: ${path}, keys: { user_id: member }`), '');
    await symlink('/etc/hostname', path);
    expect(await said()).toContain('it is a link');
    await rm(path);
    execFileSync('mkfifo', [path]);
    expect(await said()).toContain('is a pipe, not a file');
    await rm(path);
    await mkdir(path);
    expect(await said()).toContain('is a folder, not a file');
    await rm(path, { recursive: true });
    await writeFile(path, `member\n${'u-1\n'.repeat(1000)}`);
    await truncate(path, 3 * 2 ** 30);
    expect(await said()).toContain('it has more than 1024 MiB');
    await writeFile(path, 'u'.repeat(2 ** 21));
    expect(await said()).toContain('longer than 100 characters');
  });

  test('that is a database reads no other file', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'dawnload-')), 'shop.duckdb');
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run("create view orders as select content from read_text('/etc/hostname')");
    connection.closeSync();
    instance.closeSync();
    expect(await refused(tables(`from: ${path}, persons: none`), '')).toContain('it refers to another file');
  });
});

describe('the bounds of a table', () => {
  answeringInItsProcess();

  /** The sentence on a source that is a view in a DuckDB file, which computes its rows in the reading process. */
  async function computed(rows: string, minutes: number): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
    const path = join(folder, 'shop.duckdb');
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`create view orders as ${rows}`);
    connection.closeSync();
    instance.closeSync();
    const [table] = settingsOf(folder, `from: ${path}, persons: none`).tables;
    const bounded = { ...table!, max_minutes: minutes };
    return readCopies(
      { table: bounded, files: [path], out: join(folder, 'read.parquet'), folder },
      invocationOf().signal,
    ).then(
      ({ rows: all }) => `${all} rows`,
      (error: unknown) => messageOf(error),
    );
  }

  function settingsOf(folder: string, orders: string): ReturnType<typeof loadConfig> {
    writeFileSync(join(folder, 'dawnload.yaml'), tables(orders));
    return loadConfig(STREAMS, {}, {}, folder);
  }

  test('end a reading that takes too long, or too much memory', async () => {
    expect(await computed('select range as n from range(10)', 1)).toBe('10 rows');
    expect(
      await computed(
        'select sum(a.range * b.range) as n from range(1000000) as a, range(1000000) as b',
        0.05,
      ),
    ).toContain('reading it took longer than 0.05 minutes (tables.orders.max_minutes)');
    expect(await computed("select repeat('x', 1000000) || range as n from range(20000)", 2)).toMatch(
      /reading it needs (too much|more than 1024 MB of) memory/,
    );
  }, 120_000);

  test('end a command that takes too long, or writes too much', async () => {
    const said = async (command: string, minutes: number): Promise<string> => {
      const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
      const config = settingsOf(folder, `command: "${command}", format: csv, persons: none, largest: 1MiB`);
      const table = { ...config.tables[0]!, max_minutes: minutes };
      return copySource(table, folder, { config, invocation: invocationOf() }).then(
        () => 'nothing',
        (error: unknown) => messageOf(error),
      );
    };
    expect(await said('echo a', 1)).toBe('nothing');
    expect(await said('sleep 600', 0.01)).toContain(
      'its command failed (it did not end within 0.01 minutes)',
    );
    expect(await said('yes a', 1)).toContain('it has more than 1 MiB (tables.orders.largest)');
  }, 60_000);
});

describe('settings', () => {
  test.each([
    [
      'from: ./o.csv',
      'tables.orders must name the column of its person, such as keys: { user_id: member_id }',
    ],
    ['from: ./o.csv, persons: none, keys: { user_id: a }', 'must not have both keys and persons: none.'],
    ['persons: none', 'tables.orders must set from or command.'],
    ['from: ./o, persons: none', 'tables.orders must set format, because the name of the file has none.'],
    ['from: ./o.csv, keys: { member: a }', 'tables.orders.keys'],
    ['from: ./o.csv, persons: none, columns: { user_id: a }', 'must name the column user_id under keys.'],
    [FROM_CSV, 'conversions must name a table of tables, which has no members', 'members', 'user_id'],
    [FROM_CSV, 'conversions must name a person among the keys of tables.orders', 'orders', 'device_id'],
  ])('%s are refused in one sentence', async (orders, sentence, table = '', person = '') => {
    const conversions = `conversions: { table: ${table}, person: ${person}, at: a }\n`;
    const place = await makePlace(tables(orders) + (table === '' ? '' : conversions));
    await ends(place.run(['plan']), 2, sentence);
  });
});

test.each([
  [tables(FROM_CSV), 'ok', '3 rows with user_id, order_id, amount, ordered_at, memo (text), phone'],
  [tables('from: ./orders.csv, keys: { user_id: customer }'), 'fail', 'has no column customer'],
  [tables(`${FROM_CSV}, encoding: euc-kr`), 'fail', 'it is not in EUC-KR (tables.orders.encoding)'],
  [
    `${tables(FROM_CSV)}conversions: { table: orders, person: user_id, at: bought_at }\n`,
    'fail',
    '`conversions` needs the column bought_at, which is missing or a text',
  ],
])('the doctor reads a table as a run would: %#', async (yaml, verdict, reason) => {
  const place = await withOrders(yaml, `${ORDERS}4,u-4,1,2026-11-21 10:00,가나다,\n`.replace(/\n003.*/, ''));
  const { stdout } = await place.run(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; verdict: string; reason: string }[] };
  const found = checks.find(({ name }) => name === 'table orders');
  expect(found?.verdict).toBe(verdict);
  expect(found?.reason).toContain(reason);
});

test('a value that no sum can take is no value of a conversion', async () => {
  const place = await makePlace(
    `${tables('from: ./orders.json, keys: { user_id: member }')}conversions: { table: orders, person: user_id, at: at, value: amount }\n`,
  );
  const row = (amount: string): string => `{"member":"u","at":"2026-11-20 10:00","amount":${amount}}\n`;
  await writeFile(join(place.folder, 'orders.json'), ['1.5', '1e308', '-1e308', '1e400'].map(row).join(''));
  await ends(place.run(['run']), 0);
  expect(await place.rows('select value from own.conversions where value is not null')).toEqual([
    { value: 1.5 },
  ]);
  expect(await place.rows('select count(*)::integer as rows from own.conversions')).toEqual([{ rows: 4 }]);
});

test('conversions are the rows of their table, and none of a column that is no instant', async () => {
  const nights = await firstNight();
  const { place } = nights;
  const named = (at: string): Promise<void> =>
    place.configure(
      `${tables(FROM_CSV)}conversions: { table: orders, person: user_id, at: ${at}, value: amount, currency: KRW }\n`,
    );
  await named('ordered_at');
  await ends(nights.run(), 0);
  expect(
    await place.rows(
      'select user_id, date::varchar as date, value, currency, goal from own.conversions order by all',
    ),
  ).toEqual([
    { user_id: 'u-1', date: '2026-11-20', value: 12000, currency: 'KRW', goal: 'conversion' },
    { user_id: 'u-1', date: '2026-11-21', value: null, currency: 'KRW', goal: 'conversion' },
    { user_id: 'u-2', date: '2026-11-20', value: 9000.5, currency: 'KRW', goal: 'conversion' },
  ]);
  // A day is that day in each time zone of a reader.
  await writeFile(join(place.folder, 'orders.csv'), ORDERS.replaceAll(/(2026-11-\d\d)[ T][\d:]+Z?/g, '$1'));
  await ends(nights.run(), 0);
  const days = await reading(place.published, async (ask) => {
    await ask("set timezone = 'Pacific/Auckland'");
    return ask(
      'select distinct date::varchar as date, epoch(converted_at)::bigint as at from own.conversions order by all',
    );
  });
  expect(days.map(({ date, at }) => [date, Number(at)])).toEqual(
    ['2026-11-20', '2026-11-21'].map((day) => [day, Date.parse(`${day}T00:00:00+09:00`) / 1000]),
  );
  await named('memo');
  await ends(
    nights.run(),
    0,
    'No conversions: the column memo of own.orders is VARCHAR, and conversions.at must be a day',
  );
  expect(await place.rows('from own.conversions')).toEqual([]);
}, 120_000);

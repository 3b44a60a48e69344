// @module-tag long
/** Repeatable targets against the sandbox: what is sent, compared, rejected and refused. */
import { existsSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Place } from '../support/dawnload.js';
import { bytesOf, forgetPushes, lines, published, push, sqlFile, written, YAML } from './support.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

let place: Place;

beforeAll(async () => {
  place = await published();
}, 60_000);
beforeEach(() => forgetPushes(place));
afterAll(() => place.remove());

const requests = () => ({ ...place.sandbox.requests() });
const propertiesOf = (id: string) => written(place).users.find(({ userId }) => userId === id)?.properties;
const itemOf = (catalog: string, id: string) =>
  written(place)
    .catalogs.changed.find(({ name }) => name === catalog)
    ?.items.find((one) => one.id === id)?.item;

const users = (count: number, rest = "'gold' as tier", prefix = 'u') =>
  `select '${prefix}' || i as user_id, ${rest} from range(${count}) as r(i) order by i`;

describe('user properties', () => {
  test('with a key, only what changed since it was acknowledged is sent', async () => {
    const args = ['user-properties', '--key', 'user_id', '--json', '--sql'];
    expect(JSON.parse((await push(place, ...args, users(5))).stdout)).toMatchObject({ new: 5, sent: 5 });
    expect(JSON.parse((await push(place, ...args, users(5))).stdout)).toMatchObject({
      ...{ unchanged: 5, sent: 0, calls: 0 },
    });
    const one = users(6, "if(i = 3, 'red', 'gold') as tier");
    expect(JSON.parse((await push(place, ...args, one)).stdout)).toMatchObject({
      ...{ new: 1, changed: 1, unchanged: 4, sent: 2 },
    });
    expect(propertiesOf('u3')).toEqual({ tier: 'red' });
  });

  test('what was not acknowledged is sent again by the next push', async () => {
    place.sandbox.setFaults([{ endpoint: 'E14', kind: 'status', status: 503 }]);
    const args = ['user-properties', '--key', 'user_id', '--sql', users(5, "'a' as late", 'late')];
    expect((await push(place, ...args)).code).toBe(1);
    place.sandbox.setFaults([]);
    await ends(push(place, ...args), 0, 'Pushed 5 rows');
  });

  test('what a killed push had sent is counted, by the limits too', async () => {
    const point = { DAWNLOAD_CRASH_AT: 'pushed/durable:3' };
    const args = ['push', 'user-properties', '--sql', users(1500, "'k' as killed", 'killed')];
    expect((await place.dying(args, point)).signal).toBe('SIGKILL');
    // A part of a line, as a process leaves it that dies during an append.
    const file = join(place.folder, 'data', 'ledger', 'pushed', 'user-properties.jsonl');
    await appendFile(file, '{"target":"user-properties","push":"2026-11-2');
    // The limits count all targets.
    const items = "select 'k-1' as id, 1 as price";
    await push(place, 'catalog-items', 'products', '--mode', 'patch', '--sql', items, '--yes');
    const [first] = JSON.parse((await push(place, 'list', '--json')).stdout) as unknown[];
    expect(first).toMatchObject({ state: 'stopped', sent: 0, in_doubt: 1500 });
    await place.configure(YAML.replace('rows_per_month: 1000000', 'rows_per_month: 1501'));
    await ends(push(place, ...args.slice(1), '--yes'), 3, 'rows_per_month leaves 1 row,');
    await place.configure(YAML);
    await ends(push(place, ...args.slice(1), '--yes'), 0, /Pushed 500 rows .*1,000 unchanged/);
  });

  extended(
    'what a later call may have overwritten is sent again, and what it did not touch is not',
    async () => {
      const set = (columns: string) =>
        push(place, 'user-properties', '--yes', '--sql', `select 'over' as user_id, ${columns}`);
      await set("'gold' as tier");
      await set('7 as visits');
      expect((await set("'gold' as tier")).stderr).toContain('1 unchanged');
      await set("'red' as tier, 8 as visits");
      expect((await set("'gold' as tier")).stderr).toContain('Pushed 1 row');
      expect(propertiesOf('over')).toMatchObject({ tier: 'gold', visits: 8 });
      place.sandbox.setFaults([{ endpoint: 'E14', kind: 'reset-after', times: 3 }]);
      expect((await set("'blue' as tier")).code).toBe(1);
      expect(propertiesOf('over')).toMatchObject({ tier: 'blue' });
      expect((await set("'gold' as tier")).stderr).toContain('Pushed 1 row');
      expect(propertiesOf('over')).toMatchObject({ tier: 'gold' });
    },
  );
});

describe('a lower count', () => {
  let picky: Place;
  beforeAll(async () => {
    picky = await published(YAML, { unknownUsers: 'ignored' });
  }, 60_000);
  beforeEach(() => forgetPushes(picky));
  afterAll(() => picky.remove());

  // Users of the world are known there; others are not counted.
  const mixed = (value = 'x') =>
    `select if(i in (3, 40, 41), 'ghost' || i, printf('user_%07d', i)) as user_id, '${value}' as tier from range(60) as r(i)`;

  test('is divided until the rows are found that were refused; all others are done', async () => {
    const { stderr } = await ends(
      push(picky, 'user-properties', '--sql', mixed(), '--key', 'user_id'),
      1,
      'Pushed 57 rows',
      '3 rejected',
    );
    const [, calls] = /in (\d+) calls/.exec(stderr) ?? [];
    expect(JSON.parse((await push(picky, 'list', '--json')).stdout)).toMatchObject([
      { calls: Number(calls) },
    ]);
    const has = written(picky).users.filter(({ properties }) => properties['tier'] === 'x');
    expect(has).toHaveLength(57);
    const hashed = JSON.parse((await push(picky, 'rejected', '--json')).stdout) as { row: string }[];
    expect(hashed.map(({ row }) => row.charAt(0))).toEqual(['#', '#', '#']);
    const { stdout } = await push(picky, ...['rejected', '--sql', mixed(), '--key', 'user_id', '--json']);
    const rows = JSON.parse(stdout) as { row: string; reason: string }[];
    expect(rows.map(({ row }) => row).sort()).toEqual(['ghost3', 'ghost40', 'ghost41']);
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['the service did not count it']));
    const remembered = join(picky.folder, 'data', 'ledger', 'pushed');
    await rm(remembered, { recursive: true });
    expect((await push(picky, 'rejected')).stderr).toContain('No rejected rows.');
    expect(existsSync(remembered)).toBe(false);
  });
});

describe('catalog items', () => {
  test('are replaced, 50 a call, and patched with operators on arrays', async () => {
    const before = requests().E2;
    const sql = "select 'p-' || i as id, 'name ' || i as name, 100 + i as price from range(101) as r(i)";
    const replaced = await push(place, 'catalog-items', 'products', '--mode', 'replace', '--sql', sql);
    expect(replaced.code, replaced.stderr).toBe(0);
    // One list of catalogs, three calls.
    expect(requests().E2 - before).toBe(4);
    expect(itemOf('products', 'p-100')).toMatchObject({ name: 'name 100', price: 200 });
    const patch = `select 'p-1' as id, {'$add': ['sale', 'new'], '$remove': ['old']} as sizes`;
    const patched = await push(place, 'catalog-items', 'products', '--mode', 'patch', '--sql', patch);
    expect(patched.code, patched.stderr).toBe(0);
    expect(itemOf('products', 'p-1')).toMatchObject({ name: 'name 1', sizes: ['sale', 'new'] });
  });

  extended(
    'what a replaced item lost is patched again, and a patch of other fields leaves a replaced item',
    async () => {
      const write = (mode: string, fields: string) =>
        push(
          place,
          ...['catalog-items', 'products', '--yes', '--mode', mode, '--sql'],
          `select 'w-1' as id, ${fields}`,
        );
      await write('replace', '7 as price');
      await write('patch', "'x' as name");
      expect((await write('replace', '7 as price')).stderr).toContain('1 unchanged');
      await write('replace', '8 as price');
      expect((await write('patch', "'x' as name")).stderr).toContain('Pushed 1 row');
      expect(itemOf('products', 'w-1')).toMatchObject({ name: 'x', price: 8 });
      await write('patch', '9 as price');
      expect((await write('replace', '8 as price')).stderr).toContain('Pushed 1 row');
      expect(itemOf('products', 'w-1')).toMatchObject({ price: 8 });
    },
  );

  extended('a push that goes on counts the rows that were rejected before it stopped', async () => {
    const sql = "select if(i = 0, 'none', 'p-' || i) as id, 6 as price from range(60) as r(i) order by i";
    await push(
      place,
      ...['catalog-items', 'products', '--mode', 'replace', '--sql'],
      sql.replace("'none'", "'p-0'"),
    );
    const args = ['catalog-items', 'products', '--mode', 'patch', '--yes', '--sql', sql];
    // The list of catalogs, and the calls that find the item.
    place.sandbox.setFaults([{ endpoint: 'E2', kind: 'status', status: 503, skip: 14 }]);
    expect((await push(place, ...args)).stderr).toContain('The service acknowledged 49 rows of this command');
    place.sandbox.setFaults([]);
    expect((await push(place, ...args)).stderr).toMatch(/Pushed 10 rows .*; 49 unchanged, 1 rejected\./);
  });

  test('--delete-missing deletes what an earlier push sent and the query lacks, and nothing else', async () => {
    const some = (ids: string) => `select unnest([${ids}]) as id, 'x' as name`;
    const replace = ['catalog-items', 'products', '--mode', 'replace', '--key', 'id'];
    const args = [...replace, '--delete-missing', '--sql'];
    await push(place, ...args, some("'m-1', 'm-2', 'm-3'"));
    const { code, stderr } = await push(place, ...args, some("'m-2', 'm-4'"));
    expect(code, stderr).toBe(0);
    expect([itemOf('products', 'm-1'), itemOf('products', 'm-3')]).toEqual([null, null]);
    expect(itemOf('products', 'm-2')).toMatchObject({ name: 'x' });
    const after = await push(place, ...args, some("'m-2', 'm-4'"));
    expect(after.stderr).toContain('Pushed 0 rows');
    // An item that a push only patched is somebody else's.
    const patch = ['catalog-items', 'products', '--mode', 'patch', '--key', 'id', '--sql'];
    await push(place, ...patch, "select 'm-2' as id, 9 as price");
    await push(place, ...args, some("'m-4'"), '--yes');
    expect([itemOf('products', 'm-2'), itemOf('products', 'm-4')]).toEqual([null, expect.anything()]);
    const theirs = "select min(item_id) as id, 1 as price from catalog_items where catalog_name = 'products'";
    await push(place, ...patch, theirs, '--yes');
    expect((await push(place, ...args, some("'m-4'"))).stderr).toContain('Pushed 0 rows');
    await ends(push(place, ...patch, theirs, '--delete-missing'), 2, '--mode replace');
  });
});

describe('opt-outs', () => {
  const NUMBER = '0801234567';
  const numbers = "select '0109999000' || i as recipient_no, 'secret ' || i as name from range(4) as r(i)";

  test('are registered', async () => {
    expect((await push(place, 'opt-outs', NUMBER, '--sql', numbers)).code).toBe(0);
    const own = written(place).optOuts.registered.filter(({ recipientNo }) =>
      recipientNo.startsWith('0109999000'),
    );
    expect(own).toHaveLength(4);
  });

  test('recipients and properties are in no file, no output and no error', async () => {
    place.sandbox.setFaults([
      {
        ...{ endpoint: 'E12', kind: 'status', status: 400, times: 1 },
        body: { error: 'recipient 01099990001 (secret 1) is wrong' },
      },
    ]);
    const outputs = [
      await push(place, 'opt-outs', NUMBER, '--sql', numbers, '--key', 'recipient_no'),
      await push(
        place,
        'user-properties',
        '--sql',
        users(3, "'secret ' || i as name, '0109999000' || i as \"$phone_number\""),
      ),
      await push(place, 'user-properties', '--sql', users(3, "'secret ' || i as name"), '--dry-run'),
      await push(place, 'user-properties', '--sql', users(3, "('secret ' || i)::int as name")),
      await push(place, 'list'),
      await push(place, 'rejected'),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 2, 0, 0]);
    const said = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    const text = said + (await bytesOf(place));
    expect(text).not.toContain('secret 1');
    expect(text).not.toContain('01099990001');
    expect(text).not.toContain("'secret");
  });
});

test('a push of the settings takes no option that says what is sent', async () => {
  const pushes = `pushes:\n  - { name: tiers, target: user-properties, sql: "select 'u1' as user_id, 1 as tier" }\n`;
  await place.configure(YAML + pushes);
  try {
    for (const more of [['--sql', users(1)], ['--key', 'user_id'], ['--delete-missing'], ['extra']]) {
      await ends(push(place, 'tiers', ...more), 2, 'takes no further options');
    }
    expect((await push(place, 'tiers', '--dry-run')).code).toBe(0);
  } finally {
    await place.configure(YAML);
  }
});

describe('guards', () => {
  const refused = { code: 3, stdout: '' };
  const sent = async () => (await lines(place)).filter(({ event }) => event === 'intended').length;

  test('a query without rows is refused without --yes', async () => {
    const before = await push(place, 'user-properties', '--sql', users(0));
    expect(before).toMatchObject({ ...refused, stderr: expect.stringContaining('has no rows') as string });
    expect(await sent()).toBe(0);
    expect((await push(place, 'user-properties', '--sql', users(0), '--yes')).code).toBe(0);
  });

  test('rows without a key, and with the key of another row, are rejected, and the others are sent', async () => {
    const sql = `${users(3)} union all select unnest(['', 'u1']), 'x'`.replace(' order by i', '');
    await ends(
      push(place, 'user-properties', '--sql', sql),
      1,
      /Pushed 3 rows .*2 rejected \(1 × user_id: is empty, 1 × user_id: occurs more than once\)/,
    );
  });

  extended(
    'more than ten times or less than a tenth of the rows of the last push is refused without --yes',
    async () => {
      const of = (count: number, ...more: string[]) =>
        push(place, 'user-properties', '--sql', users(count, "'n' as n", 'n'), ...more);
      expect((await of(20)).code).toBe(0);
      expect(await of(201)).toMatchObject({
        ...refused,
        stderr: expect.stringContaining('201 rows') as string,
      });
      expect((await of(200)).code).toBe(0);
      expect(await of(19)).toMatchObject({ ...refused, stderr: expect.stringContaining('200') as string });
      expect((await of(19, '--yes')).code).toBe(0);
      expect((await of(20)).code).toBe(0);
    },
  );

  extended('days that the query names have to be covered, through views and models too', async () => {
    const named = (where: string, from = 'daily_statistics') =>
      push(
        place,
        'user-properties',
        '--sql',
        `select 'd' as user_id, count(*) as n from ${from} where ${where}`,
        '--dry-run',
      );
    expect((await named("date = '2026-11-20'")).code).toBe(0);
    expect(await named("date = '2026-11-17'")).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining('2026-11-17') as string },
    });
    expect((await named("date between '2026-11-17' and '2026-11-20'")).code).toBe(3);
    expect((await named("date = '2026-11-20'", 'events')).stderr).toContain('events');
    expect((await named("date = '2026-11-20'", 'marts.daily_fatigue')).stderr).toContain('events');
    expect((await named('date = make_date(2026, 11, 17)')).code).toBe(0);
    const parameter = ['--sql', "select 'd' as user_id, getvariable('day') as n", '-p', 'day=2026-11-01'];
    expect((await push(place, 'user-properties', ...parameter, '--dry-run')).code).toBe(3);
  });

  test('push.rows_per_run and rows_per_month bound everything', async () => {
    try {
      await place.configure(YAML.replace('rows_per_run: 100000', 'rows_per_run: 4'));
      const more = ['user-properties', '--sql', users(5)];
      expect((await push(place, ...more, '--yes')).code).toBe(3);
      const tried = await push(place, ...more, '--dry-run');
      expect(tried.stderr).toContain(
        'This would be refused: push.rows_per_run leaves 4 rows, and the push has 5',
      );
      expect((await push(place, 'user-properties', '--sql', users(4))).code).toBe(0);
      await place.configure(YAML.replace('rows_per_month: 1000000', 'rows_per_month: 10'));
      expect(
        (await push(place, 'user-properties', '--sql', users(6, "'m' as tier", 'm'), '--yes')).code,
      ).toBe(0);
      const over = await push(place, 'user-properties', '--sql', users(1, "'n' as tier", 'n'), '--yes');
      expect(over).toMatchObject({ code: 3, stderr: expect.stringContaining('rows_per_month') as string });
      await place.configure('start_date: 2026-11-19\n');
      for (const target of [
        ['journey', 'uj-win02'],
        ['events', 'signed_up', '--key', 'user_id'],
      ]) {
        const none = await push(place, ...target, '--sql', users(1), '--yes');
        expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('rows_per_run') as string });
        const tried = await push(place, ...target, '--sql', users(1), '--dry-run');
        expect(tried.stderr).toContain('This would be refused: push.rows_per_run leaves 0 rows');
      }
      expect((await push(place, 'user-properties', '--sql', users(4))).code).toBe(0);
    } finally {
      await place.configure(YAML);
    }
  });

  test('--dry-run sends nothing and shows counts and calls, no value', async () => {
    const before = requests();
    await sqlFile(place, users(2500, "'secret' as tier", 'dry'));
    const { code, stdout } = await push(
      place,
      'user-properties',
      '-f',
      join(place.folder, 'query.sql'),
      '--dry-run',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/Would push 2,500 rows .* in 3 calls .*2,500 new/);
    expect(stdout).not.toContain('secret');
    expect(stdout).not.toContain('dry0');
    expect(requests().E14).toBe(before.E14);
    expect(await lines(place)).toEqual([]);
  });
});

extended('the journal holds the target, numbers and keyed hashes', async () => {
  await push(place, 'journey', 'uj-win02', '--sql', users(2), '--yes');
  const [, intended] = await lines(place);
  expect(Object.keys(intended ?? {}).sort()).toEqual(
    ['seq', 'event', 'push', 'at', 'call', 'rows', 'line'].sort(),
  );
  expect(intended).toMatchObject({ event: 'intended', rows: 2 });
});

describe('what must not leave, or must not go unseen', () => {
  const DELETE = ['catalog-items', 'products', '--mode', 'delete', '--sql'] as const;

  extended('a query that returns nothing after a stop deletes nothing when it goes on', async () => {
    const sql = `select 'keep-' || i as id, 'x' as name from range(20) as r(i) where (select count(*) from ops.runs) = 1`;
    const args = ['catalog-items', 'products', '--mode', 'replace', '--delete-missing', '--sql', sql];
    expect((await push(place, ...args)).code).toBe(0);
    const other = sql.replace("'x'", "'y'");
    place.sandbox.setFaults([{ endpoint: 'E2', kind: 'status', status: 503, skip: 1 }]);
    expect((await push(place, ...args.slice(0, -1), other, '--yes')).code).toBe(1);
    place.sandbox.setFaults([]);
    expect((await place.run(['run'])).code).toBe(0);
    await ends(push(place, ...args.slice(0, -1), other), 3, /has no rows.*20 items would be deleted/);
    expect(itemOf('products', 'keep-19')).toMatchObject({ name: 'x' });
  });

  extended('rows that do not fit any more when a push goes on are rejected and counted', async () => {
    const [{ n } = { n: '' }] = (await place.rows('select count(*) as n from ops.runs')) as { n: string }[];
    const score = `if(i > 0 and (select count(*) from ops.runs) > ${n}, 'nan'::double, 1)`;
    const args = ['user-properties', '--sql', users(3, `${score} as score`, 'fit'), '--yes'];
    place.sandbox.setFaults([{ endpoint: 'E14', kind: 'status', status: 503 }]);
    expect((await push(place, ...args)).code).toBe(1);
    place.sandbox.setFaults([]);
    expect((await place.run(['run'])).code).toBe(0);
    await ends(push(place, ...args), 1, /Pushed 1 row .*; 2 rejected/);
    expect(JSON.parse((await push(place, 'list', '--json')).stdout)).toMatchObject([
      { state: 'stopped' },
      { sent: 1, rejected: 2 },
    ]);
  });

  extended('items that are always refused cost as many calls as any other refusal', async () => {
    const before = requests().E2;
    const sql = "select 'none-' || i as id, 1 as price from range(400) as r(i)";
    await push(place, 'catalog-items', 'products', '--mode', 'patch', '--sql', sql);
    expect(requests().E2 - before).toBe(257);
    const deleting = requests().E2;
    await push(place, ...DELETE, "select 'none-' || i as id from range(400) as r(i)");
    expect(requests().E2 - deleting).toBe(257);
  });

  test('a digest is refused in any column, under any name', async () => {
    const digest = "sha256('x')";
    const sql = (columns: string) => `select ${columns}`;
    for (const columns of [
      `'u' as user_id, ${digest} as "$phone_number"`,
      `${digest} as user_id, 1 as visits`,
      `'u' as user_id, {a: ['id ' || upper(${digest})]} as nested`,
      `'u' as user_id, 1 as "${'ab'.repeat(32)}"`,
    ]) {
      await ends(push(place, 'user-properties', '--sql', sql(columns), '--yes'), 1, 'is a hash');
    }
    expect(written(place).users.some(({ userId }) => userId === 'u')).toBe(false);
  });

  test('two columns of one name, and keys that are no text, are refused by row, with reasons', async () => {
    const twice = await push(place, 'user-properties', '--sql', "select 'w' as user_id, 1 as a, 2 as a");
    expect(twice.stderr).toContain('1 × a: is the name of two columns');
    const day = await push(
      place,
      'user-properties',
      '--sql',
      'select make_date(2026, 1, 1) as user_id, 1 as a',
    );
    expect(day.stderr).toContain('1 × user_id: must be a text or a whole number');
  });

  test('an error of the query names kind and place, and no value', async () => {
    const sql = "select 'u' as user_id, ('secret ' || i)::date as day from range(2) as r(i)";
    const { stderr } = await ends(
      push(place, 'user-properties', '--sql', sql),
      2,
      /cannot be run: (Conversion|Invalid Input) Error.*\./,
    );
    expect(stderr).not.toContain('secret');
    const parsed = await push(place, 'user-properties', '--sql', "select 'u' as user_id 01099990001");
    expect(parsed.stderr).toMatch(/cannot be run: Parser Error \(line 1, column \d+\)\.\n.*shows why/);
    expect(parsed.stderr).not.toContain('0109999');
    // What stands in double quotes is a column to SQL.
    const quoted = `select user_id, 1 as n from events where user_id = "010-9999-0001"`;
    expect((await push(place, 'user-properties', '--sql', quoted)).stderr).toMatch(
      /Referenced column "…" not/,
    );
    const none = await push(place, 'user-properties', '--sql', "select 'u' as user_id, $day as day");
    expect(none.stderr).toContain("Write getvariable('name')");
  });

  test('a file that was made under another setting of privacy stops the push', async () => {
    await place.configure(`${YAML}privacy: { columns: { user_id: drop } }\n`);
    const { code, stderr } = await push(place, 'user-properties', '--sql', users(1));
    await place.configure(YAML);
    expect([code, stderr]).toEqual([2, expect.stringContaining('privacy.columns')]);
  });

  test('nothing of the query is kept, even after a kill', async () => {
    const point = { DAWNLOAD_CRASH_AT: 'pushed/durable' };
    const sql = users(2, "'tier of mine' as tier", 'kill');
    const killed = await place.dying(['push', 'user-properties', '--sql', sql], point);
    expect(killed.signal).toBe('SIGKILL');
    expect(await bytesOf(place)).not.toContain('tier of mine');
  });
});

// The last one, since forgetting the pushes would forget the erasure.
extended('erased persons are left out and counted, under any kind of id', async () => {
  const erased = await place.run(['forget', '--user-id', 'user_0000001', '--yes']);
  expect(erased.code, erased.stderr).toBe(0);
  for (const columns of ["'user_0000001' as user_id", "'x' as user_id, 'user_0000001' as service_user_id"]) {
    const sql = `select ${columns}, 'erased?' as tier union all by name select 'kept' as user_id, 'erased?' as tier`;
    const { stderr } = await push(place, 'user-properties', '--sql', sql, '--yes');
    expect(stderr).toContain('1 skipped, because the persons were erased');
  }
  expect(written(place).users.filter(({ properties }) => properties['tier'] === 'erased?')).toMatchObject([
    { userId: 'kept' },
  ]);
});

// @module-tag long
/** Nights on which the lists of reference data are odd, through the built command, and the sound night after each. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { NOW, Place, type Ended, type Environment } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';

let place: Place;
afterEach(() => place.remove());

const SETTINGS = 'start_date: 2026-11-20\nretries: 0\n';

/** A place whose clock, and the service's, stand at the n-th night. */
async function nights(yaml: string): Promise<Night> {
  let at = new Date(NOW);
  place = await Place.make(SETTINGS + yaml, { now: () => at, date: () => at.toUTCString() });
  return (night, faults = [], environment = {}) => {
    at = new Date(Date.parse(NOW) + night * 86_400_000);
    place.sandbox.setFaults(faults);
    return place.execute(['run'], { DAWNLOAD_NOW: at.toISOString(), ...environment });
  };
}

type Night = (night: number, faults?: readonly Fault[], environment?: Environment) => Promise<Ended>;

/** E2 as these answers, one after the other. */
function answers(...bodies: readonly unknown[]): Fault[] {
  return bodies.map((body) => ({ endpoint: 'E2', kind: 'status', status: 200, body, times: 1 }));
}

test('a catalog that no view can be made of costs its view, and is told', async () => {
  const night = await nights('reference: { catalogs: true }\n');
  const fields = (name: string) => [
    { name: 'id', type: 'string' },
    { name, type: 'string' },
  ];
  const named = (name: string, field: string) => ({ name, num_items: 1, fields: fields(field) });
  const catalogs = { data: [named('nul', 'a\0b'), ...['p', 'P', 'p~2'].map((name) => named(name, 'a'))] };
  const items = { data: { items: [{ id: 'i', a: 'x', 'a\0b': 'y' }], next_cursor: null } };
  const odd = await night(0, answers(catalogs, items, items, items, items, catalogs));
  expect(odd.code, odd.stderr).toBe(0);
  expect(await place.rows('select count(*)::int as n from catalog_items')).toEqual([{ n: 4 }]);
  const views = `select view_name as name from duckdb_views() where schema_name = 'catalog' order by all`;
  expect(await place.rows(views)).toEqual([{ name: 'P' }, { name: 'p~2' }]);
  expect(await place.rows(`select subject from ops.checks where name = 'load_notes' order by all`)).toEqual([
    { subject: 'catalogs: nul' },
    { subject: 'catalogs: p' },
  ]);

  expect(await night(1)).toMatchObject({ code: 0 });
  expect(await place.rows(views)).toEqual([{ name: 'a-b_C' }, { name: 'products' }, { name: 'stores' }]);
  expect(await place.execute(['rebuild'])).toMatchObject({ code: 0 });
  expect(await place.rows(views)).toEqual([{ name: 'a-b_C' }, { name: 'products' }, { name: 'stores' }]);
});

test('an answer of E5 that is no JSON, or has a key twice, costs no more than the status of its template', async () => {
  const night = await nights('reference: { brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] } }\n');
  const odd = (body: string): Fault => ({ endpoint: 'E5', kind: 'status', status: 200, body, times: 1 });
  const first = await night(0, [
    odd('{"data": {"chatappTemplate": {"status": nope}}, "error": null}'),
    odd('{"data": {"chatappTemplate": {"status": "A"}}, "data": {"chatappTemplate": {"status": "B"}}}'),
    odd('{"data": {"chatappTemplate": {"status": "\\ud83d"}}}'),
    odd('{"data": {"chatappTemplate": 1, "a\\u0000Template": []}}'),
  ]);
  expect(first.code, first.stderr).toBe(1);
  expect(first.stderr).toContain('E5 failed for 1 of');
  expect(await place.rows('select count(*) > 4 as some from brand_templates')).toEqual([{ some: true }]);
  expect(await night(1)).toMatchObject({ code: 0 });
  expect(await place.execute(['rebuild'])).toMatchObject({ code: 0 });
});

describe('lists without an end', () => {
  const LISTS = `reference:
  catalogs: [products]
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c], page_size: 2 }
  alimtalk_templates: { page_size: 2 }
  opt_outs: { page_size: 2 }
`;
  const PAID = 'exports: { budget: { records_per_run: 100000, records_per_month: 100000 } }\n';
  const ENDLESS: Fault[] = (['E2', 'E4', 'E10', 'E12'] as const).map((endpoint) => ({
    endpoint,
    kind: 'endless-list',
    announced: 3,
  }));

  test('end at ten times what is announced, leave no pages, and keep no day of events waiting', async () => {
    const night = await nights(LISTS + PAID);
    const odd = await night(0, ENDLESS);
    expect(odd.code, odd.stderr).toBe(1);
    expect(odd.stderr.match(/the service announces 3 rows, gave 30, and the list goes on/g)).toHaveLength(3);
    expect(odd.stderr).toMatch(/items of catalog products are not loaded: .*, and the list goes on/);
    const { E4, E10, E12 } = place.sandbox.requests();
    expect([E4, E10, E12]).toEqual([15, 15, 15]);
    const landed = readdirSync(join(place.folder, 'data', 'landing'), { recursive: true, encoding: 'utf8' });
    const streams = /^(catalogs|brand_templates|alimtalk_templates|opt_outs)\/.*\.json\.gz$/;
    // Of the catalogs the list itself is there.
    expect(landed.filter((file) => streams.test(file) && !file.includes('/%2a.'))).toEqual([]);
    expect(await place.rows('select count(*) > 0 as some from events')).toEqual([{ some: true }]);
    expect(await night(1)).toMatchObject({ code: 0 });
    expect(await place.rows('select count(*) > 3 as some from opt_outs')).toEqual([{ some: true }]);
  });

  test('and any others come after what is paid', async () => {
    const night = await nights(LISTS + PAID);
    const killed = await night(0, [], { DAWNLOAD_CRASH_AT: 'land/catalogs/before-write' });
    expect(killed.signal).toBe('SIGKILL');
    expect(JSON.parse((await place.execute(['exports', 'list', '--json'])).stdout)).toMatchObject([
      { date: '2026-11-20', state: 'loaded' },
    ]);
  });

  test('and slow ones end when their time is over, and the run goes on', async () => {
    const night = await nights(`${LISTS.replace('reference:', 'reference:\n  max_minutes: 0.02')}${PAID}`);
    const began = Date.now();
    const slow = await night(0, [{ endpoint: 'E2', kind: 'no-answer', billed: false, skip: 1 }]);
    expect(slow.code, slow.stderr).toBe(1);
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(slow.stderr).toMatch(
      /opt-outs are not loaded: .*0\.02 minutes of reference\.max_minutes are over/i,
    );
    expect(place.sandbox.requests()).toMatchObject({ E2: 2, E4: 0, E10: 0, E12: 0 });
    expect(await place.rows('select count(*) > 0 as some from events')).toEqual([{ some: true }]);
  });
});

describe('a list that loses more than half of its rows', () => {
  const LISTS = `reference:
  catalogs: true
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] }
  alimtalk_templates: true
  opt_outs: true
`;
  const TABLES = ['catalogs', 'catalog_items', 'brand_templates', 'alimtalk_templates', 'opt_outs'];
  const held = async (): Promise<Record<string, unknown>> => {
    const counts = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`);
    const [row = {}] = await place.rows(`select ${counts.join(', ')}`);
    return row;
  };

  test.each([
    ['the catalogs', [{ endpoint: 'E2', kind: 'emptied-list', list: 'catalogs' }]],
    [
      'any other list',
      [
        ...(['E4', 'E10', 'E12'] as const).map((endpoint): Fault => ({ endpoint, kind: 'emptied-list' })),
        { endpoint: 'E2', kind: 'emptied-list' },
      ],
    ],
    ['opt-outs but one', [{ endpoint: 'E12', kind: 'emptied-list', rows: 1 }]],
  ] satisfies [string, Fault[]][])('(%s) changes nothing in one night', async (_, faults) => {
    const night = await nights(LISTS);
    expect(await night(0)).toMatchObject({ code: 0 });
    const before = await held();
    // The same night again is no second night.
    for (const nth of [1, 1.02]) {
      const odd = await night(nth, faults);
      expect(odd.code, odd.stderr).toBe(1);
      expect(odd.stderr).toMatch(/gives [01] rows?, less than half of the \d+ before/);
      expect(odd.stderr).toMatch(/--accept-empty/);
      const after = await held();
      for (const table of TABLES)
        expect(after[table], table).toBeGreaterThanOrEqual(Number(before[table]) / 2);
    }
    // Later on that day the service has come to itself.
    expect(await night(1.04)).toMatchObject({ code: 0 });
    const closed = TABLES.map(
      (table) => `select count(*) as n from ${table}_history where valid_to is not null`,
    );
    const [vanished] = await place.rows(`select sum(n)::int as n from (${closed.join(' union all ')})`);
    const there = Object.values(before).reduce<number>((sum, rows) => sum + Number(rows), 0);
    // What the sandbox changes from night to night.
    expect(Number(vanished?.['n']) * 5).toBeLessThan(there);
    // The sound run between them has settled it.
    expect((await night(3, faults)).code).toBe(1);
    const second = await night(4, faults);
    expect(second.code, second.stderr).toBe(0);
    const empty = Object.values(await held()).filter((rows) => Number(rows) <= 1);
    expect(empty).not.toEqual([]);
  });

  test('is accepted at once by a person', async () => {
    const night = await nights(LISTS);
    expect(await night(0)).toMatchObject({ code: 0 });
    const faults: Fault[] = [
      { endpoint: 'E12', kind: 'emptied-list' },
      { endpoint: 'E2', kind: 'emptied-list', list: 'catalogs' },
    ];
    const odd = await night(1, faults);
    const [, command = ''] =
      /`dawnload (backfill .* --streams catalogs --accept-empty)`/.exec(odd.stderr) ?? [];
    const at = { DAWNLOAD_NOW: new Date(Date.parse(NOW) + 86_400_000).toISOString() };
    expect(await place.execute(command.split(' '), at)).toMatchObject({ code: 0 });
    expect(await held()).toMatchObject({ catalogs: 0, catalog_items: 0 });
    expect(await place.execute(['rebuild'], at)).toMatchObject({ code: 0 });
    expect(await held()).toMatchObject({ catalogs: 0, catalog_items: 0 });
    expect((await held())['opt_outs']).toBeGreaterThan(0);
  });
});

test('rows that are equal in every field, on one page or two, are one row', async () => {
  const night = await nights(
    'reference: { opt_outs: { page_size: 3 }, alimtalk_templates: { page_size: 2 } }\n',
  );
  const row = (recipientNo: string) => ({
    unsubscribeNo: '0801231234',
    recipientNo,
    requestDate: '2026-11-01 10:00:00',
  });
  const page = (endpoint: 'E10' | 'E12', body: unknown): Fault => ({
    endpoint,
    kind: 'status',
    status: 200,
    body,
    times: 1,
  });
  const optOuts = (...numbers: string[]) => page('E12', { totalCount: 6, data: numbers.map(row) });
  const templates = (...codes: string[]) =>
    page('E10', {
      resultCode: 0,
      templateListResponse: { templates: codes.map((templateCode) => ({ templateCode })), totalCount: 4 },
    });
  const pages = [optOuts('1', '2', '2'), optOuts('2', '3', '4'), optOuts()];
  const codes = [templates('A', 'B'), templates('B', 'C'), templates()];
  // Each list is read twice, to see that it holds still.
  const first = await night(0, [...pages, ...pages, ...codes, ...codes]);
  expect(first.code, first.stderr).toBe(0);
  expect(await place.rows('select count(*)::int as n, max(copy)::int as copy from opt_outs')).toEqual([
    { n: 4, copy: 1 },
  ]);
  expect(await place.rows('select template_code as code from alimtalk_templates order by all')).toEqual([
    { code: 'A' },
    { code: 'B' },
    { code: 'C' },
  ]);
  expect(
    await place.rows('select list, rows::int as rows from ops.snapshots where announced <> rows'),
  ).toEqual([]);
  const second = await night(1, [...pages, ...pages, ...codes, ...codes]);
  expect(second.code, second.stderr).toBe(0);
  expect(await place.rows('select count(*)::int as n from opt_outs_history')).toEqual([{ n: 4 }]);
  expect(await place.execute(['rebuild'])).toMatchObject({ code: 0 });
  expect(await place.rows('select count(*)::int as n from opt_outs_history')).toEqual([{ n: 4 }]);
});

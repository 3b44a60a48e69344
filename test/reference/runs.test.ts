// @module-tag long
/** Reference data in whole runs: nights between which it changes, lists that break off, and what the warehouse says. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contents } from '../support/contents.js';
import { KEYS, PROJECT, type Ended } from '../support/dawnload.js';
import { Nights, ends } from '../support/place.js';
import type { Fault } from '../support/faults/index.js';
import { extended } from '../support/tags.js';

const SENDER = '9f2c4e6a8b0d1f3e5a7c';
const YAML = `start_date: 2026-11-20
retries: 0
reference:
  catalogs: true
  brand_templates: { sender_keys: [${SENDER}] }
  alimtalk_templates: true
  opt_outs: true
`;

class Lists extends Nights {
  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.place.rows(sql);
  }

  /** Asks the service as its own users do. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const { url } = this.place.sandbox;
    const token = await fetch(`${url}/authenticate`, { method: 'POST', body: JSON.stringify(KEYS) });
    const { data } = (await token.json()) as { data: string };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${data}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** The items of a catalog, as the warehouse has them. */
  async held(catalog: string): Promise<Map<string, unknown>> {
    const rows = await this.rows(
      `select item_id, item::varchar as item from catalog_items where catalog_name = '${catalog}'`,
    );
    return new Map(rows.map((row) => [String(row['item_id']), JSON.parse(String(row['item']))]));
  }

  /** The items of a catalog, as the service gives them now. */
  async items(catalog: string): Promise<Map<string, unknown>> {
    const all = new Map<string, unknown>();
    let path: string | null = `/v1/projects/${PROJECT}/catalogs/${catalog}/items`;
    while (path !== null) {
      const { data } = (await this.ask('GET', path)) as {
        data: { items: { id: string }[]; links: { next: string | null } };
      };
      for (const item of data.items) all.set(item.id, item);
      path = data.links.next;
    }
    return all;
  }
}

/** A run of these streams alone. */
function only(...streams: readonly string[]): readonly string[] {
  return ['backfill', '--start', '2026-11-20', '--end', '2026-11-20', '--streams', streams.join(',')];
}

const STREAM_OF = { E2: 'catalogs', E4: 'brand_templates', E10: 'alimtalk_templates', E12: 'opt_outs' };

const catalogs = `/v1/projects/${PROJECT}/catalogs`;

describe('nights', () => {
  extended(
    'on which a named catalog is gone say what to correct, and take the snapshot without it',
    async () => {
      const nights = await Lists.make(
        'start_date: 2026-11-20\nreference: { catalogs: [products, stores] }\n',
      );
      expect((await nights.run()).code).toBe(0);
      await nights.ask('DELETE', `${catalogs}/stores`);
      nights.night = 1;
      await ends(
        nights.run(),
        1,
        'Catalogs of 2026-11-22: The service has no catalog stores, which reference.catalogs names. Remove it from the setting.',
      );
      const { stdout } = await nights.run([], ['status']);
      expect(stdout).toMatch(/^snapshot {2}catalogs: 2026-11-22/m);
      expect(stdout).not.toContain('missing');
    },
  );

  test('on which items, catalogs, templates and opt-outs change leave a history of what was when', async () => {
    const nights = await Lists.make(YAML);
    const lists = only(...Object.values(STREAM_OF));
    await nights.ask('POST', catalogs, {
      name: 'mine',
      description: '내 것',
      data_classification: 'non_personal',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'price', type: 'number' },
      ],
    });
    const put = (id: string, price: number) =>
      nights.ask('PUT', `${catalogs}/mine/items/${id}`, { items: [{ id, price }] });
    await put('x', 1);
    await put('y', 1);
    const optOuts = `/projects/${PROJECT}/messages/text-message/blockservice/recipients`;
    const person = { unsubscribeNo: '0801234567', recipientNoList: ['01000001234'] };
    await nights.ask('POST', optOuts, person);
    expect((await nights.run([], lists)).code).toBe(0);

    nights.night = 1;
    await put('x', 2);
    await nights.ask('DELETE', `${catalogs}/mine/items/y`);
    await put('z', 1);
    await nights.ask('DELETE', `${optOuts}/removes`, person);
    expect((await nights.run([], lists)).code).toBe(0);

    nights.night = 3;
    await put('y', 1);
    expect((await nights.run([], lists)).code).toBe(0);

    nights.night = 4;
    await nights.ask('DELETE', `${catalogs}/mine`);
    expect((await nights.run([], lists)).code).toBe(0);

    const history = `select item_id as id, (item ->> '$.price')::int as price, valid_from::varchar as since,
      valid_to::varchar as until from catalog_items_history where catalog_name = 'mine' order by all`;
    expect(await nights.rows(history)).toEqual([
      { id: 'x', price: 1, since: '2026-11-21', until: '2026-11-21' },
      { id: 'x', price: 2, since: '2026-11-22', until: '2026-11-24' },
      { id: 'y', price: 1, since: '2026-11-21', until: '2026-11-21' },
      { id: 'y', price: 1, since: '2026-11-24', until: '2026-11-24' },
      { id: 'z', price: 1, since: '2026-11-22', until: '2026-11-24' },
    ]);
    expect(await nights.rows(`select count(*)::int as n from catalogs where catalog_name = 'mine'`)).toEqual([
      { n: 0 },
    ]);
    expect(
      await nights.rows(
        `select valid_to::varchar as until from opt_outs_history where unsubscribe_number = '0801234567'`,
      ),
    ).toEqual([{ until: '2026-11-21' }]);

    const before = await contents(nights.place.published);
    expect((await nights.run([], ['rebuild'])).code).toBe(0);
    expect(await contents(nights.place.published)).toEqual(before);
  });

  test('ask E5 for templates that are new or changed, and again after a week', async () => {
    const nights = await Lists.make(YAML);
    const asked = async (): Promise<number> => {
      const before = nights.place.sandbox.requests().E5;
      expect((await nights.run([], only('brand_templates'))).code).toBe(0);
      return nights.place.sandbox.requests().E5 - before;
    };
    const templates = await asked();
    expect(templates).toBeGreaterThan(3);
    expect(await nights.rows('select count(*)::int as n from brand_templates where status is null')).toEqual([
      { n: 0 },
    ]);
    const ages = (): Promise<unknown> =>
      nights.rows(
        'select distinct status_read_on::varchar as read, valid_from::varchar as since from brand_templates order by all',
      );
    nights.night = 1;
    expect(await asked()).toBe(0);
    expect(await ages()).toEqual([{ read: '2026-11-21', since: '2026-11-21' }]);
    nights.night = 8;
    expect(await asked()).toBeGreaterThanOrEqual(templates);
    // A status that is read again is no new version, unless it changed.
    expect(await ages()).toEqual([
      { read: '2026-11-29', since: '2026-11-21' },
      { read: '2026-11-29', since: '2026-11-29' },
    ]);
    expect(await nights.rows('select count(*)::int as n from brand_templates where status is null')).toEqual([
      { n: 0 },
    ]);
  });
});

extended('templates that E5 fails for keep the status that they had', async () => {
  const nights = await Lists.make(YAML.replace('sender_keys', 'recheck_days: 0, sender_keys'));
  expect((await nights.run()).code).toBe(0);
  const history = 'from brand_templates_history order by all';
  const before = await nights.rows(history);
  await ends(nights.run([{ kind: 'status', status: 500, endpoint: 'E5' }]), 1, 'E5 failed');
  expect(await nights.rows(history)).toEqual(before);
  // A status is a text of the service like any other.
  const data = { template: {}, chatappTemplate: { status: 'stopped by 010-1234-5678' } };
  await nights.run([{ kind: 'other-shape-200', body: { data, error: null }, endpoint: 'E5' }]);
  expect(
    await nights.rows(
      "select distinct regexp_replace(status, '[0-9a-f]{64}', '#') as s from brand_templates",
    ),
  ).toEqual([{ s: 'stopped by #' }]);
  // A status of another type is kept as text, and is drift.
  const odd = { template: {}, chatappTemplate: { status: { code: 7 } } };
  await nights.run([{ kind: 'other-shape-200', body: { data: odd, error: null }, endpoint: 'E5' }]);
  expect(await nights.rows('select distinct status from brand_templates')).toEqual([
    { status: '{"code":7}' },
  ]);
  expect(
    await nights.rows(
      "select distinct field, kind, example_type from ops.schema_drift where place = 'template_status'",
    ),
  ).toEqual([{ field: 'status', kind: 'type', example_type: 'OBJECT' }]);
});

describe('a list that breaks off', () => {
  const CATALOGS = ['products', 'stores', 'a-b_C'];
  const ALONE = only('catalogs');

  extended(
    'at any page leaves each catalog as it was or as it is, and the next run reads it whole',
    async () => {
      const nights = await Lists.make(YAML);
      expect((await nights.run([], ALONE)).code).toBe(0);
      // The list, three catalogs of three, one and one pages, and the list again.
      for (let skip = 0; skip <= 6; skip++) {
        nights.night++;
        const before = await Promise.all(CATALOGS.map((catalog) => nights.held(catalog)));
        const broken = await nights.run([{ kind: 'cut-with-length', endpoint: 'E2', skip, times: 1 }], ALONE);
        expect(broken.code, broken.stderr).toBe(1);
        for (const [at, catalog] of CATALOGS.entries())
          expect([before[at], await nights.items(catalog)]).toContainEqual(await nights.held(catalog));

        expect((await nights.run([], ALONE)).code).toBe(0);
        for (const catalog of CATALOGS)
          expect(await nights.held(catalog)).toEqual(await nights.items(catalog));
      }
      expect(
        await nights.rows('select min(valid_from)::varchar as first from catalog_items_history'),
      ).toEqual([{ first: '2026-11-21' }]);
    },
  );
});

describe('a service that', () => {
  type Endpoint = keyof typeof STREAM_OF;
  const faulty = async (
    fault: Fault & { endpoint: Endpoint },
    yaml = YAML,
    streams = [STREAM_OF[fault.endpoint]],
  ): Promise<{ nights: Lists; ended: Ended }> => {
    const nights = await Lists.make(yaml);
    return { nights, ended: await nights.run([fault], only(...streams)) };
  };
  const small = YAML.replace('opt_outs: true', 'opt_outs: { page_size: 50 }')
    .replace(`sender_keys: [${SENDER}]`, `sender_keys: [${SENDER}], page_size: 2`)
    .replace('alimtalk_templates: true', 'alimtalk_templates: { page_size: 3 }');

  test('gives page 1 of opt-outs again is told by the setting to correct', async () => {
    const { ended } = await faulty({ kind: 'ignores-page-parameter', endpoint: 'E12' }, small);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('page 2 repeats page 1');
    expect(ended.stderr).toContain('reference.opt_outs.page_parameter');
  });

  test('denies access to the catalogs does not stop the other streams', async () => {
    const { nights, ended } = await faulty(
      { kind: 'status', status: 403, endpoint: 'E2' },
      YAML,
      Object.values(STREAM_OF),
    );
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/Catalogs of 2026-11-21: The service denies access/);
    const streams = await nights.rows('select distinct stream from ops.snapshots order by all');
    expect(streams).toEqual([
      { stream: 'alimtalk_templates' },
      { stream: 'brand_templates' },
      { stream: 'opt_outs' },
    ]);
  });

  test.each([
    ['an item on two pages', { kind: 'repeated-item', endpoint: 'E2' }],
    ['cursors without an end', { kind: 'cursor-loop', endpoint: 'E2' }],
  ] as const)('gives %s leaves no half catalog', async (_, fault) => {
    const { nights, ended } = await faulty(fault);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain('The items of catalog products are not loaded');
    expect(
      await nights.rows(`select count(*)::int as n from catalog_items where catalog_name = 'products'`),
    ).toEqual([{ n: 0 }]);
    // The other catalogs have one page each.
    expect(
      await nights.rows(`select count(*)::int as n from catalog_items where catalog_name = 'stores'`),
    ).toEqual([{ n: (await nights.items('stores')).size }]);
  });
});

describe('lists without an end', () => {
  const LISTS = `start_date: 2026-11-20
retries: 0
reference:
  catalogs: [products]
  brand_templates: { sender_keys: [${SENDER}], page_size: 2 }
  alimtalk_templates: { page_size: 2 }
  opt_outs: { page_size: 2 }
exports: { budget: { records_per_run: 100000, records_per_month: 100000 } }
`;
  const ENDLESS: Fault[] = (['E2', 'E4', 'E10', 'E12'] as const).map((endpoint) => ({
    endpoint,
    kind: 'endless-list',
    announced: 3,
  }));

  extended(
    'end at ten times what is announced, leave no pages, and keep no day of events waiting',
    async () => {
      const nights = await Lists.make(LISTS);
      const odd = await nights.run(ENDLESS);
      expect(odd.code, odd.stderr).toBe(1);
      expect(odd.stderr.match(/the service announced 3 rows, sent 30, and the list continues/g)).toHaveLength(
        3,
      );
      expect(odd.stderr).toMatch(/items of catalog products are not loaded: .*, and the list continues/);
      expect(nights.place.sandbox.requests()).toMatchObject({ E4: 15, E10: 15, E12: 15 });
      const landing = join(nights.place.folder, 'data', 'landing');
      const landed = readdirSync(landing, { recursive: true, encoding: 'utf8' });
      const streams = /^(catalogs|brand_templates|alimtalk_templates|opt_outs)\/.*\.json\.gz$/;
      // Of the catalogs the list itself is there.
      expect(landed.filter((file) => streams.test(file))).toEqual([
        expect.stringMatching(/^catalogs\/.*\/page-\d+\.json\.gz$/),
      ]);
      expect(await nights.rows('select count(*) > 0 as some from events')).toEqual([{ some: true }]);
      nights.night = 1;
      expect((await nights.run()).code).toBe(0);
      expect(await nights.rows('select count(*) > 3 as some from opt_outs')).toEqual([{ some: true }]);
    },
  );

  test('and any others come after what is paid', async () => {
    const nights = await Lists.make(LISTS);
    const killed = await nights.place.dying(['run'], { DAWNLOAD_CRASH_AT: 'land/catalogs/before-write' });
    expect(killed.signal).toBe('SIGKILL');
    const { stdout } = await nights.run([], ['exports', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ date: '2026-11-20', state: 'loaded' }]);
  });

  extended('and slow ones end when their time is over, and the run goes on', async () => {
    const nights = await Lists.make(LISTS.replace('reference:', 'reference:\n  max_minutes: 0.02'));
    await ends(
      nights.run([{ endpoint: 'E2', kind: 'no-answer', billed: false, skip: 1 }]),
      1,
      /opt-outs are not loaded: .*0\.02 minutes of reference\.max_minutes are over/i,
    );
    expect(nights.place.sandbox.requests()).toMatchObject({ E2: 2, E4: 0, E10: 0, E12: 0 });
    expect(await nights.rows('select count(*) > 0 as some from events')).toEqual([{ some: true }]);
  });
});

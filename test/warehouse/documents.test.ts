/** What the load makes of documents that are not as the specification says; the functions themselves are tested in test/documents. */
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/ground/errors.js';
import { landedPage, NOW, page, pullOf, record, statistic, Workshop } from './support.js';

const DAY = '2026-11-20';

describe('the days of E17', () => {
  test.each(['20261120', '2026. 11. 20.', '2026/11/20'])('are read as %j', async (date) => {
    const workshop = new Workshop();
    await workshop.load(workshop.statistics(DAY, [statistic({ date })]));
    const [row] = await workshop.look('select date::varchar as date, extra from daily_statistics');
    expect(row).toEqual({ date: DAY, extra: null });
  });

  test('of which none can be read fail the day', async () => {
    const workshop = new Workshop();
    const pull = workshop.statistics({ start: '2026-11-19', end: DAY }, [
      statistic({ date: '20th' }),
      statistic({ date: 'today' }),
    ]);
    await expect(workshop.load(pull)).rejects.toThrow(/has 2 records, and none has a readable day/);
    expect(await workshop.look('select count(*)::int as n from ops.coverage')).toEqual([{ n: 0 }]);
    // One that can be read is enough: the others are noted.
    await workshop.load(
      workshop.statistics(DAY, [statistic({ date: '20th', campaign_id: 'c2' }), statistic()]),
    );
    expect(await workshop.look('select count(*)::int as n from daily_statistics')).toEqual([{ n: 2 }]);
  });
});

test('an answer in EUC-KR is named as one, and not loaded', async () => {
  const workshop = new Workshop();
  const file = join(workshop.folder, 'euc-kr.json.gz');
  // 한글 in EUC-KR.
  const name = Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]);
  const body = Buffer.concat([
    Buffer.from('[{"date":"2026-11-20","resource_type":"campaign","campaign_id":"c1","campaign_name":"'),
    name,
    Buffer.from('","channel":"email"}]'),
  ]);
  writeFileSync(file, gzipSync(body));
  const pull = workshop.statistics(DAY, [statistic()]);
  const broken = { ...pull, files: [{ file, rows: 1, bytes: 0 }] };
  await expect(workshop.load(broken)).rejects.toThrow(DamageError);
  await expect(workshop.load(broken)).rejects.toThrow(/euc-kr\.json\.gz is in EUC-KR and not in UTF-8/);
});

test('tags that are objects are their names, and the rest of them is kept', async () => {
  const workshop = new Workshop();
  const tags = [{ id: 1, name: 'vip' }, 'new'];
  const [report] = await workshop.load(workshop.statistics(DAY, [statistic({ tags })]));
  expect(await workshop.look("select tags, extra ->> '$.tags[0].id' as id from daily_statistics")).toEqual([
    { tags: ['vip', 'new'], id: '1' },
  ]);
  expect(report?.drift).toEqual(['record.tags (type)']);
});

test('a price whose places its column does not take is kept, also where no other message of its batch is odd', async () => {
  const workshop = new Workshop();
  const message_data = { commerce: { regularPrice: 0.00001 } };
  await workshop.load(workshop.events(DAY, [[record({ channel: 'in-app-message', message_data })]]));
  const [row] = await workshop.look('select extra from in_app_messages');
  expect(row).toEqual({ extra: JSON.stringify(message_data) });
});

test('another spelling of the kind of a resource is read, and noted', async () => {
  const workshop = new Workshop();
  const [report] = await workshop.load(workshop.statistics(DAY, [statistic({ resource_type: 'CAMPAIGN' })]));
  expect(await workshop.look('select resource_type from daily_statistics')).toEqual([
    { resource_type: 'campaign' },
  ]);
  expect(report?.drift).toEqual(['record.resource_type (type)']);
});

test('an id that is a number with and without places is one id', async () => {
  const workshop = new Workshop();
  const data = [record({ id: 'a', user_id: 10001 }), record({ id: 'b', user_id: 7 })];
  const text = JSON.stringify(page(data)).replace('"user_id":7', '"user_id":10001.0');
  await workshop.load(workshop.exported(DAY, [landedPage(workshop.folder, text, 2)]));
  expect(await workshop.look('select distinct user_id from events')).toEqual([{ user_id: '10001' }]);
});

test('the message of a webhook loses its credentials in the daily statistics, in the notes on its rows too', async () => {
  const workshop = new Workshop();
  const message = {
    url: 'https://hooks.slack.com/services/T0/B0/s3cr3tpath',
    data: '{"access_token":"t0ken"}',
  };
  const row = statistic({ channel: 'webhook', message });
  await workshop.load(workshop.statistics(DAY, [row, { ...row, message_sent: 1 }]));
  const stored = JSON.stringify([
    await workshop.look('select message from daily_statistics'),
    await workshop.look('select given_rows from ops.load_notes'),
  ]);
  expect(stored).toContain('hooks.slack.com/***');
  for (const secret of ['s3cr3tpath', 't0ken']) expect(stored).not.toContain(secret);
});

test('a value of another type than its catalog declares is kept in the item, and noted', async () => {
  const workshop = new Workshop();
  const VALUES: Readonly<Record<string, readonly [fitting: unknown, other: unknown]>> = {
    string: ['a', 1],
    number: [1.5, '1.5'],
    boolean: [true, 'true'],
    time: ['2026-11-20T00:00:00Z', true],
    array: [['a'], 'a'],
    geo: [[127.1, 37.5], '127.1,37.5'],
    object: [{ a: 1 }, [1]],
  };
  const types = Object.keys(VALUES);
  const fields = [{ name: 'id', type: 'string' }, ...types.map((type) => ({ name: `a ${type}`, type }))];
  const itemOf = (id: unknown, at: 0 | 1): unknown => ({
    id,
    ...Object.fromEntries(types.map((type) => [`a ${type}`, VALUES[type]?.[at]])),
  });
  const items = [itemOf('fits', 0), itemOf('other', 1), itemOf(7, 0), { id: 'none' }];
  const pull = pullOf(
    'catalogs',
    DAY,
    [
      landedPage(workshop.folder, { data: [{ name: 'shoes', fields }] }, 1),
      landedPage(workshop.folder, { data: { items, next_cursor: null } }, items.length),
    ],
    {
      id: `catalogs/${DAY}`,
      pulledAt: NOW,
      lists: [
        { list: '*', pages: 1, rows: 1, announced: null },
        { list: 'shoes', pages: 1, rows: items.length, announced: null },
      ],
    },
  );
  const [report] = await workshop.load(pull);
  const noted = ['id', ...types.map((type) => `a ${type}`)].map(
    (field) => `catalog_item:shoes.${field} (type)`,
  );
  expect(report?.drift).toEqual(noted.sort());
  expect(await workshop.look("select item from catalog_items where item_id = 'other'")).toEqual([
    { item: JSON.stringify(items[1]) },
  ]);
  expect(await workshop.look('select count(*)::int as items from catalog_items')).toEqual([{ items: 4 }]);
});

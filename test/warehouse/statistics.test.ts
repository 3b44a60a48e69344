import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/errors.js';
import type { StatisticsPull } from '../../src/storage/pull.js';
import { contents, dayAfter, statistic, without, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
const BEFORE = dayAfter(DAY, -1);
const RANGE = { start: BEFORE, end: DAY };

test('a record of E17 becomes a row, its conversions rows of their own', async () => {
  const workshop = new Workshop({ messenger: 'talky' });
  const [report] = await workshop.load(
    workshop.statistics(RANGE, [
      statistic({
        channel: 'talky_alimtalk',
        delivered: null,
        click: null,
        conversion: [
          { name: '구매', type: 'total_count_conversion', count: 3 },
          { name: '구매', type: 'direct_count_conversion', count: 1 },
        ],
      }),
      statistic({
        date: BEFORE,
        resource_type: 'user-journey',
        campaign_id: null,
        campaign_name: null,
        tags: [],
        user_journey_id: 'j1',
        user_journey_name: '온보딩',
        user_journey_node_id: 'n1',
        user_journey_node_name: '첫 인사',
      }),
    ]),
  );
  expect(report).toMatchObject({ rows: 2, days: [BEFORE, DAY], superseded: [], notes: {}, drift: [] });
  expect(
    await workshop.look(`select * exclude (statistic_id) from daily_statistics where date = '${DAY}'`),
  ).toEqual([
    {
      date: DAY,
      resource_type: 'campaign',
      campaign_id: 'c1',
      campaign_name: '재구매 캠페인',
      variant_id: null,
      variant_name: null,
      user_journey_id: null,
      user_journey_name: null,
      user_journey_node_id: null,
      user_journey_node_name: null,
      channel: 'chatapp-alimtalk',
      tags: ['재구매', 'vip'],
      message: '{"title":"안내","body":"본문"}',
      message_sent: '10',
      message_failed: '1',
      delivered: null,
      click: null,
      ordinal: 1,
      extra: null,
    },
  ]);
  expect(
    await workshop.look(`select daily_conversions.date, name, type, count, daily_conversions.extra
                         from daily_conversions join daily_statistics using (statistic_id) order by position`),
  ).toEqual([
    { date: DAY, name: '구매', type: 'total_count_conversion', count: '3', extra: null },
    { date: DAY, name: '구매', type: 'direct_count_conversion', count: '1', extra: null },
  ]);
  expect(await workshop.look('select stream, date, rows from ops.coverage order by date')).toEqual([
    { stream: 'statistics', date: BEFORE, rows: '1' },
    { stream: 'statistics', date: DAY, rows: '1' },
  ]);
});

test('a day without a record is covered, and its totals are zero', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.statistics(RANGE, [statistic(), statistic({ channel: 'webhook', click: null })]),
  );
  const messages = await workshop.with((warehouse) => warehouse.messages());
  expect(messages.get(DAY)).toEqual({ rows: 2, sent: 20, failed: 2, delivered: 18, click: 2, nights: 1 });
  expect(messages.get(BEFORE)).toEqual({ rows: 0, sent: 0, failed: 0, delivered: 0, click: 0, nights: 1 });
  expect(messages.get(dayAfter(DAY))).toBeUndefined();
});

test('the warehouse knows its campaigns and its covered days', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.statistics(RANGE, [
      statistic({ campaign_id: 'b' }),
      statistic({ campaign_id: 'a', date: BEFORE }),
    ]),
  );
  await workshop.with(async (warehouse) => {
    expect(await warehouse.campaignsSeen(RANGE)).toEqual(['a', 'b']);
    expect(await warehouse.campaignsSeen({ start: DAY, end: DAY })).toEqual(['b']);
    const covered = await warehouse.coverage('statistics');
    expect([...covered.keys()]).toEqual([BEFORE, DAY]);
    expect(covered.get(DAY)).toEqual({ rows: 1, loadedAt: workshop.now });
    expect(await warehouse.coverage('events')).toEqual(new Map());
    expect(await warehouse.loader.loaded()).toEqual(new Set(['statistics/0001']));
  });
});

test('ids are stable, and tell a repeated grain apart', async () => {
  const workshop = new Workshop();
  const ids = async (): Promise<unknown[]> =>
    (await workshop.look('select statistic_id from daily_statistics order by ordinal')).map(
      (row) => row['statistic_id'],
    );
  await workshop.load(workshop.statistics(DAY, [statistic({ message_sent: 5 })]));
  const [first] = await ids();
  const [report] = await workshop.load(
    workshop.statistics(DAY, [
      statistic({ message_sent: 6, campaign_name: '새 이름' }),
      statistic({ message_sent: 7 }),
    ]),
  );
  const both = await ids();
  expect(both[0]).toBe(first);
  expect(new Set(both).size).toBe(2);
  expect(report?.notes).toEqual({ same_grain: 1 });
});

describe('counts that the service changes afterwards', () => {
  const restated = (workshop: Workshop): Promise<Row[]> =>
    workshop.look(`select date, counter, kind, before::integer as before, after::integer as after
                   from ops.restatements order by counter`);

  test('are kept with what stood there before', async () => {
    const workshop = new Workshop();
    const conversion = (count: number): Row[] => [{ name: '구매', type: 'total_count_conversion', count }];
    const reports = await workshop.load(
      workshop.statistics(RANGE, [statistic({ conversion: conversion(1) })]),
      workshop.statistics(RANGE, [statistic({ click: 5, delivered: null, conversion: conversion(4) })]),
      workshop.statistics(RANGE, [statistic({ click: 5, delivered: null, conversion: conversion(4) })]),
    );
    expect(reports.map(({ restatements }) => restatements)).toEqual([0, 3, 0]);
    expect(await restated(workshop)).toEqual([
      { date: DAY, counter: 'click', kind: 'changed', before: 2, after: 5 },
      { date: DAY, counter: 'conversion:total_count_conversion:구매', kind: 'changed', before: 1, after: 4 },
      { date: DAY, counter: 'delivered', kind: 'changed', before: 9, after: null },
    ]);
  });

  test('rows that appear and vanish are told', async () => {
    const workshop = new Workshop();
    const only = { message_failed: null, delivered: null, click: null };
    await workshop.load(
      workshop.statistics(DAY, [statistic({ ...only, message_sent: 1, channel: 'email' })]),
      workshop.statistics(DAY, [statistic({ ...only, message_sent: 2, channel: 'webhook' })]),
    );
    expect(await restated(workshop)).toEqual([
      { date: DAY, counter: 'message_sent', kind: 'vanished', before: 1, after: null },
      { date: DAY, counter: 'message_sent', kind: 'appeared', before: null, after: 2 },
    ]);
  });

  test('a day that was not covered before is no restatement', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.statistics(BEFORE, [statistic({ date: BEFORE })]),
      workshop.statistics(RANGE, [statistic({ date: BEFORE }), statistic()]),
    );
    expect(await restated(workshop)).toEqual([]);
  });
});

test(
  'what a warehouse holds does not depend on the order of loading',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    const days = [BEFORE, DAY, dayAfter(DAY)];
    const rows = fc.array(
      fc.record({
        date: fc.constantFrom(...days),
        channel: fc.constantFrom('email', 'webhook'),
        message_sent: fc.nat(3),
        conversion: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), count: fc.nat(2) }), {
          maxLength: 2,
        }),
      }),
      { maxLength: 4 },
    );
    const range = fc.tuple(fc.nat(2), fc.nat(2)).map(([a, b]) => ({
      start: days[Math.min(a, b)] ?? DAY,
      end: days[Math.max(a, b)] ?? DAY,
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(range, rows), { minLength: 1, maxLength: 5 }), async (given) => {
        const forwards = new Workshop();
        const pulls = given.map(([range, rows]): StatisticsPull =>
          forwards.statistics(
            range,
            rows.map((row) => statistic(row)),
            // What is held back depends on what came before it: a rebuild loads the oldest first (held-back.test.ts).
            { accepted: true },
          ),
        );
        await forwards.load(...pulls);
        const backwards = new Workshop();
        await backwards.load(...[...pulls].reverse(), ...pulls);
        expect(await contents(backwards)).toEqual(await contents(forwards));
      }),
      { numRuns: 4 },
    );
  },
);

test('a record of another day is left out and reported; without a date it counts for the one day asked', async () => {
  const workshop = new Workshop();
  const reports = await workshop.load(
    workshop.statistics(BEFORE, [
      statistic({ date: BEFORE }),
      statistic(),
      without(statistic({ channel: 'email' }), 'date'),
    ]),
  );
  expect(reports[0]?.notes).toEqual({ outside_range: 1, undated: 1 });
  expect(await workshop.look('select date, channel from daily_statistics order by channel')).toEqual([
    { date: BEFORE, channel: 'email' },
    { date: BEFORE, channel: 'push-notification' },
  ]);
});

test('E18: a record becomes a row of the day that was asked for, with or without a date', async () => {
  const workshop = new Workshop();
  const one = {
    resource_id: 'c1',
    resource_name: '재구매',
    node_id: 'n1',
    node_mane: '첫 인사',
    variant_id: 'v1',
    variant_name: 'A',
    channel: 'chatapp_brand_message',
    channel_sub: 'chatapp',
    brand_message_target: 'M',
    tags: ['a'],
    message_sent: 4,
    message_failed: 0,
    delivered: null,
    click: null,
    conversion: [{ name: '구매', type: '전체 전환', count: 2 }],
  };
  const [report] = await workshop.load(
    workshop.subchannels(DAY, [
      one,
      {
        ...one,
        date: DAY,
        resource_type: 'campaign',
        channel_sub: 'text-message',
        node_mane: undefined,
        node_name: '둘째',
      },
      { ...one, date: BEFORE, channel_sub: 'other' },
    ]),
  );
  expect(report).toMatchObject({ rows: 3, days: [DAY], notes: { other_day: 1 }, drift: [] });
  expect(
    await workshop.look(
      `select * exclude (statistic_id) from daily_statistics_by_subchannel where channel_sub = 'chatapp'`,
    ),
  ).toEqual([
    {
      date: DAY,
      resource_type: null,
      resource_id: 'c1',
      resource_name: '재구매',
      node_id: 'n1',
      node_name: '첫 인사',
      variant_id: 'v1',
      variant_name: 'A',
      channel: 'chatapp-brand-message',
      channel_sub: 'chatapp',
      brand_message_target: 'M',
      tags: ['a'],
      message_sent: '4',
      message_failed: '0',
      delivered: null,
      click: null,
      ordinal: 1,
      extra: null,
    },
  ]);
  expect(
    await workshop.look(
      `select node_name from daily_statistics_by_subchannel where channel_sub = 'text-message'`,
    ),
  ).toEqual([{ node_name: '둘째' }]);
  expect(
    await workshop.look(`select distinct date, name, type_label, count from daily_conversions_by_subchannel
                         semi join daily_statistics_by_subchannel using (statistic_id)`),
  ).toEqual([{ date: DAY, name: '구매', type_label: '전체 전환', count: '2' }]);
});

test('an answer that is no list stops the load with the name of the file', async () => {
  const workshop = new Workshop();
  const pull = workshop.statistics(DAY, { error: 'Timeout' });
  const failure: unknown = await workshop.load(pull).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DamageError);
  expect(String(failure)).toContain(pull.file);
  expect(await workshop.look('from ops.loads')).toEqual([]);
});

describe('one bad byte in an answer costs none of its records', () => {
  const SPOILT: [string, (body: string) => string | Buffer, string | null][] = [
    ['a byte order mark', (body) => `\ufeff${body}`, 'QQ'],
    ['a control character', (body) => body.replace('QQ', 'a\u0001b'), 'a\u0001b'],
    ['a byte that is no UTF-8', (body) => Buffer.from(body.replace('QQ', 'a\u00ffb'), 'latin1'), 'a\ufffdb'],
    ['half an emoji', (body) => body.replace('QQ', 'a\\ud83d'), 'a\ufffd'],
    ['NaN', (body) => body.replace('"QQ"', 'NaN'), 'NaN'],
    ['NaN beside a control character', (body) => body.replace('"QQ"', 'NaN,"b":"\u0001"'), null],
    [
      'a key given twice',
      (body) => body.replace('"QQ"', '"QQ","campaign_name":"R","resource_name":"R"'),
      'QQ',
    ],
    ['a number that is none', (body) => body.replace('"QQ"', '01'), null],
    ['records that are none', (body) => body.replace('[', '[5,null,"x",[1],'), 'QQ'],
    ['depth', (body) => body.replace('"QQ"', '['.repeat(50_000) + ']'.repeat(50_000)), null],
  ];
  const file = (workshop: Workshop, body: string | Buffer): string => {
    const path = join(workshop.folder, 'odd.json.gz');
    writeFileSync(path, gzipSync(body));
    return path;
  };

  test.each(SPOILT)('%s (E17)', async (_, spoil, name) => {
    const workshop = new Workshop();
    const records = [
      statistic({ campaign_id: 'before' }),
      statistic({ campaign_id: 'odd', campaign_name: 'QQ' }),
    ];
    const body = spoil(JSON.stringify([...records, statistic({ campaign_id: 'after' })]));
    await workshop.load(workshop.statistics(DAY, [], { file: file(workshop, body) }));
    const rows = await workshop.look('select campaign_id, campaign_name from daily_statistics');
    expect(rows.map((row) => row['campaign_id'])).toEqual(expect.arrayContaining(['before', 'after']));
    const odd = rows.find((row) => row['campaign_id'] === 'odd');
    if (name !== null) expect(odd?.['campaign_name']).toBe(name);
  });

  test.each(SPOILT)('%s (E18)', async (_, spoil, name) => {
    const workshop = new Workshop();
    const one = (resource_id: string, resource_name: string): Row => ({
      ...without(statistic(), 'campaign_id', 'campaign_name'),
      resource_id,
      resource_name,
    });
    const body = spoil(JSON.stringify([one('before', 'B'), one('odd', 'QQ'), one('after', 'A')]));
    await workshop.load(workshop.subchannels(DAY, [], { file: file(workshop, body) }));
    const rows = await workshop.look('select resource_id, resource_name from daily_statistics_by_subchannel');
    expect(rows.map((row) => row['resource_id'])).toEqual(expect.arrayContaining(['before', 'after']));
    const odd = rows.find((row) => row['resource_id'] === 'odd');
    if (name !== null) expect(odd?.['resource_name']).toBe(name);
  });

  test('is noted where something was replaced', async () => {
    const workshop = new Workshop();
    const [report] = await workshop.load(
      workshop.statistics(DAY, [statistic({ campaign_name: '할인\ud83d' })]),
    );
    expect(report?.notes).toEqual({ mended: 1 });
  });
});

describe('a counter that nothing can have counted is kept beside the columns, and told', () => {
  const COUNTERS = ['message_sent', 'message_failed', 'delivered', 'click'];
  const VALUES = ['9223372036854775808', '-9223372036854775808', '1000000000000001', '-1', '"-5"', '1e300'];

  test.each([
    ...COUNTERS.map((counter) => [counter, '9223372036854775807'] as const),
    ...VALUES.map((value) => ['message_sent', value] as const),
  ])('%s of %s', async (counter, value) => {
    const workshop = new Workshop();
    const spoil = (records: unknown[]): string =>
      JSON.stringify(records).replaceAll('"QQ"', value).replaceAll('"RR"', value);
    const conversion = [
      { name: '구매', type: 'total_count_conversion', count: 'RR' },
      { name: '구매', type: 'total_count_conversion', count: 7 },
    ];
    const odd = statistic({ [counter]: 'QQ', conversion });
    const [daily, subchannels] = await workshop.load(
      workshop.statistics(DAY, spoil([odd, odd, statistic({ campaign_id: 'c2' })])),
      workshop.subchannels(DAY, spoil([odd, odd, { ...odd, [counter]: 1_000_000_000_000_000 }])),
      // What is restated is compared with it.
      workshop.statistics(DAY, spoil([odd, statistic()])),
    );
    expect(daily?.drift).toEqual(['conversion.count (type)', `record.${counter} (type)`]);
    expect(subchannels?.drift).toContain(`record.${counter} (type)`);
    const rows = await workshop.look(
      `select ${counter} as counter, extra ->> '${counter}' as kept from daily_statistics
         union all
         select ${counter}, extra ->> '${counter}' from daily_statistics_by_subchannel
         order by all`,
    );
    const kept = JSON.parse(value) as string | number;
    expect(rows.map((row) => row['counter'])).toEqual([
      String(statistic()[counter]),
      '1000000000000000',
      null,
      null,
      null,
    ]);
    expect(rows.flatMap((row) => row['kept'] ?? []).map(Number)).toEqual(Array(3).fill(Number(kept)));
    expect(await workshop.look('select distinct count from daily_conversions order by all')).toEqual([
      { count: '7' },
      { count: null },
    ]);
    for (const { severity } of await workshop.findings()) expect(severity).not.toBe('stop');
  });
});

test('half an emoji in a campaign name does not cost the days', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.statistics(DAY, [statistic({ campaign_name: '할인\ud83d' })]));
  expect(await workshop.look('select campaign_name from daily_statistics')).toEqual([
    { campaign_name: '할인\ufffd' },
  ]);
});

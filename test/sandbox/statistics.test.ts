// @module-tag long
/** Statistics (E17 to E19) and the world behind them: their sums are what the exports hold, and templates and catalogs fit the messages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ANY_TEXT,
  closeAll,
  dataOf,
  each,
  type EventRecord,
  exportAll,
  play,
  PROJECT,
  type Service,
  start,
  type Step,
} from './support.js';
import { long } from '../support/tags.js';

const LATER = new Date('2026-11-24T01:00:00Z');
let there: Service;
beforeAll(async () => {
  there = await start({ eventsPerDay: 6_000 });
  there.clock.now = LATER;
});
afterAll(closeAll);

/** The KST days from the 16th to the 22nd, a whole week. */
const WEEK = { start: '2026-11-16', end: '2026-11-22' };
const WINDOW = ['2026-11-15T15:00:00.000Z', '2026-11-22T15:00:00.000Z'] as const;

interface Row extends Record<string, unknown> {
  date: string;
  channel: string;
  message_sent: number;
  message_failed: number;
  delivered: number | null;
  click: number | null;
  conversion: { name: string; type: string; count: number }[];
}

/** One metric of E19, of either kind. */
interface Stat {
  metricType: 'standard' | 'conversion';
  metricName: string;
  conversionType?: string;
  totalCount?: number;
  totalSum?: number;
  dailyCounts?: Day[];
  dailySums?: Day[];
}
interface Day {
  date: string;
  count?: number;
  sum?: number;
  dimensionCounts?: { dimensionKey: string; count?: number; sum?: number }[];
  dimensionSums?: { dimensionKey: string; count?: number; sum?: number }[];
}

const e17 = async (range: object = WEEK, from = there) => (await from.e17(range)).json as unknown as Row[];
const e18 = async (range: object = WEEK, from = there) => (await from.e18(range)).json as unknown as Row[];

async function e19(campaign: string, start: string, end: string, from = there): Promise<Stat[]> {
  const data = dataOf(await from.e19(campaign, start, end)) as { lastCollectedAt: string; stats: Stat[] };
  expect(data.lastCollectedAt).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return data.stats;
}

/** Sums by key. */
function sums<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  countOf: (item: T) => number,
): Map<string, number> {
  const all = new Map<string, number>();
  for (const item of items) all.set(keyOf(item), (all.get(keyOf(item)) ?? 0) + countOf(item));
  return all;
}
const total = (rows: readonly Row[], key: string) =>
  rows.reduce((sum, row) => sum + Number(row[key] ?? 0), 0);
const values = (rows: readonly Row[], key: string) => new Set(rows.map((row) => row[key]));

const COUNTERS = ['message_sent', 'message_failed', 'delivered', 'click'] as const;
const NAMES: Record<(typeof COUNTERS)[number], RegExp> = {
  message_sent: /^send_(success|failure)$/,
  message_failed: /^send_failure$/,
  delivered: /^(push_delivered|in_app_message_show|in_web_message_show)$/,
  click: /^(push_click|email_click|main_button_click)$/,
};
/** The KST day of a record. */
const dayOf = (record: EventRecord) =>
  new Date(Number(record.time) / 1000 + 9 * 3_600_000).toISOString().slice(0, 10);
const channelOf = ({ channel }: EventRecord) =>
  channel === 'push_notification' ? 'push-notification' : channel;
/** The events that a statistic counts, by key and counter. */
function counted(records: EventRecord[], keyOf: (record: EventRecord) => unknown[]): Map<string, number> {
  const known = COUNTERS.flatMap((counter) =>
    records
      .filter(({ event_name }) => NAMES[counter].test(event_name))
      .map((record) => [...keyOf(record), counter].join('|')),
  );
  return sums(known, String, () => 1);
}
function stated(rows: Row[], ...keys: string[]): Map<string, number> {
  const all = rows.flatMap((row) =>
    COUNTERS.map(
      (counter) => [[...keys.map((key) => row[key]), counter].join('|'), row[counter] ?? 0] as const,
    ),
  );
  expect(new Set(all.map(([key]) => key)).size).toBe(all.length);
  return new Map(all.filter(([, count]) => count > 0));
}

test('E17.1 counts are dated by their event; all campaigns and journeys of the period; E18 by channel_sub and brand_message_target', async () => {
  const records = await exportAll(there, ...WINDOW, false);
  const at = (record: EventRecord, ...rest: unknown[]) => [
    dayOf(record),
    record.experiment_group_name,
    record.user_journey_node_id,
    channelOf(record),
    ...rest,
  ];
  expect(
    stated(
      await e17(),
      'date',
      'variant_name',
      'user_journey_node_id',
      'channel',
      'campaign_id',
      'user_journey_id',
    ),
  ).toEqual(counted(records, (one) => at(one, one.campaign_id, one.user_journey_id)));
  expect(
    stated(
      await e18(),
      'date',
      'variant_name',
      'node_id',
      'channel',
      'resource_id',
      'channel_sub',
      'brand_message_target',
    ),
  ).toEqual(
    counted(records, ({ channel_metadata: { channel_subtype, brand_message_target }, ...one }) =>
      at(one as EventRecord, one.campaign_id ?? one.user_journey_id, channel_subtype, brand_message_target),
    ),
  );
});

test('E17.2 conversion types total_count_conversion, direct_count_conversion; a label in E18', async () => {
  const conversions = (rows: Row[]) =>
    sums(
      rows.flatMap(({ date, conversion }) => conversion.map((one) => ({ date, ...one }))),
      ({ date, name, type }) =>
        `${date}|${name}|${type}`
          .replace('전체 전환 수', 'total_count_conversion')
          .replace('직접 전환 수', 'direct_count_conversion'),
      ({ count }) => count,
    );
  const [named, labelled] = [await e17(), await e18()];
  expect(conversions(named).size).toBeGreaterThan(50);
  expect(conversions(labelled)).toEqual(conversions(named));
  const types = (rows: Row[]) =>
    [...new Set(rows.flatMap(({ conversion }) => conversion.map(({ type }) => type)))].sort();
  expect(types(named)).toEqual(['direct_count_conversion', 'total_count_conversion']);
  expect(types(labelled)).toEqual(['전체 전환 수', '직접 전환 수']);
});

test('E17.3 a record for each variant, node and channel; a counter that the channel does not support is null', async () => {
  const rows = await e17();
  expect([...values(rows, 'channel')].sort()).toEqual([
    ...['chatapp-alimtalk', 'chatapp-brand-message', 'chatapp-friendtalk', 'email', 'in-app-message'],
    ...['in-web-message', 'push-notification', 'text-message', 'web-push-notification', 'webhook'],
  ]);
  expect(values(rows, 'campaign_id').size).toBe(25); // 24 and null
  expect(values(rows, 'user_journey_id').size).toBe(5); // 4 and null
  expect(values(rows, 'variant_name')).toEqual(new Set(['A', 'B', 'C', null]));
  expect(rows.filter(({ channel, click }) => channel === 'webhook' && click !== null)).toEqual([]);
});

const E17 = `POST /v1/projects/${PROJECT}/statistics`;
const E18 = `GET /v1/projects/${PROJECT}/statistics.csv`;
const timeouts = (status: 200 | 408): Step[] => [
  { options: { longestRangeDays: 3, timeoutStatus: status } },
  [E17, { start: '2026-11-15', end: '2026-11-18' }, [status, { error: 'Timeout' }]],
  [
    E18,
    { start: '2026-11-15', end: '2026-11-18' },
    [status, { error: 'Timeout: please try again with a shorter date range.' }],
  ],
  [E17, { start: '2026-11-16', end: '2026-11-18' }, 200],
];
const e19At = (campaign: string, start: string, end: string, status: number): Step => [
  `GET /projects/${PROJECT}/campaigns/${campaign}/stats?start=2026-11-${start}&end=2026-11-${end}`,
  undefined,
  [status, { data: null, error: ANY_TEXT }],
];

test.each<[string, Step[]]>([
  [
    'E17.6 today is excluded; {error: InvalidRequest, message}',
    [E17, E18].flatMap((request) =>
      each(
        request,
        [400, { error: 'InvalidRequest', message: ANY_TEXT }],
        { start: '2026-11-20', end: '2026-11-24' },
        { start: '2026-11-25', end: '2026-11-26' },
        { start: '2026-11-20', end: '2026-11-19' },
        { start: '2026-02-29', end: '2026-03-01' },
        { start: '2026-11-20' },
        { ...WEEK, tags: 'x' },
      ),
    ),
  ],
  [
    'E17.7 {error: Timeout} on a long range, with either status (option)',
    [...timeouts(200), ...timeouts(408)],
  ],
  [
    'E19.1 bad windows and campaigns: {data: null, error}',
    [
      e19At('a8LmZ2', '18T15:30:00.000Z', '19T15:00:00.000Z', 400),
      e19At('a8LmZ2', '18T15:00:00Z', '19T15:00:00Z', 400),
      e19At('a8LmZ2', '19T15:00:00.000Z', '19T15:00:00.000Z', 400),
      e19At('a8LmZ2', '18T24:00:00.000Z', '19T15:00:00.000Z', 400),
      e19At('a8LmZ2', '19T15:00:00.000Z', '31T15:00:00.000Z', 400),
      e19At('a8LmZ2', '00T15:00:00.000Z', '19T15:00:00.000Z', 400),
      e19At('nobody', '18T15:00:00.000Z', '19T15:00:00.000Z', 404),
    ],
  ],
])('%s', (_, steps) => play(there, steps));

test('E17.8 the previous day is complete at 07:00 KST', async () => {
  const day = { start: '2026-11-23', end: '2026-11-23' };
  const whole = total(await e17(day), 'message_sent');
  there.clock.now = new Date('2026-11-23T21:59:59Z');
  const early = total(await e17(day), 'message_sent');
  const events = await exportAll(there, '2026-11-22T15:00:00Z', '2026-11-23T15:00:00Z', false);
  there.clock.now = LATER;
  expect(early / whole).toBeGreaterThan(0.5);
  expect(early / whole).toBeLessThan(0.65);
  expect(events.filter(({ event_name }) => NAMES.message_sent.test(event_name))).toHaveLength(early);
});

test('E17.9 a few deliveries are reported only after the first morning, alike in E17, E18 and E19; then counts are final', async () => {
  for (const restates of [true, false]) {
    const service = await start({ eventsPerDay: 20_000, restates });
    const days = { start: '2026-11-20', end: '2026-11-23' };
    const mornings = [];
    for (const morning of ['2026-11-23T22:10:00Z', '2026-11-24T22:10:00Z', '2026-11-25T22:10:00Z']) {
      service.clock.now = new Date(morning);
      const [rows, parts] = [await e17(days, service), await e18(days, service)];
      const campaigns = [...values(rows, 'campaign_id')].filter((id) => typeof id === 'string');
      let delivered = 0;
      for (const campaign of campaigns) {
        for (const stat of await e19(
          campaign,
          '2026-11-22T15:00:00.000Z',
          '2026-11-23T15:00:00.000Z',
          service,
        )) {
          if (/_delivered$|_message_show$/.test(stat.metricName)) delivered += stat.totalCount ?? 0;
        }
      }
      mornings.push({ rows, parts, delivered });
    }
    const [one, two, three] = mornings as [(typeof mornings)[0], (typeof mornings)[0], (typeof mornings)[0]];
    expect(three).toEqual(two);
    const late = (isIn: (row: Row) => boolean) =>
      total(two.rows.filter(isIn), 'delivered') - total(one.rows.filter(isIn), 'delivered');
    expect(late(() => true) > 0).toBe(restates);
    expect(total(two.parts, 'delivered') - total(one.parts, 'delivered')).toBe(late(() => true));
    expect(two.delivered - one.delivered).toBe(late((row) => row['campaign_id'] !== null));
    const changed = two.rows.flatMap((after, i) => {
      const before = one.rows[i]!;
      return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ before, after }];
    });
    expect(changed.length).toBeLessThan(one.rows.length / 10);
    for (const { before, after } of changed) {
      expect(after).toEqual({ ...before, date: '2026-11-23', delivered: after.delivered });
      const more = Number(after.delivered) - Number(before.delivered);
      expect(more > 0 && more <= 9).toBe(true);
      expect(Number(before.delivered)).toBeGreaterThanOrEqual(before.click ?? 0);
    }
  }
});

long(
  'E19.2 response data.lastCollectedAt, data.stats[] of both metric kinds with dimensions, in agreement with events and E17',
  async () => {
    const rows = await e17();
    const records = await exportAll(there, ...WINDOW, false);
    for (const id of values(rows, 'campaign_id')) {
      if (typeof id !== 'string') continue;
      const own = records.filter(({ campaign_id }) => campaign_id === id);
      const events = sums(
        own,
        (one) => `${one.event_name}|${dayOf(one)}`,
        () => 1,
      );
      const daily = sums(
        rows
          .filter((row) => row['campaign_id'] === id)
          .flatMap(({ date, conversion }) => conversion.map((one) => ({ date, ...one }))),
        ({ date, name, type }) => `${name}|${date}|${type}`,
        ({ count }) => count,
      );
      const standard = new Map<string, number>();
      const conversions = new Map<string, number>();
      for (const stat of await e19(id, ...WINDOW)) {
        const days = stat.dailyCounts ?? stat.dailySums ?? [];
        const valueOf = (one: { count?: number; sum?: number }) => one.count ?? one.sum ?? 0;
        expect(stat.totalCount ?? stat.totalSum).toBe(days.reduce((sum, day) => sum + valueOf(day), 0));
        for (const day of days) {
          const key = `${stat.metricName}|${day.date}`;
          if (stat.metricType === 'standard') standard.set(key, valueOf(day));
          else if (stat.conversionType !== 'sales_conversion')
            conversions.set(`${key}|${stat.conversionType}`, valueOf(day));
          const parts = sums(
            day.dimensionCounts ?? day.dimensionSums ?? [],
            ({ dimensionKey }) => dimensionKey,
            valueOf,
          );
          for (const sum of parts.values()) expect(sum).toBe(valueOf(day));
        }
      }
      expect([standard, conversions]).toEqual([events, daily]);
    }
  },
);

test('E19.3 conversionType exists from 2025-07-06', async () => {
  const conversionsOf = async (start: string, end: string) =>
    (await e19('a8LmZ2', start, end)).filter(({ metricType }) => metricType === 'conversion');
  const before = await conversionsOf('2025-06-20T15:00:00.000Z', '2025-06-27T15:00:00.000Z');
  const after = await conversionsOf('2025-08-20T15:00:00.000Z', '2025-08-27T15:00:00.000Z');
  expect(before.map(({ metricName }) => metricName)).toEqual([
    ...new Set(after.map(({ metricName }) => metricName)),
  ]);
  expect(new Set(before.map(({ conversionType }) => conversionType))).toEqual(new Set([undefined]));
  expect(new Set(after.map(({ conversionType }) => conversionType)).size).toBeGreaterThan(1);
});

test('E19.4 start is included, end excluded; full hours in UTC', async () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 18, hour)).toISOString();
  const sent = (from: number, to: number) => there.metric('a8LmZ2', 'send_success', at(from), at(to));
  const day = await sent(15, 39);
  let sum = 0;
  for (let hour = 15; hour < 39; hour += 1) sum += await sent(hour, hour + 1);
  expect(day).toBeGreaterThan(0);
  expect(sum).toBe(day);

  // Conversions too: the windows of a day add up to the day.
  const conversions = async (from: number, to: number) =>
    sums(
      (await e19('a8LmZ2', at(from), at(to))).filter(({ metricType }) => metricType === 'conversion'),
      ({ metricName, conversionType }) => `${metricName} ${conversionType}`,
      ({ totalSum = 0 }) => totalSum,
    );
  const [whole, morning, rest] = [
    await conversions(15, 39),
    await conversions(15, 21),
    await conversions(21, 39),
  ];
  expect(Math.max(...whole.values())).toBeGreaterThan(10);
  for (const [key, count] of whole) {
    expect((morning.get(key) ?? 0) + (rest.get(key) ?? 0), key).toBe(count);
    expect(morning.get(key) ?? 0, key).toBeLessThanOrEqual(count / 4);
  }
});

// What lies around the messages: templates and catalogs.
const SENDERS = ['9f2c4e6a8b0d1f3e5a7c', '4b7d9e1a2c5f80361d9e', 'c0ffee5e11e70000beef'];

interface Template {
  id: string;
  templateName: string;
  template: { content: { text: string } };
  createdAt: string;
  updatedAt: string;
  status: string;
}

async function brandTemplates(from = there): Promise<Template[]> {
  const all: Template[] = [];
  const path = `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates`;
  for (const key of SENDERS) {
    const list = dataOf(await from.call('GET', `${path}?senderKey=${key}&pageSize=1000`)) as {
      templates: Template[];
    };
    for (const template of list.templates) {
      const one = dataOf(await from.call('GET', `${path}/${template.id}?senderKey=${key}`));
      all.push({
        ...template,
        status: (one as { chatappTemplate: { status: string } }).chatappTemplate.status,
      });
    }
  }
  return all;
}

async function alimtalkTemplates(): Promise<Record<string, string>[]> {
  const { json } = await there.call(
    'GET',
    `/projects/${PROJECT}/messages/chatapp-alimtalk/templates?pageSize=1000`,
  );
  return (json as unknown as { templateListResponse: { templates: Record<string, string>[] } })
    .templateListResponse.templates;
}

test('E5.3 a status changes without updatedAt (option)', async () => {
  const other = await start({ statusMovesUpdatedAt: false });
  const suspended = (await brandTemplates(other)).find(({ status }) => status === 'suspended');
  expect(suspended?.updatedAt).toBe(suspended?.createdAt);
});

test('E17.11 the world changes from day to day, and gives the same answers when asked again', async () => {
  const keyed = <T>(items: T[], keyOf: (item: T) => unknown) =>
    new Map(items.map((item) => [keyOf(item), item]));
  const nights = [];
  for (let night = 0; night < 14; night += 1) {
    there.clock.now = new Date(Date.parse('2026-11-20T22:00:00Z') + night * 86_400_000);
    const items = await there.all('products');
    expect((await there.listed('products'))?.num_items).toBe(items.length);
    nights.push({
      items: keyed(items, ({ id }) => id),
      stores: await there.listed('stores'),
      brand: keyed(await brandTemplates(), ({ id }) => id),
      alimtalk: keyed(await alimtalkTemplates(), (one) => one['templateCode']),
    });
  }
  there.clock.now = new Date('2026-11-20T22:00:00Z');
  expect(keyed(await there.all('products'), ({ id }) => id)).toEqual(nights[0]?.items);
  there.clock.now = LATER;

  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const seen = {
    itemsCame: 0,
    itemsWent: 0,
    prices: 0,
    brandCame: 0,
    brandWent: 0,
    brand: 0,
    alimtalk: 0,
    stores: 0,
  };
  for (const [place, night] of nights.entries()) {
    const before = nights[place - 1];
    if (before === undefined) continue;
    const lacking = <T>(one: Map<unknown, T>, other: Map<unknown, T>) =>
      [...one.keys()].filter((key) => !other.has(key)).length;
    seen.itemsCame += lacking(night.items, before.items);
    seen.itemsWent += lacking(before.items, night.items);
    seen.brandCame += lacking(night.brand, before.brand);
    seen.brandWent += lacking(before.brand, night.brand);
    for (const [id, item] of night.items) {
      const old = before.items.get(id);
      if (old !== undefined && old['sale_price'] !== item['sale_price']) seen.prices += 1;
    }
    for (const [id, one] of night.brand) {
      const old = before.brand.get(id);
      if (old === undefined) continue;
      if (!isSame(old, one)) seen.brand += 1;
      // Whatever changed, it says so.
      expect(old.updatedAt === one.updatedAt).toBe(isSame(old, one));
    }
    for (const [code, one] of night.alimtalk) {
      if (!isSame(before.alimtalk.get(code), one)) seen.alimtalk += 1;
    }
    if (!isSame(before.stores, night.stores)) seen.stores += 1;
  }
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
  // A night changes some things, not most.
  expect(seen.prices / 13).toBeLessThan(30);
});

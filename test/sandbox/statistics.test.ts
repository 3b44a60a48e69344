// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { ask, type Client, client, type EventRecord, exportAll } from './http.js';

let now = new Date('2026-11-24T01:00:00Z');
let sandbox: Sandbox;
let service: Client;

beforeAll(async () => {
  sandbox = await startSandbox({
    now: () => now,
    exportSeconds: 0,
    eventsPerDay: 6_000,
    tokenLifetimeSeconds: 1e9,
  });
  service = await client(sandbox);
});
afterAll(() => sandbox.close());

/** 15:00Z to 15:00Z: the KST days from the 16th to the 22nd, a whole week. */
const WEEK = { start: '2026-11-16', end: '2026-11-22' };
const WEEK_WINDOW = ['2026-11-15T15:00:00Z', '2026-11-22T15:00:00Z'] as const;

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
  dimensionCounts?: Part[];
  dimensionSums?: Part[];
}
interface Part {
  dimensionKey: string;
  dimensionValue: string;
  count?: number;
  sum?: number;
}

async function statsOf(campaign: string, start: string, end: string): Promise<Stat[]> {
  const { json } = await service.e19(campaign, start, end);
  const { data, error } = json as unknown as {
    data: { lastCollectedAt: string; stats: Stat[] };
    error: string | null;
  };
  expect(error).toBeNull();
  expect(data.lastCollectedAt).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return data.stats;
}

const DELIVERED = new Set(['push_delivered', 'in_app_message_show', 'in_web_message_show']);
const CLICKS = new Set(['push_click', 'email_click', 'main_button_click']);

/** The KST day of a record. */
function dayOf(record: EventRecord): string {
  return new Date(Number(record.time) / 1000 + 9 * 3_600_000).toISOString().slice(0, 10);
}

/** Counts of the records by key: what the statistics should say. */
function countEvents(records: EventRecord[], keyOf: (record: EventRecord) => string) {
  const counts = new Map<string, { sent: number; failed: number; delivered: number; click: number }>();
  for (const record of records) {
    const key = keyOf(record);
    const count = counts.get(key) ?? { sent: 0, failed: 0, delivered: 0, click: 0 };
    if (record.event_name === 'send_success' || record.event_name === 'send_failure') count.sent += 1;
    if (record.event_name === 'send_failure') count.failed += 1;
    if (DELIVERED.has(record.event_name)) count.delivered += 1;
    if (CLICKS.has(record.event_name)) count.click += 1;
    counts.set(key, count);
  }
  return new Map([...counts].filter(([, count]) => count.sent + count.delivered + count.click > 0));
}

function counted(row: Row) {
  return {
    sent: row.message_sent,
    failed: row.message_failed,
    delivered: row.delivered ?? 0,
    click: row.click ?? 0,
  };
}

const channelOf = (record: EventRecord) =>
  record.channel === 'push_notification' ? 'push-notification' : record.channel;

describe('the daily statistics', () => {
  it('add up to the events of a whole week, exactly (E17)', async () => {
    const rows = (await service.e17(WEEK)).json as unknown as Row[];
    const records = await exportAll(service, ...WEEK_WINDOW, false);
    const expected = countEvents(records, (record) =>
      [
        dayOf(record),
        record.campaign_id,
        record.experiment_group_name,
        record.user_journey_id,
        record.user_journey_node_id,
        channelOf(record),
      ].join('|'),
    );
    const stated = new Map(
      rows.map((row) => [
        [
          row.date,
          row['campaign_id'],
          row['variant_name'],
          row['user_journey_id'],
          row['user_journey_node_id'],
          row.channel,
        ].join('|'),
        counted(row),
      ]),
    );
    expect(rows).toHaveLength(stated.size);
    expect(stated).toEqual(expected);
  });

  it('by sub-channel and target add up to the events too (E18)', async () => {
    const rows = (await service.e18(WEEK)).json as unknown as Row[];
    const records = await exportAll(service, ...WEEK_WINDOW, false);
    const expected = countEvents(records, (record) =>
      [
        dayOf(record),
        record.campaign_id ?? record.user_journey_id,
        record.experiment_group_name,
        record.user_journey_node_id,
        channelOf(record),
        record.channel_metadata.channel_subtype,
        record.channel_metadata.brand_message_target,
      ].join('|'),
    );
    const stated = new Map(
      rows.map((row) => [
        [
          row.date,
          row['resource_id'],
          row['variant_name'],
          row['node_id'],
          row.channel,
          row['channel_sub'],
          row['brand_message_target'],
        ].join('|'),
        counted(row),
      ]),
    );
    expect(rows).toHaveLength(stated.size);
    expect(stated).toEqual(expected);
  });

  it('count the same conversions, under a name in E17 and a Korean label in E18', async () => {
    const sum = (rows: Row[]) => {
      const sums = new Map<string, number>();
      for (const { date, conversion } of rows) {
        for (const { name, type, count } of conversion) {
          const key = `${date}|${name}|${type}`;
          sums.set(key, (sums.get(key) ?? 0) + count);
        }
      }
      return sums;
    };
    const named = sum((await service.e17(WEEK)).json as unknown as Row[]);
    const labelled = sum((await service.e18(WEEK)).json as unknown as Row[]);
    const translated = new Map(
      [...labelled].map(([key, count]) => [
        key
          .replace('전체 전환 수', 'total_count_conversion')
          .replace('직접 전환 수', 'direct_count_conversion'),
        count,
      ]),
    );
    expect(named.size).toBeGreaterThan(50);
    expect(translated).toEqual(named);
  });

  it('have a record for each arm of a test, step of a journey, and all ten channels', async () => {
    const rows = (await service.e17(WEEK)).json as unknown as Row[];
    expect(new Set(rows.map(({ channel }) => channel))).toEqual(
      new Set([
        'push-notification',
        'text-message',
        'email',
        'chatapp-friendtalk',
        'chatapp-alimtalk',
        'chatapp-brand-message',
        'in-app-message',
        'in-web-message',
        'web-push-notification',
        'webhook',
      ]),
    );
    expect(new Set(rows.map((row) => row['campaign_id'])).size).toBe(25); // 24 and null
    expect(new Set(rows.map((row) => row['user_journey_id'])).size).toBe(5); // 4 and null
    expect(new Set(rows.map((row) => row['variant_name']))).toEqual(new Set(['A', 'B', 'C', null]));
    expect(rows.filter(({ channel }) => channel === 'webhook').every(({ click }) => click === null)).toBe(
      true,
    );
  });

  it('show the planted difference between two arms and none where there is none', async () => {
    const month = (await service.e17({ start: '2026-10-01', end: '2026-11-20' })).json as unknown as Row[];
    const rate = (campaign: string, arm: string) => {
      const rows = month.filter((row) => row['campaign_name'] === campaign && row['variant_name'] === arm);
      const sent = rows.reduce((sum, row) => sum + row.message_sent, 0);
      return rows.reduce((sum, row) => sum + (row.click ?? 0), 0) / sent;
    };
    expect(rate('11월 재구매 유도', 'B') / rate('11월 재구매 유도', 'A')).toBeGreaterThan(1.3);
    expect(rate('겨울 신상 룩북', 'B') / rate('겨울 신상 룩북', 'A')).toBeGreaterThan(0.8);
    expect(rate('겨울 신상 룩북', 'B') / rate('겨울 신상 룩북', 'A')).toBeLessThan(1.25);
  });

  it('can be limited to campaigns that have any of some tags', async () => {
    const rows = (await service.e17({ ...WEEK, tags: ['장바구니', '배송'] })).json as unknown as Row[];
    expect(new Set(rows.map((row) => row['campaign_name']))).toEqual(
      new Set(['장바구니 이탈 알림', '웹 장바구니 리마인드', '배송 출발 안내']),
    );
    expect((await service.e17({ ...WEEK, tags: ['없는 태그'] })).json).toEqual([]);
    expect((await service.e18({ ...WEEK, tags: ['없는 태그'] })).json).toEqual([]);
  });

  it('refuse a range that holds today in Korea, and bad requests, in their own shape', async () => {
    for (const body of [
      { start: '2026-11-20', end: '2026-11-24' },
      { start: '2026-11-25', end: '2026-11-26' },
      { start: '2026-11-20', end: '2026-11-19' },
      { start: '2026-02-29', end: '2026-03-01' },
      { start: '2026-11-20' },
      { ...WEEK, tags: 'x' },
    ]) {
      const { status, json } = await service.e17(body);
      expect(status).toBe(400);
      expect(json.error).toBe('InvalidRequest');
      expect(json.message).toBeTypeOf('string');
      expect((await service.e18(body)).json.error).toBe('InvalidRequest');
    }
  });

  it('hold only a part of the previous day before 07:00 in Korea', async () => {
    const total = async () =>
      ((await service.e17({ start: '2026-11-23', end: '2026-11-23' })).json as unknown as Row[]).reduce(
        (sum, row) => sum + row.message_sent,
        0,
      );
    const later = now;
    const whole = await total();
    now = new Date('2026-11-23T21:59:59Z');
    const early = await total();
    const events = await exportAll(service, '2026-11-22T15:00:00Z', '2026-11-23T15:00:00Z', false);
    now = later;
    expect(early / whole).toBeGreaterThan(0.5);
    expect(early / whole).toBeLessThan(0.65);
    expect(events.filter(({ event_name }) => /^send_(success|failure)$/.test(event_name))).toHaveLength(
      early,
    );
  });

  it('time out on long ranges when told to, with either status', async () => {
    for (const timeoutStatus of [200, 408] as const) {
      const other = await startSandbox({ now: () => now, longestRangeDays: 3, timeoutStatus });
      const there = await client(other);
      const long = await there.e17({ start: '2026-11-16', end: '2026-11-19' });
      expect(long.status).toBe(timeoutStatus);
      expect(long.json).toEqual({ error: 'Timeout' });
      expect((await there.e18({ start: '2026-11-16', end: '2026-11-19' })).json.error).toMatch(/^Timeout/);
      expect((await there.e17({ start: '2026-11-16', end: '2026-11-18' })).status).toBe(200);
      await other.close();
    }
  });
});

describe('the statistics of one campaign (E19)', () => {
  it('equal the events and the conversions of the daily statistics', async () => {
    const rows = (await service.e17(WEEK)).json as unknown as Row[];
    const records = await exportAll(service, ...WEEK_WINDOW, false);
    const ids = new Set(
      rows.flatMap((row) => (typeof row['campaign_id'] === 'string' ? [row['campaign_id']] : [])),
    );
    const window = ['2026-11-15T15:00:00.000Z', '2026-11-22T15:00:00.000Z'] as const;
    for (const id of ids) {
      const events = new Map<string, number>();
      for (const record of records.filter(({ campaign_id }) => campaign_id === id)) {
        const key = `${record.event_name}|${dayOf(record)}`;
        events.set(key, (events.get(key) ?? 0) + 1);
      }
      const stated = new Map<string, number>();
      const conversions = new Map<string, number>();
      for (const stat of await statsOf(id, ...window)) {
        const days = stat.dailyCounts ?? stat.dailySums ?? [];
        let total = 0;
        for (const day of days) {
          const value = day.count ?? day.sum ?? 0;
          total += value;
          const key = `${stat.metricName}|${day.date}`;
          if (stat.metricType === 'standard') stated.set(key, value);
          else if (stat.conversionType !== 'sales_conversion') {
            conversions.set(`${key}|${stat.conversionType ?? ''}`, value);
          }
          const byKey = new Map<string, number>();
          for (const part of day.dimensionCounts ?? day.dimensionSums ?? []) {
            byKey.set(part.dimensionKey, (byKey.get(part.dimensionKey) ?? 0) + (part.count ?? part.sum ?? 0));
          }
          for (const sum of byKey.values()) expect(sum).toBe(value);
        }
        expect(stat.totalCount ?? stat.totalSum).toBe(total);
      }
      expect(stated).toEqual(events);

      const daily = new Map<string, number>();
      for (const row of rows.filter((one) => one['campaign_id'] === id)) {
        for (const { name, type, count } of row.conversion) {
          const key = `${name}|${row.date}|${type}`;
          daily.set(key, (daily.get(key) ?? 0) + count);
        }
      }
      expect(conversions).toEqual(daily);
    }
  });

  it('count each conversion once before it had types', async () => {
    const conversionsOf = async (start: string, end: string): Promise<[string, string | undefined][]> =>
      (await statsOf('a8LmZ2', start, end))
        .filter(({ metricType }) => metricType === 'conversion')
        .map(({ metricName, conversionType }) => [metricName, conversionType]);
    const before = await conversionsOf('2025-06-20T15:00:00.000Z', '2025-06-27T15:00:00.000Z');
    const after = await conversionsOf('2025-08-20T15:00:00.000Z', '2025-08-27T15:00:00.000Z');
    expect(before.length).toBeGreaterThan(0);
    expect(before.map(([name]) => name)).toEqual([...new Set(after.map(([name]) => name))]);
    expect(before.every(([, type]) => type === undefined)).toBe(true);
    expect(new Set(after.map(([, type]) => type)).size).toBeGreaterThan(1);
  });

  it('of single hours add up to the day', async () => {
    const total = async (start: string, end: string) => {
      const stats = await statsOf('a8LmZ2', start, end);
      return stats.find(({ metricName }) => metricName === 'send_success')?.totalCount ?? 0;
    };
    const day = await total('2026-11-18T15:00:00.000Z', '2026-11-19T15:00:00.000Z');
    let sum = 0;
    for (let hour = 15; hour < 39; hour += 1) {
      const at = (h: number) => new Date(Date.UTC(2026, 10, 18, h)).toISOString();
      sum += await total(at(hour), at(hour + 1));
    }
    expect(day).toBeGreaterThan(0);
    expect(sum).toBe(day);
  });

  it('refuse half hours, empty windows and unknown campaigns', async () => {
    for (const [campaign, start, end, status] of [
      ['a8LmZ2', '2026-11-18T15:30:00.000Z', '2026-11-19T15:00:00.000Z', 400],
      ['a8LmZ2', '2026-11-18T15:00:00Z', '2026-11-19T15:00:00Z', 400],
      ['a8LmZ2', '2026-11-19T15:00:00.000Z', '2026-11-19T15:00:00.000Z', 400],
      ['nobody', '2026-11-18T15:00:00.000Z', '2026-11-19T15:00:00.000Z', 404],
    ] as const) {
      const got = await service.e19(campaign, start, end);
      expect(got.status).toBe(status);
      expect(got.json.data).toBeNull();
      expect(got.json.error).toBeTypeOf('string');
    }
  });

  it('are shown to other processes in the same world', async () => {
    const twin = await startSandbox({ now: () => now, eventsPerDay: 6_000 });
    const there = await client(twin);
    expect((await there.e17(WEEK)).text).toBe((await service.e17(WEEK)).text);
    expect((await ask(twin, { path: '/_sandbox/bills' })).json).toEqual([]);
    await twin.close();
  });
});

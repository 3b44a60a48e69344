// @module-tag long
/** Purchases after messages, counted once more from the landed pages and the shop's orders by code that shares nothing with sql/. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ordersCsv, ordersOf } from '../../../sandbox/world/orders.js';
import { daysOf } from '../../../src/ground/calendar.js';
import { landedPages } from '../../support/contents.js';
import { Place } from '../../support/dawnload.js';
import { ends } from '../../support/place.js';

const FIRST = '2026-11-09';
const LAST = '2026-11-20';
const YAML = `start_date: ${FIRST}
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
tables:
  orders: { from: ./orders.csv, keys: { user_id: member_id }, unique: order_id }
conversions: { table: orders, person: user_id, at: ordered_at, value: amount, currency: KRW, goal: 구매 }
`;

const DAY_MS = 86_400_000;
const WINDOWS = [1, 3, 7] as const;

interface Touch {
  readonly person: string;
  readonly at: number;
  readonly row: string;
}

interface Order {
  readonly person: string;
  readonly at: number;
  readonly amount: number;
}

const text = z.string().nullable();
const record = z.object({
  event_name: z.string(),
  time: z.string(),
  campaign_id: text,
  user_journey_id: text,
  user_journey_node_id: text,
  experiment_group_name: text,
  user_id: z.string(),
  channel: z.string(),
});
type Event = z.infer<typeof record>;

let place: Place;
let events: Event[];
let orders: Order[];

beforeAll(async () => {
  place = await Place.make(YAML, { eventsPerDay: 1_500, seed: 7 });
  const made = ordersOf({ seed: 7, eventsPerDay: 1_500 }, daysOf({ start: FIRST, end: LAST }));
  // Orders of this morning are of a day without events yet.
  const end = new Date(`${LAST}T24:00:00+09:00`);
  const csv = ordersCsv(made.filter(({ orderedAt }) => orderedAt < end));
  await writeFile(join(place.folder, 'orders.csv'), csv);
  await ends(place.run(['run']), 0);
  const pages = await landedPages(join(place.folder, 'data'));
  const page = z.looseObject({ data: z.array(record) });
  events = pages.flatMap((one) => page.parse(one.page).data);
  const lines = (await readFile(join(place.folder, 'orders.csv'), 'utf8')).trim().split('\n').slice(1);
  orders = lines.map((line) => {
    const [, person = '', at = '', amount = ''] = line.split(',');
    return { person, at: Date.parse(`${at.replace(' ', 'T')}+09:00`), amount: Number(amount) };
  });
}, 300_000);

afterAll(() => place.remove());

const micros = (event: Event): number => Number(event.time);

/** A mail scanner opens links within five seconds. */
function isByMachine(click: Event, sends: ReadonlyMap<string, number[]>): boolean {
  if (click.channel !== 'email') return false;
  const sent = sends.get(`${click.user_id} ${String(click.campaign_id)}`) ?? [];
  return sent.some((at) => micros(click) >= at && micros(click) - at <= 5_000_000);
}

function touchesOf(after: 'click' | 'send', by: 'campaign' | 'channel' | 'message'): Touch[] {
  const sends = new Map<string, number[]>();
  for (const event of events.filter(({ event_name }) => event_name === 'send_success')) {
    const key = `${event.user_id} ${String(event.campaign_id)}`;
    sends.set(key, [...(sends.get(key) ?? []), micros(event)]);
  }
  const isClick = (event: Event): boolean =>
    event.event_name.endsWith('_click') &&
    !event.event_name.startsWith('close_') &&
    !isByMachine(event, sends);
  const isSend = ({ event_name: name, channel }: Event): boolean =>
    channel !== 'webhook' &&
    (/^in[-_](app|web)[-_]message$/.test(channel)
      ? name.endsWith('_show')
      : ['send_success', 'failover_text_message_send_success'].includes(name));
  return events.filter(after === 'click' ? isClick : isSend).map((event) => {
    const channel = event.channel.replaceAll('_', '-');
    const resource = event.campaign_id ?? event.user_journey_id ?? '';
    const part = event.experiment_group_name ?? event.user_journey_node_id ?? '';
    const rows = { campaign: resource, channel, message: `${resource} ${part} ${channel}` };
    return { person: event.user_id, at: micros(event) / 1000, row: rows[by] };
  });
}

/** The conversions and the value of each row: of its last touches and of any, within 1, 3 and 7 days, and of its first touches within 7. */
function counted(touches: readonly Touch[]): Map<string, number[]> {
  const byPerson = new Map<string, Touch[]>();
  for (const touch of touches) byPerson.set(touch.person, [...(byPerson.get(touch.person) ?? []), touch]);
  const rows = new Map<string, number[]>();
  const add = (row: string, place: number, amount: number): void => {
    const numbers = rows.get(row) ?? Array<number>(10).fill(0);
    numbers[place] = (numbers[place] ?? 0) + amount;
    rows.set(row, numbers);
  };
  for (const { person, at, amount } of orders) {
    const before = (byPerson.get(person) ?? [])
      .filter((touch) => touch.at <= at && at - touch.at < 7 * DAY_MS)
      .sort((a, b) => b.at - a.at);
    for (const [nth, days] of WINDOWS.entries()) {
      const near = before.filter((touch) => at - touch.at <= days * DAY_MS);
      const [last] = near;
      add(last?.row ?? 'nothing', nth, 1);
      for (const row of last === undefined ? ['nothing'] : new Set(near.map((touch) => touch.row)))
        add(row, 3 + nth, 1);
    }
    add(before[0]?.row ?? 'nothing', 6, amount);
    for (const row of before[0] === undefined ? ['nothing'] : new Set(before.map((touch) => touch.row)))
      add(row, 7, amount);
    const first = before.at(-1)?.row ?? 'nothing';
    add(first, 8, 1);
    add(first, 9, amount);
  }
  return rows;
}

const answered = z.object({
  preceded: z.string(),
  resource_id: z.string().nullable(),
  channel: z.string().nullable(),
  variant_or_node: z.string().nullable(),
  numbers: z.array(z.coerce.number()),
});

async function answer(after: string, by: string): Promise<Map<string, number[]>> {
  const file = join(place.folder, `${after}-${by}.json`);
  const args = ['--param', `after=${after}`, '--param', `by=${by}`, '--output', file];
  await ends(place.run(['query', 'attribution', ...args]), 0);
  const stdout = await readFile(file, 'utf8');
  const rows = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(stdout));
  const all = rows.map((row) => {
    const names = ['last_touch_1d', 'last_touch_3d', 'last_touch_7d', 'any_touch_1d', 'any_touch_3d'];
    const numbers = [
      ...names,
      'any_touch_7d',
      'last_touch_revenue_7d',
      'any_touch_revenue_7d',
      'first_touch_7d',
      'first_touch_revenue_7d',
    ];
    return answered.parse({ ...row, numbers: numbers.map((name) => row[name] ?? 0) });
  });
  return new Map(
    all.map(({ preceded, resource_id, channel, variant_or_node, numbers }) => {
      const message = `${resource_id} ${variant_or_node ?? ''} ${channel}`;
      const row = { campaign: resource_id, channel, message }[by] ?? '';
      return [preceded === 'nothing' ? 'nothing' : row, numbers];
    }),
  );
}

const sorted = (rows: ReadonlyMap<string, number[]>): [string, number[]][] =>
  [...rows].filter(([, numbers]) => numbers.some((one) => one > 0)).sort(([a], [b]) => (a < b ? -1 : 1));

describe.each(['click', 'send'] as const)('after a %s', (after) => {
  test.each(['campaign', 'channel'] as const)('by %s', async (by) => {
    const expected = counted(touchesOf(after, by));
    expect(sorted(await answer(after, by))).toEqual(sorted(expected));
    expect(expected.size).toBeGreaterThan(3);
    expect(expected.get('nothing')?.[2]).toBeGreaterThan(0);
  });

  test('by message, each conversion once', async () => {
    const expected = counted(touchesOf(after, 'message'));
    const given = await answer(after, 'message');
    const totals = (rows: ReadonlyMap<string, number[]>): number[] =>
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((nth) =>
        [...rows.values()].reduce((sum, one) => sum + (one[nth] ?? 0), 0),
      );
    expect(totals(given)).toEqual(totals(expected));
    expect(totals(given).slice(0, 3)).toEqual(WINDOWS.map(() => orders.length));
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { type Client, client } from './http.js';

let now = new Date('2026-11-24T01:00:00Z');
let sandbox: Sandbox;
let service: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now, tokenLifetimeSeconds: 1e9 });
  service = await client(sandbox);
});
afterAll(() => sandbox.close());

type Row = Readonly<Record<string, unknown>>;
const DAYS = { start: '2026-11-20', end: '2026-11-23' };
/** The first morning of the 23rd, and those after it. */
const MORNINGS = ['2026-11-23T22:10:00Z', '2026-11-24T22:10:00Z', '2026-11-25T22:10:00Z'];

async function statisticsAt(instant: string): Promise<{ e17: Row[]; e18: Row[]; delivered: number }> {
  now = new Date(instant);
  const [e17, e18] = [await service.e17(DAYS), await service.e18(DAYS)].map(
    ({ json }) => json as unknown as Row[],
  );
  // E19 of all campaigns of the 23rd.
  const campaigns = [...new Set((e17 ?? []).flatMap((row) => (row['campaign_id'] ?? []) as string))];
  let delivered = 0;
  for (const campaign of campaigns) {
    const { json } = await service.e19(campaign, '2026-11-22T15:00:00.000Z', '2026-11-23T15:00:00.000Z');
    const { stats } = (json as unknown as { data: { stats: { metricName: string; totalCount?: number }[] } })
      .data;
    for (const stat of stats)
      if (/_delivered$|_message_show$/.test(stat.metricName)) delivered += stat.totalCount ?? 0;
  }
  return { e17: e17 ?? [], e18: e18 ?? [], delivered };
}

const changed = (before: readonly Row[], after: readonly Row[]): [Row, Row][] =>
  after.flatMap((row, i) => {
    const old = before[i] ?? {};
    return JSON.stringify(old) === JSON.stringify(row) ? [] : [[old, row] as [Row, Row]];
  });
const sum = (rows: readonly Row[], of: (row: Row) => boolean): number =>
  rows.filter(of).reduce((total, row) => total + Number(row['delivered'] ?? 0), 0);

test('a few deliveries of a day are reported after its first morning, alike in E17, E18 and E19, and then never change', async () => {
  const mornings = [];
  for (const instant of MORNINGS) mornings.push(await statisticsAt(instant));
  const [one, two, three] = mornings;
  if (one === undefined || two === undefined || three === undefined) throw new Error('no statistics');
  const rows = changed(one.e17, two.e17);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(one.e17.length / 10);
  for (const [before, after] of rows) {
    expect(after).toEqual({ ...before, delivered: after['delivered'] });
    expect(after['date']).toBe('2026-11-23');
    const late = Number(after['delivered']) - Number(before['delivered']);
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThanOrEqual(9);
    expect(Number(before['delivered'])).toBeGreaterThanOrEqual(Number(before['click'] ?? 0));
  }
  const all = () => true;
  const late = sum(two.e17, all) - sum(one.e17, all);
  expect(sum(two.e18, all) - sum(one.e18, all)).toBe(late);
  const isCampaign = (row: Row): boolean => row['campaign_id'] !== null;
  expect(two.delivered - one.delivered).toBe(sum(two.e17, isCampaign) - sum(one.e17, isCampaign));
  expect(three).toEqual(two);
});

test('nothing changes where restatements are switched off', async () => {
  const still = await startSandbox({ now: () => now, tokenLifetimeSeconds: 1e9, restates: false });
  try {
    service = await client(still);
    const [one, two] = [await statisticsAt(MORNINGS[0] ?? ''), await statisticsAt(MORNINGS[1] ?? '')];
    expect(two).toEqual(one);
  } finally {
    await still.close();
  }
});

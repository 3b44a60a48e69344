/** What a campaign sells, of detailed statistics (E19) whose answer can be worked out by hand. */
import { expect, test } from 'vitest';
import { shiftDay } from '../../../src/ground/calendar.js';
import { asked, modelled, type Row } from '../../warehouse/support.js';

const FIRST = '2026-11-01';

/** What a variant sends and sells on each of its days. */
interface Arm {
  readonly sent: number;
  readonly sales: readonly number[];
}

/** The answer of E19 for a campaign whose only goals are purchases and first purchases, half of them. */
function answerOf(arms: Record<string, Arm>): unknown {
  const names = Object.keys(arms);
  const days = Math.max(...Object.values(arms).map(({ sales }) => sales.length));
  const daily = (
    valueOf: (arm: Arm, day: number) => number,
    [all, one, parts]: [string, string, string],
  ): Row[] =>
    Array.from({ length: days }, (_, day) => {
      const values = names.map((name) => valueOf(arms[name] ?? { sent: 0, sales: [] }, day));
      return {
        date: shiftDay(FIRST, day),
        [all]: values.reduce((sum, value) => sum + value, 0),
        [parts]: names.map((name, i) => ({
          dimensionKey: 'experiment_group_name',
          dimensionValue: name,
          [one]: values[i],
        })),
      };
    });
  const total = (rows: Row[], key: string): number => rows.reduce((sum, row) => sum + Number(row[key]), 0);
  const conversion = (
    metricName: string,
    conversionType: string,
    valueOf: (arm: Arm, day: number) => number,
  ): Row => {
    const dailySums = daily(valueOf, ['sum', 'sum', 'dimensionSums']);
    return {
      metricType: 'conversion',
      metricName,
      conversionType,
      totalSum: total(dailySums, 'sum'),
      dailySums,
    };
  };
  const dailyCounts = daily((arm) => arm.sent, ['count', 'count', 'dimensionCounts']);
  const stats = [
    {
      metricType: 'standard',
      metricName: 'send_success',
      totalCount: total(dailyCounts, 'count'),
      dailyCounts,
    },
    conversion('구매', 'total_count_conversion', () => 2),
    conversion('구매', 'sales_conversion', (arm, day) => arm.sales[day] ?? 0),
    conversion('첫 구매', 'total_count_conversion', () => 1),
    conversion('첫 구매', 'sales_conversion', (arm, day) => (arm.sales[day] ?? 0) / 2),
  ];
  return { data: { lastCollectedAt: '2026-12-01 00:00:00', stats }, error: null };
}

const steady = (sent: number, amount: number, days: number): Arm => ({
  sent,
  sales: Array.from({ length: days }, () => amount),
});
test('revenue is that of one goal, by messages that succeeded', async () => {
  const campaigns = {
    sold: { A: steady(99, 5, 3), B: steady(101, 15, 3) },
    refunded: { A: steady(10, 1000, 1), B: steady(10, -400, 1) },
  };
  const answers = Object.fromEntries(Object.entries(campaigns).map(([name, arms]) => [name, answerOf(arms)]));
  const workshop = await modelled((shop) => [
    shop.campaigns({ start: FIRST, end: shiftDay(FIRST, 29) }, answers),
  ]);
  const rows = await asked(workshop, 'revenue', { start: FIRST });
  const variants = (campaign: string, from = rows): Row[] =>
    from.filter((row) => row['campaign_id'] === campaign && row['variant_name'] !== null);
  expect(variants('sold')).toMatchObject([
    {
      variant_name: 'A',
      succeeded: '297',
      conversions: '6',
      revenue: 15,
      revenue_per_conversion: 2.5,
      goal: '구매',
    },
    { variant_name: 'B', succeeded: '303', revenue: 45, revenue_per_message: 0.15 },
  ]);
  expect(variants('refunded')[1]).toMatchObject({ revenue: -400 });

  const first = await asked(workshop, 'revenue', { start: FIRST, goal: '첫 구매' });
  expect(variants('sold', first)).toMatchObject([
    { revenue: 7.5, goal: '첫 구매' },
    { revenue: 22.5, goal: '첫 구매' },
  ]);
  expect(await asked(workshop, 'revenue', { start: FIRST, goal: '가입' })).toEqual([]);
  const late = await asked(workshop, 'revenue', { start: shiftDay(FIRST, 2) });
  expect(variants('sold', late)).toMatchObject([{ succeeded: '99', revenue: 5 }, { revenue: 15 }]);
});

test('amounts of two currencies have no sum, and those of one have', async () => {
  const sold = (currencies: readonly string[]): unknown => ({
    data: {
      lastCollectedAt: '2026-12-01 00:00:00',
      stats: [
        { metricType: 'standard', metricName: 'send_success', dailyCounts: [{ date: FIRST, count: 10 }] },
        {
          metricType: 'conversion',
          metricName: '구매',
          conversionType: 'sales_conversion',
          dailySums: [
            {
              date: FIRST,
              sum: 100,
              dimensionSums: currencies.map((dimensionValue, n) => ({
                dimensionKey: 'currency',
                dimensionValue,
                sum: n === 0 ? 90 : 10,
              })),
            },
          ],
        },
      ],
    },
    error: null,
  });
  const answers = { mixed: sold(['USD', 'KRW']), one: sold(['KRW']), none: sold([]) };
  const workshop = await modelled((shop) => [shop.campaigns({ start: FIRST, end: FIRST }, answers)]);
  const revenue = await asked(workshop, 'revenue', { start: FIRST });
  expect(revenue.map((row) => [row['campaign_id'], row['revenue'], row['currencies']])).toEqual([
    ['none', 100, []],
    ['one', 100, ['KRW']],
    ['mixed', null, ['KRW', 'USD']],
  ]);
  await workshop.with(async (warehouse) => {
    await warehouse.note({
      budget: {
        budget: undefined,
        pricePerRecord: 0,
        currency: 'EUR',
        startDate: FIRST,
        notedAt: workshop.now,
      },
      prices: [],
    });
  });
  const named = await asked(workshop, 'revenue', { start: FIRST });
  expect(named.map((row) => [row['campaign_id'], row['currencies']])).toEqual([
    ['none', ['EUR']],
    ['one', ['KRW']],
    ['mixed', ['KRW', 'USD']],
  ]);
});

test('messages that E19 does not count are unknown, and 0 only where it counts them on other days', async () => {
  const next = shiftDay(FIRST, 1);
  const sales = {
    metricType: 'conversion',
    metricName: '구매',
    conversionType: 'sales_conversion',
    dailySums: [{ date: next, sum: 100 }],
  };
  const messages = {
    metricType: 'standard',
    metricName: 'send_success',
    dailyCounts: [{ date: FIRST, count: 10 }],
  };
  const answer = (...stats: readonly unknown[]): unknown => ({
    data: { lastCollectedAt: '2026-12-01 00:00:00', stats },
    error: null,
  });
  const answers = { counted: answer(messages, sales), uncounted: answer(sales) };
  const workshop = await modelled((shop) => [shop.campaigns({ start: FIRST, end: next }, answers)]);
  const revenue = await asked(workshop, 'revenue', { start: next });
  expect(revenue.map((row) => [row['campaign_id'], row['succeeded'], row['revenue_per_message']])).toEqual([
    ['counted', '0', null],
    ['uncounted', null, null],
  ]);
});

/**
 * What a campaign sells, of detailed statistics (E19) whose answer can be worked out by hand.
 *
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { shiftDay } from '../../src/calendar.js';
import { loadCatalogue } from '../../src/queries/catalogue.js';
import { modelled, type Row, type Workshop } from '../warehouse/support.js';

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

function selling(days: number, arms: Record<string, Arm>): Promise<Workshop> {
  return modelled((workshop) => [
    workshop.campaigns({ start: FIRST, end: shiftDay(FIRST, days - 1) }, { c1: answerOf(arms) }),
  ]);
}

async function ask(workshop: Workshop, columns: string, before?: string): Promise<Row[]> {
  const sql =
    loadCatalogue()
      .find(({ name }) => name === 'revenue')
      ?.sql.replace(/;\s*$/, '') ?? '';
  return workshop.look(`select ${columns} from (${sql}) where variant_name is not null`, before);
}

const steady = (sent: number, amount: number, days: number): Arm => ({
  sent,
  sales: Array.from({ length: days }, () => amount),
});

describe('revenue', () => {
  it('is that of one goal, by the messages that succeeded', async () => {
    const workshop = await selling(2, { A: steady(100, 500, 2), B: steady(100, 700, 2) });
    const columns =
      'variant_name, succeeded, conversions, revenue, revenue_per_message, revenue_per_conversion, goal';
    expect(await ask(workshop, columns)).toEqual([
      {
        ...{ variant_name: 'A', succeeded: '200', conversions: '4', revenue: 1000, goal: '구매' },
        ...{ revenue_per_message: 5, revenue_per_conversion: 250 },
      },
      {
        ...{ variant_name: 'B', succeeded: '200', conversions: '4', revenue: 1400, goal: '구매' },
        ...{ revenue_per_message: 7, revenue_per_conversion: 350 },
      },
    ]);
    expect(await ask(workshop, 'revenue, goal', "set variable goal = '첫 구매'")).toEqual([
      { revenue: 500, goal: '첫 구매' },
      { revenue: 700, goal: '첫 구매' },
    ]);
    expect(await ask(workshop, 'revenue', "set variable goal = '가입'")).toEqual([]);
  });

  it('has a winner once a variant brought clearly more, day after day, than chance gives it', async () => {
    const winners = 'variant_name, is_winner';
    const none = [
      { variant_name: 'A', is_winner: false },
      { variant_name: 'B', is_winner: false },
    ];
    expect(await ask(await selling(20, { A: steady(99, 5, 20), B: steady(101, 15, 20) }), winners)).toEqual([
      { variant_name: 'A', is_winner: false },
      { variant_name: 'B', is_winner: true },
    ]);
    expect(await ask(await selling(3, { A: steady(99, 5, 3), B: steady(101, 15, 3) }), winners)).toEqual(
      none,
    );
    // One large purchase makes the sum, and no winner.
    const lucky = { sent: 100, sales: [90_000, ...Array.from({ length: 19 }, () => 5)] };
    expect(await ask(await selling(20, { A: steady(100, 5, 20), B: lucky }), winners)).toEqual(none);
  });

  it('has the same evidence whatever range is asked, from the first day of the test, and sums of the range alone', async () => {
    const workshop = await selling(20, { A: steady(99, 5, 20), B: steady(101, 15, 20) });
    const columns = 'variant_name, evidence, is_winner';
    const late = "set variable start = '2026-11-19'";
    expect(await ask(workshop, columns, late)).toEqual(await ask(workshop, columns));
    expect(await ask(workshop, 'succeeded, revenue, is_winner', late)).toEqual([
      { succeeded: '198', revenue: 10, is_winner: false },
      { succeeded: '202', revenue: 30, is_winner: true },
    ]);
  });

  it('expects of a variant as much as its share of the messages, and compares it with another', async () => {
    const columns = 'is_winner, evidence';
    expect(await ask(await selling(20, { A: steady(50, 10, 20), B: steady(150, 30, 20) }), columns)).toEqual([
      { is_winner: false, evidence: 1 },
      { is_winner: false, evidence: 1 },
    ]);
    expect(
      await ask(await selling(20, { A: steady(50, 30, 20), B: steady(150, 30, 20) }), columns),
    ).toMatchObject([{ is_winner: true }, { is_winner: false }]);
    expect(await ask(await selling(20, { A: steady(50, 5, 20) }), 'is_winner')).toEqual([
      { is_winner: null },
    ]);
  });
});

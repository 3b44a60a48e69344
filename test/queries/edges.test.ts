/** What bundled queries make of counts that nobody expects. */
import { describe, expect, test } from 'vitest';
import { asked, dayAfter, micros, modelled, record, statistic, type Row } from '../warehouse/support.js';

const DAY = '2026-11-16';

/** An answer of E19: sends once, then sales by variant and day; a variant that is not told of on a day sold nothing. */
function sales(
  days: readonly Readonly<Record<string, number>>[],
  sends: Readonly<Record<string, number>>,
): Row {
  const dimensions = (amounts: Readonly<Record<string, number>>, key: 'count' | 'sum'): Row[] =>
    Object.entries(amounts).map(([name, value]) => ({
      dimensionKey: 'experiment_group_name',
      dimensionValue: name,
      [key]: value,
    }));
  const total = (amounts: Readonly<Record<string, number>>): number =>
    Object.values(amounts).reduce((sum, value) => sum + value, 0);
  const standard = {
    metricType: 'standard',
    metricName: 'send_success',
    totalCount: total(sends),
    dailyCounts: [{ date: DAY, count: total(sends), dimensionCounts: dimensions(sends, 'count') }],
  };
  const conversion = {
    metricType: 'conversion',
    metricName: '구매',
    conversionType: 'sales_conversion',
    totalSum: days.map(total).reduce((sum, value) => sum + value, 0),
    dailySums: days.map((amounts, index) => ({
      date: dayAfter(DAY, index),
      sum: total(amounts),
      dimensionSums: dimensions(amounts, 'sum'),
    })),
  };
  return { data: { lastCollectedAt: '2026-12-31 07:00:00', stats: [standard, conversion] }, error: null };
}

async function revenue(answer: Row, days: number, params: Record<string, string> = {}): Promise<Row[]> {
  const range = { start: DAY, end: dayAfter(DAY, days - 1) };
  const workshop = await modelled((workshop) => [workshop.campaigns(range, { c1: answer })]);
  const rows = await asked(workshop, 'revenue', { start: DAY, end: range.end, ...params });
  return rows.filter((row) => row['variant_name'] !== null);
}

describe('revenue', () => {
  test('of equal variants that sell in turn names no winner', async () => {
    const turns = Array.from({ length: 30 }, (_, day): Record<string, number> => ({
      [day % 2 === 0 ? 'A' : 'B']: 100,
    }));
    const rows = await revenue(sales(turns, { A: 1000, B: 1000 }), 30);
    expect(rows).toMatchObject([
      { variant_name: 'A', revenue: 1500, is_winner: false },
      { variant_name: 'B', revenue: 1500, is_winner: false },
    ]);
  });

  test('counts messages that were sent before the range, and is no number that is not one', async () => {
    const days = Array.from({ length: 30 }, () => ({ A: 100, B: 100 }));
    const rows = await revenue(sales(days, { A: 1000, B: 1000 }), 30, { start: dayAfter(DAY, 10) });
    expect(rows).toMatchObject([
      { is_winner: false, evidence: 1 },
      { is_winner: false, evidence: 1 },
    ]);
  });

  test('takes a refund for no revenue', async () => {
    const rows = await revenue(sales([{ A: 1000, B: -400 }], { A: 10, B: 10 }), 1);
    expect(rows).toMatchObject([
      { revenue: 1000, is_winner: false },
      { revenue: -400, is_winner: false },
    ]);
  });

  test('names the better variant where it sells more day after day', async () => {
    const days = Array.from({ length: 30 }, () => ({ A: 100, B: 300 }));
    const rows = await revenue(sales(days, { A: 1000, B: 1000 }), 30);
    expect(rows.map((row) => row['is_winner'])).toEqual([false, true]);
  });
});

describe('counts below zero, and very large ones', () => {
  test.each(['click_rate', 'conversion_rate'])(
    'top-campaigns by %s: a negative count is none, a large one counts',
    async (measure) => {
      const workshop = await modelled((workshop) => [
        workshop.statistics(DAY, [
          statistic({ date: DAY, message_sent: 1000, message_failed: 0, click: -100 }),
          statistic({ date: DAY, campaign_id: 'c2', message_sent: 4e9, message_failed: 0, click: 4e8 }),
        ]),
      ]);
      const rows = await asked(workshop, 'top-campaigns', { measure });
      if (measure === 'click_rate') expect(rows).toMatchObject([{ campaign_id: 'c2' }]);
    },
  );
});

describe('failure-alarm', () => {
  test.each([1, 2, 3])('knows nothing usual after %s weeks', async (weeks) => {
    const day = (back: number, failed: number): Row =>
      statistic({ date: dayAfter(DAY, -7 * back), message_sent: 1000, message_failed: failed });
    const workshop = await modelled((workshop) => [
      workshop.statistics({ start: dayAfter(DAY, -7 * weeks), end: DAY }, [
        ...Array.from({ length: weeks }, (_, week) => day(week + 1, 20)),
        day(0, 60),
      ]),
    ]);
    expect(await asked(workshop, 'failure-alarm')).toMatchObject([
      { usual_low: null, usual_high: null, is_alarm: null, weeks_compared: String(weeks) },
    ]);
  });
});

describe('ids', () => {
  const of = (id: string, ids: Row): Row =>
    record({
      id,
      user_id: null,
      service_user_id: null,
      device_id: null,
      service_device_id: null,
      time: micros(DAY, Number(id)),
      ...ids,
    });

  test('an empty id is nobody', async () => {
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [[1, 2, 3].map((n) => of(String(n), { user_id: '', device_id: `d${n}` }))]),
    ]);
    expect(await asked(workshop, 'reach')).toMatchObject([{ people_reached: '3' }]);
  });

  test('a person is one over a chain of ids that is learned day by day', { tags: ['long'] }, async () => {
    const ids = [
      { service_device_id: 'sd1' },
      { service_device_id: 'sd1', device_id: 'd1' },
      { device_id: 'd1', user_id: 'u1' },
    ];
    const workshop = await modelled((workshop) =>
      ids.map((own, day) =>
        workshop.events(dayAfter(DAY, day), [
          [{ ...of(String(day + 1), own), time: micros(dayAfter(DAY, day)) }],
        ]),
      ),
    );
    expect(await asked(workshop, 'reach')).toMatchObject([{ people_reached: '1', messages: '3' }]);
    expect(await asked(workshop, 'event-rates')).toMatchObject([{ events: '3', users: '1' }]);
  });
});

/** Periods against earlier ones, weeks and months, and a day against its own weekdays: only where the days are held. */
import { beforeEach, describe, expect, test } from 'vitest';
import { askBundled, emptyWarehouse } from './support.js';

const warehouse = emptyWarehouse();

/** From Friday, 1 August 2025 to Friday, 20 November 2026: 100 pushes a day, of which 2 fail and 10 are clicked. */
beforeEach(async () => {
  await warehouse.connection.run(`
    delete from ops.coverage;
    delete from daily_statistics;
    insert into ops.coverage by name
    select 'statistics' as stream, date::date as date, 1 as rows
    from generate_series(timestamp '2025-08-01', timestamp '2026-11-20', interval 1 day) as days (date);
    insert into daily_statistics by name
    select
      date::varchar as statistic_id, date, 'campaign' as resource_type, 'c1' as campaign_id, '세일' as campaign_name,
      'push-notification' as channel, 100 as message_sent, 2 as message_failed, 90 as delivered, 10 as click, 1 as ordinal
    from ops.coverage`);
});

const ask = (name: string, parameters: Readonly<Record<string, string>> = {}) =>
  askBundled(warehouse.connection, name, parameters);

const forget = (where: string): string =>
  `delete from ops.coverage where ${where}; delete from daily_statistics where ${where}`;

describe('a period', () => {
  const sent = { measure: 'sent' };

  test('is held against as many days before it, and the same weekdays a year before', async () => {
    await warehouse.connection.run(`
      update daily_statistics set message_sent = 200, click = 20 where date > '2026-11-13';
      update daily_statistics set message_sent = 50 where date between '2025-11-15' and '2025-11-21'`);
    expect(await ask('period-comparison')).toMatchObject([
      { measure: 'sent', value: 1400, previous: 700, change: 1, year_before: 350, change_on_year: 3 },
      { measure: 'failure_rate', value: 0.01, previous: 0.02, change: -0.01, year_before: 0.04 },
      { measure: 'delivery_rate', value: 0.454545 },
      { measure: 'click_rate', value: 0.10101, previous: 0.102041, change: -0.001031 },
    ]);
  });

  test('of less than a week is compared with the same weekdays of the week before', async () => {
    await warehouse.connection.run(`
      update daily_statistics set message_sent = 500 where date between '2026-11-17' and '2026-11-18';
      update daily_statistics set message_sent = 40 where date between '2026-11-12' and '2026-11-13'`);
    expect(await ask('period-comparison', { ...sent, start: '2026-11-19' })).toMatchObject([
      { value: 200, previous: 80, change: 1.5 },
    ]);
    expect(await ask('period-comparison', { ...sent, start: '2026-11-13' })).toMatchObject([
      { previous: 740 },
    ]);
  });

  test('is not compared with one of which a day is missing, nor while it lacks a day itself', async () => {
    await warehouse.connection.run(forget("date = '2026-11-10'"));
    expect(await ask('period-comparison', sent)).toMatchObject([
      {
        value: 700,
        previous: null,
        change: null,
        previous_days_without_statistics: '1',
        year_before: 700,
        change_on_year: 0,
      },
    ]);
    await warehouse.connection.run(forget("date = '2026-11-15'"));
    expect(await ask('period-comparison', sent)).toMatchObject([
      { value: 600, days_without_statistics: '1', change: null, year_before: 700, change_on_year: null },
    ]);
  });
});

describe('key figures', () => {
  test('compare rates beyond chance, and those above 1 without a verdict', async () => {
    const rates = async () =>
      (await ask('key-figures'))
        .filter(({ figure }) => figure === 'click_rate' || figure === 'delivery_rate')
        .map(({ value, previous, verdict_code }) => [value, previous, verdict_code]);
    await warehouse.connection.run("update daily_statistics set click = 20 where date > '2026-11-13'");
    expect(await rates()).toEqual([
      [0.918367, 0.918367, 'same'],
      [0.204082, 0.102041, 'better'],
    ]);
    await warehouse.connection.run("update daily_statistics set click = 300 where date > '2026-11-13'");
    expect(await rates()).toEqual([
      [0.918367, 0.918367, 'same'],
      [3.061224, 0.102041, null],
    ]);
  });
});

describe('weeks and months', () => {
  test('say how many of their days are held', async () => {
    await warehouse.connection.run(forget("date = '2026-11-10'"));
    const weeks = await ask('channel-summary', { start: '2026-11-05', by: 'week' });
    expect(weeks).toMatchObject([
      {
        first_date: '2026-11-02',
        last_date: '2026-11-08',
        days: '7',
        days_held: '7',
        sent: '700',
        sent_per_day: 100,
        failure_rate: 0.02,
      },
      { first_date: '2026-11-09', days: '7', days_held: '6', sent: '600', sent_per_day: 100 },
      { first_date: '2026-11-16', days: '7', days_held: '5', sent: '500' },
    ]);
    expect(await ask('channel-summary', { start: '2026-10-20', by: 'month' })).toMatchObject([
      { first_date: '2026-10-01', days: '31', days_held: '31', sent: '3100' },
      { first_date: '2026-11-01', days: '30', days_held: '19', sent: '1900' },
    ]);
    await expect(ask('channel-summary', { by: 'fame' })).rejects.toThrow('by must be one of');
  });
});

describe('the failure alarm', () => {
  const failed = (count: number, where = "date = '2026-11-20'"): Promise<unknown> =>
    warehouse.connection.run(`update daily_statistics set message_failed = ${count} where ${where}`);

  test('sounds above what eight weeks of that weekday allow for', async () => {
    expect(await ask('failure-alarm')).toMatchObject([
      { failure_rate: 0.02, usual_rate: 0.02, is_alarm: false, weeks_compared: '8' },
    ]);
    await failed(12);
    expect(await ask('failure-alarm')).toMatchObject([{ failure_rate: 0.12, is_alarm: true }]);
    // On other days there were as many.
    await failed(12, "date between '2026-10-20' and '2026-11-19' and isodow(date) <> 5");
    expect(await ask('failure-alarm')).toMatchObject([{ usual_rate: 0.02, is_alarm: true }]);
    // Weekdays that differ much allow for more.
    await failed(14, "date in ('2026-10-30', '2026-11-13')");
    expect(await ask('failure-alarm')).toMatchObject([{ usual_rate: 0.05, is_alarm: false }]);
  });

  test('is not known with less than four weekdays', async () => {
    await warehouse.connection.run(forget("date between '2026-09-01' and '2026-10-27'"));
    await failed(50);
    expect(await ask('failure-alarm')).toMatchObject([
      { is_alarm: null, usual_high: null, weeks_compared: '3' },
    ]);
    expect(await ask('failure-alarm', { day: '2026-08-21' })).toMatchObject([{ weeks_compared: '8' }]);
  });
});

describe('a funnel', () => {
  beforeEach(async () => {
    await warehouse.connection.run(`
      insert into daily_statistics by name
      select
        node || date as statistic_id, date, 'user-journey' as resource_type, 'j1' as user_journey_id,
        '온보딩' as user_journey_name, node as user_journey_node_id, node as user_journey_node_name,
        'email' as channel, sent as message_sent, 0 as message_failed, 1 as ordinal
      from ops.coverage
      cross join (values ('첫째', 100, '2025-08-01'), ('둘째', 150, '2025-09-01'), ('셋째', 60, '2026-11-11')) as nodes (node, sent, since)
      where date >= since::date`);
  });

  test('is of a range, keeps the order of all days, and tells of a node that began within it', async () => {
    const steps = await ask('journey-funnel', { start: '2026-11-01' });
    expect(steps).toMatchObject([
      { step: '1', user_journey_node_name: '첫째', sent: '2000', share_of_first: 1, is_new: false },
      { step: '2', user_journey_node_name: '둘째', sent: '3000', drop_off: null, is_new: false },
      {
        step: '3',
        user_journey_node_name: '셋째',
        sent: '600',
        drop_off: 0.8,
        is_new: true,
        began_on: '2026-11-11',
      },
    ]);
    expect(await ask('journey-funnel', { end: '2026-11-10' })).toHaveLength(2);
    // What the first day that is held holds may have begun before.
    expect(await ask('journey-funnel', { start: '2025-08-01', end: '2025-08-31' })).toMatchObject([
      { is_new: false },
    ]);
  });
});

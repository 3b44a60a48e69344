/** What is left of the month's budget, and what its nights will still cost. */
import { beforeEach, expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import { emptyWarehouse } from './support.js';

const { sql } = loadCatalogue().find(({ name }) => name === 'budget')!;
const warehouse = emptyWarehouse();

/** From Monday, 2 November on: a thousand records on each workday, 100 on Saturdays, 50 on Sundays, asked for the day after. */
beforeEach(async () => {
  await warehouse.connection.run(`
    delete from ops.budget;
    delete from ops.exports;
    delete from ops.days;
    insert into ops.budget by name
    select 2500 as records_per_run, 30000 as records_per_month, 0.5 as price_per_record, date '2026-11-02' as start_date;
    insert into ops.exports by name
    select
      date::varchar as key, date::date as date, 'loaded' as state, 'yes' as billed, 0.1 as price_per_record,
      case isodow(date) when 6 then 100 when 7 then 50 else 1000 end as records,
      (date + interval 31 hours) at time zone 'Asia/Seoul' as requested_at
    from generate_series(timestamp '2026-11-02', timestamp '2026-11-19', interval 1 day) as days (date)`);
});

async function budget(now: string): Promise<Record<string, unknown> | undefined> {
  await warehouse.connection.run(`set variable now = '${now}'`);
  const [row] = (await warehouse.connection.runAndReadAll(sql)).getRowObjectsJson();
  return row;
}

test('a request whose outcome is not known counts as expected', async () => {
  // Fourteen workdays and two weekends were asked for.
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    month: '2026-11',
    records_used: '14300',
    fee_used: 1430,
    records_left: '15700',
  });
  await warehouse.connection.run(`
    insert into ops.exports by name
    select '2026-11-20.1' as key, date '2026-11-20' as date, 'ambiguous' as state, 'maybe' as billed, 900 as estimated_records,
      0.1 as price_per_record, timestamptz '2026-11-21 07:10:00+09:00' as requested_at`);
  // The Friday that comes is like the three before it: 967 records.
  expect(await budget('2026-11-21T07:30:00+09:00')).toMatchObject({
    records_used: '15200',
    forecast_records: '20467',
  });
});

test('an export of unknown size tells nothing of the days of its weekday, and takes no record', async () => {
  await warehouse.connection.run(`
    delete from ops.exports where date in ('2026-11-07', '2026-11-14');
    insert into ops.exports by name
    select '2026-11-14.2' as key, date '2026-11-14' as date, 'abandoned' as state, 'yes' as billed,
      0.1 as price_per_record, timestamptz '2026-11-21 07:00:00+09:00' as requested_at`);
  // Saturdays have no history of their own, so that they are like the days of the last four weeks: 881 records.
  expect(await budget('2026-11-22T07:05:00+09:00')).toMatchObject({
    records_used: '14100',
    forecast_records: String(14_100 + 6 * 1000 + 2 * 881 + 2 * 50),
  });
});

test('a missing day is asked for, and one that is not wanted is not', async () => {
  await warehouse.connection.run(`
    delete from ops.exports where date in ('2026-11-05', '2026-11-06');
    insert into ops.days by name
    select 'events' as stream, unnest([date '2026-11-06', date '2026-11-20']) as date,
      unnest(['missing', 'not_complete']) as state, unnest([600, null]) as expected_records`);
  // The 6th lacks its export, and nothing is to be exported of the 5th.
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    forecast_records: String(12_300 + 600 + 6 * 1000 + 300),
  });
});

test('the forecast is what was used and what the days hold that are asked for until the end of the month', async () => {
  // The 20th to the 29th: Friday, a weekend, five workdays, a weekend. The 30th is asked for in December.
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    forecast_records: '20600',
    forecast_fee: 1430 + 6300 * 0.5,
    is_enough: true,
  });
  await warehouse.connection.run('update ops.budget set records_per_month = 20000');
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({ is_enough: false });
});

test('on the last morning of a month the next run counts for the next month', async () => {
  await warehouse.connection.run(`
    insert into ops.exports by name
    select date::varchar as key, date::date as date, 'loaded' as state, 'yes' as billed, 0.1 as price_per_record, 1 as records,
      (date + interval 31 hours) at time zone 'Asia/Seoul' as requested_at
    from generate_series(timestamp '2026-11-20', timestamp '2026-11-29', interval 1 day) as days (date)`);
  const row = await budget('2026-11-30T12:00:00+09:00');
  expect(row).toMatchObject({ records_used: '14310', forecast_records: '14310' });
});

test('a first night has no history to forecast from, and no budget no answer', async () => {
  await warehouse.connection.run('delete from ops.exports');
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    records_left: '30000',
    forecast_records: null,
    is_enough: null,
  });
  await warehouse.connection.run('update ops.budget set records_per_run = null, records_per_month = null');
  expect(await budget('2026-11-21T07:05:00+09:00')).toBeUndefined();
});

test('days that do not fit the budget of the month are counted', async () => {
  await warehouse.connection.run(`
    delete from ops.exports where date >= '2026-11-17';
    insert into ops.days by name
    select 'events' as stream, unnest([date '2026-11-17', date '2026-11-18', date '2026-11-19']) as date,
      'missing' as state, 1000 as expected_records;
    update ops.budget set records_per_run = 10000, records_per_month = 12100 + 1256`);
  // 11,300 records are used. Of the thirteen days until the end of the month, the weekend of the 28th and the workday before it fit.
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    records_left: '2056',
    forecast_records: String(11_300 + 9 * 1000 + 2 * 150),
    days_over_budget: '10',
    is_enough: false,
  });
});

test('costs are exact, with as many digits as the price has', async () => {
  await warehouse.connection.run(`
    update ops.budget set price_per_record = 0.00002, currency = 'KRW';
    update ops.exports set price_per_record = 0.00002`);
  expect(await budget('2026-11-21T07:05:00+09:00')).toMatchObject({
    fee_used: 0.286,
    forecast_fee: 0.412,
    currency: 'KRW',
  });
});

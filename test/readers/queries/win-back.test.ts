/** People who came back, counted by hand. */
import { beforeAll, expect, test } from 'vitest';
import { askBundled, emptyWarehouse, runScript } from './support.js';

const warehouse = emptyWarehouse();

beforeAll(async () => {
  await runScript(
    warehouse.connection,
    `
insert into ops.coverage (stream, date, rows, pull, loaded_at)
select 'events', unnest(generate_series(date '2026-11-01', date '2026-11-20', interval 1 day))::date, 1, 'x', now();
create or replace view marts.people as select 'device' as weaker_id, 'phoned' as person;
create or replace macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as user_id;
create or replace view own.conversions as
select
    person as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id,
    converted_at::timestamptz as converted_at,
    (converted_at::timestamptz at time zone 'Asia/Seoul')::date as date,
    1000.0::double as value,
    'KRW' as currency,
    'x' as goal
from (
    values
        ('messaged', '2026-10-04 12:00:00+09'), ('messaged', '2026-11-05 12:00:00+09'), ('messaged', '2026-11-06 12:00:00+09'),
        ('late', '2026-10-01 12:00:00+09'), ('late', '2026-11-18 12:00:01+09'),
        ('phoned', '2026-10-01 12:00:00+09'), ('phoned', '2026-11-10 12:00:00+09'),
        ('alone', '2026-10-01 12:00:00+09'), ('alone', '2026-11-19 12:00:00+09'),
        ('gone', '2026-10-01 12:00:00+09'),
        ('first', '2026-10-01 12:00:00+09'), ('first', '2026-11-02 12:00:00+09'),
        ('recent', '2026-10-05 00:00:00+09'), ('recent', '2026-11-05 12:00:00+09'),
        ('new', '2026-11-05 12:00:00+09')
) as given (person, converted_at);
create or replace view marts.event_people as
select
    (occurred_at::timestamptz at time zone 'Asia/Seoul')::date as date,
    occurred_at::timestamptz as occurred_at,
    kind,
    'email' as channel,
    'campaign' as resource_type,
    campaign as campaign_id,
    null::varchar as user_journey_id,
    person
from (
    values
        ('messaged', 'c1', 'succeeded', '2026-11-03 12:00:00+09'), ('messaged', 'c2', 'succeeded', '2026-11-04 12:00:00+09'),
        ('messaged', 'c3', 'clicked', '2026-11-04 12:00:00+09'),
        -- Fourteen days and a second before the purchase.
        ('late', 'c1', 'succeeded', '2026-11-04 12:00:00+09'),
        ('device', 'c1', 'succeeded', '2026-11-10 11:00:00+09'),
        -- After the purchase.
        ('first', 'c1', 'succeeded', '2026-11-02 12:00:01+09'),
        ('recent', 'c1', 'succeeded', '2026-11-03 12:00:00+09'), ('new', 'c1', 'succeeded', '2026-11-03 12:00:00+09')
) as given (person, campaign, kind, occurred_at);`,
  );
});

const rows = async (parameters: Record<string, string> = {}): Promise<unknown[]> =>
  (await askBundled(warehouse.connection, 'win-back', { start: '2026-11-01', ...parameters })).map(
    ({ got, resource_id: id, people, bought_again: back, revenue, lapsed_people: lapsed }) => [
      ...[got, id, Number(people), Number(back), Number(revenue), Number(lapsed)],
    ],
  );

test('purchases after the last message, within the window, and without one', async () => {
  expect(await rows()).toEqual([
    ['any_message', null, 3, 2, 2000, 6],
    ['message', 'c1', 3, 2, 2000, 6],
    ['message', 'c2', 1, 1, 1000, 6],
    ['nothing', null, 3, 2, 2000, 6],
  ]);
  expect((await rows({ window_days: '15' })).slice(0, 2)).toEqual([
    ['any_message', null, 3, 3, 3000, 6],
    ['message', 'c1', 3, 3, 3000, 6],
  ]);
});

test('who bought less than so many days before the first day is not lapsed', async () => {
  // Their last purchases were 31 days before, those of the one with messages 28, and of another 27.
  expect(await rows({ inactive_days: '29' })).toEqual([
    ['any_message', null, 2, 1, 1000, 5],
    ['message', 'c1', 2, 1, 1000, 5],
    ['nothing', null, 3, 2, 2000, 5],
  ]);
  expect((await rows({ inactive_days: '27' }))[0]).toEqual(['any_message', null, 4, 3, 3000, 7]);
  expect(await rows({ inactive_days: '32' })).toEqual([]);
});

test('purchases and messages after the end do not count', async () => {
  expect(await rows({ end: '2026-11-04' })).toEqual([
    ['any_message', null, 2, 0, 0, 6],
    ['message', 'c1', 2, 0, 0, 6],
    ['message', 'c2', 1, 0, 0, 6],
    ['nothing', null, 4, 1, 1000, 6],
  ]);
});

test('first buyers of a month bought again if they did by the last day', async () => {
  const months = async (start: string) =>
    (await askBundled(warehouse.connection, 'repeat-buyers', { by: 'month', start, end: '2026-11-20' })).map(
      ({ month, buyers, bought_again: back, revenue }) => [
        String(month),
        Number(buyers),
        Number(back),
        Number(revenue),
      ],
    );
  // Of seven first buyers in October, one never returned; one bought three times.
  expect(await months('2026-10-01')).toEqual([
    ['2026-10-01', 7, 6, 14_000],
    ['2026-11-01', 1, 0, 1000],
  ]);
  // The others had bought before.
  expect(await months('2026-11-01')).toEqual([['2026-11-01', 1, 0, 1000]]);
});

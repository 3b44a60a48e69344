/** Segments of an audience, counted by hand. */
import { beforeAll, expect, test } from 'vitest';
import { askBundled, emptyWarehouse, runScript } from './support.js';

const warehouse = emptyWarehouse();

beforeAll(async () => {
  await runScript(
    warehouse.connection,
    `
insert into ops.coverage (stream, date, rows, pull, loaded_at)
select
    stream, day::date, 1, 'x', now()
from (select unnest(['events', 'statistics']) as stream), generate_series(date '2026-11-01', date '2026-11-20', interval 1 day) as days (day);
create or replace macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as user_id;
create or replace view marts.people as select 'device' as weaker_id, 'phoned' as person;
create or replace view own.segments as
select
    'members' as audience,
    segment,
    value,
    person as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id
from (
    values
        ('tier', 'gold', 'clicks'), ('tier', 'gold', 'phoned'), ('tier', 'basic', 'reads'), ('tier', 'basic', 'nothing'),
        ('tier', 'basic', 'texted'), ('tier', null, 'unknown'), ('age', '20s', 'clicks')
) as given (segment, value, person);
drop table marts.daily_people;
create view marts.daily_people as
select person, channel, date '2026-11-10' as date, messages, 0 as failover_texts, clicked, 0 as shown
from (
    values
        ('clicks', 'email', 3, 1), ('device', 'email', 1, 0), ('reads', 'email', 2, 0),
        -- A channel that counts no clicks.
        ('texted', 'text-message', 5, 0),
        -- Nobody's segment.
        ('stranger', 'email', 9, 9)
) as given (person, channel, messages, clicked);
create or replace view own.conversions as
select
    person as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id,
    day::timestamptz as converted_at,
    day::date as date,
    amount::double as value,
    'KRW' as currency,
    'x' as goal
from (
    values
        ('clicks', '2026-11-11', 500), ('clicks', '2026-11-12', 100), ('nothing', '2026-11-12', 90),
        -- Before the range.
        ('reads', '2026-10-01', 7000)
) as given (person, day, amount);`,
  );
});

const SHOWN = [
  ...['segment', 'value', 'people', 'messaged_people', 'messages', 'clickable_people', 'clickers'],
  ...['click_rate', 'buyers', 'revenue', 'revenue_per_person'],
];

const answer = async (parameters: Record<string, string> = {}): Promise<string[]> =>
  (await askBundled(warehouse.connection, 'segments', { start: '2026-11-01', ...parameters })).map((row) =>
    SHOWN.map((name) => JSON.stringify(row[name] ?? '-').replaceAll('"', '')).join(' '),
  );

test('each person counts once in a segment, with or without messages; devices count for their person', async () => {
  expect(await answer({ segment: 'tier' })).toEqual([
    'tier gold 2 2 4 2 1 0.5 1 600 300',
    'tier basic 3 2 7 1 0 0 1 90 30',
    'tier - 1 0 0 0 0 - 0 0 0',
  ]);
});

test('the first segment by name is the default; another range and another name', async () => {
  expect(await answer()).toEqual(['age 20s 1 1 3 1 1 1 1 600 600']);
  expect(await answer({ segment: 'tier', start: '2026-11-12' })).toEqual([
    'tier gold 2 0 0 0 0 - 1 100 50',
    'tier basic 3 0 0 0 0 - 1 90 30',
    'tier - 1 0 0 0 0 - 0 0 0',
  ]);
  expect(await answer({ segment: 'nope' })).toEqual([]);
});

/** What `uplift` says of a holdout whose people got messages, counted by hand. */
import { beforeAll, expect, test } from 'vitest';
import { askBundled, emptyWarehouse, runScript } from './support.js';

const warehouse = emptyWarehouse();

beforeAll(async () => {
  await runScript(
    warehouse.connection,
    `
insert into ops.coverage (stream, date, rows, pull, loaded_at)
select stream, day::date, 1, 'x', now()
from (select unnest(['events', 'statistics']) as stream), generate_series(date '2026-11-01', date '2026-11-20', interval 1 day) as days (day);
insert into ops.holdouts by name
select holdout, 'table' as kind, 0.05 as smallest_effect, exempt from (values ('kept', ['news', 'orders']), ('leaks', ['orders'])) as given (holdout, exempt);
create or replace view own.holdouts as
select
    holdout, 'p' || n as user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
    if(n < 200, 'holdout', 'messages') as arm, null::double as share, date '2026-11-02' as assigned_on
from range(400) as people (n), (values ('kept'), ('leaks')) as holdouts (holdout);
create or replace view own.conversions as
select
    'p' || n as user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
    null::timestamptz as converted_at, date '2026-11-10' as date, 1000.0::double as value, 'KRW' as currency, null::varchar as goal
from range(400) as people (n);
-- The device is known as that of p4 only later.
insert into marts.identities by name
select marts.strongest_id(null, null, 'd4', null) as weaker_id, marts.strongest_id('p4', null, null, null) as stronger_id;
insert into marts.daily_people by name
select
    if(person = 'd4', marts.strongest_id(null, null, person, null), marts.strongest_id(person, null, null, null)) as person,
    day::date as date, 'email' as channel, 'campaign' as resource_type, campaign_id, messages, shown, 1 as clicked
from (
    values
        ('p1', '2026-11-05', 'news', 2, 0), ('p1', '2026-11-06', 'news', 1, 0), ('p2', '2026-11-20', 'news', 0, 1),
        ('d4', '2026-11-07', 'news', 1, 0), ('p1', '2026-11-08', 'sale', 9, 0),
        -- On the day of the assignment, by an exempt campaign, a click alone, after the last day, and of the other group.
        ('p5', '2026-11-02', 'news', 1, 0), ('p6', '2026-11-09', 'orders', 1, 0), ('p7', '2026-11-09', 'news', 0, 0),
        ('p8', '2026-11-21', 'news', 1, 0), ('p300', '2026-11-09', 'news', 1, 0)
) as given (person, day, campaign_id, messages, shown);`,
  );
});

const reached = async (parameters: Readonly<Record<string, string>> = {}): Promise<unknown[]> =>
  (await askBundled(warehouse.connection, 'uplift', parameters))
    .filter(({ metric }) => metric === 'revenue')
    .map(({ holdout, held_out_reached: people, reached_by_id: most }) => [holdout, Number(people), most]);

test('counts the people of a holdout whom messages reached, and names the campaign that reached the most of them', async () => {
  expect(await reached()).toEqual([
    ['kept', 1, 'sale'],
    ['leaks', 3, 'news'],
  ]);
  expect(await reached({ holdout: 'leaks', end: '2026-11-06' })).toEqual([['leaks', 1, 'news']]);
});

test('one absurd amount is answered too, without a number of people that do not exist', async () => {
  await runScript(
    warehouse.connection,
    `
alter view own.conversions rename to usual;
create view own.conversions as
select * replace (if(user_id = 'p300', 1e20, value) as value) from own.usual`,
  );
  const [revenue] = await askBundled(warehouse.connection, 'uplift', { holdout: 'kept' });
  expect(revenue).toMatchObject({ metric: 'revenue', verdict_code: 'inconclusive', people_needed: null });
});

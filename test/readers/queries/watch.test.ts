/** Campaigns to look at: only what is beyond luck, and only against what is held; and whole days that were restated. */
import { beforeEach, describe, expect, test } from 'vitest';
import { askBundled, emptyWarehouse } from './support.js';

const warehouse = emptyWarehouse();

/** Four weeks up to 20 November 2026; five campaigns with a thousand pushes a day, of which 40 are clicked. */
beforeEach(async () => {
  await warehouse.connection.run(`
    delete from ops.coverage;
    delete from daily_statistics;
    insert into ops.coverage by name
    select 'statistics' as stream, date::date as date, 1 as rows
    from generate_series(timestamp '2026-10-24', timestamp '2026-11-20', interval 1 day) as days (date);
    insert into daily_statistics by name
    select
      campaign || date::varchar as statistic_id, date, 'campaign' as resource_type, 'c' || campaign as campaign_id,
      'Campaign ' || campaign as campaign_name, 'push-notification' as channel, 1000 as message_sent,
      0 as message_failed, 900 as delivered, 40 as click, 1 as ordinal
    from ops.coverage cross join range(1, 6) as campaigns (campaign)`);
});

const ask = (name: string, parameters: Readonly<Record<string, string>> = {}) =>
  askBundled(warehouse.connection, name, parameters);

const watched = () => ask('campaigns-to-watch');

describe('a campaign', () => {
  test('that does as all others do is not looked at', async () => {
    expect(await watched()).toEqual([]);
  });

  test('that is clicked more, or less, than the others of its channel is', async () => {
    await warehouse.connection.run(`
      update daily_statistics set click = 60 where campaign_id = 'c1';
      update daily_statistics set click = 20 where campaign_id = 'c2'`);
    expect(await watched()).toMatchObject([
      {
        kind: 'best',
        campaign_name: 'Campaign 1',
        messages: '28000',
        click_rate: 0.06,
        click_rate_of_others: 0.035,
      },
      { kind: 'worst', campaign_name: 'Campaign 2', click_rate: 0.02, click_rate_of_others: 0.045 },
    ]);
  });

  test('of a name that another one has too is named with its id', async () => {
    await warehouse.connection.run(`
      update daily_statistics set campaign_name = 'Sale' where campaign_id in ('c1', 'c2');
      update daily_statistics set click = 60 where campaign_id = 'c1'`);
    expect(await watched()).toMatchObject([{ kind: 'best', campaign_name: 'Sale (c1)' }]);
  });

  test('is not looked at because one other campaign stands out, unless there are only two', async () => {
    await warehouse.connection.run(`
      update daily_statistics set message_sent = 5000, delivered = 4500, click = 400 where campaign_id = 'c1'`);
    expect(await watched()).toMatchObject([{ kind: 'best', campaign_name: 'Campaign 1' }]);
    await warehouse.connection.run(`update daily_statistics set click = 20 where campaign_id = 'c2'`);
    expect(await watched()).toMatchObject([{ campaign_name: 'Campaign 1' }, { campaign_name: 'Campaign 2' }]);
    await warehouse.connection.run(`delete from daily_statistics where campaign_id not in ('c1', 'c2')`);
    expect(await watched()).toMatchObject([
      { kind: 'best', campaign_name: 'Campaign 1' },
      { kind: 'worst', campaign_name: 'Campaign 2' },
    ]);
  });

  test('is compared with those of its own channel alone', async () => {
    await warehouse.connection.run(`
      update daily_statistics set channel = 'email', click = 200 where campaign_id in ('c1', 'c2')`);
    expect(await watched()).toEqual([]);
    await warehouse.connection.run(
      `update daily_statistics set click = null where campaign_id in ('c1', 'c2')`,
    );
    expect(await watched()).toEqual([]);
  });

  test('that is clicked less this week than the week before is falling, where both weeks are held', async () => {
    await warehouse.connection.run(
      `update daily_statistics set click = 25 where campaign_id = 'c3' and date > '2026-11-13'`,
    );
    const [falling, ...others] = (await watched()).filter(({ kind }) => kind === 'falling');
    expect(falling).toMatchObject({
      campaign_name: 'Campaign 3',
      week_click_rate: 0.025,
      previous_click_rate: 0.04,
    });
    expect(others).toEqual([]);
    await warehouse.connection.run(`delete from ops.coverage where date = '2026-11-09'`);
    expect((await watched()).filter(({ kind }) => kind === 'falling')).toEqual([]);
  });

  test('keeps the clicks of days on which it sent nothing', async () => {
    // Each campaign sends every other day, and is clicked on all days. The first sends half as much, every day.
    await warehouse.connection.run(`
      update daily_statistics set message_sent = 0, delivered = 0 where campaign_id <> 'c1' and day(date) % 2 = 0;
      update daily_statistics set message_sent = 2000 where campaign_id <> 'c1' and day(date) % 2 = 1`);
    expect(await watched()).toEqual([]);
  });

  test('whose messages all go to few people is judged by these people', async () => {
    await warehouse.connection.run(`update daily_statistics set click = 60 where campaign_id = 'c1'`);
    expect((await watched())[0]).toMatchObject({ kind: 'best', campaign_name: 'Campaign 1' });
    // Thirty people get all of them.
    await warehouse.connection.run(`
      insert into marts.daily_people by name
      select
        date, person::ubigint as person, 'push-notification' as channel, 'campaign' as resource_type,
        'c1' as campaign_id, 33 as messages, 0 as failover_texts, 0 as shown, 0 as clicked
      from ops.coverage cross join range(30) as people (person)`);
    expect(await watched()).toEqual([]);
    await warehouse.connection.run('delete from marts.daily_people');
  });
});

test('the rate of all hours is the rate, also where clicks are counted more than once', async () => {
  await warehouse.connection.run(`
    insert into ops.coverage by name select 'events' as stream, date from ops.coverage;
    insert into marts.daily_send_hours by name
    select
      date, date as sent_date, isodow(date) as weekday, 10 as hour, 'push-notification' as channel,
      'campaign' as resource_type, 'c1' as campaign_id, 100 as succeeded, 0 as failed, 300 as clicked,
      0 as machine_clicks, 0 as shown
    from ops.coverage where stream = 'events'`);
  expect(await ask('best-hours')).toMatchObject([
    { hour: 10, click_rate: 3, shrunk_click_rate: 3, click_rate_of_all: 3 },
  ]);
  await warehouse.connection.run('delete from marts.daily_send_hours');
});

/** Definitions that every query shares: what click rates of displays divide by, and how much counts rise after their day. */
import { beforeEach, describe, expect, test } from 'vitest';
import { askBundled, emptyWarehouse } from './support.js';

const warehouse = emptyWarehouse();

const ask = (name: string, parameters: Readonly<Record<string, string>> = {}) =>
  askBundled(warehouse.connection, name, parameters);

describe('a click rate', () => {
  /** 100 messages of a campaign that succeed, of which 50 are shown or delivered, and 10 clicked, on one day. */
  beforeEach(async () => {
    await warehouse.connection.run(`
      delete from ops.coverage;
      delete from daily_statistics;
      delete from daily_statistics_by_subchannel;
      insert into ops.coverage (stream, date) values
        ('statistics', '2026-11-20'), ('statistics_by_subchannel', '2026-11-20');
      insert into daily_statistics by name
      select
        channel as statistic_id, date '2026-11-20' as date, 'campaign' as resource_type, channel as campaign_id,
        channel as campaign_name, channel, 102 as message_sent, 2 as message_failed, delivered, 10 as click, 1 as ordinal
      from (values ('in-app-message', 50), ('in-web-message', null), ('push-notification', 50)) as given (channel, delivered);
      insert into daily_statistics_by_subchannel by name
      select
        statistic_id, date, campaign_id as resource_id, channel, 'COMMERCE' as channel_sub, message_sent, message_failed,
        delivered, click
      from daily_statistics`);
  });

  test.each(['campaign-days', 'campaign-performance', 'channel-summary', 'subchannels'])(
    'divides by what was shown where that is known, else by what was sent: %s',
    async (name) => {
      const rates = (await ask(name))
        .filter(({ channel }) => channel !== 'all')
        .map(({ channel, click_rate }) => [channel, click_rate]);
      expect(Object.fromEntries(rates)).toEqual({
        'in-app-message': 0.2,
        'in-web-message': 0.1,
        'push-notification': 0.1,
      });
    },
  );
});

test('it is unknown how many messages succeeded of which more failed than were sent', async () => {
  await warehouse.connection.run(`
    update daily_statistics set message_failed = 153 where channel = 'push-notification';
    update daily_statistics_by_subchannel set message_failed = 153 where channel = 'push-notification'`);
  const unknown = { failure_rate: 1.5, delivery_rate: null, click_rate: null };
  const push = { channel: 'push-notification' };
  expect(await ask('channel-summary', push)).toMatchObject([{ ...unknown, succeeded: null }]);
  expect(await ask('subchannels', push)).toMatchObject([unknown]);
});

test('it is unknown how many messages were sent where the service did not say, and not 0', async () => {
  const sent = (count: number | null): Promise<unknown> =>
    warehouse.connection.run(
      `update daily_statistics set message_sent = ${count} where channel = 'push-notification'`,
    );
  await sent(null);
  const rows = await ask('period-comparison', { measure: 'sent', end: '2026-11-20' });
  await sent(102);
  expect(rows.map(({ channel, value }) => [channel, value])).toEqual([
    ['in-app-message', 102],
    ['in-web-message', 102],
  ]);
});

test('messages without a channel are no total', async () => {
  await warehouse.connection.run(
    "update daily_statistics set channel = null where channel = 'push-notification'",
  );
  const rows = await ask('channel-summary');
  expect(rows.map(({ channel, sent }) => [channel, sent])).toEqual([
    ['in-app-message', '102'],
    ['in-web-message', '102'],
    [null, '102'],
    ['all', '306'],
  ]);
});

describe('how much counts rise', () => {
  /**
   * Days from 1 to 20 November, each pulled on the four mornings after it; all but the last ones had 100 clicks on the
   * first morning, 10 more on the second and 15 more on the fourth.
   */
  beforeEach(async () => {
    await warehouse.connection.run(`
      delete from ops.coverage;
      delete from ops.loads;
      delete from ops.restatements;
      delete from daily_statistics;
      insert into ops.coverage by name
      select 'statistics' as stream, date::date as date
      from generate_series(timestamp '2026-11-01', timestamp '2026-11-20', interval 1 day) as days (date);
      insert into ops.loads by name
      select
        'p' || morning::date::varchar as pull, 'statistics' as stream, morning::date - 4 as first_date,
        morning::date - 1 as last_date, (morning::date::varchar || ' 07:10:00+09:00')::timestamptz as pulled_at
      from generate_series(timestamp '2026-11-02', timestamp '2026-11-21', interval 1 day) as mornings (morning);
      insert into daily_statistics by name
      select
        date::varchar as statistic_id, date, 'campaign' as resource_type, 'c1' as campaign_id, 'push-notification' as channel,
        1000 as message_sent, 0 as message_failed, 125 as click, 1 as ordinal
      from ops.coverage;
      insert into ops.restatements by name
      select
        date, date::varchar as statistic_id, 'click' as counter, before, after,
        ((date + age)::varchar || ' 07:10:00+09:00')::timestamptz as detected_at
      from ops.coverage
      cross join (values (2, 100, 110), (4, 110, 125)) as changes (age, before, after)`);
  });

  const clicks = async () => (await ask('restatements-by-age')).filter(({ counter }) => counter === 'click');

  test('is the median over days that were asked for again, by their age', async () => {
    expect(await clicks()).toMatchObject([
      { counter: 'click', age_days: '1', days: '13', median_rise: 0.25 },
      { counter: 'click', age_days: '2', days: '13', median_rise: 0.136364 },
      { counter: 'click', age_days: '3', days: '13', median_rise: 0.136364 },
    ]);
    const sent = (await ask('restatements-by-age')).find(({ counter }) => counter === 'message_sent');
    expect(sent).toMatchObject({ age_days: '1', days: '13', median_rise: 0 });
  });

  test('is not said from fewer than seven days, nor of days that were asked for once', async () => {
    await warehouse.connection.run(`delete from ops.loads where last_date > '2026-11-06'`);
    expect((await clicks()).map(({ median_rise }) => median_rise)).toEqual([null, null, null]);
    await warehouse.connection.run(`update ops.loads set first_date = last_date`);
    expect(await clicks()).toEqual([]);
  });
});

test('a rate counts what became of the messages that it divides by, and no others', async () => {
  const { connection } = warehouse;
  const found = await connection.runAndReadAll(`
    select performance.* from (
      select marts.performance(days) as performance
      from (values
        (100, 10, 90, 50, 9, 5, 1, ['구매'], 90, 90, 90),
        (null, null, null, 30, 9, 5, 1, ['구매'], null, null, null),
        (100, null, null, null, null, null, null, ['구매'], null, null, null)
      ) as days (sent, failed, succeeded, delivered, clicked, conversions, direct_conversions, goals, deliverable, clickable, convertible)
    )`);
  expect(found.getRowObjectsJson()).toMatchObject([
    {
      sent: '200',
      delivered: '80',
      failure_rate: 0.1,
      delivery_rate: 50 / 90,
      click_rate: 0.1,
      conversion_rate: 5 / 90,
    },
  ]);
});

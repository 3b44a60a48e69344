/** What the performance marts say of statistics whose answer can be worked out by hand: rates, names, goals. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Pull } from '../../src/landing/landing-zone.js';
import {
  asked,
  dayAfter,
  loadOne,
  micros,
  modelled,
  NOW,
  record,
  shared,
  statistic,
  type Row,
  Workshop,
} from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-16';

long('clicks that are counted later divide by the messages from the first one on', async () => {
  const push = (id: string, date: string, more: Row = {}): Row =>
    record({
      id,
      time: micros(date),
      message_data: { title: '제목', body: '본문', link: 'app://a' },
      ...more,
    });
  const events = (date: string, clicks: number): Row[] => [
    ...Array.from({ length: 10 }, (_, n) => push(`${date}-${n}`, date, { user_id: `u${n}` })),
    ...Array.from({ length: clicks }, (_, n) =>
      push(`${date}-click-${n}`, date, { user_id: `u${n}`, event_name: 'push_click' }),
    ),
  ];
  const workshop = await modelled((workshop) => [
    workshop.events(DAY, [events(DAY, 0)]),
    workshop.events(dayAfter(DAY), [events(dayAfter(DAY), 5)]),
  ]);
  expect(await workshop.lines('select clicks_since::varchar as since from marts.channel_counters')).toEqual([
    dayAfter(DAY),
  ]);
  const rates = async (relation: string): Promise<unknown[]> =>
    (await workshop.look(`select click_rate from ${relation} where succeeded > 0 order by 1`)).map(
      ({ click_rate }) => click_rate,
    );
  expect(await rates('marts.content_performance')).toEqual([0.5]);
  expect(await rates('marts.send_time_heatmap')).toEqual([0.5, null]);
});

test('direct conversions without a total leave the total unknown', async () => {
  const direct = (campaign_id: string, count: number): Row =>
    statistic({
      date: DAY,
      campaign_id,
      conversion: [{ name: '구매', type: 'direct_count_conversion', count }],
    });
  const world = await modelled((workshop) => [
    workshop.statistics({ start: DAY, end: DAY }, [direct('c1', 28), direct('c2', 0)]),
  ]);
  expect(
    await world.look('select conversions, direct_conversions from marts.conversions order by 2'),
  ).toEqual([
    { conversions: '0', direct_conversions: '0' },
    { conversions: null, direct_conversions: '28' },
  ]);
});

describe('goals', () => {
  const conversion = (name: string, count: number, direct = 0): Row[] => [
    { name, type: 'total_count_conversion', count },
    { name, type: 'direct_count_conversion', count: direct },
  ];
  const NEXT = dayAfter(DAY);
  /** c1 sells a little more than it registers, in all; on the first day it is the other way round. */
  const twoDays = (workshop: Workshop): Pull[] => [
    workshop.statistics({ start: DAY, end: NEXT }, [
      statistic({ date: DAY, conversion: [...conversion('구매', 1, 1), ...conversion('가입', 5)] }),
      statistic({ date: DAY, channel: 'webhook', delivered: null, click: null }),
      statistic({ date: NEXT, conversion: [...conversion('구매', 6), ...conversion('가입', 1)] }),
      // The service need not name a goal that nobody reached.
      statistic({ date: NEXT, campaign_id: 'c2', conversion: [] }),
      statistic({ date: DAY, campaign_id: 'c2', conversion: conversion('가입', 2) }),
      statistic({
        date: DAY,
        campaign_id: 'c3',
        conversion: [...conversion('나', 1), ...conversion('가', 1)],
      }),
    ]),
  ];
  const world = shared(() => modelled(twoDays));
  const days =
    'select date::varchar as date, resource_id, channel, goal, conversions, convertible from marts.message_days';

  test('conversions are those of the goal with most of them when it is chosen, ties by name', async () => {
    const push = { channel: 'push-notification', convertible: '9' };
    expect(await world.look(`${days} order by resource_id, date, channel`)).toEqual([
      { date: DAY, resource_id: 'c1', ...push, goal: '구매', conversions: '1' },
      { date: DAY, resource_id: 'c1', channel: 'webhook', goal: null, conversions: null, convertible: null },
      { date: NEXT, resource_id: 'c1', ...push, goal: '구매', conversions: '6' },
      { date: DAY, resource_id: 'c2', ...push, goal: '가입', conversions: '2' },
      { date: NEXT, resource_id: 'c2', ...push, goal: '가입', conversions: '0' },
      { date: DAY, resource_id: 'c3', ...push, goal: '가', conversions: '1' },
    ]);
    expect(
      await world.lines(
        `select conversions, convertible, conversion_rate from marts.channel_days
        where channel = 'push-notification' order by date`,
      ),
    ).toEqual(['- | - | -', '- | - | -']);
  });

  test('conversions of different goals are never added up: the goals are listed, and one can be asked for', async () => {
    const both = { conversions: null, conversion_rate: null, goals: '가, 가입, 구매' };
    const push = { channel: 'push-notification' };
    const first = (name: string, values: Record<string, string> = {}): Promise<Row | undefined> =>
      asked(world, name, { ...push, end: NEXT, ...values }).then((rows) =>
        rows.find((row) => row['measure'] === undefined || row['measure'] === 'conversion_rate'),
      );
    expect(await first('channel-summary')).toMatchObject(both);
    expect(await first('channel-summary', { by: 'week' })).toMatchObject(both);
    expect(await first('tags')).toMatchObject(both);
    const { conversion_rate: value, goals } = both;
    for (const by of ['channel', 'all'])
      expect(await first('period-comparison', { by })).toMatchObject({ value, goals });
    const one = { goal: '가입' };
    // Six of c1 and two of c2 on 36 messages; c3 does not count it.
    const of = { conversions: '8', goals: '가입' };
    expect(await first('channel-summary', { ...one, by: 'day' })).toMatchObject({
      conversions: '7',
      goals: '가입',
    });
    expect(await first('channel-summary', { ...one, by: 'week' })).toMatchObject({
      ...of,
      conversion_rate: 0.222222,
    });
    expect(await first('tags', one)).toMatchObject({ ...of, conversion_rate: 0.222222 });
    expect(await first('period-comparison', one)).toMatchObject({ value: 0.222222, goals: '가입' });
    // Marts that are added up again do not add them up either.
    expect(
      await world.look(
        `select unnest(marts.performance(channel_days)) from marts.channel_days where channel = 'push-notification'`,
      ),
    ).toMatchObject([{ sent: '50', conversions: null, goals: ['가', '가입', '구매'] }]);
  });

  const mainGoal = (workshop: Workshop): Promise<Row> =>
    workshop.lookOne(`select goal, conversions from marts.goals where resource_id = 'c1' and is_main`);

  test(
    'the main goal is chosen once: it is told when another would win, and a setting changes it',
    { tags: ['long'] },
    async () => {
      const workshop = await modelled(twoDays);
      const chosen = `select resource_id, goal, chosen_on::varchar as chosen_on, chosen_by from ops.main_goals order by all`;
      const by = { chosen_on: '2026-11-21', chosen_by: 'rule' };
      expect(await workshop.look(chosen)).toEqual([
        { resource_id: 'c1', goal: '구매', ...by },
        { resource_id: 'c2', goal: '가입', ...by },
        { resource_id: 'c3', goal: '가', ...by },
      ]);
      await workshop.load(
        workshop.statistics(NEXT, [
          statistic({ date: NEXT, conversion: [...conversion('가입', 70), ...conversion('구매', 6)] }),
        ]),
      );
      expect(await workshop.findings()).toMatchObject([
        { name: 'main_goals', severity: 'warn', subject: 'c1', expected: '구매: 7', actual: '가입: 75' },
      ]);
      expect(await mainGoal(workshop)).toEqual({ goal: '구매', conversions: '7' });

      const under = async (mainGoals: Record<string, string>): Promise<void> => {
        await workshop.close();
        Object.assign(workshop.options, { mainGoals });
      };
      await under({ c1: '가입' });
      expect(await workshop.findings()).toEqual([]);
      expect(await mainGoal(workshop)).toEqual({ goal: '가입', conversions: '75' });
      await under({ c1: '가임' });
      expect(await workshop.findings()).toMatchObject([
        { name: 'main_goals', subject: 'c1', expected: '가입, 구매', actual: '가임' },
      ]);
    },
  );

  test('the main goal of before holds in a warehouse that is made anew, and after a setting', async () => {
    const workshop = new Workshop({ mainGoals: { c1: '구매' } });
    await workshop.with(async (warehouse) => {
      const begun = { runId: 'r1', command: 'run', at: NOW, version: '1', processId: 1 };
      const digest = createHash('sha256').update('c1\n가입').digest('hex');
      const summary = { main_goal_digests: [digest] };
      await warehouse.note({
        runs: [{ begun, over: { runId: 'r1', at: NOW, exitCode: 0, outcome: 'done', summary } }],
      });
      for (const pull of twoDays(workshop)) await loadOne(warehouse, pull);
      expect(await refreshModels(warehouse)).toEqual({ c2: '가입', c3: '가' });
    });
    expect(await mainGoal(workshop)).toMatchObject({ goal: '구매' });
    await workshop.close();
    Object.assign(workshop.options, { mainGoals: {} });
    await workshop.with(refreshModels);
    expect(await mainGoal(workshop)).toMatchObject({ goal: '가입' });
    expect(await workshop.lookOne(`from ops.main_goals where resource_id = 'c1'`)).toMatchObject({
      chosen_by: 'rule',
    });
  });
});

test(
  'an unsubscribe is no click, nor is what the settings name, and a changed list counts old days again',
  { tags: ['long'] },
  async () => {
    const names = [
      'send_success',
      'email_click',
      'unsubscribe_click',
      'email_optout_link_click',
      'survey_no_click',
    ];
    const rows = names.map((event_name, n) =>
      record({
        id: `e${n}`,
        channel: 'email',
        event_name,
        user_id: `u${n % 2}`,
        time: micros(DAY, 40_000 + 60 * n),
      }),
    );
    const workshop = await modelled((workshop) => [workshop.events(DAY, [rows])]);
    const clicked = async (): Promise<string[]> =>
      workshop.lines(
        "select string_agg(distinct event_name, ', ' order by event_name) from marts.daily_events where kind = 'clicked'",
      );
    expect(await clicked()).toEqual(['email_click, survey_no_click']);
    expect(
      await workshop.lines('select sum(clicked)::integer from marts.daily_people where clicked > 0'),
    ).toEqual(['2']);
    await workshop.close();
    Object.assign(workshop.options, { notClicks: ['survey_no_click'] });
    await workshop.with(refreshModels);
    expect(await clicked()).toEqual(['email_click']);
    await workshop.close();
    Object.assign(workshop.options, { notClicks: [] });
    await workshop.with(refreshModels);
    expect(await clicked()).toEqual(['email_click, survey_no_click']);
  },
);

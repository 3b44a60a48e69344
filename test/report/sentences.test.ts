/** Each sentence of the report is a claim: a world in which it is true, and one in which it is false. */
import { describe, expect, test } from 'vitest';
import type { Language } from '../../src/dictionary/dictionary.js';
import { Page } from '../../src/report/page.js';
import { campaigns } from '../../src/report/parts/campaigns.js';
import { channels } from '../../src/report/parts/channels.js';
import { freshness, restated } from '../../src/report/parts/freshness.js';
import { headline } from '../../src/report/parts/headline.js';
import { hours } from '../../src/report/parts/hours.js';
import { journeys } from '../../src/report/parts/journeys.js';
import { pressure } from '../../src/report/parts/pressure.js';
import { responses } from '../../src/report/parts/responses.js';
import { revenue } from '../../src/report/parts/revenue.js';
import { DAY, shown, textOf } from './shown.js';

describe('the last seven days', () => {
  const measure = (name: string, value: number | null, previous: number | null) => ({
    measure: name,
    value,
    previous,
    change: value === null || previous === null ? null : value / previous - 1,
    days_missing: 0,
    previous_days_missing: 0,
    goals: name === 'conversion_rate' ? '가입, 구매' : null,
  });
  const sent = measure('sent', 100_000, 80_000);

  test('say more, fewer, or why they are not compared', () => {
    expect(shown(headline, [[sent], []]).sentence).toContain('25.0\u00a0% more than in the week before');
    expect(shown(headline, [[measure('sent', 80_000, 100_000)], []]).sentence).toContain('20.0\u00a0% fewer');
    const goals = shown(headline, [[sent, measure('conversion_rate', null, null)], []]).sentence;
    expect(goals).toContain('Campaigns count different goals');
    expect(shown(headline, [[measure('sent', 10, 10)], []]).sentence).toContain(
      'as many as in the week before',
    );
    const young = { ...measure('sent', 10, null), previous_days_missing: 7 };
    const { sentence } = shown(headline, [[young], []]);
    expect(sentence).toContain('of these two weeks 7 days are not held');
    expect(sentence).not.toMatch(/more than|fewer/);
  });
});

describe('notes', () => {
  const rise = (counter: string, median_rise: number | null, age_days = 1) => ({
    counter,
    age_days,
    days: 34,
    median_rise,
  });
  const sent = {
    measure: 'sent',
    value: 1,
    previous: 1,
    change: 0,
    days_missing: 0,
    previous_days_missing: 0,
    goals: null,
  };
  const noteOf = (risen: readonly unknown[], language: Language = 'en') =>
    shown(headline, [[sent], risen], {}, language).note;

  test('say how much the newest days rise, where earlier days tell', () => {
    const risen = [
      rise('message_sent', 0),
      rise('click', 0.021),
      rise('click', 0.5, 2),
      rise('conversion', 0.1),
    ];
    expect(noteOf(risen)).toContain(
      'The newest days are not final: after the first morning they usually rise, clicks by 2.1\u00a0%, conversions by 10.0\u00a0% (median of 34 days).',
    );
    expect(noteOf([rise('click', 0), rise('message_sent', 0)])).toContain(
      'Counts usually do not change after the first morning (median of 34 days).',
    );
    for (const few of [[], [rise('click', null)]]) {
      expect(noteOf(few)).toContain('too few earlier days were asked for again');
      expect(noteOf(few)).not.toContain('median');
    }
  });

  test('warn of machines where e-mails are shown, and only there', () => {
    const clicks = (channel: string, responses: number, quick: number) => ({
      channel,
      resource_name: '가',
      response: 'clicked',
      responses,
      p50_seconds: 1,
      p90_seconds: 2,
      p99_seconds: 3,
      share_within_hour: 1,
      quick_click_share: quick,
    });
    // 40 of 100 e-mails, and 0 of 300; the pushes do not count.
    const mails = [clicks('email', 100, 0.4), clicks('email', 300, 0), clicks('push-notification', 900, 1)];
    expect(shown(responses, [mails]).note).toContain(
      'Of the clicks on e-mails, 10.0\u00a0% came within two seconds',
    );
    expect(shown(responses, [mails.slice(2)]).note).toBeUndefined();
  });
});

describe('freshness', () => {
  const stream = (name: string) => ({
    stream: name,
    first_date: '2026-11-01',
    last_date: DAY,
    days_held: 20,
    days_missing: 0,
    last_pulled_at_kst: '2026-11-21 07:30:00',
  });
  const held = [stream('statistics_by_subchannel'), stream('events')];
  const gap = (name: string) => ({ stream: name, first_day: '2026-11-19', last_day: DAY, days: 2 });

  test('says that no day is missing only after a run that was complete', () => {
    const whole = shown(freshness, [held, []]);
    expect(whole.sentence).toBe('No day is missing up to 2026-11-20, the last complete one.');
    expect(whole.toDo).toEqual([]);
    const doubtful = shown(freshness, [held, []], { isIncomplete: true });
    expect(doubtful.sentence).not.toContain('the last complete one');
    expect(doubtful.sentence).toContain('the last run is incomplete');
  });

  test('names what is missing for people, and the command that brings it', () => {
    const free = shown(freshness, [held, [gap('statistics_by_subchannel')]]);
    expect(free.sentence).toContain('Daily statistics by sub-channel 2026-11-19 – 2026-11-20');
    expect(free.toDo).toMatchObject([{ command: 'dawnload run' }]);
    expect(free.toDo?.[0]?.reason).toContain('2 days');
    expect(shown(freshness, [held, [gap('events')]]).toDo).toMatchObject([{ command: 'dawnload plan' }]);
    expect(textOf(free.body)).not.toContain('statistics_by_subchannel');
    expect(free.note).toContain('KST day only in a session of Asia/Seoul');
    const five = ['01', '03', '05', '07', '09'].map((day) => ({
      ...gap('events'),
      ...{ first_day: `2026-11-${day}`, last_day: `2026-11-${day}`, days: 1 },
    }));
    expect(shown(freshness, [held, five]).sentence).toContain('Events (paid) 2026-11-07, ….');
  });
});

describe('channels by day', () => {
  const day = (channel: string, sent: number) => ({
    date: DAY,
    channel,
    sent,
    delivered: null,
    clicked: null,
    conversions: null,
    goals: null,
  });

  test('the largest is named with its messages, and smaller ones are counted when they are left out', () => {
    const { sentence } = shown(channels, [[day('email', 10), day('push-notification', 30)]]);
    expect(sentence).toContain('push-notification sent the most: 30 of 40 messages.');
    expect(sentence).not.toContain('left out');
    expect(shown(channels, [[day('email', 10)]]).note).toContain('Sent is not reached');
    const many = Array.from({ length: 14 }, (_, n) => day(`channel-${n}`, 100 - n));
    expect(shown(channels, [many]).sentence).toContain('2 smaller channels are left out.');
  });

  test('conversions are added up over days of one goal, and of several goals the goals are named', () => {
    const of = (goals: string, conversions: number | null) => ({ ...day('email', 10), goals, conversions });
    const body = (...days: unknown[]): { markup: string } => shown(channels, [days]).body;
    const one = body(of('구매', 3), of('구매', 4));
    expect(one.markup).toMatch(/>\s*7\s*</);
    expect(textOf(one)).not.toContain('added up');
    for (const mixed of [body(of('구매', 3), of('가입', 4)), body(of('가입, 구매', null))]) {
      expect(textOf(mixed)).toContain('Conversions of different goals are not added up: 가입, 구매.');
      expect(mixed.markup).not.toMatch(/>\s*7\s*</);
    }
  });
});

describe('campaigns to look at', () => {
  const campaign = (kind: string) => ({
    kind,
    campaign_name: `${kind} 캠페인`,
    channel: 'email',
    messages: 1000,
    click_rate: 0.05,
    click_rate_of_others: 0.04,
    week_click_rate: 0.02,
    previous_click_rate: 0.06,
    quick_click_share: 0.12,
  });

  test('name the best, the worst and how many fell, and nothing to do where none is poor', () => {
    const all = shown(campaigns, [['best', 'worst', 'falling'].map(campaign)]);
    expect(all.sentence).toContain(
      '“best 캠페인” is clicked most above its channel: 5.0\u00a0% instead of 4.0\u00a0%.',
    );
    expect(all.sentence).toContain('“worst 캠페인” is clicked least');
    expect(all.sentence).toContain('Falling this week: 1.');
    expect(all.toDo?.map(({ reason }) => reason).join()).toContain('2.0\u00a0% instead of 6.0\u00a0%');
    expect(all.note).toContain('Machines open and click e-mails too');
    expect(textOf(all.body)).toContain('email · 12.0\u00a0% of clicks within 2 s');
    const pushes = shown(campaigns, [[{ ...campaign('best'), channel: 'push-notification' }]]);
    expect(pushes.note).not.toContain('Machines');
    expect(textOf(pushes.body)).not.toContain('within 2 s');
    const best = shown(campaigns, [[campaign('best')]]);
    expect(best.sentence).toContain('None fell clearly this week.');
    expect(best.sentence).not.toContain('clicked least');
    expect(best.toDo).toEqual([]);
  });
});

describe('when messages are clicked', () => {
  const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const week = (value: number, special?: number) =>
    Array.from({ length: 24 }, (_, hour) => ({
      hour,
      ...Object.fromEntries(
        WEEKDAYS.map((day) => [
          day,
          special !== undefined && day === 'tuesday' && hour === 9 ? special : value,
        ]),
      ),
    }));
  const push = { channels: ['push-notification'] };

  test('an hour is named where it is clearly above its channel', () => {
    const { sentence } = shown(hours, [week(0.05, 0.12), week(500)], push);
    expect(sentence).toContain(
      'On push-notification, messages sent on Tuesday from 9:00 are clearly clicked more than others: 12.0\u00a0% of 500, where all have 5.0\u00a0%.',
    );
  });

  test('no hour is named from a cell below the threshold, nor where chance explains it', () => {
    // 11 of 92 are 12 %, of too few messages.
    const few = shown(hours, [week(0.05, 0.12), week(500, 92)], push);
    // Nor is its number to be read, in the picture or in the table.
    expect(textOf(few.body)).not.toContain('12.0');
    expect(textOf(few.body)).toContain('5.0');
    const chance = shown(hours, [week(0.05, 0.06), week(500)], push).sentence;
    for (const sentence of [few.sentence, chance]) {
      expect(sentence).toContain('no hour of a weekday is clearly clicked more');
      expect(sentence).not.toContain('Tuesday');
    }
  });
});

describe('journeys, responses and pressure', () => {
  const step = (n: number, drop: number | null) => ({
    user_journey_id: 'uj-1',
    user_journey_name: '온보딩',
    step: n,
    user_journey_node_name: `단계 ${n}`,
    sent: 100,
    share_of_first: 1,
    drop_off: drop,
    click_rate: null,
    conversion_rate: null,
    channels: 'email',
  });

  test('the step with the largest drop is named, where there is one', () => {
    const { sentence } = shown(journeys, [[step(1, null), step(2, 0.2), step(3, 0.5)]]);
    expect(sentence).toContain('before “단계 3” in “온보딩”: 50.0\u00a0% fewer messages');
    // A step that got no fewer messages is no drop.
    for (const steps of [[step(1, null)], [step(1, null), step(2, -0.1)]]) {
      const without = shown(journeys, [steps]).sentence;
      expect(without).toContain('1 user journey sent messages');
      expect(without).not.toContain('drop');
      expect(without).not.toContain('left out');
    }
    const many = Array.from({ length: 8 }, (_, n) => ({ ...step(1, null), user_journey_id: `uj-${n}` }));
    expect(shown(journeys, [many]).sentence).toContain('2 smaller journeys are left out.');
    expect(shown(journeys, [many]).note).toContain('not the same people');
  });

  const times = (resource_name: string, response: string, p50_seconds: number) => ({
    channel: 'push-notification',
    resource_name,
    response,
    responses: 100,
    p50_seconds,
    p90_seconds: 40,
    p99_seconds: 60,
    share_within_hour: 1,
    quick_click_share: response === 'clicked' ? 0.04 : null,
  });

  test('the slowest clicks are named, and deliveries of one channel are said once', () => {
    const found = [
      times('가', 'clicked', 60),
      times('나', 'clicked', 7200),
      times('가', 'delivered', 21),
      times('나', 'delivered', 23),
    ];
    const { sentence, body } = shown(responses, [found]);
    expect(sentence).toContain(
      'Half of the clicks on “나” (push-notification) come within 2\u00a0h, the longest',
    );
    expect(textOf(body)).toContain('2 campaigns or journeys');
    expect(textOf(body)).toContain('21\u00a0s … 23\u00a0s');
    expect(shown(responses, [[times('가', 'delivered', 21)]]).sentence).not.toContain('Half of the clicks');
    // One is not the longest of several, and where all are shown none is left out.
    const alone = shown(responses, [[times('가', 'clicked', 60)]]).sentence;
    expect(alone).not.toContain('longest');
    expect(alone).toContain('All campaigns and channels');
    const many = Array.from({ length: 12 }, (_, n) => times(`캠페인 ${n}`, 'clicked', 60));
    expect(shown(responses, [many]).sentence).toContain('The 10 of 12 pairs');
  });

  const people = (messages_per_person: string, days_held: number) => ({
    messages_per_person,
    users: 50,
    share_of_users: 0.5,
    click_rate: 0.04,
    clicker_share: 0.1,
    window_days: 28,
    days_held,
  });

  test('people who get most are compared with others only where there are others, and clicks', () => {
    const both = [people('1', 28), { ...people('21+', 28), click_rate: 0.02 }];
    const { sentence, note } = shown(pressure, [both]);
    expect(sentence).toBe(
      'In 28 days 50.0\u00a0% of the people who got messages got 21 or more. They clicked 2.0\u00a0% of them; people who got 1 clicked 4.0\u00a0%.',
    );
    expect(note).toContain('differ in other ways too');
    expect(shown(pressure, [both], {}, 'ko').sentence).toContain('메시지를 21건 이상 받았습니다.');
    expect(shown(pressure, [[people('6-10', 28)]]).sentence).toBe(
      'In 28 days 50.0\u00a0% of the people who got messages got 6 to 10.',
    );
    expect(shown(pressure, [[people('1', 7), people('2', 7)]]).sentence).toContain(
      'Events of 7 of the 28 days are held',
    );
    const silent = both.map((step) => ({ ...step, click_rate: null }));
    expect(shown(pressure, [silent]).sentence).not.toContain('clicked');
  });
});

describe('revenue', () => {
  const sales = (campaign_name: string, sold: number, given: object = {}) => ({
    campaign_id: campaign_name,
    campaign_name,
    variant_name: null,
    succeeded: 100,
    conversions: 10,
    revenue: sold,
    revenue_per_message: sold / 100,
    goal: '구매 완료',
    is_winner: null,
    ...given,
  });

  test('the largest, and the largest per message, are named; a variant only when it has won', () => {
    const arm = { variant_name: 'B', is_winner: false };
    const found = [sales('가', 1000), sales('나', 900, { revenue_per_message: 90 }), sales('가', 500, arm)];
    const { sentence } = shown(revenue, [found]);
    expect(sentence).toBe('“가” sold the most in 28 days: 1,000. Most per message: “나”, 90.');
    const won = shown(revenue, [
      [...found, sales('가', 600, { variant_name: 'C', is_winner: true })],
    ]).sentence;
    expect(won).toContain('C of “가” sells more per message than the other variants.');
    // Alone, a campaign sells most per message too; eleven are more than are shown.
    expect(shown(revenue, [[sales('가', 1000)]]).sentence).toBe('“가” sold the most in 28 days: 1,000.');
    const many = Array.from({ length: 11 }, (_, n) => sales(`캠페인 ${n}`, 100 + n));
    expect(shown(revenue, [many]).sentence).toContain('The 10 largest of 11 campaigns with sales are shown.');
    expect(revenue.show([[sales('가', 0)]], new Page('en', DAY, DAY))).toBeUndefined();
  });
});

test('restated days count each day once, and name the latest change', () => {
  const change = (date: string, days_after: number) => ({
    date,
    counter: 'click',
    difference: 3,
    statistics_changed: 1,
    days_after,
  });
  const { sentence } = shown(restated, [
    [change('2026-11-18', 3), change('2026-11-18', 2), change('2026-11-19', 1)],
  ]);
  expect(sentence).toContain('changed 2 after it had given them, the latest 3 days later');
});

/** What the marts say of days whose answer can be worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { Pull } from '../../src/storage/pull.js';
import { dayAfter, micros, record, statistic, Workshop, type Row } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';

async function modelled(pulls: (workshop: Workshop) => readonly Pull[]): Promise<Workshop> {
  const workshop = new Workshop();
  await workshop.with(async (warehouse) => {
    for (const pull of pulls(workshop)) await warehouse.load(pull);
    await warehouse.model();
  });
  return workshop;
}

const variant = (name: string, more: Row): Row =>
  statistic({
    date: DAY,
    variant_id: `c1-${name}`,
    variant_name: name,
    message_failed: 0,
    conversion: [],
    ...more,
  });

/** An A/B test that ran from a Monday for as many days as there are; each variant has the same numbers every day. */
function abTest(days: number, variants: Record<string, { sent: number; click: number }>): Promise<Workshop> {
  return modelled((workshop) => [
    workshop.statistics(
      { start: DAY, end: dayAfter(DAY, days - 1) },
      Array.from({ length: days }, (_, day) =>
        Object.entries(variants).map(([name, { sent, click }]) =>
          variant(name, { date: dayAfter(DAY, day), message_sent: sent, delivered: sent, click }),
        ),
      ).flat(),
    ),
  ]);
}

const click = (columns: string): string =>
  `select ${columns} from marts.ab_tests where metric = 'click' order by variant_name`;

describe('daily performance', () => {
  test('rates leave out the messages whose clicks nobody counts, and are null rather than zero', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics(DAY, [
        statistic({ date: DAY, message_sent: 11, message_failed: 1, delivered: 8, click: 2 }),
        statistic({
          date: DAY,
          campaign_id: 'c2',
          message_sent: 100,
          message_failed: 0,
          delivered: null,
          click: null,
        }),
        statistic({ date: DAY, channel: 'text-message', delivered: null, click: null }),
      ]),
    ]);
    expect(
      await workshop.look(
        'select channel, sent, delivered, clicked, delivery_rate, click_rate from marts.channel_days order by channel',
      ),
    ).toEqual([
      {
        channel: 'push-notification',
        sent: '111',
        delivered: '8',
        clicked: '2',
        delivery_rate: 0.8,
        click_rate: 0.2,
      },
      {
        channel: 'text-message',
        sent: '10',
        delivered: null,
        clicked: null,
        delivery_rate: null,
        click_rate: null,
      },
    ]);
  });

  test('two conversions of one statistic do not count its messages twice', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics(DAY, [
        statistic({
          date: DAY,
          message_failed: 0,
          conversion: [
            { name: '구매', type: 'total_count_conversion', count: 3 },
            { name: '구매', type: 'direct_count_conversion', count: 1 },
            { name: '가입', type: 'total_count_conversion', count: 2 },
          ],
        }),
      ]),
    ]);
    expect(
      await workshop.look(
        'select sent, conversions, direct_conversions, conversion_rate from marts.campaign_days',
      ),
    ).toEqual([{ sent: '10', conversions: '5', direct_conversions: '1', conversion_rate: 0.5 }]);
    expect(
      await workshop.look(
        'select conversion_name, conversions, direct_conversions from marts.conversions order by conversion_name',
      ),
    ).toEqual([
      { conversion_name: '가입', conversions: '2', direct_conversions: null },
      { conversion_name: '구매', conversions: '3', direct_conversions: '1' },
    ]);
  });

  test('a message counts for each tag of its campaign', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics(DAY, [statistic({ date: DAY, tags: ['가', '나', '가'] })]),
    ]);
    expect(await workshop.look('select tag, sent from marts.tag_days order by tag')).toEqual([
      { tag: '가', sent: '10' },
      { tag: '나', sent: '10' },
    ]);
  });
});

describe('the macros of significance', () => {
  // Tables of the normal and the chi-squared distribution, as any textbook prints them.
  test.each([
    ['marts.normal_two_sided_p(0)', 1],
    ['marts.normal_two_sided_p(1.644853627)', 0.1],
    ['marts.normal_two_sided_p(1.959963985)', 0.05],
    ['marts.normal_two_sided_p(-2.575829304)', 0.01],
    ['marts.normal_two_sided_p(3.890591886)', 0.0001],
    ['marts.chi_squared_p(3.841459, 1)', 0.05],
    ['marts.chi_squared_p(6.634897, 1)', 0.01],
    ['marts.chi_squared_p(5.991465, 2)', 0.05],
    ['marts.chi_squared_p(7.814728, 3)', 0.05],
    ['marts.chi_squared_p(9.487729, 4)', 0.05],
    ['marts.chi_squared_p(18.307038, 10)', 0.05],
    ['marts.chi_squared_p(24.724970, 11)', 0.01],
    ['marts.chi_squared_p(0, 5)', 1],
  ])('%s is %s', async (call, expected) => {
    const workshop = await modelled(() => []);
    const { p } = await workshop.lookOne(`select ${call} as p`);
    expect(p).toBeCloseTo(expected, 6);
  });

  test('give null for what is not known', async () => {
    const workshop = await modelled(() => []);
    const row = await workshop.lookOne(
      'select marts.normal_two_sided_p(null) as a, marts.chi_squared_p(null, 1) as b, marts.chi_squared_p(1, null) as c',
    );
    expect(row).toEqual({ a: null, b: null, c: null });
  });
});

describe('A/B tests', () => {
  test('the difference, its interval and its p-value are those of the textbook', async () => {
    // 200 of 2,000 against 260 of 2,000: z = 2.9738, two-sided p = 0.00294; Newcombe's interval 0.0102 to 0.0498.
    const workshop = await abTest(10, { A: { sent: 200, click: 20 }, B: { sent: 200, click: 26 } });
    const [, b] = await workshop.look(
      click('difference, difference_low, difference_high, p_value, unequal_groups_p_value, verdict_code'),
    );
    expect(b?.['difference']).toBeCloseTo(0.03, 10);
    expect(b?.['difference_low']).toBeCloseTo(0.0102, 4);
    expect(b?.['difference_high']).toBeCloseTo(0.0498, 4);
    expect(b?.['p_value']).toBeCloseTo(0.00294, 5);
    expect(b?.['unequal_groups_p_value']).toBeCloseTo(1, 6);
  });

  test('groups that are too unequal for chance are not to be trusted, however clear the difference', async () => {
    // Chi-squared 20 with one degree of freedom: p = 0.0000077.
    const workshop = await abTest(10, { A: { sent: 1100, click: 10 }, B: { sent: 900, click: 90 } });
    const rows = await workshop.look(click('verdict_code, unequal_groups_p_value'));
    expect(rows.map((row) => row['verdict_code'])).toEqual(['unequal_groups', 'unequal_groups']);
    const three = await abTest(10, {
      A: { sent: 100, click: 10 },
      B: { sent: 110, click: 10 },
      C: { sent: 90, click: 10 },
    });
    // Chi-squared 20 with two degrees of freedom: p = exp(-10).
    const [first] = await three.look(click('unequal_groups_p_value'));
    expect(first?.['unequal_groups_p_value']).toBeCloseTo(Math.exp(-10), 8);
  });

  test('no winner is called before a week is over, nor on a handful of clicks', async () => {
    const young = await abTest(6, { A: { sent: 5000, click: 100 }, B: { sent: 5000, click: 300 } });
    expect(await young.look(click('verdict_code'))).toEqual([
      { verdict_code: 'baseline' },
      { verdict_code: 'too_early' },
    ]);
    const small = await abTest(9, { A: { sent: 1000, click: 1 }, B: { sent: 1000, click: 10 } });
    const [, b] = await small.look(click('verdict_code, verdict'));
    expect(b).toEqual({
      verdict_code: 'too_early',
      verdict: 'Too early to say: there are fewer than ten successes on one side.',
    });
  });

  test('a difference that is significant by itself is no winner while the messages are few', async () => {
    // p = 0.03 alone, at a third of the messages that a difference of a fifth needs.
    const workshop = await abTest(10, { A: { sent: 200, click: 20 }, B: { sent: 200, click: 24 } });
    const [, b] = await workshop.look(click('p_value, guarded_p_value, messages_needed, verdict_code'));
    expect(b?.['p_value']).toBeLessThan(0.05);
    expect(b?.['guarded_p_value']).toBeGreaterThan(0.05);
    expect(b?.['verdict_code']).toBe('too_early');
  });

  test('a clear winner is called, and so is a test that found nothing', async () => {
    const clear = await abTest(10, { A: { sent: 2000, click: 100 }, B: { sent: 2000, click: 160 } });
    expect(await clear.look(click('verdict_code, verdict'))).toEqual([
      { verdict_code: 'baseline', verdict: 'The other variants are compared with this one.' },
      { verdict_code: 'better', verdict: 'B is better than A: 8.00 % instead of 5.00 %.' },
    ]);
    const even = await abTest(10, { A: { sent: 2000, click: 100 }, B: { sent: 2000, click: 101 } });
    expect(await even.look(click('verdict_code'))).toEqual([
      { verdict_code: 'baseline' },
      { verdict_code: 'no_difference' },
    ]);
  });
});

describe('people', () => {
  const event = (id: string, who: string, day: string, more: Row = {}): Row =>
    record({ id, user_id: who, time: micros(day), ...more });
  const clicked = { event_name: 'push_click' };
  const NEXT = dayAfter(DAY, 7);

  const weeks = (workshop: Workshop): Pull[] => [
    workshop.events(DAY, [
      [
        event('1', 'kim', DAY),
        event('2', 'kim', DAY, { campaign_id: 'c2' }),
        event('3', 'lee', DAY),
        event('4', 'kim', DAY, { ...clicked, time: micros(DAY, 46_800) }),
      ],
    ]),
    workshop.events(NEXT, [
      [
        event('5', 'kim', NEXT),
        event('6', 'park', NEXT),
        event('7', 'kim', NEXT, { ...clicked, time: micros(NEXT, 43_260) }),
        // A click long after its message, and one on a message that nobody knows.
        event('8', 'lee', NEXT, { ...clicked, time: micros(NEXT, 50_000) }),
        event('9', 'choi', NEXT, clicked),
      ],
    ]),
  ];

  test('message pressure counts what a person got in 7 and in 28 days', { tags: ['long'] }, async () => {
    const workshop = await modelled(weeks);
    expect(
      await workshop.look(
        `select window_days, messages_per_person, users, messages, clickers, days_held
        from marts.message_pressure where date = '${NEXT}' order by all`,
      ),
    ).toEqual([
      { window_days: 7, messages_per_person: '1', users: '2', messages: '2', clickers: '1', days_held: '1' },
      { window_days: 28, messages_per_person: '1', users: '2', messages: '2', clickers: '1', days_held: '2' },
      { window_days: 28, messages_per_person: '3', users: '1', messages: '3', clickers: '1', days_held: '2' },
    ]);
  });

  test('cohorts begin with the first message, and keep those who click later', async () => {
    const workshop = await modelled(weeks);
    expect(
      await workshop.look(
        `select cohort_week::varchar as cohort_week, weeks_since, users, messaged_users, clickers
        from marts.cohort_retention order by all`,
      ),
    ).toEqual([
      { cohort_week: DAY, weeks_since: '0', users: '2', messaged_users: '2', clickers: '1' },
      { cohort_week: DAY, weeks_since: '1', users: '2', messaged_users: '1', clickers: '2' },
      { cohort_week: NEXT, weeks_since: '0', users: '1', messaged_users: '1', clickers: '0' },
    ]);
  });

  test('a click is held against the last message before it, for seven days', { tags: ['long'] }, async () => {
    const workshop = await modelled(weeks);
    expect(
      await workshop.look(
        `select date::varchar as date, response, responses, ceil(seconds / 60) as minutes
        from marts.daily_response_times order by all`,
      ),
    ).toEqual([
      { date: DAY, response: 'clicked', responses: '1', minutes: 60 },
      { date: NEXT, response: 'clicked', responses: '1', minutes: 1 },
    ]);
    expect(
      await workshop.look(
        `select weekday, hour, succeeded, clicked from marts.send_time_heatmap where succeeded > 0 order by all`,
      ),
    ).toEqual([{ weekday: 1, hour: 12, succeeded: '5', clicked: '2' }]);
  });

  test('what a message was made from is told apart by its kind', async () => {
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          event('1', 'kim', DAY, { message_data: { title: '안내', body: '본문', link: null } }),
          event('2', 'kim', DAY, { ...clicked, message_data: { title: '안내', body: '본문', link: null } }),
          event('3', 'kim', DAY, { channel: 'chatapp-alimtalk', message_data: { templateCode: 'T1' } }),
          event('4', 'lee', DAY, {
            channel: 'chatapp-alimtalk',
            event_name: 'send_failure',
            message_data: { templateCode: 'T1' },
          }),
        ],
      ]),
    ]);
    expect(
      await workshop.look(
        'select content_kind, content, sent, failed, clicked, click_rate from marts.content_performance order by all',
      ),
    ).toEqual([
      {
        content_kind: 'template_code',
        content: 'T1',
        sent: '2',
        failed: '1',
        clicked: null,
        click_rate: null,
      },
      { content_kind: 'title', content: '안내', sent: '1', failed: '0', clicked: '1', click_rate: 1 },
    ]);
  });
});

describe('failures', () => {
  const failure = (id: string, day: string, reason: string, more: Row = {}): Row =>
    record({ id, event_name: 'send_failure', failure_reason: reason, time: micros(day), ...more });

  test('a reason shows its share and where it is heading', async () => {
    const LATER = dayAfter(DAY, 7);
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [[failure('1', DAY, 'A'), failure('2', DAY, 'A'), failure('3', DAY, 'B')]]),
      workshop.events(LATER, [
        [
          failure('4', LATER, 'B'),
          failure('5', LATER, 'B'),
          failure('6', LATER, 'C'),
          failure('7', LATER, 'B'),
        ],
      ]),
    ]);
    expect(
      await workshop.look(
        'select failure_reason, failures, recent_failures, previous_failures, trend from marts.failure_reasons order by all',
      ),
    ).toEqual([
      { failure_reason: 'A', failures: '2', recent_failures: '0', previous_failures: '2', trend: 'gone' },
      { failure_reason: 'B', failures: '4', recent_failures: '3', previous_failures: '1', trend: 'rising' },
      { failure_reason: 'C', failures: '1', recent_failures: '1', previous_failures: '0', trend: 'new' },
    ]);
  });

  test('failed alimtalks that reached people as a text are told from those that did not', async () => {
    const alimtalk = { channel: 'chatapp-alimtalk' };
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          failure('1', DAY, 'A', alimtalk),
          failure('2', DAY, 'A', alimtalk),
          failure('3', DAY, 'A', alimtalk),
          failure('4', DAY, 'A', alimtalk),
          record({
            ...alimtalk,
            id: '5',
            event_name: 'failover_text_message_send_success',
            time: micros(DAY),
          }),
          record({
            ...alimtalk,
            id: '6',
            event_name: 'failover_text_message_send_success',
            time: micros(DAY),
          }),
          failure('7', DAY, 'B', { ...alimtalk, event_name: 'failover_text_message_send_failure' }),
        ],
      ]),
    ]);
    expect(
      await workshop.look('select failed, failover_sent, failover_failed, rescue_rate from marts.failovers'),
    ).toEqual([{ failed: '4', failover_sent: '2', failover_failed: '1', rescue_rate: 0.5 }]);
  });
});

describe('dimensions', () => {
  test('a campaign carries its latest name and those it had before', async () => {
    const named = (date: string, campaign_name: string): Row => statistic({ date, campaign_name });
    const workshop = await modelled((workshop) => [
      workshop.statistics({ start: DAY, end: dayAfter(DAY, 3) }, [
        named(DAY, '첫 이름'),
        named(dayAfter(DAY), '둘째 이름'),
        named(dayAfter(DAY, 2), '첫 이름'),
        named(dayAfter(DAY, 3), '새 이름'),
      ]),
    ]);
    expect(await workshop.look('select campaign_name, former_names, channels from campaigns')).toEqual([
      { campaign_name: '새 이름', former_names: ['첫 이름', '둘째 이름'], channels: ['push-notification'] },
    ]);
  });

  test('the calendar knows weekends and public holidays, and days that are not held', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics('2026-10-02', []),
      workshop.statistics('2026-10-05', []),
    ]);
    expect(
      await workshop.look(
        `select date::varchar as date, weekday_ko, is_weekend, public_holiday_ko, is_workday from calendar order by date`,
      ),
    ).toEqual([
      { date: '2026-10-02', weekday_ko: '금', is_weekend: false, public_holiday_ko: null, is_workday: true },
      {
        date: '2026-10-03',
        weekday_ko: '토',
        is_weekend: true,
        public_holiday_ko: '개천절',
        is_workday: false,
      },
      { date: '2026-10-04', weekday_ko: '일', is_weekend: true, public_holiday_ko: null, is_workday: false },
      {
        date: '2026-10-05',
        weekday_ko: '월',
        is_weekend: false,
        public_holiday_ko: '개천절 대체공휴일',
        is_workday: false,
      },
    ]);
    expect(
      await workshop.look(
        'select date::varchar as date from marts.coverage_days where not is_held order by date',
      ),
    ).toEqual([{ date: '2026-10-03' }, { date: '2026-10-04' }]);
  });
});

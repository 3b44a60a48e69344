/** What the marts say of days whose answer can be worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { Pull } from '../../src/storage/pull.js';
import { asked, dayAfter, micros, modelled, record, statistic, type Row, type Workshop } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';

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
      await workshop.lines(
        `select window_days, messages_per_person, users, messages, clickers, days_held
        from marts.message_pressure where date = '${NEXT}' order by all`,
      ),
    ).toEqual(['7 | 1 | 2 | 2 | 1 | 1', '28 | 1 | 2 | 2 | 1 | 2', '28 | 3 | 1 | 3 | 1 | 2']);
  });

  test('cohorts begin with the first message, and keep those who click later', async () => {
    const workshop = await modelled(weeks);
    expect(
      await workshop.lines(
        `select cohort_week::varchar as cohort_week, weeks_since, users, messaged_users, clickers
        from marts.cohort_retention order by all`,
      ),
    ).toEqual([`${DAY} | 0 | 2 | 2 | 1`, `${DAY} | 1 | 2 | 1 | 2`, `${NEXT} | 0 | 1 | 1 | 0`]);
  });

  test('a click is held against the last message before it, for seven days', { tags: ['long'] }, async () => {
    const workshop = await modelled(weeks);
    expect(
      await workshop.lines(
        `select date::varchar as date, response, responses, ceil(seconds / 60) as minutes
        from marts.daily_response_times order by all`,
      ),
    ).toEqual([`${DAY} | clicked | 1 | 60`, `${NEXT} | clicked | 1 | 1`]);
    expect(
      await workshop.lines(
        `select weekday, hour, succeeded, clicked from marts.send_time_heatmap where succeeded > 0 order by all`,
      ),
    ).toEqual(['1 | 12 | 5 | 2']);
  });

  test('clicks within two seconds of delivery are counted apart, as link scanners make them', async () => {
    const mail = (id: string, who: string, event_name: string, seconds: number): Row =>
      record({ id, user_id: who, channel: 'email', event_name, time: micros(DAY, seconds) });
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          // Two seconds after the delivery, and three.
          mail('1', 'kim', 'send_success', 100),
          mail('1', 'kim', 'email_delivered', 130),
          mail('1', 'kim', 'email_click', 132),
          mail('2', 'lee', 'send_success', 100),
          mail('2', 'lee', 'email_delivered', 130),
          mail('2', 'lee', 'email_click', 133),
          // Where no delivery is known: two seconds after sending, and a minute.
          mail('3', 'park', 'send_success', 100),
          mail('3', 'park', 'email_click', 102),
          mail('4', 'choi', 'send_success', 100),
          mail('4', 'choi', 'email_click', 160),
        ],
      ]),
      workshop.statistics(DAY, [statistic({ date: DAY, channel: 'email', click: 4 })]),
    ]);
    for (const name of ['campaign-performance', 'response-times']) {
      const rows = await asked(workshop, name);
      expect(rows.find((row) => (row['response'] ?? 'clicked') === 'clicked')).toMatchObject({
        channel: 'email',
        quick_click_share: 0.5,
      });
    }
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
      await workshop.lines(
        'select content_kind, content, sent, failed, clicked, click_rate from marts.content_performance order by all',
      ),
    ).toEqual(['template_code | T1 | 2 | 1 | - | -', 'title | 안내 | 1 | 0 | 1 | 1']);
  });
});

describe('failures', () => {
  const failure = (id: string, day: string, reason: string, more: Row = {}): Row =>
    record({ id, event_name: 'send_failure', failure_reason: reason, time: micros(day), ...more });

  test('a reason shows its share, and nothing of windows that are not held', async () => {
    const LATER = dayAfter(DAY, 7);
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [[failure('1', DAY, 'A'), failure('2', DAY, 'A'), failure('3', DAY, 'B')]]),
      workshop.events(LATER, [[failure('4', LATER, 'B'), failure('5', LATER, 'B')]]),
    ]);
    expect(
      await workshop.lines(
        `select failure_reason, failures, share_of_failures, recent_failures, previous_failures, trend
        from marts.failure_reasons order by all`,
      ),
    ).toEqual(['A | 2 | 0.4 | 0 | - | -', 'B | 3 | 0.6 | 2 | - | -']);
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
      await workshop.lines('select failed, failover_sent, failover_failed, rescue_rate from marts.failovers'),
    ).toEqual(['4 | 2 | 1 | 0.5']);
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
    expect(await workshop.lines('select campaign_name, former_names, channels from campaigns')).toEqual([
      '새 이름 | ["첫 이름","둘째 이름"] | ["push-notification"]',
    ]);
  });

  test('the calendar knows weekends and public holidays, and days that are not held', async () => {
    const workshop = await modelled((workshop) => [
      workshop.statistics('2026-10-02', []),
      workshop.statistics('2026-10-05', []),
    ]);
    expect(
      await workshop.lines(
        `select date::varchar as date, weekday_ko, is_weekend, public_holiday_ko, is_workday from calendar order by date`,
      ),
    ).toEqual([
      '2026-10-02 | 금 | false | - | true',
      '2026-10-03 | 토 | true | 개천절 | false',
      '2026-10-04 | 일 | true | - | false',
      '2026-10-05 | 월 | false | 개천절 대체공휴일 | false',
    ]);
  });
});

test('two messages of two channels with one id count on their own channels, whichever came first', async () => {
  const sent = (channel: string, message_data: Row): Row =>
    record({
      id: 'both',
      channel,
      event_name: 'send_success',
      campaign_id: 'c1',
      time: micros(DAY, channel.length),
      message_data,
    });
  const pair = [
    sent('text-message', { templateId: 'a-text', recipientNo: '01011112222', body: '080-123-4567' }),
    sent('chatapp-alimtalk', {
      templateCode: 'an-alimtalk',
      recipientNo: '01011112222',
      content: '080-123-4567',
    }),
  ];
  const ofDays = async (records: readonly Row[]): Promise<unknown> => {
    const workshop = await modelled((workshop) => [workshop.events(DAY, [records])]);
    return workshop.look(
      'select channel, template_kind, template, sent from marts.daily_recipient_messages order by all',
    );
  };
  const found = await ofDays(pair);
  expect(found).toEqual([
    { channel: 'chatapp-alimtalk', template_kind: 'alimtalk', template: 'an-alimtalk', sent: '1' },
    { channel: 'text-message', template_kind: 'text', template: 'a-text', sent: '1' },
  ]);
  expect(await ofDays(pair.toReversed())).toEqual(found);
});

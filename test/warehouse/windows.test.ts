// @module-tag long
/** What compares one period with another: only what is wholly held, and only what is more than chance. */
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/ground/calendar.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import type { Workshop } from './support.js';
import { asked, dayAfter, micros, modelled, record, shared, statistic, type Row } from './support.js';

/** A Monday. */
const DAY = '2026-11-02';

/** The messages of a day on a channel: those that failed, by their reasons, among so many. */
function messagesOf(
  channel: string,
  day: Day,
  sent: number,
  failed: Readonly<Record<string, number>>,
): Row[] {
  const reasons = Object.entries(failed).flatMap(([reason, count]) => Array<string>(count).fill(reason));
  return Array.from({ length: sent }, (_, i) =>
    record({
      id: `${day} ${channel} ${i}`,
      channel,
      user_id: `u${i}`,
      event_name: reasons[i] === undefined ? 'send_success' : 'send_failure',
      failure_reason: reasons[i] ?? null,
      time: micros(day, 36_000 + i),
    }),
  );
}

const days = (count: number): Day[] => Array.from({ length: count }, (_, n) => dayAfter(DAY, n));

describe('the trend of a failure reason', () => {
  test('is not told on day 8, of which the week before holds one day only', async () => {
    const workshop = await modelled((workshop) =>
      days(8).map((day) => workshop.events(day, [messagesOf('email', day, 40, { 만료: 3, 거부: 2 })])),
    );
    expect(
      await workshop.look(
        `select failure_reason as reason, recent_failed, previous_failed, change, trend, recent_days_without_events,
        previous_days_without_events from marts.failure_reasons order by all`,
      ),
    ).toEqual(
      [
        { reason: '거부', recent_failed: '14' },
        { reason: '만료', recent_failed: '21' },
      ].map((row) => ({
        ...row,
        previous_failed: null,
        change: null,
        trend: null,
        recent_days_without_events: '0',
        previous_days_without_events: '6',
      })),
    );
  });

  /** Two weeks, in which each channel has a story of its own. */
  const twoWeeks = shared(() => {
    const worded = (n: number): Record<string, number> =>
      n % 2 === 0 ? { '3018': 3, '[E104] 만료': 1, 만료: 2 } : { '차단 (3018)': 3, E104: 1, '만료 2026': 2 };
    return modelled((workshop) =>
      days(14).map((day, n) => {
        const recent = n >= 7;
        const changes = {
          만료: recent ? 6 : 2,
          거부: recent ? 2 : 6,
          // Three after one is as likely chance.
          드묾: n === 1 || n === 8 || n === 10 || n === 12 ? 1 : 0,
          // One blast to dead tokens is no week that went worse.
          폭주: n === 3 ? 4 : n === 9 ? 20 : 0,
          처음: recent ? 3 : 0,
          그침: recent ? 0 : 3,
          그대로: 4,
        };
        return workshop.events(day, [
          [
            ...messagesOf('email', day, recent ? 60 : 30, { 만료: recent ? 6 : 3 }),
            ...messagesOf('webhook', day, 40, worded(n)),
            ...messagesOf('push-notification', day, 100, changes),
            ...messagesOf('chatapp-alimtalk', day, 30, {
              NoMatchedTemplateException: 2,
              '템플릿과 일치하지 않음': 1,
              '메시지 길이 초과': 1,
            }),
          ],
        ]);
      }),
    );
  });
  const reasons = (columns: string, channel: string): Promise<string[]> =>
    twoWeeks.lines(`select ${columns} from marts.failure_reasons where channel = '${channel}'`);

  test('is one of rates: twice the failed of twice the messages are steady', async () => {
    const columns =
      'recent_failed, recent_failure_rate, previous_failed, previous_failure_rate, change, trend';
    expect(await reasons(columns, 'email')).toEqual(['42 | 0.1 | 21 | 0.1 | 0 | steady']);
  });

  test('is that of its code, which stands alone or beside words', async () => {
    expect((await reasons('failure_reason, code, failed, trend', 'webhook')).sort()).toEqual([
      '[E104] 만료 | E104 | 14 | steady',
      // Reasons that differ by a number only have one key.
      '만료 2026 | - | 28 | steady',
      '차단 (3018) | 3018 | 42 | steady',
    ]);
  });

  test('is one for the spellings of a template that does not match; those of a cause can be added up', async () => {
    expect((await reasons('failure_reason, failed, trend', 'chatapp-alimtalk')).sort()).toEqual([
      'NoMatchedTemplateException · 템플릿과 일치하지 않음 | 42 | steady',
      '메시지 길이 초과 | 14 | steady',
    ]);
    const causes = await asked(twoWeeks, 'failure-reasons', { by: 'cause' });
    expect(causes.map(({ cause, channel, failed }) => [cause, channel, failed])).toEqual([
      ['not identified', 'all', '343'],
      ['template or text', 'chatapp-alimtalk', '56'],
      ['refused, blocked', 'webhook', '42'],
    ]);
  });

  test('calls a change what is large, and more than chance and a single bad day', async () => {
    expect((await reasons('failure_reason, trend', 'push-notification')).sort()).toEqual([
      '거부 | falling',
      '그대로 | steady',
      '그침 | gone',
      '드묾 | unclear',
      '만료 | rising',
      '처음 | new',
      '폭주 | unclear',
    ]);
  });

  test('holds the failed of texts instead against those texts, and of no channel against those of none', async () => {
    const none = (id: string, event_name: string, failure_reason: string | null = null): Row =>
      record({ id, event_name, failure_reason, channel: null, time: micros(DAY) });
    // Some services send an empty reason with what succeeded.
    const sent = ['1', '2', '3'].map((id) => none(id, 'send_success', id === '1' ? '' : null));
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          ...[...sent, none('4', 'send_failure', 'A')],
          none('5', 'failover_text_message_send_failure', 'B'),
          none('6', 'failover_text_message_send_success'),
        ],
      ]),
    ]);
    const rates = 'select failure_reason, failure_rate from marts.failure_reasons order by all';
    expect(await workshop.lines(rates)).toEqual(['A | 0.25', 'B | 0.5']);
  });
});

test('restated counts show what came first and last, of which variant, also where a statistic vanished', async () => {
  const click = (variant: string, click: number | null, more: Row = {}): Row =>
    statistic({ date: DAY, variant_id: variant, variant_name: variant, click, ...more });
  const gone = statistic({ date: DAY, campaign_id: 'gone', click: 5 });
  const workshop = await modelled((workshop) => [
    workshop.statistics(DAY, [click('a', 5), click('b', null), gone]),
    workshop.statistics(DAY, [click('a', 8), click('b', 4), gone]),
    workshop.statistics(DAY, [click('a', null), click('b', 9)]),
  ]);
  expect(
    await workshop.lines(
      `select resource_id, channel, variant_name, kind, changes, first_value, last_value, difference
      from marts.restated_days where counter = 'click' order by all`,
    ),
  ).toEqual([
    'c1 | push-notification | a | vanished | 2 | 5 | - | -5',
    'c1 | push-notification | b | appeared | 2 | - | 9 | 9',
    'gone | push-notification | - | vanished | 1 | 5 | - | -5',
  ]);
});

describe('texts instead of failed messages', () => {
  const alimtalk = (id: string, event_name: string, day: Day, seconds: number, more: Row = {}): Row =>
    record({ id, channel: 'chatapp-alimtalk', event_name, time: micros(day, seconds), ...more });
  const NEXT = dayAfter(DAY);
  const TEXT = 'failover_text_message_send_success';

  test('are counted for a failure of the minute before midnight', async () => {
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          alimtalk('1', 'send_failure', DAY, 86_390),
          // A campaign that never tries a text.
          alimtalk('9', 'send_failure', DAY, 86_390, { campaign_id: 'c9' }),
        ],
      ]),
      workshop.events(NEXT, [
        [
          alimtalk('2', TEXT, NEXT, 5),
          alimtalk('3', 'send_failure', NEXT, 3600),
          alimtalk('4', 'failover_text_message_send_failure', NEXT, 3605),
        ],
      ]),
      workshop.events(dayAfter(DAY, 2), [[alimtalk('5', 'send_failure', dayAfter(DAY, 2), 3600)]]),
    ]);
    expect(
      await workshop.lines(
        `select date::varchar as date, failed, failover_succeeded, failover_failed, rescue_rate
        from marts.failovers order by all`,
      ),
    ).toEqual([
      `${DAY} | 1 | 0 | 0 | 0`,
      // Two texts after one failure: one of them belongs to the day before.
      `${NEXT} | 1 | 1 | 1 | -`,
      // A failure that no text was tried for counts too.
      `${dayAfter(DAY, 2)} | 1 | 0 | 0 | 0`,
    ]);
    expect(
      await workshop.look('select sum(failover_succeeded) / sum(failed) as rescue_rate from marts.failovers'),
    ).toEqual([{ rescue_rate: 1 / 3 }]);
  });
});

describe('the steps of a user journey', () => {
  const at = (day: Day, user_journey_node_id: string, message_sent: number): Row =>
    statistic({
      date: day,
      resource_type: 'user-journey',
      campaign_id: null,
      campaign_name: null,
      user_journey_id: 'j1',
      user_journey_name: '온보딩',
      user_journey_node_id,
      user_journey_node_name: user_journey_node_id,
      message_sent,
      message_failed: 0,
    });
  const visit = (user_id: string | null, user_journey_node_id: string, day: Day, seconds: number): Row =>
    record({
      id: `${user_id ?? 'device'} ${user_journey_node_id}`,
      user_id,
      service_user_id: null,
      // A device of its own each, that of nobody among them.
      device_id: `device of ${user_id ?? 'nobody'}`,
      service_device_id: null,
      campaign_id: null,
      resource_type: 'user_journey',
      user_journey_id: 'j1',
      user_journey_node_id,
      time: micros(day, seconds),
    });
  const LOOK = `select step, user_journey_node_id as node, sent, drop_off, began_on::varchar as began_on
    from marts.journey_funnels order by step`;
  const NEXT = dayAfter(DAY);

  /** Two weeks of events before, so that nobody is taken for somebody in the middle of the journey. */
  const before = (workshop: Workshop): Pull =>
    workshop.events(dayAfter(DAY, -14), [[record({ id: 'before', time: micros(dayAfter(DAY, -14)) })]]);
  const sends = (workshop: Workshop): Pull =>
    workshop.statistics({ start: DAY, end: NEXT }, [
      at(DAY, '환영', 100),
      at(DAY, '쿠폰', 300),
      at(NEXT, '쿠폰', 100),
      at(NEXT, '마지막', 20),
    ]);
  const people = Array.from({ length: 10 }, (_, n) => `u${n}`);
  /** The later day comes first, as a night that was missed. */
  const visits = (workshop: Workshop, who: readonly (string | null)[]): Pull[] => [
    workshop.events(NEXT, [
      [
        ...who.flatMap((user) => [visit(user, '쿠폰', NEXT, 100), visit(user, '마지막', NEXT, 4000)]),
        // Was at one node only, so knows of no order.
        ...people.map((user) => visit(`other ${user}`, '마지막', NEXT, 1)),
      ],
    ]),
    workshop.events(DAY, [who.map((user) => visit(user, '환영', DAY, 100))]),
  ];

  test('are those in which people get their first messages, however busy a later node is', async () => {
    const workshop = await modelled((workshop) => [
      sends(workshop),
      ...visits(workshop, [...people.slice(1), null]),
      before(workshop),
    ]);
    expect(await workshop.lines(LOOK)).toEqual([
      `1 | 환영 | 100 | - | ${DAY}`,
      `2 | 쿠폰 | 400 | - | ${DAY}`,
      `3 | 마지막 | 20 | 0.95 | ${NEXT}`,
    ]);
  });

  test('are not told by a few, nor by those who may have been in the middle of it', async () => {
    for (const pulls of [
      (workshop: Workshop) => [sends(workshop), ...visits(workshop, people.slice(1)), before(workshop)],
      (workshop: Workshop) => [sends(workshop), ...visits(workshop, people)],
    ]) {
      const workshop = await modelled(pulls);
      expect(
        await workshop.look(
          'select typical_position from marts.journey_funnels where typical_position is not null',
        ),
      ).toEqual([]);
    }
  });
});

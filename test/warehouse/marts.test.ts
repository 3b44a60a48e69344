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

/** What the marts say of days whose answer can be worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/ground/calendar.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import {
  asked,
  dayAfter,
  micros,
  modelled,
  record,
  shared,
  statistic,
  type Row,
  type Workshop,
} from './support.js';
import { long } from '../support/tags.js';

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

  long('a click is held against the last message before it, for seven days', async () => {
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

  long('clicks of machines are counted apart', async () => {
    const mail = (id: string, who: string, event_name: string, seconds: number): Row =>
      record({ id, user_id: who, channel: 'email', event_name, time: micros(DAY, seconds) });
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          // Five seconds after the delivery, and six.
          mail('1', 'kim', 'send_success', 100),
          mail('1', 'kim', 'email_delivered', 130),
          mail('1', 'kim', 'email_click', 135),
          mail('2', 'lee', 'send_success', 100),
          mail('2', 'lee', 'email_delivered', 130),
          mail('2', 'lee', 'email_click', 136),
          // Where no delivery is known: five seconds after sending, and a minute.
          mail('3', 'park', 'send_success', 100),
          mail('3', 'park', 'email_click', 105),
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
        machine_click_share: 0.5,
      });
    }
  });
});

long(
  'two messages of two channels with one id count on their own channels, whichever came first',
  async () => {
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
  },
);

// Rates by kind of day, weekday and hour belong to the day of sending, and to one channel.

const FRIDAY = '2026-11-13';
const SATURDAY = dayAfter(FRIDAY);

let ids = 0;

interface Sends {
  readonly on: Day;
  readonly hour?: number;
  readonly count: number;
  readonly clicks?: number;
  /** How many are shown to people, where the channel reports it. */
  readonly shows?: number;
  /** The day of the clicks. */
  readonly clickedOn?: Day;
  readonly channel?: string;
}

/** Messages to as many people, of which the first ones click two hours later, or at that hour of another day. */
function sends({
  on,
  hour = 9,
  count,
  clicks = 0,
  shows = 0,
  clickedOn = on,
  channel = 'email',
}: Sends): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `${++ids}`;
    const of = { id, user_id: id, service_user_id: null, device_id: null, service_device_id: null, channel };
    const click = { event_name: 'email_click', time: micros(clickedOn, (hour + 2) * 3600) };
    const show = { event_name: 'in_app_message_show', time: micros(on, (hour + 1) * 3600) };
    return [
      record({ ...of, time: micros(on, hour * 3600) }),
      ...(n < shows ? [record({ ...of, ...show })] : []),
      ...(n < clicks ? [record({ ...of, ...click })] : []),
    ];
  }).flat();
}

/** Exports of those days, each with the records that happened on it. */
function exportsOf(workshop: Workshop, days: readonly Day[], records: readonly Row[]): Pull[] {
  return days.map((day) =>
    workshop.events(day, [
      records.filter(({ time }) => String(time) >= micros(day, 0) && String(time) < micros(dayAfter(day), 0)),
    ]),
  );
}

describe('hours of sending', () => {
  const two = (workshop: Workshop): Pull[] =>
    exportsOf(
      workshop,
      [FRIDAY, SATURDAY],
      [
        ...sends({ on: FRIDAY, hour: 9, count: 200, clicks: 10, clickedOn: SATURDAY }),
        ...sends({ on: FRIDAY, hour: 10, count: 92, clicks: 11 }),
        ...sends({ on: SATURDAY, hour: 9, count: 100, clicks: 20 }),
        ...sends({ on: FRIDAY, hour: 9, count: 150, clicks: 75, channel: 'in-app-message' }),
      ],
    );

  const workshop = shared(() => modelled(two));

  test('the heatmap is of one channel, which it names, and says nothing of cells with too few messages', async () => {
    const hours = async (values: Record<string, string> = {}): Promise<Row[]> =>
      (await asked(workshop, 'send-heatmap', values)).filter(({ hour }) => hour === 9 || hour === 10);
    expect(await hours()).toMatchObject([
      { channel: 'email', hour: 9, friday: 0.05, saturday: 0.2, sunday: null },
    ]);
    expect(await hours({ least_messages: '92' })).toMatchObject([{}, { hour: 10, friday: 0.119565 }]);
    expect(await hours({ measure: 'sent' })).toMatchObject([{ friday: 200, sunday: 0 }, { friday: 92 }]);
    expect(await hours({ channel: 'in-app-message' })).toMatchObject([
      { channel: 'in-app-message', friday: 0.5 },
    ]);
  });

  test('the best hour has enough messages, and clicks count with the day of their message', async () => {
    const email = { channel: 'email', top: '3' };
    const hours = async (values: Record<string, string>): Promise<unknown[]> =>
      (await asked(workshop, 'best-hours', { ...email, ...values })).map(({ hour, messages, clicked }) => [
        hour,
        Number(messages),
        Number(clicked),
      ]);
    // Of 92 messages at 10 o'clock 12 % were clicked: too few to be named.
    expect(await hours({ least_days: '1' })).toEqual([[9, 300, 30]]);
    // One day may be good for other reasons than its hour.
    expect(await hours({ start: SATURDAY })).toEqual([]);
    expect(await hours({ end: FRIDAY, least_messages: '1', least_days: '1' })).toEqual([
      [10, 92, 11],
      [9, 200, 10],
    ]);
    expect(await hours({ start: SATURDAY, least_days: '1' })).toEqual([[9, 100, 20]]);
  });
});

/** Rates by kind of day, weekday and hour belong to the day of sending, and to one channel. */
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/calendar.js';
import type { Pull } from '../../src/storage/pull.js';
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

const FRIDAY = '2026-11-13';
const SATURDAY = dayAfter(FRIDAY);
const SUNDAY = dayAfter(FRIDAY, 2);

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

/** What the daily statistics count on that day of e-mails. */
const counted = (date: Day, sent: number, click: number): Row =>
  statistic({ date, channel: 'email', message_sent: sent, message_failed: 0, delivered: null, click });

describe('workdays', () => {
  const statistics = (workshop: Workshop): Pull =>
    workshop.statistics({ start: FRIDAY, end: SUNDAY }, [
      counted(FRIDAY, 100, 0),
      counted(SATURDAY, 20, 11),
      counted(SUNDAY, 0, 0),
    ]);

  test('a click at the weekend on a message of Friday counts for the workday', async () => {
    const workshop = await modelled((workshop) => [
      statistics(workshop),
      ...exportsOf(
        workshop,
        [FRIDAY, SATURDAY, SUNDAY],
        [
          ...sends({ on: FRIDAY, count: 100, clicks: 10, clickedOn: SATURDAY }),
          ...sends({ on: SATURDAY, count: 20, clicks: 1, clickedOn: SUNDAY }),
        ],
      ),
    ]);
    expect(await asked(workshop, 'workdays')).toMatchObject([
      {
        day_kind: 'workday',
        sent: '100',
        messages: '100',
        clicked: '10',
        click_rate: 0.1,
        days_with_events: '1',
      },
      {
        day_kind: 'weekend',
        sent: '20',
        messages: '20',
        clicked: '1',
        click_rate: 0.05,
        days_with_events: '2',
      },
    ]);
    // The range is that of the sends: their clicks count also after its end, and no click on an earlier message does.
    expect(await asked(workshop, 'workdays', { end: FRIDAY })).toMatchObject([{ click_rate: 0.1 }]);
    expect(await asked(workshop, 'workdays', { start: SATURDAY })).toMatchObject([{ click_rate: 0.05 }]);
  });
});

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
      { channel: 'email', hour: 10, friday: null },
    ]);
    expect(await hours({ least_messages: '92' })).toMatchObject([{}, { hour: 10, friday: 0.1196 }]);
    expect(await hours({ measure: 'sent' })).toMatchObject([{ friday: 200, sunday: 0 }, { friday: 92 }]);
    expect(await hours({ channel: 'in-app-message' })).toMatchObject([
      { channel: 'in-app-message', friday: 0.5 },
      { channel: 'in-app-message', friday: null },
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
    expect(await hours({})).toEqual([[9, 300, 30]]);
    expect(await hours({ end: FRIDAY, least_messages: '1' })).toEqual([
      [10, 92, 11],
      [9, 200, 10],
    ]);
    expect(await hours({ start: SATURDAY })).toEqual([[9, 100, 20]]);
  });
});

test('clicks on in-app messages divide by the messages shown, by kind of day as by hour', async () => {
  const channel = 'in-app-message';
  const inApp = { channel, count: 400, clicks: 20 };
  const workshop = await modelled((workshop) => [
    workshop.statistics(
      { start: FRIDAY, end: SUNDAY },
      [FRIDAY, SATURDAY, SUNDAY].map((date) => statistic({ date, channel, delivered: null, click: 20 })),
    ),
    ...exportsOf(
      workshop,
      [FRIDAY, SATURDAY, SUNDAY],
      // Nothing was shown before Saturday, so Friday's messages divide by those that were sent.
      [
        ...sends({ ...inApp, on: FRIDAY }),
        ...sends({ ...inApp, on: SATURDAY, shows: 100 }),
        ...sends({ ...inApp, on: SUNDAY, shows: 100 }),
      ],
    ),
  ]);
  expect(await asked(workshop, 'workdays')).toMatchObject([
    { day_kind: 'workday', messages: '400', clicked: '20', click_rate: 0.05 },
    { day_kind: 'weekend', messages: '200', clicked: '40', click_rate: 0.2 },
  ]);
  expect(await asked(workshop, 'best-hours')).toMatchObject([
    { messages: '600', clicked: '60', click_rate: 0.1 },
  ]);
  expect((await asked(workshop, 'send-heatmap')).filter(({ hour }) => hour === 9)).toMatchObject([
    { friday: 0.05, saturday: 0.2, sunday: 0.2 },
  ]);
});

// @module-tag long
/** Which ids belong to one person, and what follows from it for the marts. */
import { describe, expect, test } from 'vitest';
import type { Pull } from '../../src/landing/landing-zone.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { extended } from '../support/tags.js';
import { asked, dayAfter, micros, record, Workshop, type Row, modelled } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';
const NOBODY = { user_id: null, service_user_id: null, device_id: null, service_device_id: null };

/** A record of a day that names its person by these ids alone. */
function event(id: string, day: string, ids: Row, more: Row = {}): Row {
  return record({ id, time: micros(day, 36_000 + Number(id)), ...NOBODY, ...ids, ...more });
}

const clicked = { event_name: 'push_click' };
const day = (workshop: Workshop, date: string, ...records: Row[]): Pull => workshop.events(date, [records]);

/** A modelled warehouse with an export of each day on which one of those records lies. */
function held(...records: readonly Row[]): Promise<Workshop> {
  const days = new Map<string, Row[]>();
  for (const row of records) {
    const date = new Date(Number(BigInt(String(row['time'])) / 1000n) + 9 * 3_600_000)
      .toISOString()
      .slice(0, 10);
    days.set(date, [...(days.get(date) ?? []), row]);
  }
  return modelled((workshop) => [...days].map(([date, rows]) => day(workshop, date, ...rows)));
}

/** The events of each person, by their ids: people are numbers, which say nothing to a reader. */
async function people(workshop: Workshop): Promise<string[]> {
  const rows = await workshop.look(
    `select string_agg(event_id, ' ' order by event_id::integer) as events
    from marts.event_people group by person order by min(event_id::integer)`,
  );
  return rows.map(({ events }) => String(events));
}

/** Between the two values that are nearest, as quantile_cont has it. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place % 1);
}

describe('people', () => {
  test('ids that appear together belong to one person, from that day on', async () => {
    const workshop = await held(
      event('1', DAY, { service_device_id: 'sd1' }),
      event('2', DAY, { service_device_id: 'sd1', device_id: 'd1' }),
      event('3', DAY, { device_id: 'd1', service_user_id: 's1' }),
      event('4', DAY, { service_user_id: 's1', user_id: 'u1' }, { time: micros(dayAfter(DAY)) }),
      event('5', dayAfter(DAY), { service_device_id: 'sd1' }),
      event('6', dayAfter(DAY), { user_id: 'u1' }),
    );
    // On the first day nobody knows of the user: what is learned later changes no earlier day.
    expect(await people(workshop)).toEqual(['1 2 3', '4 5 6']);
  });

  test('two users of one device stay two people; what it does alone is its first user’s', async () => {
    const workshop = await held(
      event('1', DAY, { user_id: 'u1', device_id: 'd1' }),
      event('2', DAY, { user_id: 'u2', device_id: 'd1' }),
      event('3', DAY, { device_id: 'd1' }),
      event('4', DAY, { user_id: 'u2' }),
    );
    expect(await people(workshop)).toEqual(['1 3', '2 4']);
  });

  test('an id of one kind is never one of another, and a record without any is nobody’s', async () => {
    const workshop = await held(
      event('1', DAY, { user_id: 'x' }),
      event('2', DAY, { device_id: 'x' }),
      event('3', DAY, {}),
      event('4', DAY, { user_id: '  ', device_id: ' Undefined' }),
    );
    expect(await people(workshop)).toEqual(['1', '2', '3 4']);
    expect(
      await workshop.lines(
        'select distinct person from marts.event_people where event_id in (3::varchar, 4::varchar)',
      ),
    ).toEqual(['-']);
  });

  test('a click with another id of the same person counts for the message, whichever came first', async () => {
    const NEXT = dayAfter(DAY);
    const workshop = await held(
      // The device is known to be the user's when it clicks,
      event('1', DAY, { user_id: 'u1', device_id: 'd1' }),
      event('2', DAY, { device_id: 'd1' }, { event_name: 'push_click' }),
      // and here it becomes known with the click, on the day after.
      event('3', DAY, { device_id: 'd2' }),
      // Somebody else's message.
      event('4', DAY, { user_id: 'u3' }),
      event('5', NEXT, { user_id: 'u2', device_id: 'd2' }, { event_name: 'push_click' }),
      // Another person, on that device too.
      event('6', NEXT, { user_id: 'u4', device_id: 'd2' }, { event_name: 'push_click' }),
    );
    expect(
      await workshop.look(
        `select date::varchar as date, round(seconds) as seconds, responses
        from marts.daily_response_times order by all`,
      ),
    ).toEqual([
      { date: DAY, seconds: 1, responses: '1' },
      { date: NEXT, seconds: expect.closeTo(86_402, -4) as number, responses: '1' },
    ]);
    expect(
      await workshop.lines('select sum(clicked)::integer as clicked from marts.daily_send_hours'),
    ).toEqual(['2']);
  });
});

describe('response times', () => {
  test('percentiles of any days are those of the delays themselves, to 2%', async () => {
    // Pushes are delivered after nothing at all, some milliseconds, or up to a day: the days differ, as they do.
    const delays = [0, 1, 2].map((nth) =>
      Array.from({ length: 60 }, (_, i) =>
        i % 10 === 0 ? 0 : Math.round(1000 * Math.exp((((i * 37) % 60) / 60) * (6 + 2.5 * nth) - 4)),
      ),
    );
    const workshop = await modelled((workshop) =>
      delays.map((ofDay, nth) => {
        const date = dayAfter(DAY, nth);
        const pairs = ofDay.flatMap((delay, i) => {
          const ids = { user_id: `u${nth}-${i}` };
          const sent = event(`${1000 * nth + i}`, date, ids, { time: micros(date, 0) });
          const time = micros(date, 0, delay * 1000);
          return [sent, event(`${1000 * nth + i + 500}`, date, ids, { event_name: 'push_delivered', time })];
        });
        return day(workshop, date, ...pairs);
      }),
    );
    for (const days of [[0], [0, 1], [1, 2], [0, 1, 2]]) {
      const seconds = days.flatMap((nth) => delays[nth] ?? []).map((delay) => delay / 1000);
      const [first, last] = [Math.min(...days), Math.max(...days)].map((nth) => dayAfter(DAY, nth));
      const [answer] = await asked(workshop, 'response-times', { start: first, end: last });
      for (const [name, share] of [
        ['p50_seconds', 0.5],
        ['p90_seconds', 0.9],
        ['p99_seconds', 0.99],
      ] as const) {
        const exact = quantile(seconds, share);
        const given = Number(answer?.[name]);
        // The answer is rounded to a tenth of a second.
        expect(Math.abs(given - exact)).toBeLessThanOrEqual(0.02 * exact + 0.05);
      }
      const within = seconds.filter((delay) => delay <= 60).length / seconds.length;
      expect(answer?.['share_within_minute']).toBeCloseTo(within, 4);
    }
    const whole = (await asked(workshop, 'response-times'))[0] ?? {};
    const exact = quantile(
      delays.flat().map((delay) => delay / 1000),
      0.5,
    );
    expect(Math.abs(Number(whole['p50_seconds']) - exact)).toBeLessThanOrEqual(0.02 * exact + 0.05);
    expect(whole['responses']).toBe('180');
  });
});

describe('cohorts', () => {
  test('weeks without activity are there with zeros, and weeks in progress say so', async () => {
    const LATER = dayAfter(DAY, 14);
    const workshop = await modelled((workshop) => [
      ...Array.from({ length: 6 }, (_, i) => day(workshop, dayAfter(DAY, i + 1))),
      ...Array.from({ length: 7 }, (_, i) => day(workshop, dayAfter(DAY, i + 7))),
      day(workshop, DAY, event('1', DAY, { user_id: 'u1' })),
      day(
        workshop,
        LATER,
        event('2', LATER, { user_id: 'u1' }),
        event('3', LATER, { user_id: 'u2' }),
        event('4', LATER, { user_id: 'u2' }, clicked),
      ),
    ]);
    expect(
      await workshop.lines(
        `select cohort_week::varchar as cohort_week, weeks_since::integer as weeks_since,
          messaged_people::integer as messaged, clickers::integer as clickers, is_complete
        from marts.cohort_retention order by all`,
      ),
    ).toEqual([
      `${DAY} | 0 | 1 | 0 | true`,
      `${DAY} | 1 | 0 | 0 | true`,
      `${DAY} | 2 | 1 | 0 | false`,
      `${LATER} | 0 | 1 | 1 | false`,
    ]);
  });

  test('and message pressure know no clicks where no channel counts them', async () => {
    const workshop = await held(event('1', DAY, { user_id: 'u1' }, { channel: 'text-message' }));
    expect(
      await workshop.lines(
        'select people, clickers, click_retention, clicker_share from marts.cohort_retention',
      ),
    ).toEqual(['1 | - | - | -']);
    expect(await asked(workshop, 'message-pressure')).toMatchObject([
      { people: '1', clicked: null, clickers: null, clicker_share: null },
    ]);
  });
});

describe('what reaches a person', () => {
  const alimtalk = { channel: 'chatapp-alimtalk' };
  const inApp = { channel: 'in-app-message', campaign_id: 'c2' };
  const texted = { ...alimtalk, event_name: 'failover_text_message_send_success' };
  const shown = { ...inApp, event_name: 'in_app_message_show' };

  test('pressure counts texts that went out instead, and displays apart', async () => {
    const workshop = await held(
      event('1', DAY, { user_id: 'u1' }),
      event('2', DAY, { user_id: 'u1' }, { ...alimtalk, event_name: 'send_failure', failure_reason: 'A' }),
      event('3', DAY, { user_id: 'u1' }, texted),
      event('4', DAY, { user_id: 'u1' }, inApp),
      event('5', DAY, { user_id: 'u1' }, shown),
      event('6', DAY, { user_id: 'u1' }, { ...inApp, event_name: 'main_button_click' }),
      event('7', DAY, { user_id: 'u1' }, clicked),
      // Of the same person by the device.
      event('8', DAY, { user_id: 'u1', device_id: 'd1' }, { event_name: 'push_delivered' }),
      event('9', DAY, { device_id: 'd1' }),
    );
    expect(await asked(workshop, 'message-pressure', { window_days: '7' })).toMatchObject([
      { messages_per_person: '3', people: '1', messages: '3', shown: '1', clicked: '1', click_rate: 0.5 },
    ]);
  });

  test.each([
    ['whose clicks are still to come do not make a trend', 5, 'steady'],
    ['is followed by fewer clicks of the same day, which is one', 0, 'falling'],
  ])('pressure: many messages %s', async (_, clicks, trend) => {
    const [first, last] = [dayAfter(DAY, -6), DAY];
    const people = Array.from({ length: 60 }, (_person, n) => ({ user_id: `u${n}` }));
    // The first 20 get more messages, on the last day; of each 20 some click what all got on the first.
    let number = 0;
    const next = (): string => String((number += 1));
    const sent = people.flatMap((person, n) => [
      event(next(), first, person),
      ...(n < 20 ? [0, 1, 2, 3].map(() => event(next(), last, person)) : []),
    ]);
    const answered = people.flatMap((person, n) =>
      n % 20 < (n < 20 ? clicks : 5) ? [event(next(), first, person, clicked)] : [],
    );
    const others = [1, 2, 3, 4, 5].map((i) => event(next(), dayAfter(first, i), { user_id: `v${i}` }));
    const workshop = await held(...sent, ...answered, ...others);
    const rows = await asked(workshop, 'message-pressure', { window_days: '7', day: last });
    expect(rows.map((row) => [row['messages_per_person'], row['trend']])).toEqual([
      ['1', trend],
      ['5', trend],
    ]);
  });

  extended('reach counts people once, and says which days are not held', async () => {
    const LATER = dayAfter(DAY, 2);
    const workshop = await held(
      event('1', DAY, { user_id: 'u1', device_id: 'd1' }),
      event('2', DAY, { user_id: 'u2' }),
      event('3', DAY, { user_id: 'u3' }, texted),
      event('4', LATER, { device_id: 'd1' }),
      event('5', LATER, { device_id: 'd1' }, clicked),
      event('6', LATER, { user_id: 'u1' }, clicked),
      event('7', LATER, { user_id: 'u4' }, shown),
    );
    const range = { start: DAY, end: LATER };
    const rows = await asked(workshop, 'reach', range);
    expect(rows).toMatchObject([
      {
        resource_id: 'c1',
        channels: 'chatapp-alimtalk, push-notification',
        people_reached: '3',
        messages: '4',
        clickers: '1',
        clicker_share: 0.5,
        days_held: '2',
        days_without_events: dayAfter(DAY),
      },
      { resource_id: 'c2', people_reached: '1', messages: '1', clickers: null, clicker_share: null },
    ]);
    const [years] = await asked(workshop, 'reach', { start: '2001-01-01', end: LATER });
    expect(years?.['days_without_events']).toBe(`2001-01-01..${dayAfter(DAY, -1)}, ${dayAfter(DAY)}`);
    const byChannel = await asked(workshop, 'reach', { ...range, per: 'channel' });
    expect(byChannel.map((row) => [row['channel'], row['people_reached'], row['clicker_share']])).toEqual([
      ['push-notification', '2', 0.5],
      ['chatapp-alimtalk', '1', null],
      ['in-app-message', '1', null],
    ]);
  });

  test('fatigue holds a click against what its reader had had before the message', async () => {
    const LATER = dayAfter(DAY, 8);
    const workshop = await held(
      event('1', DAY, { user_id: 'u1' }),
      event('2', DAY, { user_id: 'u1' }, texted),
      event('3', DAY, { user_id: 'u1' }, shown),
      event('4', LATER, { user_id: 'u1' }),
      event('5', LATER, { user_id: 'u2' }),
      event('6', dayAfter(LATER), { user_id: 'u1' }, clicked),
    );
    const rows = await asked(workshop, 'fatigue');
    expect(
      rows.map((row) => [row['messages_before'], row['messages'], row['clicked'], row['click_rate']]),
    ).toEqual([
      ['0', '2', '0', 0],
      ['2', '1', '1', 1],
    ]);
    // The week before that message there was none.
    const week = await asked(workshop, 'fatigue', { window_days: '7' });
    expect(week).toMatchObject([
      { messages_before: '0', messages: '3', clicked: '1', days_held: '3', days_needed: '35' },
    ]);
  });
});

test('clicks on the day after a campaign with few earlier messages are held against that campaign', async () => {
  const days = [dayAfter(DAY, -1), DAY, dayAfter(DAY)];
  const workshop = new Workshop();
  const people = Array.from({ length: 40 }, (_, nth) => nth);
  for (const [nth, date] of days.entries()) {
    // From the 20th on they get the second message alone. A quarter clicks that one, a day later.
    const sent = people
      .filter((person) => nth === 1 || person < 20)
      .map((person) => event(String(100 * nth + person), date, { user_id: `u${person}` }));
    const late = people
      .filter((person) => nth === 2 && person % 4 === 0)
      .map((person) => event(String(100 + person), date, { user_id: `u${person}` }, clicked));
    await workshop.load(day(workshop, date, ...sent, ...late));
  }
  await workshop.with(refreshModels);
  expect(
    (await asked(workshop, 'fatigue')).map((row) => [
      row['messages_before'],
      row['messages'],
      row['clicked'],
      row['same_day_rate'],
    ]),
  ).toEqual([
    ['0', '40', '5', 0.125],
    ['1', '20', '5', 0.125],
    ['2', '20', '0', null],
  ]);
});

test('a person first seen as a device and later as a user is one person of all weeks', async () => {
  const [SECOND, THIRD] = [dayAfter(DAY, 7), dayAfter(DAY, 14)];
  const workshop = new Workshop();
  // The device in the first week, the user with that device in the second, the user alone in the third.
  for (const pull of [
    day(workshop, DAY, event('1', DAY, { device_id: 'd1' }), event('2', DAY, { user_id: 'u2' })),
    day(
      workshop,
      SECOND,
      event('3', SECOND, { device_id: 'd1', user_id: 'u1' }),
      event('4', SECOND, { user_id: 'u1' }, clicked),
      // A click of somebody who got no message that week.
      event('5', SECOND, { user_id: 'u2' }, clicked),
      event('6', SECOND, { user_id: '' }),
    ),
    day(workshop, THIRD, event('7', THIRD, { user_id: 'u1' }), event('8', THIRD, { service_device_id: '' })),
  ]) {
    await workshop.load(pull);
    await workshop.findings();
  }
  expect(
    await workshop.lines(
      `select cohort_week, weeks_since, people, messaged_people, clickers, clicker_share
      from marts.cohort_retention order by all`,
    ),
  ).toEqual([
    `${DAY} | 0 | 2 | 2 | 0 | 0`,
    // One of two got a message and clicked; the other clicked without one.
    `${DAY} | 1 | 2 | 1 | 2 | 1`,
    `${DAY} | 2 | 2 | 1 | 0 | 0`,
  ]);
  expect(await asked(workshop, 'message-pressure', { day: THIRD })).toMatchObject([
    { messages_per_person: '1', people: '1' },
    { messages_per_person: '3', people: '1' },
  ]);
  // An empty id is nobody.
  expect(
    await workshop.lines(
      `select date, sum(people) filter (kind = 'succeeded') from marts.daily_events group by date order by date`,
    ),
  ).toEqual([`${DAY} | 2`, `${SECOND} | 1`, `${THIRD} | 1`]);
});

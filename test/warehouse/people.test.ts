/** Which ids belong to one person, and what follows from it for the marts. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EventsPull, Pull } from '../../src/storage/pull.js';
import { Reader } from '../../src/warehouse/reader.js';
import { dayAfter, micros, record, Workshop, type Row } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';
const NOBODY = { user_id: null, service_user_id: null, device_id: null, service_device_id: null };

async function modelled(pulls: (workshop: Workshop) => readonly Pull[]): Promise<Workshop> {
  const workshop = new Workshop();
  await workshop.with(async (warehouse) => {
    for (const pull of pulls(workshop)) await warehouse.load(pull);
    await warehouse.model();
  });
  return workshop;
}

/** A record of a day that names its person by these ids alone. */
function event(id: string, day: string, ids: Row, more: Row = {}): Row {
  return record({ id, time: micros(day, 36_000 + Number(id)), ...NOBODY, ...ids, ...more });
}

const day = (workshop: Workshop, date: string, ...records: Row[]): EventsPull =>
  workshop.events(date, [records]);

/** The events of each person, by their ids: people are numbers, which say nothing to a reader. */
async function people(workshop: Workshop): Promise<string[]> {
  const rows = await workshop.look(
    `select string_agg(event_id, ' ' order by event_id::integer) as events
    from marts.event_people group by person order by min(event_id::integer)`,
  );
  return rows.map(({ events }) => String(events));
}

/** What a bundled query answers. */
async function asked(
  workshop: Workshop,
  name: string,
  values: Record<string, string | undefined> = {},
): Promise<Row[]> {
  const reader = await Reader.open(workshop.path);
  try {
    for (const [variable, value] of Object.entries(values)) {
      await reader.connection.run(`set variable "${variable}" = '${value}'`);
    }
    return await reader.objects(readFileSync(`sql/queries/${name}.sql`, 'utf8'));
  } finally {
    await reader.close();
  }
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
    const workshop = await modelled((workshop) => [
      day(
        workshop,
        DAY,
        event('1', DAY, { service_device_id: 'sd1' }),
        event('2', DAY, { service_device_id: 'sd1', device_id: 'd1' }),
        event('3', DAY, { device_id: 'd1', service_user_id: 's1' }),
      ),
      day(
        workshop,
        dayAfter(DAY),
        event('4', DAY, { service_user_id: 's1', user_id: 'u1' }, { time: micros(dayAfter(DAY)) }),
        event('5', dayAfter(DAY), { service_device_id: 'sd1' }),
        event('6', dayAfter(DAY), { user_id: 'u1' }),
      ),
    ]);
    // On the first day nobody knows of the user: what is learned later changes no earlier day.
    expect(await people(workshop)).toEqual(['1 2 3', '4 5 6']);
  });

  test('two users of one device stay two people; what it does alone is its first user’s', async () => {
    const workshop = await modelled((workshop) => [
      day(
        workshop,
        DAY,
        event('1', DAY, { user_id: 'u1', device_id: 'd1' }),
        event('2', DAY, { user_id: 'u2', device_id: 'd1' }),
        event('3', DAY, { device_id: 'd1' }),
        event('4', DAY, { user_id: 'u2' }),
      ),
    ]);
    expect(await people(workshop)).toEqual(['1 3', '2 4']);
  });

  test('an id of one kind is never one of another, and a record without any is nobody’s', async () => {
    const workshop = await modelled((workshop) => [
      day(
        workshop,
        DAY,
        event('1', DAY, { user_id: 'x' }),
        event('2', DAY, { device_id: 'x' }),
        event('3', DAY, {}),
      ),
    ]);
    expect(await people(workshop)).toEqual(['1', '2', '3']);
    expect(
      await workshop.lookOne('select person from marts.event_people where event_id = 3::varchar'),
    ).toEqual({
      person: null,
    });
  });

  test('a link of an earlier day that is loaded later changes the days after it', async () => {
    const workshop = new Workshop();
    const NEXT = dayAfter(DAY, 40);
    const nights: EventsPull[] = [
      day(workshop, NEXT, event('2', NEXT, { device_id: 'd1' }), event('3', NEXT, { user_id: 'u1' })),
      day(workshop, DAY, event('1', DAY, { user_id: 'u1', device_id: 'd1' })),
    ];
    const seen: string[][] = [];
    for (const pull of nights) {
      await workshop.with(async (warehouse) => {
        await warehouse.load(pull);
        await warehouse.model();
        await warehouse.check();
      });
      seen.push(await people(workshop));
    }
    expect(seen).toEqual([['2', '3'], ['1 2 3']]);
  });

  test('a click with another id of the same person counts for the message, whichever came first', async () => {
    const NEXT = dayAfter(DAY);
    const workshop = await modelled((workshop) => [
      day(
        workshop,
        DAY,
        // The device is known to be the user's when it clicks,
        event('1', DAY, { user_id: 'u1', device_id: 'd1' }),
        event('2', DAY, { device_id: 'd1' }, { event_name: 'push_click' }),
        // and here it becomes known with the click, on the day after.
        event('3', DAY, { device_id: 'd2' }),
        // Somebody else's message.
        event('4', DAY, { user_id: 'u3' }),
      ),
      day(
        workshop,
        NEXT,
        event('5', NEXT, { user_id: 'u2', device_id: 'd2' }, { event_name: 'push_click' }),
        // Another person, on that device too.
        event('6', NEXT, { user_id: 'u4', device_id: 'd2' }, { event_name: 'push_click' }),
      ),
    ]);
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
      await workshop.lookOne('select sum(clicked)::integer as clicked from marts.daily_send_hours'),
    ).toEqual({
      clicked: 2,
    });
  });
});

describe('response times', () => {
  test('percentiles of any days are those of the delays themselves, to 2 %', async () => {
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
    const whole = await workshop.lookOne('select p50_seconds, responses from marts.response_times');
    const exact = quantile(
      delays.flat().map((delay) => delay / 1000),
      0.5,
    );
    expect(Math.abs(Number(whole['p50_seconds']) / exact - 1)).toBeLessThanOrEqual(0.02);
    expect(whole['responses']).toBe('180');
  });

  test('a message at no time, and a record of nobody, answer nothing', async () => {
    const workshop = await modelled((workshop) => [
      day(workshop, DAY, event('1', DAY, {}), event('2', DAY, {}, { event_name: 'push_click' })),
    ]);
    expect(await workshop.look('from marts.daily_response_times')).toEqual([]);
  });
});

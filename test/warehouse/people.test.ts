/** Which ids belong to one person, and what follows from it for the marts. */
import { describe, expect, test } from 'vitest';
import type { EventsPull, Pull } from '../../src/storage/pull.js';
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
});

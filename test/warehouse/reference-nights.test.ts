/** Reference data night by night: what models hold then is what they hold of all nights at once; and how fresh it is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shiftDay, type Day } from '../../src/calendar.js';
import {
  dayOfInstant,
  referenceWorkshop,
  sqlOf,
  type Message,
  type OptOut,
  type Reference,
} from './reference.js';
import type { Workshop } from './support.js';
import { asked, type Row } from './support.js';

const FIRST = '2026-11-01';
const NIGHTS = 12;
const DAYS = Array.from({ length: NIGHTS }, (_, i) => shiftDay(FIRST, i));

const TABLES = [
  'daily_templates',
  'daily_recipient_messages',
  'daily_opt_out_messages',
  'template_days',
  'opt_outs_after_messages',
];

async function held(workshop: Workshop): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {};
  for (const table of TABLES) found[table] = await workshop.look(`from marts.${table} order by all`);
  return found;
}

const hour = fc.nat(NIGHTS * 24 - 1).map((hours) => at(hours));
const at = (hours: number): string =>
  new Date(Date.parse(`${FIRST}T00:20:00+09:00`) + hours * 3_600_000).toISOString();

const world = fc.record({
  messages: fc.array(
    fc.record({
      at: hour,
      recipient: fc.constantFrom('r1', 'r2', 'r3'),
      channel: fc.constantFrom('text-message' as const, 'chatapp-alimtalk' as const),
      template: fc.constantFrom('T1', 'T2'),
      body: fc.constantFrom('안내', '(광고) 080-123-4567', '무료수신거부 0801234567'),
      // So many hours later it is delivered, or clicked.
      answered: fc.constantFrom(undefined, 1, 30, 80),
      event: fc.constantFrom('alimtalk_delivered', 'alimtalk_click'),
    }),
    { minLength: 5, maxLength: 25 },
  ),
  optOuts: fc.array(fc.record({ at: hour, recipient: fc.constantFrom('r1', 'r2', 'r3'), late: fc.nat(6) }), {
    minLength: 2,
    maxLength: 8,
  }),
});

test(
  'tables of reference data brought forward night by night are those made at once',
  { timeout: 120_000, tags: ['long'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const messages = given.messages.flatMap(({ answered, event, ...message }, i): Message[] => {
          const send = { ...message, id: `m${String(i).padStart(2, '0')}` };
          const later = Date.parse(send.at) + (answered ?? 0) * 3_600_000;
          const isHeld = answered !== undefined && later < Date.parse(at(NIGHTS * 24 - 1));
          return isHeld ? [send, { ...send, event, at: new Date(later).toISOString() }] : [send];
        });
        // Seen by the snapshot of the morning after, or of a later one.
        const optOuts = given.optOuts.map(({ late, ...optOut }): OptOut => {
          const last = shiftDay(FIRST, NIGHTS);
          const seen = shiftDay(dayOfInstant(optOut.at), 1 + late);
          return { ...optOut, from: seen < last ? seen : last };
        });
        const templates = DAYS.slice(0, 4).map((from, i) => ({
          kind: 'alimtalk' as const,
          name: 'T1',
          text: `글 ${i}`,
          from,
          ...(i < 3 ? { to: from } : {}),
        }));
        const items = [{ catalog: 'products', id: 'shoe-1', from: FIRST }];
        const nights = DAYS.map((day): Reference => {
          const morning = shiftDay(day, 1);
          return {
            messages: messages.filter((message) => dayOfInstant(message.at) === day),
            eventDays: [day],
            optOuts: optOuts.filter(({ from }) => from === morning),
            snapshots: { opt_outs: [morning] },
          };
        });
        const nightly = await referenceWorkshop({ templates, items });
        const atOnce = await referenceWorkshop({ templates, items });
        const bring = (workshop: Workshop, some: readonly Reference[]): Promise<void> =>
          workshop.change(`set timezone = 'Asia/Seoul'; ${some.map(sqlOf).join('\n')}`).then(() =>
            workshop.with(async (warehouse) => {
              await warehouse.model();
              await warehouse.check();
            }),
          );
        for (const night of nights) await bring(nightly, [night]);
        await bring(atOnce, nights);
        const found = await held(nightly);
        expect(found).toEqual(await held(atOnce));
        expect(found['daily_recipient_messages']).not.toEqual([]);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
);

describe('snapshots', () => {
  const eventDays = DAYS;
  const newest: Day = DAYS.at(-1) ?? '';

  test('miss no days, and are as old as the nights since the last one', async () => {
    const workshop = await referenceWorkshop({
      eventDays,
      snapshots: { opt_outs: ['2026-11-05', shiftDay(newest, 1)], catalogs: ['2026-11-03', '2026-11-10'] },
    });
    const rows = await asked(workshop, 'freshness');
    expect(
      rows.map((row) => [row['stream'], row['last_date'], row['days_missing'], row['days_behind_newest']]),
    ).toEqual([
      ['catalogs', '2026-11-10', '0', '3'],
      ['events', newest, '0', '0'],
      ['opt_outs', '2026-11-13', '0', '0'],
    ]);
    const missing = await asked(workshop, 'missing-days', { end: newest, stream: 'events' });
    expect(missing).toEqual([]);
    expect((await asked(workshop, 'missing-days', { end: newest })).map(({ stream }) => stream)).toEqual([
      'campaigns',
      'statistics',
      'statistics_by_subchannel',
    ]);
    // And they make the calendar no longer.
    expect(await workshop.lookOne('select max(date)::varchar as last from calendar')).toEqual({
      last: newest,
    });
  });

  test('alone are as fresh as their newest one', async () => {
    const workshop = await referenceWorkshop({
      snapshots: { opt_outs: ['2026-11-09'], catalogs: ['2026-11-10'] },
    });
    expect(await asked(workshop, 'freshness')).toMatchObject([
      { stream: 'catalogs', days_behind_newest: '0' },
      { stream: 'opt_outs', days_behind_newest: '1' },
    ]);
  });
});

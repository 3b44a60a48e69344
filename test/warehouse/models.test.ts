import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/ground/calendar.js';
import { mentions, models } from '../../src/warehouse/models.js';
import { EVENT_TABLES } from '../../src/streams/events/messages.js';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { dayAfter, loadOne, micros, record, statistic, Workshop, type Row } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';
import { extended } from '../support/tags.js';

const DAY = '2026-11-16';
const TABLES = models().filter(({ incremental }) => incremental !== undefined);

test('no temporary table of a load has the name of a model, which it would hide', () => {
  const folder = join(PACKAGE_ROOT, 'sql');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  );
  const temporary = files.flatMap((name) =>
    [
      ...readFileSync(join(folder, name), 'utf8').matchAll(
        /create (?:or replace )?temp (?:table|view) (\w+)/g,
      ),
    ].map(([, table]) => table),
  );
  expect(temporary.length).toBeGreaterThan(30);
  expect(temporary.filter((table) => models().some(({ relation }) => relation === table))).toEqual([]);
});

test('a model by the week reads daily tables alone, of which no day leaves the file', () => {
  const ofExports = [
    ...EVENT_TABLES.map(({ name }) => name),
    'emails',
    'push_messages',
    'marts.event_people',
  ];
  const weekly = TABLES.filter(({ incremental }) => incremental?.partition === 'week');
  expect(weekly.length).toBeGreaterThan(0);
  for (const { select } of weekly) expect(ofExports.filter((name) => mentions(select, name))).toEqual([]);
});

/** Loads the pulls with a modeling stage (and the checks, which end a night) after each, or after all of them. */
async function model(workshop: Workshop, pulls: readonly Pull[], when: 'each' | 'last'): Promise<void> {
  await workshop.with(async (warehouse) => {
    for (const [index, pull] of pulls.entries()) {
      await loadOne(warehouse, pull);
      if (when === 'last' && index < pulls.length - 1) continue;
      await refreshModels(warehouse);
      await runChecks(warehouse);
    }
  });
}

/** Everything that all models hold, each in an order of its own rows. */
async function everything(workshop: Workshop): Promise<Record<string, Row[]>> {
  const held: Record<string, Row[]> = {};
  for (const { relation } of models()) {
    // Times of pulling differ by the order of loading, which is what the test turns around.
    const columns = relation === 'marts.freshness' ? '* exclude (last_pulled_at)' : '*';
    held[relation] = await workshop.look(`select ${columns} from ${relation} order by all`);
  }
  return held;
}

/** What `ops.model_days` says, and what it ought to say of the rows that all models hold now. */
async function modelDays(workshop: Workshop): Promise<{ noted: Row[]; held: Row[] }> {
  const days = TABLES.map(({ relation, incremental }) => {
    const column = incremental?.partition === 'week' ? 'week' : 'date';
    return `select '${relation}', ${column}, count(*), sum(hash(held))::varchar from ${relation} as held group by all`;
  });
  return {
    noted: await workshop.look('from ops.model_days order by all'),
    held: await workshop.look(
      `select * from (${days.join(' union all ')}) as days (relation, date, rows, digest) order by all`,
    ),
  };
}

/** Whose a record is, as far as it tells: two users of one device, and records that name them by weaker ids. */
const PEOPLE: Record<string, Row> = {
  kim: { user_id: 'kim', service_user_id: 's-kim', device_id: 'd1', service_device_id: 'sd1' },
  'kim without signing in': {
    user_id: null,
    service_user_id: 's-kim',
    device_id: 'd2',
    service_device_id: null,
  },
  lee: { user_id: 'lee', service_user_id: null, device_id: 'd1', service_device_id: null },
  'a device': { user_id: null, service_user_id: null, device_id: 'd1', service_device_id: 'sd1' },
  'the device of kim': { user_id: null, service_user_id: null, device_id: 'd2', service_device_id: 'sd2' },
  'only its other id': { user_id: null, service_user_id: null, device_id: null, service_device_id: 'sd2' },
  nobody: { user_id: null, service_user_id: null, device_id: null, service_device_id: null },
};

/** A day on which some people get a push, and some of them click: that day, or one of a send some days before. */
const dayOfEvents = fc.record({
  offset: fc.constantFrom(0, 1, 2, 3, 5, 6, 7, 8, 28, 35, 36),
  sends: fc.array(
    fc.record({
      who: fc.constantFrom(...Object.keys(PEOPLE)),
      second: fc.nat(80_000),
      clicks: fc.boolean(),
      fails: fc.boolean(),
    }),
    { minLength: 0, maxLength: 8 },
  ),
});

function exportOf(
  workshop: Workshop,
  day: Day,
  sends: readonly { who: string; second: number; clicks: boolean; fails: boolean }[],
  nth: number,
): Pull {
  const rows = sends.flatMap(({ who, second, clicks, fails }, i) => {
    const own = {
      ...PEOPLE[who],
      user_journey_id: 'j1',
      user_journey_node_id: `n${second % 3}`,
      message_data: { title: fails ? '긴급' : '안내' },
    };
    const id = `${day}-${nth}-${i}`;
    const send = record({
      ...own,
      id,
      event_name: fails ? 'send_failure' : 'send_success',
      failure_reason: fails ? 'NotRegistered' : null,
      time: micros(day, second),
    });
    const click = record({
      ...own,
      id: `${id}-click`,
      event_name: 'push_click',
      time: micros(day, second + 5000),
    });
    return clicks ? [send, click] : [send];
  });
  return workshop.events(day, [rows]);
}

describe('models that nights bring forward', { tags: ['long'] }, () => {
  test('every model is there and empty on an empty warehouse, and the checks find nothing', async () => {
    const workshop = new Workshop();
    expect(await workshop.findings()).toEqual([]);
    for (const { relation } of models()) expect(await workshop.look(`from ${relation}`)).toEqual([]);
  });

  test('tables brought forward night by night, in any order, are those made at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(dayOfEvents, { minLength: 2, maxLength: 5 }), async (days) => {
        const [nightly, atOnce] = [new Workshop(), new Workshop()];
        const pulls = (workshop: Workshop): Pull[] =>
          days.map(({ offset, sends }, nth) => exportOf(workshop, dayAfter(DAY, offset), sends, nth));
        await model(nightly, pulls(nightly), 'each');
        await model(atOnce, pulls(atOnce), 'last');
        expect(await everything(nightly)).toEqual(await everything(atOnce));
        for (const workshop of [nightly, atOnce]) {
          const { noted, held } = await modelDays(workshop);
          expect(noted).toEqual(held);
        }
      }),
      { numRuns: Number(process.env['MODEL_RUNS'] ?? 1), endOnFailure: true },
    );
  }, 120_000);

  test('a night computes the days that it touched, and no other', async () => {
    const workshop = new Workshop();
    const send = [{ who: 'kim', second: 0, clicks: false, fails: false }];
    await model(workshop, [exportOf(workshop, DAY, send, 0)], 'last');
    await workshop.change('update marts.daily_events set events = 99');
    await model(workshop, [exportOf(workshop, dayAfter(DAY), send, 1)], 'last');
    expect(
      await workshop.lines('select date::varchar as date, events from marts.daily_events order by date'),
    ).toEqual([`${DAY} | 99`, `${dayAfter(DAY)} | 1`]);
  });

  test('a model that was changed is made anew for all days', async () => {
    const workshop = new Workshop();
    const send = [{ who: 'kim', second: 0, clicks: false, fails: false }];
    await model(workshop, [exportOf(workshop, DAY, send, 0)], 'last');
    await workshop.change(
      `update marts.daily_events set events = 99;
     update ops.models set fingerprint = 'of an older version' where relation = 'marts.daily_events'`,
    );
    await model(workshop, [exportOf(workshop, dayAfter(DAY), send, 1)], 'last');
    expect(await workshop.lines('select events from marts.daily_events')).toEqual(['1', '1']);
  });

  extended('a modeling stage that is stopped leaves the marts as they were, and is done again', async () => {
    const workshop = new Workshop();
    const send = [{ who: 'kim', second: 0, clicks: false, fails: false }];
    await model(workshop, [exportOf(workshop, DAY, send, 0)], 'last');
    await workshop.load(exportOf(workshop, dayAfter(DAY), send, 1));
    await workshop.with(refreshModels);
    // The run was killed before its checks: the next one finds the same days touched.
    await model(workshop, [exportOf(workshop, dayAfter(DAY, 2), send, 2)], 'last');
    expect(await workshop.lines('select sum(events)::integer as events from marts.daily_events')).toEqual([
      '3',
    ]);
  });
});

test('every model works on a warehouse that holds only free statistics', { tags: ['long'] }, async () => {
  const workshop = new Workshop();
  await model(workshop, [workshop.statistics(DAY, [statistic({ date: DAY })])], 'last');
  const held = await everything(workshop);
  expect(held['marts.channel_days']).toMatchObject([
    { sent: '10', failed: '1', delivered: '9', clicked: '2' },
  ]);
  for (const { relation } of TABLES) expect(held[relation]).toEqual([]);
});

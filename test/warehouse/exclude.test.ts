// @module-tag long
/** Staff and test people are left out of everything that is counted by events, as if their records had never come. */
import { copyFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ordersCsv, ordersOf } from '../../sandbox/world/orders.js';
import { daysOf } from '../../src/ground/calendar.js';
import { loadCatalogue } from '../../src/readers/queries/catalogue.js';
import { runChecks } from '../../src/warehouse/checks.js';
import { models, refreshModels } from '../../src/warehouse/models.js';
import { NOW, Place } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { ask } from '../readers/queries/support.js';
import { dayAfter, KEY, loadOne, micros, record, Workshop, type Row } from './support.js';
import { extended } from '../support/tags.js';

const DAY = '2026-11-16';

/** Records of the staff member kim, of others, and of devices that one or several of them use. */
const WHOSE: readonly Row[] = [
  { user_id: 'kim', service_user_id: 's-kim', device_id: 'd1', service_device_id: 'sd1' },
  { user_id: null, service_user_id: 's-kim', device_id: 'd2', service_device_id: null },
  { user_id: 'undefined', service_user_id: null, device_id: 'd2', service_device_id: 'sd2' },
  { user_id: null, service_user_id: null, device_id: null, service_device_id: 'sd2' },
  { user_id: null, service_user_id: null, device_id: 'd1', service_device_id: 'sd1' },
  { user_id: 'lee', service_user_id: null, device_id: 'd1', service_device_id: null },
  { user_id: 'lee', service_user_id: 's-lee', device_id: 'd3', service_device_id: null },
  { user_id: null, service_user_id: null, device_id: 'd3', service_device_id: null },
  { user_id: null, service_user_id: null, device_id: null, service_device_id: null },
];
const KINDS = ['user_id', 'service_user_id', 'device_id', 'service_device_id'] as const;

/** Which of the records are not counted, worked out id by id. */
function leftOut(records: readonly Row[]): ReadonlySet<Row> {
  const idOf = (row: Row, kind: string): string | undefined => {
    const id = row[kind];
    return typeof id === 'string' && id !== 'undefined' ? `${kind} ${id}` : undefined;
  };
  const strongest = (row: Row, kinds: readonly string[]): string | undefined =>
    kinds.map((kind) => idOf(row, kind)).find((id) => id !== undefined);
  const staff = new Set(['user_id kim']);
  for (const [nth, kind] of KINDS.entries()) {
    const owners = new Map<string, (string | undefined)[]>();
    for (const row of records) {
      const [id, owner] = [idOf(row, kind), strongest(row, KINDS.slice(0, nth))];
      if (id !== undefined && owner !== undefined) owners.set(id, [...(owners.get(id) ?? []), owner]);
    }
    for (const [id, all] of owners)
      if (all.every((owner) => owner !== undefined && staff.has(owner))) staff.add(id);
  }
  return new Set(records.filter((row) => staff.has(strongest(row, KINDS) ?? '')));
}

const night = fc.record({
  offset: fc.constantFrom(0, 1, 2, 6, 8, 36),
  sends: fc.array(
    fc.record({ whose: fc.nat(WHOSE.length - 1), second: fc.nat(80_000), clicks: fc.boolean() }),
    { maxLength: 8 },
  ),
});

/** Everything that all models have, each in an order of its own rows. */
async function everything(workshop: Workshop): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {};
  for (const { relation } of models())
    // The rows of streams are those that were loaded.
    if (relation !== 'marts.freshness' && relation !== 'freshness')
      found[relation] = await workshop.look(`from ${relation} order by all`);
  return found;
}

test('however the list changes, all models are those of a world without these records', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(night, { minLength: 2, maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      async (nights, lists) => {
        const settings: { excluded: readonly string[] } = { excluded: [] };
        const [nightly, without] = [new Workshop(settings), new Workshop()];
        const days = nights.map(({ offset, sends }, nth) => ({
          day: dayAfter(DAY, offset),
          rows: sends.flatMap(({ whose, second, clicks }, i): Row[] => {
            const own: Row = { ...WHOSE[whose], message_data: { title: '안내', body: `${nth}-${i}` } };
            const send = { ...own, id: `${nth}-${i}`, event_name: 'send_success', second };
            return clicks ? [send, { ...send, event_name: 'push_click', second: second + 5000 }] : [send];
          }),
        }));
        // Only the last export of a day remains.
        const last = new Map(days.map((one) => [one.day, one.rows]));
        const staff = leftOut([...last.values()].flat());
        const pullsOf = (workshop: Workshop, isKept: (row: Row) => boolean) =>
          days.map(({ day, rows }) =>
            workshop.events(day, [
              rows
                .filter(isKept)
                .map(({ second, ...row }) => record({ ...row, time: micros(day, Number(second)) })),
            ]),
          );
        for (const [nth, pull] of pullsOf(nightly, () => true).entries()) {
          settings.excluded = nth === days.length - 1 || lists[nth] === true ? ['kim', 'nobody'] : [];
          await nightly.with(async (warehouse) => {
            await loadOne(warehouse, pull);
            await refreshModels(warehouse);
            await runChecks(warehouse);
          });
          await nightly.close();
        }
        await without.with(async (warehouse) => {
          for (const pull of pullsOf(without, (row) => !staff.has(row))) await loadOne(warehouse, pull);
          await refreshModels(warehouse);
        });
        expect(await everything(nightly)).toEqual(await everything(without));
        const stops = await nightly.look("select name from ops.checks where severity = 'stop'");
        expect(stops).toEqual([]);
        // Their records stay, and are counted apart.
        const raw = [...last.values()].flat();
        expect(await nightly.lines('select count(*)::integer from events')).toEqual([String(raw.length)]);
        expect(await nightly.lines('select listed, people, events from ops.exclusions')).toEqual([
          `2 | ${raw.some((row) => row['user_id'] === 'kim') ? 1 : 0} | ${staff.size}`,
        ]);
      },
    ),
    { numRuns: Number(process.env['MODEL_RUNS'] ?? 1), endOnFailure: true },
  );
}, 600_000);

const SETTINGS = `start_date: 2026-10-24
exports:
  start_date: 2026-11-12
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
privacy: { recipients: keep }
reference: { opt_outs: true }
tables:
  orders: { from: ./orders.csv, keys: { user_id: member_id }, unique: order_id }
conversions: { table: orders, person: user_id, at: ordered_at, value: amount, currency: KRW, goal: 구매 }
`;

/** The answers of all bundled questions, and the rows of all models, in one file. */
async function answers(path: string, which: 'all' | 'default'): Promise<Record<string, string>> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const found: Record<string, string> = {};
  try {
    for (const { name, sql, params } of loadCatalogue()) {
      const choices = params.flatMap(({ name: param, choices: all }) =>
        all.map((one) => [param, one] as const),
      );
      for (const [param, choice] of [['', ''] as const, ...(which === 'all' ? choices : [])]) {
        const connection = await instance.connect();
        await connection.run(`set timezone = 'Asia/Seoul'; set variable now = '${NOW}'`);
        if (param !== '') await connection.run(`set variable "${param}" = '${choice}'`);
        found[`${name} ${param} ${choice}`] = await ask(connection, sql);
        connection.closeSync();
      }
    }
    const connection = await instance.connect();
    for (const { relation } of models())
      found[relation] = JSON.stringify(
        (await connection.runAndReadAll(`from ${relation} order by all`)).getRowObjectsJson(),
      );
    connection.closeSync();
    return found;
  } finally {
    instance.closeSync();
  }
}

extended(
  'every mart and question of a world with staff is that of the world without them',
  async () => {
    const place = await Place.make(SETTINGS, { eventsPerDay: 500, seed: 3 });
    const orders = ordersOf(
      { seed: 3, eventsPerDay: 500 },
      daysOf({ start: '2026-10-24', end: '2026-11-20' }),
    );
    await writeFile(
      join(place.folder, 'orders.csv'),
      ordersCsv(orders.filter(({ orderedAt }) => orderedAt < new Date(NOW))),
    );
    await ends(place.run(['run']), 0);
    const staff = await place.rows(`
    select user_id from events
    where user_id in (select user_id from own.orders)
    group by user_id order by count(distinct event_name) desc, count(*) desc, user_id limit 5`);
    const excluded = staff.map(({ user_id }) => String(user_id));
    const workshop = (settings: object): Workshop => {
      const made = new Workshop({ privacy: { recipients: 'keep', key: KEY }, ...settings });
      copyFileSync(place.published, made.path);
      return made;
    };
    const [left, without] = [workshop({ excluded }), workshop({})];
    const named = excluded.map((id) => `'${id}'`).join(', ');
    const alone = ['service_user_id', 'device_id', 'service_device_id'].map(
      (kind) =>
        `${kind} in (select ${kind} from events where user_id <> '' group by all having bool_and(user_id in (${named})))`,
    );
    await without.change(`
    create temp table gone as
    select event_id from events where user_id in (${named}) or (coalesce(user_id, '') = '' and (${alone.join(' or ')}));
    delete from events where event_id in (from gone);
    delete from own.orders where user_id in (${named});
    update ops.models set fingerprint = 'another'`);
    const tables = await without.look(`
    select table_name as name from duckdb_columns()
    where schema_name = 'main' and column_name = 'event_id' and table_name <> 'events'
      and table_name in (select table_name from duckdb_tables())`);
    for (const { name } of tables)
      await without.change(`delete from ${String(name)} where event_id not in (select event_id from events)`);
    const before = await answers(place.published, 'default');
    for (const one of [left, without]) {
      await one.with(refreshModels);
      await one.close();
    }
    const [counted, wanted] = [await answers(left.path, 'all'), await answers(without.path, 'all')];
    expect(counted).toEqual(wanted);
    // The staff was counted before, in most marts and questions.
    const differ = Object.keys(before).filter((name) => before[name] !== wanted[name]);
    expect(differ.length).toBeGreaterThan(50);
    expect(differ).toEqual(
      expect.arrayContaining([
        'attribution  ',
        'revenue-by-person  ',
        'repeat-buyers  ',
        'marts.messages',
        'marts.message_texts',
      ]),
    );
    const [noted] = await left.look('select people, events from ops.exclusions');
    expect(noted).toEqual({ people: '5', events: String(await eventsLess(left, without)) });
    await place.remove();
  },
  600_000,
);

async function eventsLess(all: Workshop, fewer: Workshop): Promise<number> {
  const [many, few] = await Promise.all(
    [all, fewer].map(
      async (one) => (await one.lookOne('select count(*)::integer as rows from events'))['rows'],
    ),
  );
  return Number(many) - Number(few);
}

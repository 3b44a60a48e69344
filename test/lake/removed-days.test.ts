// @module-tag long
/** Days of events that only a lake holds: no command takes them for missing, none pays for them again. */
import { STREAMS } from '../../src/streams/index.js';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Day } from '../../src/ground/calendar.js';
import { loadConfig } from '../../src/config/config.js';
import { hmacKey } from '../../src/warehouse/privacy.js';
import { Warehouse } from '../../src/warehouse/warehouse.js';
import { copyData } from '../support/copies.js';
import { contents, differences } from '../support/contents.js';
import { Place, type Ended } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const DAYS = ['2026-11-12', '2026-11-13', '2026-11-14', '2026-11-15', '2026-11-16'];

let place: Place;
/** What the file held before days left it. */
let before: Record<string, string>;

beforeAll(async () => {
  place = await Place.make(
    'start_date: 2026-11-12\nlookback_days: 3\nexports: { budget: { records_per_run: 100000 } }\n' +
      'reference: { catalogs: [products], opt_outs: true }\n',
  );
  await expectDone('run');
  before = await contents(place.published);
  await leave(DAYS);
  await cp(data(), `${data()}-whole`, { recursive: true });
});
beforeEach(async () => {
  await copyData(`${data()}-whole`, data());
});
afterAll(() => place.remove());

const data = (): string => join(place.folder, 'data');
const working = (): string => join(data(), 'private', 'warehouse.duckdb');

/** The days leave the private file, as they do after a lake holds them. */
async function leave(days: readonly Day[]): Promise<void> {
  const { brand, messenger, fields, privacy } = loadConfig(STREAMS, {}, place.environment, place.folder);
  const effects = { now: () => new Date(), reach: () => undefined };
  const warehouse = await Warehouse.open({
    path: working(),
    tempDirectory: join(data(), 'private', 'tmp'),
    brand,
    messenger,
    fields,
    privacy: { recipients: privacy.recipients, key: await hmacKey(data(), effects) },
    effects,
  });
  expect(await warehouse.removeDays(days, new Date())).toHaveLength(days.length);
  await warehouse.close();
}

async function expectDone(...args: readonly string[]): Promise<Ended> {
  const ended = await place.run(args);
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

/** Nothing is computed of events but what was before; the tables of exports, and what they tell, lack the days. */
async function expectWhole(): Promise<void> {
  const now = await contents(place.published);
  const held = new Set(await tablesOfExports());
  const other = (all: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !held.has(name)));
  expect(differences(other(now), other(before))).toEqual([]);
  expect(await removed()).toEqual(DAYS);
  expect(await days('events')).toEqual(['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20']);
}

async function tablesOfExports(): Promise<string[]> {
  const rows = await place.rows(
    "select distinct schema_name || '.' || table_name as name from duckdb_columns() where column_name = 'export_date'",
  );
  return ['main.message_contents', ...rows.map(({ name }) => String(name))];
}

async function days(table: string, column = 'export_date'): Promise<unknown[]> {
  const rows = await place.rows(`select distinct ${column}::varchar as day from ${table} order by all`);
  return rows.map(({ day }) => day);
}

const removed = (): Promise<unknown[]> => days('ops.removed_days', 'date');

/** The landed pages of a day's export, which a person removes. */
async function removePages(day: Day): Promise<void> {
  const all = await readdir(data(), { recursive: true });
  const pages = all.filter((name) => name.includes(`events/${day}`) && /page.*gz$/.test(name));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) await rm(join(data(), page));
}

const key = (day: Day): string => `${day}.1`;

test('nights, a backfill and a plan over the days pay for nothing, and find nothing', async () => {
  const bills = place.sandbox.bills().length;
  const findings = 'select name, date, subject, actual from ops.checks order by all';
  const found = await place.rows(findings);
  await expectDone('run');
  await expectWhole();
  expect(place.sandbox.bills()).toHaveLength(bills);
  expect(await place.rows(findings)).toEqual(found);
  const plan = JSON.parse((await expectDone('plan', '--json')).stdout) as { events: Record<string, unknown> };
  expect(plan.events).toMatchObject({ to_request: [], not_requested: [], needs_attention: [] });
  const status = JSON.parse((await expectDone('status', '--json')).stdout) as { fresh: boolean };
  expect(status.fresh).toBe(true);
  await expectDone('backfill', '--start', '2026-11-12', '--end', '2026-11-20', '--yes-paid');
  await expectWhole();
  expect(place.sandbox.bills()).toHaveLength(bills);
  expect(await place.rows(findings)).toEqual(found);
  const again = await place.run(['exports', 'decide', key('2026-11-12'), '--pay-again']);
  expect(again.code).toBe(3);
  expect(place.sandbox.bills()).toHaveLength(bills);
  expect((await place.run(['doctor', '--deep'])).stdout).not.toMatch(/fail .*warehouse/);
});

extended('an export that is read again at no cost brings its day back', async () => {
  const bills = place.sandbox.bills().length;
  await removePages('2026-11-13');
  await expectDone('exports', 'resume', key('2026-11-13'));
  expect(place.sandbox.bills()).toHaveLength(bills);
  expect(await removed()).toEqual(DAYS.filter((day) => day !== '2026-11-13'));
  expect(await days('events')).toContain('2026-11-13');
  await leave(['2026-11-13']);
  await expectDone('run');
  expect(await removed()).toEqual(DAYS);
});

test('a rebuild holds the days again', async () => {
  await expectDone('rebuild');
  expect(await removed()).toEqual([]);
  expect(differences(await contents(place.published), before)).toEqual([]);
});

extended('a rebuild that cannot read pages of such a day keeps what was computed of it', async () => {
  await removePages('2026-11-14');
  await removePages('2026-11-15');
  await ends(
    place.run(['rebuild']),
    1,
    'the events of 2026-11-14..2026-11-15 were loaded before and cannot be loaded now',
    'The private warehouse has these days, so it is kept',
  );
  await expectDone('run');
  await expectWhole();
});

extended('where the private warehouse is gone too, the published one takes its place', async () => {
  await expectDone('run');
  await removePages('2026-11-14');
  await rm(working());
  await ends(
    place.run(['rebuild']),
    1,
    'the events of 2026-11-14 were loaded before and cannot be loaded now. Readers still see the previous file, if there is one.',
  );
  expect((await place.run(['run'])).code).toBe(1);
  await expectWhole();
  // As docs/scale.md has it.
  await cp(place.published, working());
  await expectDone('run');
  await expectWhole();
});

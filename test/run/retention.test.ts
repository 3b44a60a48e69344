// @module-tag long
/** What is older than the settings under `retention` leaves file and landing zone; what was computed of it stays. */
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contents, differences } from '../support/contents.js';
import { Place } from '../support/dawnload.js';

const YAML = `start_date: 2026-11-08
lookback_days: 1
reference: { opt_outs: true }
exports:
  start_date: 2026-11-10
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;
const RETENTION = 'retention: { events: 8 days, landing: 9, reference: 8 days }\n';

let place: Place;

beforeAll(async () => {
  place = await Place.make(YAML, { eventsPerDay: 60 });
  expect((await place.run(['run'])).code).toBe(0);
}, 120_000);

afterAll(() => place.remove());

const pagesOf = async (day: string): Promise<string[]> =>
  (await readdir(join(place.folder, 'data', 'landing', 'events', day), { recursive: true })).filter((name) =>
    name.endsWith('.gz'),
  );
const eventDays = (): Promise<Record<string, unknown>[]> =>
  place.rows('select distinct export_date::varchar as day from events order by 1');
const DAILY = ['marts.daily_people', 'marts.daily_events', 'marts.identities', 'marts.first_messages'];
const computed = async (): Promise<Record<string, string>> => {
  const all = await contents(place.published);
  return Object.fromEntries(Object.entries(all).filter(([table]) => DAILY.includes(table)));
};

test('the plan names what the next run removes, the run removes it, and daily aggregates stay', async () => {
  const before = await computed();
  await place.configure(YAML + RETENTION);
  const plan = JSON.parse((await place.run(['plan', '--json'])).stdout) as { retention: unknown };
  expect(plan.retention).toMatchObject({ events: ['2026-11-10', '2026-11-11', '2026-11-12'] });
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(0);
  expect(stderr).toContain('Removed by retention, events: 3 days, 2026-11-10 to 2026-11-12.');
  expect((await eventDays())[0]).toEqual({ day: '2026-11-13' });
  expect(await pagesOf('2026-11-11')).toEqual([]);
  expect(await pagesOf('2026-11-12')).not.toEqual([]);
  expect(differences(before, await computed())).toEqual([]);
  expect(await place.rows(`select place, days from ops.retention order by place`)).toEqual([
    { place: 'events', days: '3' },
    { place: 'landing', days: '2' },
  ]);
});

test('the next run removes nothing more, requests nothing again, and pays nothing', async () => {
  const requests = place.sandbox.requests().E20;
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(0);
  expect(stderr).not.toContain('Removed by retention');
  expect(place.sandbox.requests().E20).toBe(requests);
});

test('a rebuild keeps what was computed of the removed days and says what it could not make again', async () => {
  const before = await contents(place.published);
  const { code, stderr } = await place.run(['rebuild']);
  expect(code).toBe(0);
  expect(stderr.replaceAll('\n', ' ')).toContain(
    'were removed by retention: their events cannot be made again',
  );
  const after = await computed();
  expect(differences(Object.fromEntries(DAILY.map((table) => [table, before[table] ?? ''])), after)).toEqual(
    [],
  );
});

test('a rebuild without any warehouse file goes on, and publishes what there is', async () => {
  const kept = join(place.folder, 'kept');
  await cp(join(place.folder, 'data'), kept, { recursive: true });
  await rm(join(place.folder, 'data', 'private', 'warehouse.duckdb'));
  await rm(place.published);
  const { code, stderr } = await place.run(['rebuild']);
  expect(stderr.replaceAll('\n', ' ')).toContain('what was computed of them is lost');
  expect(code).toBe(0);
  expect((await eventDays())[0]).toEqual({ day: '2026-11-12' });
  await rm(join(place.folder, 'data'), { recursive: true });
  await cp(kept, join(place.folder, 'data'), { recursive: true });
});

test('landed pages may not be kept for fewer days than events', async () => {
  await place.configure(`${YAML}retention: { events: 30, landing: 20 }\n`);
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(2);
  expect(stderr.replaceAll('\n', ' ')).toContain('must keep landed pages at least as long as events');
  await place.configure(`${YAML}retention: { events: soon }\n`);
  expect((await place.run(['run'])).stderr).toContain('must be a number of days from 8 to 36500');
});

// @module-tag long
/** What deletes, and what replaces the published file: never on the word of one clock, one setting or one file. */
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { copyData } from '../support/copies.js';
import { change, Place, rowsOf } from '../support/dawnload.js';
import { extended } from '../support/tags.js';

const YAML = `start_date: 2026-11-02
lookback_days: 1
reference: { opt_outs: true }
exports:
  start_date: 2026-11-02
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;
/** Of the nineteen days that are loaded, six are older than thirteen days. */
const DUE = 'retention: { events: 13 days, landing: 13 }\n';

let place: Place;
let kept: string;
const data = (...parts: readonly string[]): string => join(place.folder, 'data', ...parts);

beforeAll(async () => {
  place = await Place.make(YAML, { eventsPerDay: 60 });
  place.rebuildsFromNothing = true;
  expect((await place.run(['run'])).code).toBe(0);
  kept = join(place.folder, 'kept');
  await cp(data(), kept, { recursive: true });
}, 120_000);
afterAll(() => place.remove());
beforeEach(() => copyData(kept, data()));

const pagesOf = async (day: string): Promise<number> => {
  const names = await readdir(data('landing', 'events', day), { recursive: true });
  return names.filter((name) => name.endsWith('.gz')).length;
};
const pages = (): Promise<number> => pagesOf('');
const figures = () =>
  place.rows(
    'select date::varchar as date, count(*)::int as n from marts.daily_people group by all order by 1',
  );

test('a clock that is 400 days ahead deletes nothing, with any setting', { tags: ['extended'] }, async () => {
  const [before, events] = [await pages(), await place.rows('select count(*)::int as n from events')];
  await place.configure(YAML + DUE);
  for (const clock of ['2027-12-26T22:10:00Z', '2026-11-22T22:10:00Z']) {
    const { code, stderr } = await place.run(['run'], { DAWNLOAD_NOW: clock });
    expect([code, stderr]).not.toEqual([0, expect.anything()]);
    expect(stderr).not.toContain('Removed by retention');
    const agreed = await place.run(['retain', '--yes'], { DAWNLOAD_NOW: clock });
    expect(agreed.code).toBe(1);
  }
  await place.configure(`${YAML}${DUE}service_clock: ignore\n`);
  expect((await place.run(['run'], { DAWNLOAD_NOW: '2027-12-26T22:10:00Z' })).stderr).toContain(
    'Retention removes nothing in this run',
  );
  expect(await pages()).toBe(before);
  expect(await place.rows('select count(*)::int as n from events')).toEqual(events);
  await place.configure(YAML);
});

test.each([
  ['whose clock is ten minutes ahead', "this machine's clock was not compared", '2026-11-20T22:40:00Z', 200],
  ['that lacks a day of a free stream', 'the run is incomplete', '2026-11-20T22:30:00Z', 500],
])('a night %s deletes nothing, and the next sound one does', async (_, why, clock, answer) => {
  const before = await pages();
  await place.configure(`${YAML}${DUE}retries: 0\n`);
  if (answer !== 200) place.sandbox.setFaults([{ endpoint: 'E19', kind: 'status', status: answer }]);
  const { stderr } = await place.run(['run'], { DAWNLOAD_NOW: clock });
  place.sandbox.setFaults([]);
  expect(stderr).toContain(`Retention removes nothing in this run: ${why}`);
  expect(await pages()).toBe(before);
  expect((await place.run(['run'])).stderr).toContain('Removed by retention, landing: 6 days');
});

test('more than a week at a time is deleted only on your word', async () => {
  await place.configure(YAML);
  expect((await place.run(['retain', '--yes'])).stderr).toContain('because `retention` is not set');
  await place.configure(`${YAML}retention: { events: 8 days, landing: 8 }\n`);
  const before = await pages();
  const night = await place.run(['run', '--json']);
  expect([night.code, night.stderr]).toEqual([0, expect.stringContaining('Retention would delete 11 days')]);
  expect(JSON.parse(night.stdout)).toMatchObject({
    needs_attention: [expect.stringContaining('retain --yes')],
  });
  expect(await pages()).toBe(before);
  const listed = JSON.parse((await place.run(['retain', '--json'])).stdout) as Record<string, unknown>;
  expect(listed).toMatchObject({ limit: 7, deletions: { 'landed pages of events': { length: 11 } } });
  expect((await place.run(['retain'])).stdout).toContain('landed pages of events');
  expect(await pages()).toBe(before);
  const agreed = await place.run(['retain', '--yes']);
  expect([agreed.code, agreed.stderr]).toEqual([0, expect.stringContaining('landing: 11 days')]);
  expect([await pagesOf('2026-11-12'), await pagesOf('2026-11-13')]).toEqual([0, 1]);
  expect((await place.run(['retain'])).stderr).toContain('Nothing is past its retention.');
});

extended(
  'a removal that was killed in the middle of a folder is over for a rebuild, also without retention',
  async () => {
    await place.configure(YAML + DUE);
    const killed = await place.dying(['run'], { DAWNLOAD_CRASH_AT: 'retention/unlisted' });
    expect([killed.signal, killed.stderr]).toEqual([
      'SIGKILL',
      expect.not.stringContaining('retention, landing'),
    ]);
    const folder = join(place.folder, 'data/landing/events/2026-11-07');
    const left = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.gz'));
    expect(left).not.toEqual([]);
    await rm(join(folder, String(left[0])));
    await place.configure(YAML);
    const rebuilt = await place.run(['rebuild']);
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.stringContaining('is kept')]);
    expect((await place.run(['run'])).code).toBe(0);
  },
);

const coverageDays = async (file: string) => {
  // A copy, since a reader in this process keeps the lock of the file.
  const copy = join(place.folder, 'copy.duckdb');
  await cp(file, copy);
  return rowsOf(copy, 'select stream, date::varchar as date from ops.coverage order by all');
};

/** Removes the pages of the oldest days, as a night does. */
async function removeOldest(): Promise<void> {
  await place.configure(YAML + DUE);
  const { code, stderr } = await place.run(['run']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Removed by retention, landing')]);
  expect([await pagesOf('2026-11-07'), await pagesOf('2026-11-08')]).toEqual([0, 1]);
}

/** Damages a file, runs a command, and expects what was computed of removed days to be as before. */
async function survives(damage: string, command: string): Promise<void> {
  await removeOldest();
  const before = await figures();
  const [working, published] = [data('private', 'warehouse.duckdb'), data('warehouse.duckdb')];
  if (damage === 'damaged') await writeFile(working, 'no database');
  if (damage === 'empty') await writeFile(working, '');
  if (damage === 'gone') await rm(working);
  if (damage === 'older') await cp(join(kept, 'private', 'warehouse.duckdb'), working);
  if (damage === 'published') await writeFile(published, 'no database');
  const { code, stderr } = await place.run([command]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect(await figures()).toEqual(before);
  expect((await place.run(['run'])).code).toBe(0);
  expect(await figures()).toEqual(before);
}

test('what was computed of removed days survives a private file that is gone, and a run', () =>
  survives('gone', 'run'));

test.each([
  ['a damaged private file, and a rebuild', 'damaged', 'rebuild'],
  ['a private file that is older, and a rebuild', 'older', 'rebuild'],
  ['a private file that is gone, and a rebuild', 'gone', 'rebuild'],
  ['a published file that is damaged, and a rebuild', 'published', 'rebuild'],
  ['a private file of no bytes, and a run', 'empty', 'run'],
])('what was computed of removed days survives %s too', { tags: ['extended'] }, (_, damage, command) =>
  survives(damage, command),
);

test('a published file is never replaced by one that lacks a day of it', async () => {
  const before = await coverageDays(place.published);
  // Nothing but the comparison of both files notices a day of a free stream.
  const stream = 'opt_outs';
  const [day = ''] = (await readdir(data('landing', stream))).sort();
  await rm(data('landing', stream, day), { recursive: true });
  const { code, stderr } = await place.run(['rebuild']);
  expect([stream, code, stderr]).toEqual([stream, 1, expect.stringContaining('Not published')]);
  expect(await coverageDays(place.published)).toEqual(before);
  // The private file has the day, so it is kept too.
  expect(await coverageDays(data('private', 'warehouse.duckdb'))).toEqual(before);
  expect((await place.run(['run'])).code).toBe(0);
  expect(await coverageDays(place.published)).toEqual(before);
});

test('a published file that no warehouse can be read from is set aside, whatever it is', async () => {
  const foreign = data('foreign.duckdb');
  await change(foreign, 'create table mine as select 42 as n');
  await cp(foreign, place.published);
  const { code, stderr } = await place.run(['run']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('cannot be read as a warehouse')]);
  const aside = (await readdir(data())).find((name) => name.startsWith('warehouse.duckdb.set-aside'));
  expect(await place.rows('select n::int as n from mine', data(aside ?? ''))).toEqual([{ n: 42 }]);
});

extended('after a lost journal, recover enters the removal too, and a rebuild publishes', async () => {
  await removeOldest();
  const before = await figures();
  await rm(data('ledger'), { recursive: true });
  await rm(data('landing', 'ledger'), { recursive: true });
  const recovered = await place.run(['recover', '--yes']);
  expect([recovered.code, recovered.stderr]).toEqual([0, expect.anything()]);
  const { code, stderr } = await place.run(['rebuild']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Published')]);
  expect(await figures()).toEqual(before);
});

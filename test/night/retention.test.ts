// @module-tag long
/** What is older than the settings under `retention` leaves file and landing zone; what was computed of it stays. */
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contents, differences } from '../support/contents.js';
import { copyData } from '../support/copies.js';
import { coverageOf } from '../../src/readers/queries/ask.js';
import { Reader } from '../../src/warehouse/reader.js';
import { Place } from '../support/dawnload.js';
import { extended } from '../support/tags.js';
import { answeringHere } from '../support/here.js';

answeringHere();

const YAML = `start_date: 2026-11-08
lookback_days: 1
queries: .
reference: { opt_outs: true }
exports:
  start_date: 2026-11-10
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;
const RETENTION = 'retention: { events: 8 days, landing: 9, reference: 8 days }\n';

// Rebuilds take computed rows into a file without tables.
let place: Place;

beforeAll(async () => {
  place = await Place.make(YAML, { eventsPerDay: 60 });
  place.rebuildsFromNothing = true;
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
  const [held] = await place.rows(
    "select rows = (select count(*) from events) as same from marts.freshness where stream = 'events'",
  );
  expect(held).toEqual({ same: true });
  const { removed, coverage } = JSON.parse((await place.run(['status', '--json'])).stdout) as {
    removed: string[];
    coverage: { date: string; rows: Record<string, number> }[];
  };
  expect(removed).toEqual(['2026-11-10', '2026-11-11', '2026-11-12']);
  const told = await place.rows(
    "select date::varchar as date from ops.days where state = 'removed' order by date",
  );
  expect(told.map(({ date }) => date)).toEqual(removed);
  expect(coverage.find(({ rows }) => 'events' in rows)?.date).toBe('2026-11-13');
  expect((await place.run(['status'])).stdout).toMatch(/2026-11-12 .* removed │/);
  const stateOf = async (day: string): Promise<string> =>
    (await place.run(['exports', 'show', `${day}.1`])).stdout.split('\n')[1] ?? '';
  expect(await stateOf('2026-11-12')).toMatch(/loaded: retention removed its records from the warehouse$/);
  expect(await stateOf('2026-11-13')).toMatch(/loaded: its records are in the warehouse$/);
});

test('free SQL, a bundled question and an answer for an agent say which events are not there', async () => {
  const days = '2026-11-10..2026-11-12';
  const free = await place.run(['query', '--sql', "select count(*) from events where date = '2026-11-11'"]);
  expect(free.stderr).toContain(`The events of ${days} were removed by retention`);
  await writeFile(
    join(place.folder, 'mine.sql'),
    '-- title: Mine\n-- question: How many?\n-- params: none\nselect count(*) from events;\n',
  );
  const own = await place.run(['query', 'mine']);
  expect(own.stderr).toContain(`The events of ${days} were removed by retention`);
  const computed = await place.run(['query', '--sql', 'select count(*) from marts.daily_people']);
  expect(computed.stderr).not.toContain('removed');
  const range = ['start=2026-11-11', '--param', 'end=2026-11-13'];
  const bundled = await place.run(['query', 'event-rates', ...range]);
  expect(bundled.stderr).toMatch(/Not counted: the events of 2 days Nov\s11–12, which retention removed/);
  const about = async (table: string): Promise<unknown> => {
    const range = { start: '2026-11-09', end: '2026-11-20' };
    const found = await Reader.using(place.published, (reader) =>
      coverageOf(reader, new Set([table]), true, range),
    );
    return found?.coverage;
  };
  expect(await about('events')).toEqual([
    {
      stream: 'events',
      days: 8,
      of: 12,
      missing: 'none',
      removed_by_retention: days,
      not_held: '2026-11-09',
    },
  ]);
  // What was computed of them stays.
  expect(await about('marts.daily_people')).toEqual([
    { stream: 'events', days: 11, of: 12, missing: 'none', not_held: '2026-11-09' },
  ]);
});

test('the next run removes nothing more, requests nothing again, and pays nothing', async () => {
  const requests = place.sandbox.requests().E20;
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(0);
  expect(stderr).not.toContain('Removed by retention');
  expect((await place.run(['plan'])).stdout).not.toContain('retention');
  expect(place.sandbox.requests().E20).toBe(requests);
});

test('a backfill of removed days says why it requests nothing', async () => {
  const days = ['--start', '2026-11-11', '--end', '2026-11-13', '--streams', 'events', '--yes-paid'];
  expect((await place.run(['backfill', ...days])).stderr).toContain(
    'Events not requested, removed by retention: 2026-11-11..2026-11-12.',
  );
});

test('a day that retention would delete at once is never bought, nor paid for again', async () => {
  const free = await Place.make(YAML + RETENTION, { eventsPerDay: 60 });
  try {
    expect(JSON.parse((await free.run(['plan', '--json'])).stdout)).toMatchObject({
      retention: { events: [] },
    });
    expect((await free.run(['run'])).code).toBe(0);
    const bought = await free.rows('select distinct date::varchar as day from ops.exports order by 1');
    expect(bought[0]).toEqual({ day: '2026-11-13' });
    const days = ['--start', '2026-11-11', '--end', '2026-11-12', '--streams', 'events', '--yes-paid'];
    const backfilled = await free.run(['backfill', ...days]);
    expect(backfilled.stderr).toContain('past their retention (retention.events): 2026-11-11..2026-11-12');
    const count = free.sandbox.requests().E20;
    await free.configure(YAML.replace('2026-11-10', '2026-11-12'));
    expect((await free.run(['run'])).code).toBe(0);
    expect(free.sandbox.requests().E20).toBe(count + 1);
    await free.configure(YAML + RETENTION);
    await free.run(['exports', 'decide', '2026-11-12.1', '--attach', 'another', '--yes']);
    const again = await free.run(['exports', 'decide', '2026-11-12.1', '--pay-again']);
    expect([again.code, again.stderr]).toEqual([
      3,
      expect.stringContaining('past its retention (retention.events)'),
    ]);
    expect(free.sandbox.requests().E20).toBe(count + 1);
  } finally {
    await free.remove();
  }
});

test('an export whose pages were removed is not downloaded again', async () => {
  const asked = place.sandbox.requests().E21;
  const { code, stderr } = await place.run(['exports', 'resume', '2026-11-10.1']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('Retention removed the pages')]);
  expect(place.sandbox.requests().E21).toBe(asked);
});

extended(
  'an erased person leaves what was computed of removed days, and others stay as they are',
  async () => {
    const kept = join(place.folder, 'kept');
    await cp(join(place.folder, 'data'), kept, { recursive: true });
    const published = join(kept, 'warehouse.duckdb');
    // Known by removed days alone, and by later ones too.
    const [early] = await place.rows(`
  select user_id, exists (from marts.first_messages where person = (md5_number_lower('user_id ' || user_id) >> 1)::bigint) as found
  from (select 'user_' || lpad(nth::varchar, 7, '0') as user_id from range(400) as users (nth))
  where found and user_id not in (select user_id from events where user_id is not null)
  order by user_id limit 1`);
    const [late] = await place.rows(`
  select user_id from events
  where (md5_number_lower('user_id ' || user_id) >> 1)::bigint in (select person from marts.first_messages where date <= '2026-11-12')
  order by user_id limit 1`);
    const columns = (await place.rows(`
  select table_name, column_name from duckdb_columns() join duckdb_tables() using (schema_name, table_name)
  where schema_name = 'marts' and column_name in ('person', 'strongest_id', 'weaker_id', 'stronger_id')`)) as {
      table_name: string;
      column_name: string;
    }[];
    const rowsOf = async (user: unknown): Promise<number> => {
      const counts = columns.map(
        ({ table_name, column_name }) =>
          `select count(*) as n from marts.${table_name} where ${column_name} = (md5_number_lower('user_id ${String(user)}') >> 1)::bigint`,
      );
      const [row] = await place.rows(`select sum(n)::int as n from (${counts.join(' union all ')})`);
      return Number(row?.['n']);
    };
    const users = [early?.['user_id'], late?.['user_id']].map(String);
    for (const user of users) expect(await rowsOf(user)).toBeGreaterThan(0);
    const file = join(place.folder, 'persons');
    await writeFile(file, users.map((user) => `user_id ${user}\n`).join(''));
    const shown = await place.run(['forget', '--user-id', users[0] ?? '', '--show']);
    expect(shown.stdout).toContain('"marts.first_messages"');
    const { code, stdout } = await place.run(['forget', '-f', file, '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('warehouse, marts.first_messages: 2 rows');
    for (const user of users) expect(await rowsOf(user)).toBe(0);
    const persons = 'select count(*)::int as n from marts.first_messages';
    const [before] = await place.rows(persons, published);
    expect(await place.rows(persons)).toEqual([{ n: Number(before?.['n']) - 2 }]);
    // An older file comes back, and with it the rows.
    await cp(
      join(kept, 'private', 'warehouse.duckdb'),
      join(place.folder, 'data', 'private', 'warehouse.duckdb'),
    );
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await rowsOf(users[0])).toBe(0);
    await copyData(kept, join(place.folder, 'data'));
  },
);

test(
  'a rebuild keeps what was computed of the removed days and says what it could not make again',
  { tags: ['extended'] },
  async () => {
    const before = await contents(place.published);
    const { code, stderr } = await place.run(['rebuild']);
    expect(code).toBe(0);
    expect(stderr.replaceAll('\n', ' ')).toContain('what was computed from them is kept');
    const after = await computed();
    expect(
      differences(Object.fromEntries(DAILY.map((table) => [table, before[table] ?? ''])), after),
    ).toEqual([]);
  },
);

extended(
  'an export whose pages were removed keeps its id, so a rebuild keeps what was computed of its day',
  async () => {
    const before = await computed();
    const { code, stderr } = await place.run([
      'exports',
      'decide',
      '2026-11-11.1',
      '--attach',
      'another',
      '--yes',
    ]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('so it keeps its id')]);
    expect((await place.run(['exports', 'decide', '2026-11-11.1', '--abandon'])).code).toBe(2);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(differences(before, await computed())).toEqual([]);
  },
);

extended('a rebuild without any warehouse file goes on, and publishes what there is', async () => {
  const kept = join(place.folder, 'kept');
  await cp(join(place.folder, 'data'), kept, { recursive: true });
  await rm(join(place.folder, 'data', 'private', 'warehouse.duckdb'));
  await rm(place.published);
  const { code, stderr } = await place.run(['rebuild']);
  expect(stderr.replaceAll('\n', ' ')).toContain('no warehouse file has what was computed');
  expect(code).toBe(0);
  expect((await eventDays())[0]).toEqual({ day: '2026-11-13' });
  const states = await place.rows(
    "select distinct state from ops.days where stream = 'events' and date < date '2026-11-13'",
  );
  expect(states).toEqual([{ state: 'removed' }]);
  const shown = await place.run(['exports', 'show', '2026-11-12.1']);
  expect(shown.stdout).toContain('retention removed its records from the warehouse');
  await copyData(kept, join(place.folder, 'data'));
});

test('landed pages may not be kept for fewer days than events', async () => {
  await place.configure(`${YAML}retention: { events: 30, landing: 20 }\n`);
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(2);
  expect(stderr.replaceAll('\n', ' ')).toContain('must keep landed pages at least as long as events');
  await place.configure(`${YAML}retention: { events: soon }\n`);
  expect((await place.run(['run'])).stderr).toContain('must be a number of days from 8 to 36500');
});

// @module-tag long
/** The commands of the lake and the push of a run, with a second DuckDB file in the place of the catalog. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { adopt } from '../support/copies.js';
import { change, type Ended, type Environment, NOW, Place } from '../support/dawnload.js';
import { FileLake, LAKE_YAML, unequalTables } from '../support/lake.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const SETTINGS =
  'start_date: 2026-11-18\nlookback_days: 2\nexports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n';

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

interface Lakeside {
  readonly place: Place;
  readonly lake: FileLake;
}

/** @param nights how many nights later than usual the service's clock stands */
async function make(yaml = SETTINGS + LAKE_YAML, nights = 0, eventsPerDay = 300): Promise<Lakeside> {
  const now = (): Date => new Date(Date.parse(NOW) + nights * 86_400_000);
  const place = await Place.make(yaml, { now, eventsPerDay });
  places.push(place);
  const lake = new FileLake(join(place.folder, 'lake.duckdb'));
  place.lakeCatalog = lake;
  return { place, lake };
}

/** A data folder and its lake after the first night. */
let first = '';
beforeAll(async () => {
  const { place } = await make(SETTINGS);
  await good(place, 'run');
  await place.configure(SETTINGS + LAKE_YAML);
  await good(place, 'lake setup');
  await good(place, 'lake push');
  first = await mkdtemp(join(tmpdir(), 'dawnload-lake-'));
  await cp(place.folder, first, { recursive: true });
});
afterAll(() => rm(first, { recursive: true, force: true }));

/** A place whose first night is in the lake. */
async function filled(nights = 0): Promise<Lakeside> {
  const lakeside = await make(SETTINGS + LAKE_YAML, nights);
  for (const name of ['data', 'lake.duckdb'])
    await cp(join(first, name), join(lakeside.place.folder, name), { recursive: true });
  await adopt(join(lakeside.place.folder, 'data'));
  return lakeside;
}

async function good(place: Place, command: string, environment: Environment = {}): Promise<Ended> {
  const result = await place.run(command.split(' '), environment);
  expect(result.stderr).not.toContain('unforeseen');
  expect(result.code, result.stderr).toBe(0);
  return result;
}

/** A command that ends with this code, and says this. */
async function fails(place: Place, command: string, code: number, says: string | RegExp): Promise<Ended> {
  const result = await place.run(command.split(' '));
  expect(result.code, result.stderr).toBe(code);
  expect(result.stderr).toMatch(says);
  return result;
}

const expectEqual = async ({ place, lake }: Lakeside): Promise<void> => {
  expect(await unequalTables(place.published, lake)).toEqual([]);
};

const commits = async ({ lake }: Lakeside): Promise<string[]> =>
  (await lake.rows('select command from dl_ops.lake_commits order by number')).map(({ command }) =>
    String(command),
  );

/** The night after the first one. */
const NEXT_NIGHT = { DAWNLOAD_NOW: new Date(Date.parse(NOW) + 86_400_000).toISOString() };

describe('a push', () => {
  test('brings every table, view and mart, with one commit for each day of events', async () => {
    const lakeside = await filled();
    await expectEqual(lakeside);
    expect(await commits(lakeside)).toEqual([
      'lake setup',
      'lake setup',
      'lake push',
      'lake push',
      'lake push',
    ]);
    const plan = await lakeside.place.run(['lake', 'status', '--json']);
    expect(JSON.parse(plan.stdout)).toMatchObject({ push: {}, models: {}, only_in_lake: {} });
    const again = await good(lakeside.place, 'lake push');
    expect(again.stderr).toContain('The lake is up to date with the published file.');
    expect(await commits(lakeside)).toHaveLength(5);
  });

  extended('replaces what the lake holds of an export, whatever day its events bear there', async () => {
    const lakeside = await filled();
    await change(
      lakeside.lake.file,
      `update dl.events set date = null where export_date = '2026-11-19';
     delete from dl_ops.coverage where stream = 'events' and date = '2026-11-19'`,
    );
    await good(lakeside.place, 'lake push');
    await expectEqual(lakeside);
  });

  test('of a mart writes the days that differ, and takes out those that are gone', async () => {
    const lakeside = await filled();
    const mart = 'dl_marts.message_days';
    await change(
      lakeside.lake.file,
      `delete from ${mart} where date = '2026-11-19';
       update dl_ops.lake_parts set version = 'other' where relation = 'marts.message_days' and date = '2026-11-19';
       insert into ${mart} by name select * replace (date '2025-01-01' as date) from ${mart} limit 3;
       insert into ${mart} by name select * replace (null as date) from ${mart} limit 2;
       insert into dl_ops.lake_parts values ('marts.message_days', '2025-01-01', '3 1'), ('marts.message_days', null, '2 1')`,
    );
    await good(lakeside.place, 'lake push');
    await expectEqual(lakeside);
    const [written] = await lakeside.lake.rows(
      `select
         (select rows from dl_ops.lake_commits order by number desc limit 1)::int as rows,
         (select count(*) from ${mart} where date = '2026-11-19')::int as of_the_day`,
    );
    expect(written?.['rows']).toBeGreaterThan(0);
    expect(written?.['rows']).toBe(written?.['of_the_day']);
    const parts = "select version from dl_ops.lake_parts where relation = 'marts.message_days'";
    expect(await lakeside.lake.rows(`${parts} and coalesce(date < '2026-01-01', true)`)).toEqual([]);
  });

  extended('leaves days alone that only the lake holds', async () => {
    const lakeside = await filled(1);
    await change(
      lakeside.lake.file,
      `insert into dl_ops.coverage by name select * replace (date '2025-01-01' as date) from dl_ops.coverage where stream = 'events' limit 1;
       insert into dl.events by name select * replace (date '2025-01-01' as date, date '2025-01-01' as export_date) from dl.events limit 5`,
    );
    const plan = await lakeside.place.run(['lake', 'status']);
    expect(plan.stdout).toContain(
      'events of 1 day are in the lake and not in the file, and stay there: 2025-01-01',
    );
    await good(lakeside.place, 'run', NEXT_NIGHT);
    const kept = "select count(*)::int as n from dl.events where export_date = '2025-01-01'";
    expect(await lakeside.lake.rows(kept)).toEqual([{ n: 5 }]);
    await good(lakeside.place, 'lake verify');
  });

  extended(
    'that fails withholds no file: exit code 1, the days are named, the next night brings them',
    async () => {
      const lakeside = await filled(1);
      const { place, lake } = lakeside;
      lake.unreachable = true;
      const night = await ends(
        place.run(['run', '--json'], NEXT_NIGHT),
        1,
        /The published data is not in the lake yet: The lake cannot be reached/,
      );
      expect(JSON.parse(night.stdout)).toMatchObject({
        exit_code: 1,
        after_publishing: [{ step: 'lake', failed: true }],
      });
      expect(
        await place.rows(
          "select count(*)::int as n from ops.coverage where date = '2026-11-21' and stream = 'events'",
        ),
      ).toEqual([{ n: 1 }]);
      lake.unreachable = false;
      await fails(place, 'lake verify', 1, /The lake lacks \d days of the file: .*2026-11-21/);
      await good(place, 'run', NEXT_NIGHT);
      await expectEqual(lakeside);
    },
  );
});

describe('the writer of a lake', () => {
  extended('is one data folder: another one is refused, until it takes over', async () => {
    const lakeside = await filled();
    const other = await make();
    await cp(join(first, 'data', 'warehouse.duckdb'), join(other.place.folder, 'data', 'warehouse.duckdb'));
    other.place.lakeCatalog = lakeside.lake;
    for (const command of ['push', 'setup']) {
      await fails(other.place, `lake ${command}`, 2, 'The lake is written by another data folder');
    }
    await expectEqual(lakeside);
    await good(other.place, 'lake setup --take-over');
    await good(other.place, 'lake push');
    expect((await lakeside.place.run(['lake', 'push'])).stderr).toContain('written by another data folder');
  });

  extended('is not a copy of its data folder', async () => {
    const lakeside = await filled(1);
    const { place } = lakeside;
    const copy = join(place.folder, 'copy');
    await cp(join(place.folder, 'data'), copy, { recursive: true });
    await good(place, 'run', NEXT_NIGHT);
    await fails(place, `lake push --data-dir ${copy}`, 2, 'another copy of this data folder');
  });
});

describe('a lake', () => {
  test('that is not set up is named, and one whose catalog commits table by table is refused, by pushes too', async () => {
    const { place, lake } = await make(SETTINGS);
    await good(place, 'run');
    expect((await place.run(['lake', 'push'])).stderr).toContain('does not set lake');
    await place.configure(SETTINGS + LAKE_YAML);
    for (const command of ['push', 'status', 'verify']) {
      await fails(place, `lake ${command}`, 2, 'Create its tables with `dawnload lake setup`.');
    }
    lake.together = false;
    await fails(place, 'lake setup', 2, 'The catalog commits table by table');
    await fails(place, 'lake push', 2, 'The lake is not set up completely');
  });

  test('gets recipients as they are only where that is allowed', async () => {
    const keep = 'privacy: { recipients: keep }\n';
    const { place } = await make(SETTINGS + keep + LAKE_YAML);
    for (const command of ['lake setup', 'run']) await fails(place, command, 2, 'privacy.recipients is keep');
    await place.configure(`${SETTINGS}${keep}${LAKE_YAML}  allow_personal: true\n`);
    // Without a set-up the night itself is good, and says what is missing.
    await fails(place, 'run', 1, 'dawnload lake setup');
  });

  test('gets new columns, and no other change of them', async () => {
    const lakeside = await filled();
    const { place } = lakeside;
    await change(lakeside.lake.file, 'alter table dl.events drop column failure_reason');
    await good(place, 'lake setup');
    const [column] = await lakeside.lake.rows(
      "select count(*)::int as n from duckdb_columns() where table_name = 'events' and column_name = 'failure_reason'",
    );
    expect(column).toEqual({ n: 1 });
    await change(lakeside.lake.file, 'alter table dl_marts.channel_days alter column sent type varchar');
    await fails(
      place,
      'lake setup',
      2,
      'Column sent of dl_marts."channel_days" has the type VARCHAR in the lake and would need BIGINT.',
    );
    await change(
      lakeside.lake.file,
      'alter table dl_marts.channel_days alter column sent type bigint; alter table dl.events add column own integer',
    );
    expect((await place.run(['lake', 'setup'])).stderr).toContain(
      'Column own of dl."events" is in the lake but not in the file.',
    );
  });
});

describe('own tables in a lake', () => {
  const ORDERS = 'tables:\n  orders: { from: ./orders.csv, keys: { user_id: member } }\n';
  const OWN = LAKE_YAML.replace('namespace: dl', 'namespace: dl\n  own: true');

  test(
    'are there only if the settings say so, change with the file, and leave with the setting',
    { tags: ['extended'], timeout: 600_000 },
    async () => {
      const { place, lake } = await filled();
      /** The rows of the lake, after a night with such a file. */
      const pushed = async (yaml: string, csv: string): Promise<unknown> => {
        await place.configure(SETTINGS + yaml + ORDERS);
        await writeFile(join(place.folder, 'orders.csv'), csv);
        await good(place, 'backfill --start 2026-11-20 --end 2026-11-20 --streams own');
        const tables = await lake.rows("from duckdb_tables() where schema_name = 'dl_own'");
        return tables.length === 0 ? 'no table' : lake.rows('from dl_own.orders order by all');
      };
      const first = 'member,amount,date\nu-1,5,spring\nu-2,6,\n';
      expect(await pushed(LAKE_YAML, first)).toBe('no table');
      expect(await pushed(OWN, first)).toEqual([
        { user_id: 'u-1', amount: '5', date: 'spring' },
        { user_id: 'u-2', amount: '6', date: null },
      ]);
      // Another type, then another name of a column, with the same values.
      expect(await pushed(OWN, 'member,amount,date\nu-1,5.5,spring\n')).toEqual([
        { user_id: 'u-1', amount: 5.5, date: 'spring' },
      ]);
      expect(await pushed(OWN, 'member,price,date\nu-1,5.5,spring\n')).toEqual([
        { user_id: 'u-1', price: 5.5, date: 'spring' },
      ]);
      await good(place, 'lake verify');
      expect(await pushed(LAKE_YAML, first)).toBe('no table');
    },
  );
});

describe('retention with a lake', () => {
  const ALL = SETTINGS.replace('2026-11-18', '2026-11-08') + LAKE_YAML;
  const RETENTION = 'retention: { events: 8 days }\n';
  const days = 'select export_date::varchar as day, count(*)::int as n from events group by all order by all';

  extended('keeps them while the lake cannot be read, and tells a person after seven nights', async () => {
    const { place, lake } = await make(ALL.replace('2026-11-08', '2026-11-05'), 0);
    await place.run(['run']);
    await place.configure(ALL.replace('2026-11-08', '2026-11-05') + RETENTION);
    await good(place, 'lake setup');
    await good(place, 'lake push');
    lake.unreachable = true;
    const stay = /Events of 2026-11-05\.\.2026-11-12 stay in the file .*`dawnload lake verify`/;
    await fails(place, 'run', 1, stay);
    expect(await place.rows(days)).toHaveLength(16);
  });
});

describe('verify', () => {
  test.each([
    [
      'a doubled row',
      'insert into dl_marts.daily_events from dl_marts.daily_events limit 1',
      /│ marts\.daily_events +│ 2026-11-\d\d │/,
    ],
    [
      'another text',
      "update dl.events set channel = 'carrier-pigeon' where event_id = (select min(event_id) from dl.events)",
      /│ events +│ 2026-11-\d\d │ +(\d+) │ +\1 │/,
    ],
  ])('finds %s', async (_, sql, sentence) => {
    const lakeside = await filled();
    await change(lakeside.lake.file, sql);
    const result = await lakeside.place.run(['lake', 'verify']);
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(sentence);
  });
});

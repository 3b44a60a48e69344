import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../sandbox/index.js';
import { contents } from '../support/contents.js';
import { ended, Place } from '../support/dawnload.js';

const THREE_DAYS = 'start_date: 2026-11-18\nlookback_days: 2\n';
const BUDGET =
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  price_per_record: 0.5\n';

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

async function make(yaml: string, options: SandboxOptions = {}): Promise<Place> {
  const place = await Place.make(yaml, options);
  places.push(place);
  return place;
}

/** Resolves once the condition holds; the test's own time-out is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const COUNTS = `
  select 'events' as name, count(*)::int as n from events
  union all select 'daily_statistics', count(*)::int from daily_statistics
  union all select 'campaign_metrics', count(*)::int from campaign_metrics
  order by name`;

/** Also what stands about the job itself. */
const ALL_BUT_MOMENTS = {
  tables: ['runs', 'migrations'],
  columns: ['loaded_at', 'checked_at', 'updated_at', 'noted_at', 'pull', 'pulled_at'],
};

describe('the nightly job', () => {
  test('brings statistics and events that add up to each other, and pays for each day once', async () => {
    const place = await make(THREE_DAYS + BUDGET, { eventsPerDay: 3_000 });
    const result = await place.run(['run']);
    expect(result.stderr).not.toMatch(/^warning/m);
    expect(result.code).toBe(0);

    const bills = place.sandbox.bills();
    expect(bills.map(({ start }) => start).sort()).toEqual([
      '2026-11-17T15:00:00.000Z',
      '2026-11-18T15:00:00.000Z',
      '2026-11-19T15:00:00.000Z',
    ]);
    const [events] = await place.rows('select count(*)::int as n from events');
    expect(events?.['n']).toBe(bills.reduce((sum, { records }) => sum + records, 0));

    const differences = await place.rows(`
      with daily as (
        select date, channel, sum(message_sent - message_failed) as succeeded, sum(message_failed) as failed
        from daily_statistics group by all
      ), counted as (
        select date, channel,
          count(*) filter (event_name = 'send_success') as succeeded,
          count(*) filter (event_name = 'send_failure') as failed
        from events group by all
      )
      select * from daily full join counted using (date, channel)
      where daily.succeeded is distinct from counted.succeeded or daily.failed is distinct from counted.failed`);
    expect(differences).toEqual([]);
    const channels = await place.rows('select distinct channel from events order by channel');
    expect(channels).toHaveLength(10);
    const coverage = await place.rows(
      'select stream, count(*)::int as days from ops.coverage group by stream order by stream',
    );
    expect(coverage).toEqual(
      ['campaigns', 'events', 'statistics', 'statistics_by_subchannel'].map((stream) => ({
        stream,
        days: 3,
      })),
    );
    const exports = await place.rows('select state, count(*)::int as n from ops.exports group by state');
    expect(exports).toEqual([{ state: 'loaded', n: 3 }]);
  });

  test(
    'run again the same night asks for nothing that is paid and changes nothing',
    { tags: ['long'] },
    async () => {
      const place = await make(THREE_DAYS + BUDGET);
      expect((await place.run(['run'])).code).toBe(0);
      const before = await contents(place.published, ALL_BUT_MOMENTS);
      const bills = place.sandbox.bills().length;
      const again = await place.run(['run', '--json']);
      expect(again.code).toBe(0);
      expect(place.sandbox.bills()).toHaveLength(bills);
      const after = await contents(place.published, ALL_BUT_MOMENTS);
      for (const [table, sum] of Object.entries(before)) {
        // The free days were pulled again, so these remember another pull and another moment.
        if (/ops\.(loads|coverage)|campaign_(collections|metric_totals)/.test(table)) continue;
        expect(after[table], table).toBe(sum);
      }
      expect(JSON.parse(again.stdout)).toMatchObject({ command: 'run', exit_code: 0, gaps: [] });
    },
  );

  test('without a budget no paid request is sent', async () => {
    const place = await make(THREE_DAYS);
    const result = await place.run(['run']);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/exports\.budget is not set, so no paid request is sent/);
    expect(place.sandbox.requests()).toMatchObject({ E20: 0, E21: 0 });
    expect((await place.rows(COUNTS)).find(({ name }) => name === 'events')).toEqual({
      name: 'events',
      n: 0,
    });
  });

  test(
    'a budget that is too small is kept to, newest days first, and ends with exit code 3',
    { tags: ['long'] },
    async () => {
      const place = await make(
        `${THREE_DAYS}exports:\n  budget: { records_per_run: 600, records_per_month: 1000000 }\n`,
      );
      const result = await place.run(['run']);
      expect(result.code).toBe(3);
      expect(result.stderr).toMatch(/not requested, over exports\.budget\.records_per_run: .*2026-11-18/);
      const bills = place.sandbox.bills();
      expect(bills[0]?.start).toBe('2026-11-19T15:00:00.000Z');
      expect(bills.reduce((sum, { records }) => sum + records, 0)).toBeLessThanOrEqual(600);
    },
  );

  test(
    'before 07:00 KST it fills what is complete and says when the rest will be',
    { tags: ['long'] },
    async () => {
      const morning = '2026-11-20T21:00:00Z';
      const place = await make(THREE_DAYS + BUDGET, { now: () => new Date(morning) });
      const result = await place.run(['run'], { DAWNLOAD_NOW: morning });
      expect(result.code).toBe(0);
      expect(result.stderr).toMatch(/2026-11-20 is not complete before 2026-11-21 07:00 KST/);
      expect(await place.rows('select max(date)::varchar as last from ops.coverage')).toEqual([
        { last: '2026-11-19' },
      ]);
    },
  );

  test('other words for brand and messenger end up under the neutral names', { tags: ['long'] }, async () => {
    const place = await make(`${THREE_DAYS}brand: acme\nmessenger: talky\n${BUDGET}`, {
      brand: 'acme',
      messenger: 'talky',
    });
    const result = await place.run(['run']);
    expect(result.stderr).not.toMatch(/^warning/m);
    const channels = (
      await place.rows('select distinct channel from events union select channel from daily_statistics')
    ).map(({ channel }) => channel);
    expect(channels).toContain('chatapp-alimtalk');
    expect(channels.join()).not.toMatch(/talky|_/);
    expect(await place.rows('select count(*)::int as n from events where service_user_id is null')).toEqual([
      { n: 0 },
    ]);
    expect(
      await place.rows('select count(*) > 0 as some from web_push_messages where ti is not null'),
    ).toEqual([{ some: true }]);
  });

  test('a range that the service finds too long is asked for in parts', { tags: ['long'] }, async () => {
    const place = await make('start_date: 2026-11-11\n', { longestRangeDays: 3, timeoutStatus: 200 });
    const result = await place.run(['run']);
    expect(result.code).toBe(0);
    expect(
      await place.rows("select count(*)::int as days from ops.coverage where stream = 'statistics'"),
    ).toEqual([{ days: 10 }]);
  });

  test(
    'an export without a record is a result, and the day counts as covered',
    { tags: ['long'] },
    async () => {
      const place = await make(THREE_DAYS + BUDGET, {
        eventsPerDay: 0,
        emptyExport: 'invalid_page',
        exportSeconds: 0.2,
      });
      // Without a message there is nothing to estimate from: a person asks for it all the same.
      expect((await place.run(['run'])).code).toBe(3);
      const days = ['--start', '2026-11-18', '--end', '2026-11-20'];
      expect((await place.run(['backfill', ...days, '--streams', 'events', '--yes-paid'])).code).toBe(0);
      expect(await place.rows("select rows::int as rows from ops.coverage where stream = 'events'")).toEqual(
        Array(3).fill({ rows: 0 }),
      );
    },
  );

  test('many requests at once are nothing that Node would warn of', { tags: ['long'] }, async () => {
    const place = await make(`${THREE_DAYS}concurrency: 32\n`);
    const result = await place.execute(['run']);
    expect(result.code).toBe(0);
    expect(result.stderr).not.toContain('Warning');
  });

  test('a token that ends in the middle is renewed', { tags: ['long'] }, async () => {
    // The hour of a token passes while the exports are made.
    const place = await make(`${THREE_DAYS}${BUDGET}  max_wait_minutes: 240\n`, { exportSeconds: 2 * 3_600 });
    const result = await place.run(['run']);
    expect(result.code, result.stderr).toBe(0);
    expect(place.sandbox.requests().E1).toBeGreaterThan(1);
  });
});

describe('a backfill', () => {
  test(
    'without --yes-paid brings what is free, asks for nothing paid, and ends with exit code 3',
    { tags: ['long'] },
    async () => {
      const place = await make(THREE_DAYS + BUDGET);
      const result = await place.run(['backfill', '--start', '2026-11-10', '--end', '2026-11-12']);
      expect(result.code).toBe(3);
      expect(result.stderr).toMatch(/--yes-paid/);
      expect(place.sandbox.requests().E20).toBe(0);
      expect(
        await place.rows("select count(*)::int as days from ops.coverage where stream = 'statistics'"),
      ).toEqual([{ days: 3 }]);
    },
  );

  test(
    'with --yes-paid pays for the days that are missing, and only for those',
    { tags: ['long'] },
    async () => {
      const place = await make(THREE_DAYS + BUDGET);
      const pay = (start: string, end: string): ReturnType<Place['run']> =>
        place.run(['backfill', '--start', start, '--end', end, '--yes-paid']);
      expect((await pay('2026-11-11', '2026-11-12')).code).toBe(0);
      expect((await pay('2026-11-10', '2026-11-13')).code).toBe(0);
      const windows = place.sandbox.bills().map(({ start }) => start);
      expect(windows).toHaveLength(4);
      expect(new Set(windows).size).toBe(4);
    },
  );

  test('named events without a budget are refused before anything is sent', async () => {
    const place = await make(THREE_DAYS);
    const result = await place.run([
      'backfill',
      '--start',
      '2026-11-18',
      '--end',
      '2026-11-18',
      '--streams',
      'events',
      '--yes-paid',
    ]);
    expect(result.code).toBe(3);
    expect(Object.values(place.sandbox.requests()).every((count) => count === 0)).toBe(true);
  });

  test('with --dry-run sends nothing at all', async () => {
    const place = await make(THREE_DAYS + BUDGET);
    const result = await place.run([
      'backfill',
      '--start',
      '2026-11-18',
      '--end',
      '2026-11-19',
      '--dry-run',
      '--json',
    ]);
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      command: 'backfill',
      statistics: { missing: ['2026-11-18', '2026-11-19'] },
    });
    expect(Object.values(place.sandbox.requests()).every((count) => count === 0)).toBe(true);
  });
});

describe('readers', () => {
  test('that hold the old file neither block the run nor see it change', { tags: ['long'] }, async () => {
    const place = await make(THREE_DAYS);
    expect((await place.run(['run'])).code).toBe(0);
    const instance = await DuckDBInstance.create(place.published, { access_mode: 'READ_ONLY' });
    const connection = await instance.connect();
    const count = async (): Promise<unknown> =>
      (await connection.runAndReadAll('select count(*)::int as n from events')).getRowObjectsJson();
    expect(await count()).toEqual([{ n: 0 }]);
    await place.configure(THREE_DAYS + BUDGET);
    expect((await place.run(['run'])).code).toBe(0);
    expect(await count()).toEqual([{ n: 0 }]);
    instance.closeSync();
    const [fresh] = await place.rows('select count(*)::int as n from events');
    expect(fresh?.['n']).toBeGreaterThan(500);
  });
});

describe('two at once', () => {
  test('the second one is told to try later, by whom, with exit code 75', { tags: ['long'] }, async () => {
    const place = await make(`start_date: 2026-11-20\n${BUDGET}`, { exportSeconds: 4 });
    const first = place.start(['run']);
    const firstEnded = ended(first);
    await until(() => place.sandbox.requests().E20 > 0);
    const second = await place.execute(['run']);
    expect(second.code).toBe(75);
    expect(second.stderr).toContain(`process ${first.pid}`);
    expect((await firstEnded).code).toBe(0);
  });
});

describe('Ctrl-C', () => {
  test('ends with 130, and the next run finishes without paying again', { tags: ['long'] }, async () => {
    const place = await make(THREE_DAYS + BUDGET, { exportSeconds: 3 });
    const child = place.start(['run']);
    const result = ended(child);
    await until(() => place.sandbox.requests().E21 > 0);
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(stderr).toMatch(/Stopping after this step; .+ again to quit now\./);
    expect(stderr).toMatch(/The current step was: waiting for the export of 2026-11-\d\d\./);
    expect(code).toBe(130);
    expect((await place.run(['run'])).code).toBe(0);
    const windows = place.sandbox.bills().map(({ start }) => start);
    expect(new Set(windows).size).toBe(windows.length);
    expect(windows).toHaveLength(3);
  });
});

describe('rebuild', () => {
  test(
    'makes the same warehouse again, with no request, also after the databases are gone',
    { tags: ['long'] },
    async () => {
      const place = await make(THREE_DAYS + BUDGET, { eventsPerDay: 1_200 });
      expect((await place.run(['run'])).code).toBe(0);
      expect(
        (await place.run(['backfill', '--start', '2026-11-16', '--end', '2026-11-18', '--yes-paid'])).code,
      ).toBe(0);
      const before = await contents(place.published, ALL_BUT_MOMENTS);
      expect(before['ops.main_goals']).not.toEqual([]);
      const requests = place.sandbox.requests();
      await rm(place.published);
      await rm(join(place.folder, 'data', 'private', 'warehouse.duckdb'));
      const result = await place.run(['rebuild']);
      expect(result.code).toBe(0);
      expect(place.sandbox.requests()).toEqual(requests);
      expect(await contents(place.published, ALL_BUT_MOMENTS)).toEqual(before);
      expect((await place.run(['run'])).code).toBe(0);
      expect(place.sandbox.bills()).toHaveLength(5);
    },
  );
});

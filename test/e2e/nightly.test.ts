import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { contents } from '../support/contents.js';
import type { Place } from '../support/dawnload.js';
import { type Ended, ended } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import { extended, long } from '../support/tags.js';

const budget = (perRun: number, perMonth = 1_000_000): string =>
  `exports:\n  budget: { records_per_run: ${perRun}, records_per_month: ${perMonth} }\n`;
const THREE_DAYS = 'start_date: 2026-11-18\nlookback_days: 2\n';
const PAID = THREE_DAYS + budget(100_000);
/** Two days, on which no failed request is repeated. */
const TWO_DAYS = 'start_date: 2026-11-19\nlookback_days: 2\nrequest_timeout_seconds: 2\nretries: 0\n';
const TWO_PAID = TWO_DAYS + budget(100_000);

/** Runs a command and expects its exit code. */
async function run(place: Place, command: string, code = 0): Promise<Ended> {
  const result = await place.run(command.split(' '));
  expect(result.code, result.stderr).toBe(code);
  return result;
}

/** Resolves once the condition holds; the test's own time-out is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(20);
}

/** The lines of the journal about exports. */
const ledger = async (place: Place): Promise<string> => {
  const text = await readFile(join(place.folder, 'data', 'ledger', 'journal.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"export"'))
    .join('\n');
};
const billedDays = (place: Place): string[] => place.sandbox.bills().map(({ start }) => start.slice(0, 10));
const daysOf = async (place: Place, stream: string): Promise<unknown> =>
  (await place.rows(`select count(*)::int as days from ops.coverage where stream = '${stream}'`))[0]?.[
    'days'
  ];

async function states(place: Place): Promise<string[]> {
  const { stdout } = await place.run(['exports', 'list', '--json']);
  return (JSON.parse(stdout) as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
}

/** Also what stands about the job itself. */
const ALL_BUT_MOMENTS = {
  tables: ['runs', 'migrations', 'journal'],
  columns: ['loaded_at', 'checked_at', 'updated_at', 'noted_at', 'pull', 'pulled_at'],
};

test('a night brings statistics and events that add up to each other, and pays for each day once; run again, it changes nothing', async () => {
  const place = await makePlace(PAID, { eventsPerDay: 1_200 });
  expect((await run(place, 'run')).stderr).not.toMatch(/^warning/m);
  expect(billedDays(place).sort()).toEqual(['2026-11-17', '2026-11-18', '2026-11-19']);
  const [events] = await place.rows(
    'select count(*)::int as n, count(distinct channel)::int as channels from events',
  );
  expect(events).toEqual({
    n: place.sandbox.bills().reduce((sum, { records }) => sum + records, 0),
    channels: 10,
  });
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
  for (const stream of ['campaigns', 'events', 'statistics', 'statistics_by_subchannel']) {
    expect(await daysOf(place, stream), stream).toBe(3);
  }
  const exports = await place.rows('select state, count(*)::int as n from ops.exports group by state');
  expect(exports).toEqual([{ state: 'loaded', n: 3 }]);

  const before = await contents(place.published, ALL_BUT_MOMENTS);
  const again = await run(place, 'run --json');
  expect(place.sandbox.bills()).toHaveLength(3);
  const after = await contents(place.published, ALL_BUT_MOMENTS);
  for (const [table, sum] of Object.entries(before)) {
    // The free days were pulled again, so these remember another pull and another moment.
    if (/ops\.(loads|coverage)|campaign_(collections|metric_totals)/.test(table)) continue;
    expect(after[table], table).toBe(sum);
  }
  expect(JSON.parse(again.stdout)).toMatchObject({ command: 'run', exit_code: 0, gaps: [] });
});

long(
  'without a budget nothing is paid for: a dry run and events that are asked for by name send nothing at all',
  async () => {
    const place = await makePlace(THREE_DAYS);
    await run(place, 'backfill --start 2026-11-18 --end 2026-11-18 --streams events --yes-paid', 3);
    const { stdout } = await run(place, 'backfill --start 2026-11-18 --end 2026-11-19 --dry-run --json');
    expect(JSON.parse(stdout)).toMatchObject({ statistics: { missing: ['2026-11-18', '2026-11-19'] } });
    expect(Object.values(place.sandbox.requests()).filter((count) => count > 0)).toEqual([]);
    expect((await run(place, 'run')).stderr).toMatch(
      /exports\.budget is not set, so no paid request is sent/,
    );
    expect(place.sandbox.requests()).toMatchObject({ E20: 0, E21: 0 });
    expect(await daysOf(place, 'statistics')).toBe(3);
    expect(await daysOf(place, 'events')).toBe(0);
  },
);

describe('a night', { tags: ['long'] }, () => {
  test('with a budget that is too small keeps to it, newest days first, and ends with exit code 3', async () => {
    const place = await makePlace(THREE_DAYS + budget(600));
    const { stderr } = await run(place, 'run', 3);
    expect(stderr).toMatch(/not requested, over exports\.budget for one run: .*2026-11-18/);
    expect(billedDays(place)[0]).toBe('2026-11-19');
    expect(place.sandbox.bills().reduce((sum, { records }) => sum + records, 0)).toBeLessThanOrEqual(600);
  });

  test('before 07:00 KST fills what is complete and says when the rest will be', async () => {
    const morning = '2026-11-20T21:00:00Z';
    const place = await makePlace(PAID, { now: () => new Date(morning) });
    await ends(
      place.run(['run'], { DAWNLOAD_NOW: morning }),
      0,
      /2026-11-20 is not complete before 2026-11-21 07:00 KST/,
    );
    expect(await place.rows('select max(date)::varchar as last from ops.coverage')).toEqual([
      { last: '2026-11-19' },
    ]);
  });
});

describe('a backfill', { tags: ['long'] }, () => {
  test('without --yes-paid brings what is free, and ends with exit code 3; with it, it pays for the days that are missing, and only for those', async () => {
    const place = await makePlace(PAID);
    const two = 'backfill --start 2026-11-11 --end 2026-11-12';
    expect((await run(place, two, 3)).stderr).toMatch(/--yes-paid/);
    expect(place.sandbox.requests().E20).toBe(0);
    expect(await daysOf(place, 'statistics')).toBe(2);
    await run(place, `${two} --yes-paid`);
    await run(place, 'backfill --start 2026-11-10 --end 2026-11-13 --yes-paid');
    expect(billedDays(place).sort()).toEqual(['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12']);
  });

  test('has no estimate for days without statistics, and pays for them with consent alone, whatever the budget: each size is known before the next', async () => {
    const place = await makePlace(TWO_PAID);
    const events = 'backfill --start 2026-11-17 --end 2026-11-18 --streams events';
    expect((await run(place, events, 3)).stderr).toMatch(
      /no daily statistics to estimate from .*: 2026-11-17/,
    );
    expect(place.sandbox.requests().E20).toBe(0);
    await run(place, `${events} --yes-paid`);
    expect(place.sandbox.bills()).toHaveLength(2);
  });
});

describe('an ambiguous export', { tags: ['long'] }, () => {
  /** Yesterday's export was requested and billed, and its answer lost; nothing else was requested. */
  async function lost(): Promise<Place> {
    const place = await makePlace(TWO_PAID);
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
    await run(place, 'run', 1);
    expect(await states(place)).toEqual(['2026-11-20.1 ambiguous']);
    return place;
  }
  const PAY_AGAIN = 'exports decide 2026-11-20.1 --pay-again';

  test('is not paid again together with something else, nor without a budget, nor over one, and nothing changes', async () => {
    const place = await lost();
    const before = await ledger(place);
    const both = await run(place, `${PAY_AGAIN} --accept-incomplete`, 2);
    expect(both.stderr).toContain('Exactly one decision is needed.');
    await ends(
      place.run(['exports', 'decide', '2026-11-20.1', '--attach', ' ']),
      2,
      'The export id is empty',
    );
    for (const [exports, reason] of [
      ['', /exports\.budget is not set/],
      [budget(100), /over exports\.budget for one run \(about \d+ records, \d+ left\)/],
      [budget(500, 500), /over exports\.budget for the month \(about \d+ records, \d+ left\)/],
    ] as const) {
      await place.configure(TWO_DAYS + exports);
      const refused = await run(place, PAY_AGAIN, 3);
      expect(refused.stderr).toMatch(reason);
      expect(refused.stderr).toMatch(/Nothing was sent/);
    }
    expect(await ledger(place)).toBe(before);
    expect(place.sandbox.requests().E20).toBe(1);
  });

  test('is paid again once within the budget; a second time there is nothing to pay for', async () => {
    const place = await lost();
    await run(place, PAY_AGAIN);
    expect(await states(place)).toEqual(['2026-11-20.1 abandoned', '2026-11-20.2 loaded']);
    const { stderr } = await run(place, 'exports decide 2026-11-20.2 --pay-again', 3);
    expect(stderr).toMatch(/cannot be paid for again/);
    expect(place.sandbox.bills()).toHaveLength(2);
  });

  extended('that the ledger did not know is entered only with a warning', async () => {
    const { stderr } = await run(
      await makePlace(TWO_PAID),
      'exports decide 2026-11-20.1 --attach found --yes',
    );
    expect(stderr).toMatch(
      /did not list 2026-11-20\.1, so it was entered .* `dawnload exports decide 2026-11-20\.1 --abandon`/,
    );
  });
});

describe('after a kill', { tags: ['long'] }, () => {
  test('pages that are at home are not fetched again', async () => {
    const place = await makePlace(`concurrency: 1\n${TWO_PAID}`, { eventsPerDay: 6_000 });
    const day = 'backfill --start 2026-11-20 --end 2026-11-20 --yes-paid';
    const killed = await place.dying(day.split(' '), { DAWNLOAD_CRASH_AT: 'land/events/durable:4' });
    expect(killed.signal).toBe('SIGKILL');
    const landed = await readdir(join(place.folder, 'data/landing/events'), { recursive: true });
    const home = landed.filter((name) => /\/page-\d+\.json\.gz$/.test(name)).length;
    const before = place.sandbox.requests();
    await run(place, day);
    const [{ pages }] = JSON.parse((await run(place, 'exports list --json')).stdout) as [{ pages: number }];
    // Four were durable, and the next one may be there too: the rest is asked for, each page once.
    expect(home).toBeGreaterThanOrEqual(4);
    expect(pages).toBeGreaterThan(home);
    expect(place.sandbox.requests().E21 - before.E21).toBe(pages - home);
    expect(place.sandbox.requests().E20).toBe(1);
  });

  extended(
    'an answer for an older day that landed and was not loaded is loaded by the next night',
    async () => {
      const place = await makePlace('start_date: 2026-11-18\nlookback_days: 1\n');
      await run(place, 'run');
      const sent = (): Promise<unknown> =>
        place.rows(`select sum(message_sent)::int as sent from daily_statistics where date = '2026-11-18'`);
      const before = await sent();
      const record = {
        ...{ date: '2026-11-18', resource_type: 'campaign', campaign_id: 'c1', channel: 'push-notification' },
        ...{ message_sent: 31_337, message_failed: 0, delivered: 31_337, click: 1 },
      };
      place.sandbox.setFaults([{ endpoint: 'E17', kind: 'status', status: 200, body: [record] }]);
      const again = 'backfill --start 2026-11-18 --end 2026-11-18 --streams statistics'.split(' ');
      const killed = await place.dying(again, { DAWNLOAD_CRASH_AT: 'land/statistics-manifest/durable' });
      expect(killed.signal).toBe('SIGKILL');
      expect(await sent()).toEqual(before);
      place.sandbox.setFaults([]);
      // The day is outside the lookback, so this night does not ask for it.
      await run(place, 'run');
      expect(await sent()).toEqual([{ sent: 31_337 }]);
    },
  );
});

extended('what programs read has one spelling of names: snake_case, at every depth', async () => {
  const place = await makePlace(TWO_DAYS + budget(360));
  const keys = new Set<string>();
  for (const command of [
    'plan',
    'run',
    'plan',
    'status',
    'exports list',
    'doctor',
    'rebuild',
    'backfill --start 2026-11-18 --end 2026-11-18',
  ]) {
    const { stdout, stderr } = await place.run(`${command} --json`.split(' '));
    expect(stdout, `${command}: ${stderr}`).toMatch(/^[[{]/);
    // The reviver sees every key.
    JSON.parse(stdout, (key, value: unknown) => {
      if (key !== '') keys.add(key);
      return value;
    });
  }
  expect([...keys]).toEqual(expect.arrayContaining(['estimated_records', 'finished_at']));
  expect([...keys].filter((key) => !/^[a-z0-9_]+$/.test(key))).toEqual([]);
});

extended('of two runs at once the second one is told to try later, by whom, with exit code 75', async () => {
  const place = await makePlace(PAID, { exportSeconds: 4 });
  const first = place.start(['run']);
  const firstEnded = ended(first);
  await until(() => place.sandbox.requests().E20 > 0);
  await ends(place.execute(['run']), 75, `process ${first.pid}`);
  expect((await firstEnded).code).toBe(0);
});

describe('Ctrl-C', { tags: ['long'] }, () => {
  test('or a lost terminal, while a paid request is on its way, waits for its answer: no export is ambiguous', async () => {
    // A busy machine must not run into the time-out of the request.
    const place = await makePlace(TWO_PAID.replace('seconds: 2', 'seconds: 30'));
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'slow-drip', intervalMs: 25, bytes: 1, times: 1 }]);
    const child = place.start(['run']);
    const result = ended(child);
    await until(() => place.sandbox.requests().E20 > 0);
    for (let n = 0; n < 2; n++) child.kill('SIGHUP');
    expect(await result).toMatchObject({ code: 130 });
    const list = JSON.parse((await run(place, 'exports list --json')).stdout) as { state: string }[];
    expect(list.map(({ state }) => state)).not.toContain('ambiguous');
    expect(list.map(({ state }) => state)).not.toContain('intent');
    await run(place, 'run');
    expect(new Set(billedDays(place)).size).toBe(billedDays(place).length);
  });

  extended('ends with 130, and the next run finishes without paying again', async () => {
    const place = await makePlace(PAID, { exportSeconds: 3 });
    const child = place.start(['run']);
    const result = ended(child);
    // The second answer follows a pause, which says what is waited for.
    await until(() => place.sandbox.requests().E21 > 1);
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(stderr).toMatch(/Stopping after this step; .+ again to quit now\./);
    expect(stderr).toMatch(/The current step was: waiting for the export of 2026-11-\d\d, processing\./);
    expect(code).toBe(130);
    expect((await place.run(['doctor'])).stdout).toMatch(
      /last run +run ended with exit code 130 \(interrupted; [^)]+\)\.\n/,
    );
    await run(place, 'run');
    expect(billedDays(place).sort()).toEqual(['2026-11-17', '2026-11-18', '2026-11-19']);
  });
});

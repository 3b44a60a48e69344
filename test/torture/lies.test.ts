// @module-tag long
// @module-tag extended
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Fault } from '../support/faults/index.js';
import type { Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, runUntilQuiet } from './audit.js';
import { listed } from './files.js';
import { Trial } from './trial.js';

const YAML = `start_date: 2026-11-19
lookback_days: 2
request_timeout_seconds: 2
retries: 1
exports:
  budget: { records_per_run: 100000, records_per_month: 1000000 }
  max_wait_minutes: 0.02
`;

const trials: Trial[] = [];
afterEach(async () => {
  await Promise.all(trials.splice(0).map((trial) => trial.remove()));
});

interface Day {
  readonly day: string;
  readonly billed: number;
  readonly rows: number;
}

interface Told {
  readonly trial: Trial;
  readonly result: Ended;
  readonly days: Day[];
}

/** A night on which the service lies about one of two days, or about both. */
async function night(...faults: Fault[]): Promise<Told> {
  const trial = await Trial.make(YAML, { eventsPerDay: 2_300 }, undefined, 'inside');
  trials.push(trial);
  trial.faults(faults);
  const result = await trial.run(['run']);
  assertNotPaidTwice(trial);
  return { trial, result, days: await daysOf(trial) };
}

/** What was billed of each day, and what the warehouse holds of it. */
async function daysOf(trial: Trial): Promise<Day[]> {
  const rows = await trial.place.rows(
    `select export_date::varchar as day, count(*)::int as n
     from events
     group by all`,
  );
  const entries = await trial.entries();
  return trial.bills().map(({ records, export_id: id }) => {
    const day = entries.find(({ exportId }) => exportId === id)?.day ?? '';
    return { day, billed: records, rows: Number(rows.find((row) => row['day'] === day)?.['n'] ?? 0) };
  });
}

/** Whatever is missing is told, with its day; at least one of the days is whole. */
function expectNothingLostSilently({ result, days }: Told): void {
  // Until an export has landed there is one at a time.
  expect(days.length).toBeGreaterThan(0);
  for (const { day, billed, rows } of days) {
    if (rows !== billed) expect(result.stderr).toContain(day);
    if (rows !== billed) expect(result.code).toBe(1);
  }
}

/** The next night is honest: everything comes, and no second bill. */
async function expectNextNightCompletes({ trial }: Told): Promise<void> {
  trial.faults([]);
  await runUntilQuiet(trial, ['run']);
  expect(trial.bills()).toHaveLength(2);
  for (const { billed, rows } of await daysOf(trial)) expect(rows).toBe(billed);
}

async function coveredStreams(trial: Trial): Promise<unknown> {
  return trial.place.rows('select stream, count(*)::int as days from ops.coverage group by all order by all');
}

const FREE_DAYS = ['campaigns', 'statistics', 'statistics_by_subchannel'].map((stream) => ({
  stream,
  days: 2,
}));

describe('an export about which the service lies', () => {
  test('that is processing for ever is waited for, left, and taken up again the next night', async () => {
    const told = await night({ endpoint: 'E21', kind: 'processing-forever' });
    expect(told.result.code).toBe(1);
    expect(told.result.stderr).toMatch(/not ready after/);
    expect(await coveredStreams(told.trial)).toEqual(FREE_DAYS);
    await expectNextNightCompletes(told);
  });

  test('that is a success and then not found keeps the pages that came', async () => {
    const told = await night({ endpoint: 'E21', kind: 'success-then-not-found', after: 3 });
    expect(told.result.code).toBe(1);
    expect(told.result.stderr).toMatch(/cannot be downloaded|not delivered/);
    expect(await listed(join(told.trial.data, 'landing', 'events'), /^page-/)).not.toHaveLength(0);
    expectNothingLostSilently(told);
    await expectNextNightCompletes(told);
  });

  test.each([1, -1])('whose number of pages changes by %d is read to its real end', async (by) => {
    const told = await night({ endpoint: 'E21', kind: 'changing-page-count', by });
    expect(told.result.stderr).toMatch(/total_page_count (changed|shrank)/);
    expectNothingLostSilently(told);
    for (const { billed, rows } of told.days) expect(rows).toBe(billed);
  });

  test('with a page that repeats another one once keeps that answer apart, and asks for the page again', async () => {
    const told = await night({ endpoint: 'E21', kind: 'repeated-page', page: 1, times: 1 });
    expect(told.result.code).toBe(0);
    expect(await listed(join(told.trial.data, 'landing', 'rejected'), /e21/i)).toHaveLength(1);
    for (const { billed, rows } of told.days) expect(rows).toBe(billed);
  });

  test('that ignores the page parameter is stopped with the name of the setting', async () => {
    const told = await night({ endpoint: 'E21', kind: 'ignores-page-parameter' });
    expect(told.result.code).toBe(1);
    expect(told.result.stderr).toContain('exports.page_parameter');
    expect(told.days.map(({ rows }) => rows)).toEqual([0]);
    await expectNextNightCompletes(told);
  });

  test('with a short page in the middle holds what came', async () => {
    const told = await night({ endpoint: 'E21', kind: 'short-page', page: 0, missing: 7, times: 1 });
    expect(told.result.code).toBe(0);
    expect(told.days.map(({ billed, rows }) => billed - rows).sort()).toEqual([0, 7]);
  });

  test('with one record twice holds it once', async () => {
    const told = await night({ endpoint: 'E21', kind: 'duplicate-record', page: 1, how: 'added' });
    const [events] = await told.trial.place.rows(
      'select count(*)::int as n, count(distinct event_id)::int as ids from events',
    );
    const billed = told.days.reduce((sum, day) => sum + day.billed, 0);
    expect(events).toEqual({ n: billed, ids: billed });
  });

  test('with one record twice in the place of another says that one is missing', async () => {
    const told = await night({
      endpoint: 'E21',
      kind: 'duplicate-record',
      page: 1,
      how: 'replaced',
      times: 1,
    });
    expect(told.days.map(({ billed, rows }) => billed - rows).sort()).toEqual([0, 1]);
    expect(told.result.stderr).toMatch(/Noticed|Check/);
  });

  test.each([
    [
      'of another type',
      [
        { kind: 'other-type', field: 'channel' },
        { kind: 'other-type', field: 'time' },
        { kind: 'other-type', field: 'time', value: 'soon' },
        { kind: 'other-type', field: 'id' },
        { kind: 'other-type', field: 'message_data', value: 7 },
      ],
    ],
    [
      'gone',
      [
        { kind: 'field-gone', field: 'event_name' },
        { kind: 'field-gone', field: 'time' },
        { kind: 'field-gone', field: 'id' },
        { kind: 'field-gone', field: 'channel' },
      ],
    ],
  ] as const)('with fields that are %s loses no record without saying so', async (_, lies) => {
    // Each strikes one record of another page.
    const told = await night(
      ...lies.map((lie, nth) => ({ ...lie, endpoint: 'E21', records: 'one', times: 1, skip: nth }) as const),
    );
    expectNothingLostSilently(told);
    expect(told.result.stderr).toMatch(/warning|Noticed/);
  });

  test('with a record outside its window keeps it and says so', async () => {
    const told = await night({ endpoint: 'E21', kind: 'outside-window', page: 0, times: 1 });
    expectNothingLostSilently(told);
    expect(told.result.stderr).toMatch(/warning|Noticed/);
    for (const { billed, rows } of told.days) expect(rows).toBe(billed);
  });

  test('with a field that nobody knows keeps it and says so', async () => {
    const told = await night({ endpoint: 'E21', kind: 'extra-field', field: 'surprise' });
    expect(told.result.code).toBe(0);
    expect(told.result.stderr).toMatch(/surprise/);
    const [kept] = await told.trial.place.rows(
      `select count(*) filter (extra ->> 'surprise' is not null)::int as kept, count(*)::int as n from events`,
    );
    expect(kept?.['kept']).toBe(kept?.['n']);
    expectNothingLostSilently(told);
  });
});

describe('statistics about which the service lies', () => {
  test.each([
    [
      'counts that are words',
      'E17',
      { kind: 'other-type', field: 'message_sent', value: 'many' },
      'statistics',
    ],
    ['no channel', 'E18', { kind: 'field-gone', field: 'channel' }, 'statistics_by_subchannel'],
    ['names that are objects', 'E19', { kind: 'other-type', field: 'metricName' }, 'campaigns'],
  ] as const)(
    'with %s (%s) are kept as they came and reported, and the rest loads',
    async (_, endpoint, lie, stream) => {
      const { trial, result } = await night({ ...lie, endpoint, times: 1 });
      expect(await listed(join(trial.data, 'landing', stream), /\.json\.gz$/)).not.toHaveLength(0);
      expect(result.stderr).toMatch(/warning|Noticed/);
      trial.faults([]);
      await runUntilQuiet(trial, ['run']);
      const all = [...FREE_DAYS, { stream: 'events', days: 2 }];
      expect(await coveredStreams(trial)).toEqual(all.sort((a, b) => (a.stream < b.stream ? -1 : 1)));
      expect(trial.bills()).toHaveLength(2);
    },
  );

  test('counts that are restated replace the old ones, and the change is on record', async () => {
    const { trial } = await night({ endpoint: 'E17', kind: 'restate', by: 5 });
    const sum = async (): Promise<number> =>
      Number((await trial.place.rows('select sum(message_sent)::int as n from daily_statistics'))[0]?.['n']);
    const before = await sum();
    expect((await trial.run(['run'])).code).toBe(0);
    expect(await sum()).toBe(before + 10);
    const restated = await trial.place.rows(
      `select distinct date::varchar as date from ops.restatements where counter = 'message_sent' order by date`,
    );
    expect(restated).toEqual([{ date: '2026-11-19' }, { date: '2026-11-20' }]);
  });
});

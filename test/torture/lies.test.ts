// @module-tag long
// @module-tag extended
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Ended } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { assertNotPaidTwice, runUntilQuiet } from './audit.js';
import { listed, Trial } from './trial.js';

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

/** A night on which the service lies about one of two days, or about both. */
async function night(...faults: Fault[]): Promise<{ trial: Trial; result: Ended }> {
  const trial = await Trial.make(YAML, { eventsPerDay: 2_300 }, undefined, 'inside');
  trials.push(trial);
  trial.faults(faults);
  const result = await trial.run(['run']);
  assertNotPaidTwice(trial);
  return { trial, result };
}

/** How many of the billed records of each day the warehouse lacks; each record that it has, it has once. */
async function missingDays(trial: Trial): Promise<{ day: string; missing: number }[]> {
  const rows = await trial.place.rows(
    `select export_date::varchar as day, count(*)::int as n, count(event_id)::int - count(distinct event_id)::int as twice
     from events group by all`,
  );
  expect(rows.filter(({ twice }) => twice !== 0)).toEqual([]);
  const entries = await trial.entries();
  return trial.bills().map(({ records, export_id: id }) => {
    const day = entries.find(({ exportId }) => exportId === id)?.day ?? '';
    return { day, missing: records - Number(rows.find((row) => row['day'] === day)?.['n'] ?? 0) };
  });
}

const covered = (trial: Trial): Promise<unknown> =>
  trial.place.rows('select stream, count(*)::int as days from ops.coverage group by all order by all');
const STREAMS = ['campaigns', 'events', 'statistics', 'statistics_by_subchannel'];
const coverageOf = (...streams: string[]): unknown => streams.map((stream) => ({ stream, days: 2 }));

type Told = Fault extends infer F ? (F extends Fault ? Omit<F, 'endpoint'> : never) : never;
const LATER = 'what is missing comes on the next night';

test.each<[string, Told, code: number, said: RegExp, missing: number[] | typeof LATER]>([
  ['that is processing for ever', { kind: 'processing-forever' }, 1, /not ready after/, LATER],
  [
    'that is gone after a success',
    { kind: 'success-then-not-found', after: 3 },
    1,
    /cannot be downloaded|not delivered/,
    LATER,
  ],
  [
    'whose number of pages grows',
    { kind: 'changing-page-count', by: 1 },
    1,
    /total_page_count (changed|shrank)/,
    [0, 0],
  ],
  [
    'whose number of pages shrinks',
    { kind: 'changing-page-count', by: -1 },
    1,
    /total_page_count (changed|shrank)/,
    [0, 0],
  ],
  ['with a repeated page', { kind: 'repeated-page', page: 1, times: 1 }, 0, /Published/, [0, 0]],
  [
    'that ignores the page parameter',
    { kind: 'ignores-page-parameter' },
    1,
    /exports\.page_parameter/,
    LATER,
  ],
  [
    'with a short page in the middle',
    { kind: 'short-page', page: 0, missing: 7, times: 1 },
    0,
    /Published/,
    [0, 7],
  ],
  [
    'with one record twice',
    { kind: 'duplicate-record', page: 1, how: 'added' },
    1,
    /may lack 1 record/,
    [0, 0],
  ],
  [
    'with one record in the place of another',
    { kind: 'duplicate-record', page: 1, how: 'replaced', times: 1 },
    0,
    /Published/,
    [0, 0],
  ],
  [
    'with a record outside its window',
    { kind: 'outside-window', page: 0, times: 1 },
    0,
    /warning|Noticed/,
    [0, 0],
  ],
  ['with a field that nobody knows', { kind: 'extra-field', field: 'surprise' }, 0, /surprise/, [0, 0]],
])(
  'an export %s is loaded as far as it is true, and what is missing is told',
  async (_, lie, code, said, missing) => {
    const { trial, result } = await night({ endpoint: 'E21', ...lie });
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(said);
    const days = await missingDays(trial);
    // Until an export has landed there is one at a time.
    expect(days.length).toBeGreaterThan(0);
    if (lie.kind === 'repeated-page') {
      expect(await listed(join(trial.data, 'landing', 'rejected'), /e21/i)).toHaveLength(1);
    }
    if (lie.kind === 'extra-field') {
      const kept = `select count(*) filter (extra ->> 'surprise' is null)::int as n from events`;
      expect(await trial.place.rows(kept)).toEqual([{ n: 0 }]);
    }
    if (missing !== LATER) {
      expect(days.map((one) => one.missing).sort()).toEqual(missing);
      return;
    }
    for (const { day } of days.filter((one) => one.missing > 0)) expect(result.stderr).toContain(day);
    if (lie.kind === 'processing-forever') {
      expect(await covered(trial)).toEqual(coverageOf(...STREAMS.filter((stream) => stream !== 'events')));
    }
    if (lie.kind === 'success-then-not-found') {
      expect(await listed(join(trial.data, 'landing', 'events'), /^page-/)).not.toHaveLength(0);
    }
    trial.faults([]);
    await runUntilQuiet(trial, ['run']);
    expect((await missingDays(trial)).map((one) => one.missing)).toEqual([0, 0]);
  },
);

const OTHER_TYPES = [
  { kind: 'other-type', field: 'channel' },
  { kind: 'other-type', field: 'time' },
  { kind: 'other-type', field: 'time', value: 'soon' },
  { kind: 'other-type', field: 'id' },
  { kind: 'other-type', field: 'message_data', value: 7 },
] as const;
const GONE = ['event_name', 'time', 'id', 'channel'].map((field) => ({ kind: 'field-gone', field }) as const);

test.each([
  ['of another type', OTHER_TYPES],
  ['gone', GONE],
])('an export with fields that are %s loses no record without saying so', async (_, lies) => {
  // Each strikes one record of another page.
  const each = lies.map((lie, skip): Fault => ({ ...lie, endpoint: 'E21', records: 'one', times: 1, skip }));
  const { trial, result } = await night(...each);
  expect(result.stderr).toMatch(/warning|Noticed/);
  for (const { day } of (await missingDays(trial)).filter(({ missing }) => missing !== 0)) {
    expect(result.stderr).toContain(day);
    expect(result.code).toBe(1);
  }
});

test.each<[string, Fault, string]>([
  [
    'counts that are words',
    { endpoint: 'E17', kind: 'other-type', field: 'message_sent', value: 'many' },
    'statistics',
  ],
  ['no channel', { endpoint: 'E18', kind: 'field-gone', field: 'channel' }, 'statistics_by_subchannel'],
  ['names that are objects', { endpoint: 'E19', kind: 'other-type', field: 'metricName' }, 'campaigns'],
])('statistics with %s are kept as they came and reported, and the rest loads', async (_, lie, stream) => {
  const { trial, result } = await night({ ...lie, times: 1 });
  expect(await listed(join(trial.data, 'landing', stream), /\.json\.gz$/)).not.toHaveLength(0);
  expect(result.stderr).toMatch(/warning|Noticed/);
  trial.faults([]);
  await runUntilQuiet(trial, ['run']);
  expect(await covered(trial)).toEqual(coverageOf(...STREAMS));
  expect(trial.bills()).toHaveLength(2);
});

test('statistics that are restated replace the old ones, and the change is on record', async () => {
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

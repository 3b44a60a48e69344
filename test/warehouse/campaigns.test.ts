import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamageError } from '../../src/errors.js';
import type { CampaignsPull } from '../../src/storage/pull.js';
import { contents, dayAfter, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
const BEFORE = dayAfter(DAY, -1);
const RANGE = { start: BEFORE, end: DAY };

const answer = (stats: unknown[], more: Row = {}): Row => ({
  data: { lastCollectedAt: '2026-11-21 07:05:09', stats, ...more },
  error: null,
});
const counts = (metricName: string, ...dailyCounts: Row[]): Row => ({
  metricType: 'standard',
  metricName,
  totalCount: dailyCounts.reduce((sum, { count }) => sum + Number(count), 0),
  dailyCounts,
});
const daily = (date: string, count: number, dimensionCounts: Row[] = []): Row => ({
  date,
  count,
  dimensionCounts,
});

test('an answer of E19 becomes metrics, dimensions, totals and a note of its freshness', async () => {
  const workshop = new Workshop();
  const [report] = await workshop.load(
    workshop.campaigns(RANGE, {
      c1: answer([
        counts(
          'send_success',
          daily(BEFORE, 3),
          daily(DAY, 4, [{ dimensionKey: 'os', dimensionValue: 'iOS', count: 4 }]),
        ),
        {
          metricType: 'conversion',
          metricName: '구매',
          conversionType: 'sales_conversion',
          totalSum: 59900.75,
          dailySums: [
            {
              date: DAY,
              sum: 59900.75,
              dimensionSums: [{ dimensionKey: 'os', dimensionValue: 'Android', sum: 59900.75 }],
            },
          ],
        },
      ]),
    }),
  );
  expect(report).toMatchObject({ rows: 3, days: [BEFORE, DAY], drift: [], notes: {} });
  expect(
    await workshop.look('select * exclude (pull) from campaign_metrics order by metric_name desc, date desc'),
  ).toEqual([
    {
      campaign_id: 'c1',
      metric_type: 'conversion',
      metric_name: '구매',
      conversion_type: 'sales_conversion',
      date: DAY,
      value: '59900.7500',
      extra: null,
    },
    {
      campaign_id: 'c1',
      metric_type: 'standard',
      metric_name: 'send_success',
      conversion_type: null,
      date: DAY,
      value: '4.0000',
      extra: null,
    },
    expect.objectContaining({ date: BEFORE, value: '3.0000' }),
  ]);
  expect(
    await workshop.look(`select metric_name, date, dimension_key, dimension_value, value
                         from campaign_metric_dimensions order by metric_name`),
  ).toEqual([
    { metric_name: 'send_success', date: DAY, dimension_key: 'os', dimension_value: 'iOS', value: '4.0000' },
    { metric_name: '구매', date: DAY, dimension_key: 'os', dimension_value: 'Android', value: '59900.7500' },
  ]);
  expect(
    await workshop.look('select metric_name, total from campaign_metric_totals order by metric_name'),
  ).toEqual([
    { metric_name: 'send_success', total: '7.0000' },
    { metric_name: '구매', total: '59900.7500' },
  ]);
  expect(
    await workshop.look(`select campaign_id, epoch_ms(window_start) as start, epoch_ms(window_end) as end_,
                         epoch_ms(last_collected_at) as collected, last_collected_text, metrics
                         from campaign_collections`),
  ).toEqual([
    {
      campaign_id: 'c1',
      start: String(Date.parse('2026-11-18T15:00:00Z')),
      end_: String(Date.parse('2026-11-20T15:00:00Z')),
      collected: String(Date.parse('2026-11-20T22:05:09Z')),
      last_collected_text: '2026-11-21 07:05:09',
      metrics: '2',
    },
  ]);
  expect(await workshop.look('select date, rows from ops.coverage order by date')).toEqual([
    { date: BEFORE, rows: '1' },
    { date: DAY, rows: '2' },
  ]);
});

test('an incomplete pull replaces its own campaigns alone, and covers nothing', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.campaigns(RANGE, {
      c1: answer([counts('x', daily(DAY, 1))]),
      c2: answer([counts('x', daily(DAY, 2))]),
    }),
    workshop.campaigns(RANGE, { c1: answer([counts('x', daily(DAY, 10))]) }, { complete: false }),
  );
  expect(
    await workshop.look('select campaign_id, value::integer as value from campaign_metrics order by 1'),
  ).toEqual([
    { campaign_id: 'c1', value: 10 },
    { campaign_id: 'c2', value: 2 },
  ]);
  expect(await workshop.look('select date, rows, pull from ops.coverage order by date')).toEqual([
    { date: BEFORE, rows: '0', pull: 'campaigns/0001' },
    { date: DAY, rows: '2', pull: 'campaigns/0001' },
  ]);

  const alone = new Workshop();
  await alone.load(alone.campaigns(RANGE, { c1: answer([counts('x', daily(DAY, 1))]) }, { complete: false }));
  expect(await alone.look('from ops.coverage')).toEqual([]);
  expect(await alone.look('select count(*)::integer as n from campaign_metrics')).toEqual([{ n: 1 }]);
});

test('a complete pull takes away campaigns that have nothing there any more', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.campaigns(RANGE, { c1: answer([counts('x', daily(DAY, 1))]) }),
    workshop.campaigns(RANGE, {}),
  );
  expect(await workshop.look('from campaign_metrics')).toEqual([]);
  expect(await workshop.look('select rows from ops.coverage')).toEqual([{ rows: '0' }, { rows: '0' }]);
});

test(
  'what a warehouse holds does not depend on the order of loading',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    const days = [BEFORE, DAY, dayAfter(DAY)];
    const pull = fc.record({
      start: fc.nat(2),
      length: fc.nat(2),
      complete: fc.boolean(),
      campaigns: fc.dictionary(
        fc.constantFrom('c1', 'c2'),
        fc.array(fc.tuple(fc.constantFrom(...days), fc.nat(5)), { maxLength: 3 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(pull, { minLength: 1, maxLength: 5 }), async (given) => {
        const forwards = new Workshop();
        const pulls = given.map(({ start, length, complete, campaigns }): CampaignsPull => {
          const range = { start: days[start] ?? DAY, end: days[Math.min(2, start + length)] ?? DAY };
          const answers = Object.entries(campaigns).map(([id, rows]) => [
            id,
            answer([
              counts('x', ...rows.map(([date, count]) => daily(date, count, [{ dimensionKey: 'k', count }]))),
            ]),
          ]);
          return forwards.campaigns(range, Object.fromEntries(answers) as Record<string, unknown>, {
            complete,
            // What is held back depends on what came before it: a rebuild loads the oldest first (held-back.test.ts).
            accepted: true,
          });
        });
        await forwards.load(...pulls);
        const backwards = new Workshop();
        await backwards.load(...[...pulls].reverse(), ...pulls);
        expect(await contents(backwards)).toEqual(await contents(forwards));
      }),
      { numRuns: 4 },
    );
  },
);

test('what the specification does not know is kept and told', async () => {
  const workshop = new Workshop();
  const [report] = await workshop.load(
    workshop.campaigns(RANGE, {
      c1: answer(
        [
          { ...counts('x', { ...daily(DAY, 1), unit: 'KRW' }), novelty: [1] },
          { metricType: 'standard', metricName: 'y', totalCount: 'many', dailyCounts: [daily('soon', 1)] },
        ],
        { generation: 2, lastCollectedAt: 'yesterday' },
      ),
    }),
  );
  expect(report?.drift).toEqual([
    'answer.generation (unknown)',
    'answer.lastCollectedAt (type)',
    'daily.date (type)',
    'daily.unit (unknown)',
    'metric.novelty (unknown)',
    'metric.totalCount (type)',
  ]);
  expect(report?.notes).toEqual({ undated: 1 });
  expect(await workshop.look('select extra from campaign_metrics')).toEqual([{ extra: '{"unit":"KRW"}' }]);
  expect(await workshop.look('select extra from campaign_collections')).toEqual([
    { extra: '{"lastCollectedAt":"yesterday","generation":2}' },
  ]);
  expect(await workshop.look('select extra from campaign_metric_totals order by metric_name')).toEqual([
    { extra: '{"novelty":[1]}' },
    { extra: '{"totalCount":"many"}' },
  ]);
});

test('a count below zero, and numbers that no column holds, are kept beside the columns', async () => {
  const workshop = new Workshop();
  const dimension = { dimensionKey: 'os', dimensionValue: 'iOS', count: -2 };
  const body = JSON.stringify(
    answer([
      counts('x', daily(BEFORE, -1, [dimension]), daily(DAY, 2 ** 60)),
      { metricType: 'conversion', metricName: 'y', totalSum: -3, dailySums: [{ date: DAY, sum: -3 }] },
    ]),
  );
  const [report] = await workshop.load(workshop.campaigns(RANGE, { c1: body }));
  expect(report?.drift).toEqual(['daily.count (type)', 'dimension.count (type)', 'metric.totalCount (type)']);
  expect(
    await workshop.look('select date, value, extra from campaign_metrics order by metric_name, date'),
  ).toEqual([
    { date: BEFORE, value: null, extra: '{"count":-1}' },
    { date: DAY, value: null, extra: `{"count":${2 ** 60}}` },
    // Sums go below zero where goods come back.
    { date: DAY, value: '-3.0000', extra: null },
  ]);
  expect(await workshop.look('select value, extra from campaign_metric_dimensions')).toEqual([
    { value: null, extra: '{"count":-2}' },
  ]);
});

test.each([
  ['a refusal', { data: null, error: 'Internal Server Error' }],
  ['an answer without statistics', { data: { lastCollectedAt: 'x' }, error: null }],
  ['a bare list', []],
])('%s stops the load with the name of the file', async (_, body) => {
  const workshop = new Workshop();
  const pull = workshop.campaigns(RANGE, { c1: body });
  const failure: unknown = await workshop.load(pull).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DamageError);
  expect(String(failure)).toContain(pull.answers[0]?.file);
});

test.each<[string, (body: string) => string | Buffer]>([
  ['a byte order mark', (body) => `\ufeff${body}`],
  ['a control character', (body) => body.replace('QQ', 'a\u0001b')],
  ['a byte that is no UTF-8', (body) => Buffer.from(body.replace('QQ', 'a\u00ffb'), 'latin1')],
  ['half an emoji', (body) => body.replace('QQ', 'a\\ud83d')],
  ['NaN', (body) => body.replace('"QQ"', 'NaN')],
  ['NaN beside a control character', (body) => body.replace('"QQ"', 'NaN,"b":"\u0001"')],
  ['a key given twice', (body) => body.replace('"QQ"', '"QQ","metricName":"R"')],
  ['metrics that are none', (body) => body.replace('"stats":[', '"stats":[5,null,"x",[1],')],
  ['depth', (body) => body.replace('"QQ"', '['.repeat(50_000) + ']'.repeat(50_000))],
])('%s in one metric costs no other metric (E19)', async (_, spoil) => {
  const workshop = new Workshop();
  const body = JSON.stringify(
    answer([counts('before', daily(DAY, 1)), counts('QQ', daily(DAY, 2)), counts('after', daily(DAY, 3))]),
  );
  const pull = workshop.campaigns(RANGE, { c1: body, c2: answer([counts('other', daily(DAY, 4))]) });
  writeFileSync(pull.answers[0]!.file, gzipSync(spoil(body)));
  await workshop.load(pull);
  const names = (await workshop.look('select metric_name from campaign_metrics')).map(
    (row) => row['metric_name'],
  );
  expect(names).toEqual(expect.arrayContaining(['before', 'after', 'other']));
});

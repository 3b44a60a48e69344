/** A question as a view of `explore`: the days of its form, its chart, its cells. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { beforeAll, expect, test } from 'vitest';
import type { Sheet } from '../../../src/readers/explore/answer.js';
import { loadCatalogue, type QueryFile } from '../../../src/readers/queries/catalogue.js';
import type { Row } from '../../../src/readers/queries/wording.js';
import { shiftDay } from '../../../src/ground/calendar.js';
import { View } from '../../../src/readers/explore/frame.js';
import { head } from '../../../src/readers/explore/form.js';
import { chartOf, table } from '../../../src/readers/explore/question.js';
import { answeringHere } from '../../support/here.js';
import { makeWarehouse } from '../queries/support.js';
import { Served } from './support.js';
import { long } from '../../support/tags.js';

answeringHere();

let served: Served;
let queries: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-question-'));
  const file = join(folder, 'warehouse.duckdb');
  await makeWarehouse('small', file);
  queries = join(folder, 'queries');
  served = await Served.start(file, { queries });
  return async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

const pageOf = (body: string): Document => parseHTML(body).document;
const textOf = (body: string, selector: string): string =>
  (pageOf(body).querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim();

long(
  'has the days in its form that it covers, which its address leaves out, so that tomorrow has later ones',
  async () => {
    const daysIn = (body: string): (string | null | undefined)[] =>
      ['start', 'end'].map((name) =>
        pageOf(body).querySelector(`input[name=${name}]`)?.getAttribute('value'),
      );
    const [start = '', end = ''] = daysIn((await served.get('/q/channel-summary?by=day')).body);
    expect(textOf((await served.get('/q/channel-summary?by=day')).body, '.covers')).toContain('Covers');
    expect([start, end].every((day) => /^2026-\d\d-\d\d$/.test(day ?? ''))).toBe(true);
    const same = await served.get(`/q/channel-summary?start=${start}&end=${end}&by=day`);
    expect([same.status, same.headers.location]).toEqual([303, '/q/channel-summary?by=day']);
    const chosen = `/q/channel-summary?start=${end}&end=${end}`;
    const { status, body } = await served.get(chosen);
    expect([status, daysIn(body)]).toEqual([200, [end, end]]);
    const preset = pageOf(body).querySelector('.presets li:nth-child(2) a')?.getAttribute('href');
    expect(preset).toBe('/q/channel-summary?days=7');
    const [from, to] = daysIn((await served.get('/q/channel-summary?days=7')).body);
    expect([from, to]).toEqual([shiftDay(end ?? '', -6), end]);
    const moved = await served.get(`/q/channel-summary?start=${end}&days=7&end=${end}`);
    expect(moved.headers.location).toBe(chosen);
    const same7 = await served.get(`/q/channel-summary?start=${from}&days=7&end=${end}`);
    expect(same7.headers.location).toBe('/q/channel-summary?days=7');
  },
);

test('writes a rate of a measure as a percentage', async () => {
  const { body } = await served.get('/q/channel-changes');
  const rows = [...pageOf(body).querySelectorAll('.rows tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  const rates = rows.filter(([, measure]) => measure?.endsWith('rate'));
  expect(rates.length).toBeGreaterThan(0);
  for (const [, , value] of rates) expect(value).toMatch(/%$/);
});

test('names unit, group and days of a chart, and draws no variants beside their campaign', async () => {
  const { body } = await served.get('/q/campaign-performance');
  expect(textOf(body, '.chart caption')).toMatch(/^Sent \(messages\) by campaign or journey · \S/);
  const view = new View('en', new URL('http://localhost/'), undefined);
  const query = loadCatalogue().find(({ name }) => name === 'revenue');
  const row = (campaign: string, variant: string | null, revenue: number): Row => ({
    campaign_name: campaign,
    variant_name: variant,
    revenue,
    currencies: ['KRW'],
  });
  const drawn = (rows: readonly Row[]): (string | null)[] => {
    const charts = query?.charts ?? [];
    const sheet = {
      columns: [],
      rows,
      total: rows.length,
      charts,
      drawn: rows,
      said: [],
      values: [],
      same: [],
    };
    const chart = pageOf(chartOf(view, query, sheet)?.markup ?? '');
    return [...chart.querySelectorAll('caption, tbody th')].map(({ textContent }) => textContent);
  };
  const first = [row('one', null, 9), row('one', 'A', 4), row('one', 'B', 5)];
  expect(drawn([...first, row('two', null, 3)])).toEqual(['Revenue (KRW) by campaign', 'one', 'two']);
  expect(drawn(first)).toEqual(['Revenue (KRW) by variant', 'oneA', 'oneB']);
});

test('writes a verdict in words', () => {
  const view = new View('ko', new URL('http://localhost/'), undefined);
  const query = loadCatalogue().find(({ name }) => name === 'channel-changes');
  const rows = [{ measure: 'click_rate', value: 0.0304, verdict_code: 'same' }];
  const columns = ['measure', 'value', 'verdict_code'].map((name) => ({ name, isNumber: name === 'value' }));
  const sheet = { columns, rows, total: 1, charts: [], drawn: [], said: [], values: [], same: [] };
  const known = { values: {}, streams: {}, columns: [], macros: [] };
  const cells = [...pageOf(table(view, query, sheet, known).markup).querySelectorAll('tbody tr > *')];
  expect(cells.map(({ textContent }) => textContent)).toEqual(['클릭률', '3.0%', '≈ 평소 수준의 변동']);
});

test('writes the change from the period before, and the total of a campaign as what it is', () => {
  const known = { values: {}, streams: {}, columns: [], macros: [] };
  const query = named('revenue');
  const columns = ['campaign_name', 'variant_name', 'revenue', 'click_rate', 'p_value'].map((name, nth) => ({
    name,
    isNumber: nth > 1,
  }));
  const sheet = (revenue: number, rate: number): Sheet => {
    const row = { campaign_name: 'one', revenue, click_rate: rate, p_value: 0.5 };
    return {
      ...sheetOf(
        [
          { ...row, variant_name: null },
          { ...row, variant_name: 'A' },
        ],
        query,
      ),
      columns,
    };
  };
  const drawn = (earlier?: Sheet): (string | null)[] =>
    [
      ...pageOf(table(english, query, sheet(300, 0.05), known, { earlier }).markup).querySelectorAll(
        'tbody tr:first-child > *',
      ),
    ].map(({ textContent }) => textContent);
  expect(drawn()).toEqual(['one', 'All', '300', '5.0%', '0.5']);
  expect(drawn(sheet(200, 0.04))).toEqual([
    'one',
    'All',
    '300200 (+50.0%)',
    '5.0%4.0% (+1.0\u00a0pp)',
    '0.5',
  ]);
});

const sheetOf = (rows: readonly Row[], query: QueryFile | undefined, said: Sheet['said'] = []): Sheet => ({
  ...{
    columns: [],
    rows,
    total: rows.length,
    charts: query?.charts ?? [],
    drawn: rows,
    said,
    values: [],
    same: [],
  },
});
const named = (name: string): QueryFile | undefined => loadCatalogue().find((one) => one.name === name);
const english = new View('en', new URL('http://localhost/'), undefined);

test('draws the difference of opt-outs around zero, and no interval of what was not compared', () => {
  const query = named('opt-outs-after-messages');
  const row = (item: string, code: string, ends: readonly [number, number, number]): Row => {
    const [difference, low, high] = ends;
    return {
      item,
      channel: 'email',
      verdict_code: code,
      difference,
      difference_low: low,
      difference_high: high,
    };
  };
  const rows = [
    row('inconclusive', 'inconclusive', [8, -4, 20]),
    row('more', 'more', [10, 5, 15]),
    row('few', 'too_few', [90, 80, 100]),
  ];
  const chart = pageOf(chartOf(english, query, sheetOf(rows, query))?.markup ?? '');
  expect(chart.querySelector('caption')?.textContent).toMatch(/^Difference \(opt-outs per 1,000 messages/);
  expect([...chart.querySelectorAll('tbody tr')].map((one) => one.textContent.includes('few'))).toEqual([
    false,
    false,
  ]);
  // The dashed line is in the middle; the first interval crosses it, the second one is to its right.
  const found = [...chart.querySelectorAll('tbody svg')].map((svg) => {
    const [at] =
      /M([\d.]+)/
        .exec(svg.querySelector('.dashed')?.getAttribute('d') ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    const [low, high] =
      /M([\d.]+) 10H([\d.]+)/
        .exec(svg.querySelector('.line')?.getAttribute('d') ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    return [at, Number(low) < 75 && 75 < Number(high)];
  });
  expect(found).toEqual([
    [75, true],
    [75, false],
  ]);
});

test('shows hours by weekday as a grid', () => {
  const query = named('send-heatmap');
  const names = ['channel', 'hour', 'monday', 'sunday'];
  const columns = names.map((name) => ({ name, isNumber: name !== 'channel' }));
  const rows = [9, 10].map((hour) => ({ channel: 'email', hour, monday: 0.05, sunday: null }));
  const sheet = { ...sheetOf(rows, query), columns, same: ['channel'] };
  const known = { values: {}, streams: {}, columns: [], macros: [] };
  const page = pageOf(table(english, query, sheet, known).markup);
  const texts = [...page.querySelectorAll('.grid tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(texts).toEqual([
    ['Hour', 'Mon', 'Sun'],
    ['9:00', '5.0%', '–'],
    ['10:00', '5.0%', '–'],
  ]);
  expect(page.querySelector('.note')?.textContent).toContain('Channel e-mail');
});

test('draws no heatmap where its sentence says that hours cannot be compared', () => {
  const query = named('send-heatmap');
  const rows = [{ channel: 'email', hour: 9, monday: 0.1 }];
  const said = { as: 'sentence' as const, text: 'x', row: { not_compared: true } };
  expect(chartOf(english, query, sheetOf(rows, query))?.markup).toContain('heatmap');
  expect(chartOf(english, query, sheetOf(rows, query, [said]))).toBeUndefined();
  expect(query?.sql).toContain('--   select true as not_compared');
});

test('has each value of a list once, with the default marked, and days in its boxes', () => {
  const period = { start: '2026-10-01', end: '2026-11-20' };
  const streams = Object.fromEntries(
    ['statistics', 'events', 'campaigns', 'statistics_by_subchannel', 'opt_outs'].map((one) => [one, period]),
  );
  const known = { values: {}, days: period, streams, columns: [], macros: [] };
  for (const query of loadCatalogue()) {
    const form = pageOf(head(english, query, known, []).markup);
    for (const { name, choices, default: usual } of query.params) {
      const labels = [...form.querySelectorAll(`select[name=${name}] option`)].map((one) =>
        one.textContent.replace(' (Default)', ''),
      );
      expect([query.name, name, labels]).toEqual([query.name, name, [...new Set(labels)]]);
      if (choices.includes(usual.replaceAll("'", '')) && labels.length > 0)
        expect([query.name, labels.length]).toEqual([query.name, choices.length]);
    }
    const end = form.querySelector('input[name=end]')?.getAttribute('value');
    if (query.params.some((one) => one.default.startsWith('last_date')) && query.name !== 'pushes')
      expect([query.name, end]).toEqual([
        query.name,
        query.name === 'opt-outs-after-messages' ? '2026-11-16' : '2026-11-20',
      ]);
  }
});

test('a question that is kept is named by its title, in Korean too', async () => {
  const given = { name: '', q: 'select 1 as one', title: '일별 발송 (전체)', question: 'q' };
  const { status, headers } = await served.post('/keep', given);
  expect([status, headers.location]).toEqual([303, `/q/${encodeURIComponent('일별-발송-전체')}`]);
  expect(textOf((await served.get(headers.location ?? '')).body, 'h1')).toBe('일별 발송 (전체)');
  expect((await served.get(`${headers.location}.csv`)).status).toBe(200);
});

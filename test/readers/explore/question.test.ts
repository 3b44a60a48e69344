/** A question as a view of `explore`: the days of its form, its chart, its cells. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { beforeAll, expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import type { Row } from '../../../src/readers/queries/wording.js';
import { View } from '../../../src/readers/explore/frame.js';
import { chartOf, table } from '../../../src/readers/explore/question.js';
import { answeringHere } from '../../support/here.js';
import { makeWarehouse } from '../queries/support.js';
import { Served } from './support.js';

answeringHere();

let served: Served;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-question-'));
  const file = join(folder, 'warehouse.duckdb');
  await makeWarehouse('small', file);
  served = await Served.start(file);
  return async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

const pageOf = (body: string): Document => parseHTML(body).document;
const textOf = (body: string, selector: string): string =>
  (pageOf(body).querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim();

test('has the days in its form that it covers, which its address leaves out, so that tomorrow has later ones', async () => {
  const daysIn = (body: string): (string | null | undefined)[] =>
    ['start', 'end'].map((name) => pageOf(body).querySelector(`input[name=${name}]`)?.getAttribute('value'));
  const [start = '', end = ''] = daysIn((await served.get('/q/channel-summary?by=day')).body);
  expect(textOf((await served.get('/q/channel-summary?by=day')).body, '.covers')).toContain('Covers');
  expect([start, end].every((day) => /^2026-\d\d-\d\d$/.test(day ?? ''))).toBe(true);
  const same = await served.get(`/q/channel-summary?start=${start}&end=${end}&by=day`);
  expect([same.status, same.headers.location]).toEqual([303, '/q/channel-summary?by=day']);
  const chosen = `/q/channel-summary?start=${end}&end=${end}`;
  const { status, body } = await served.get(chosen);
  expect([status, daysIn(body)]).toEqual([200, [end, end]]);
});

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
    const sheet = { columns: [], rows, total: rows.length, charts, drawn: rows, said: [], values: [] };
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
  const sheet = { columns, rows, total: 1, charts: [], drawn: [], said: [], values: [] };
  const known = { values: {}, streams: {}, columns: [], macros: [] };
  const cells = [...pageOf(table(view, query, sheet, known).markup).querySelectorAll('tbody tr > *')];
  expect(cells.map(({ textContent }) => textContent)).toEqual(['클릭률', '3.0%', '≈ 평소 수준의 변동']);
});

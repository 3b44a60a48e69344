// @module-tag long
/** The report as a file: what it says, in both languages, and that nothing in it acts or refers to anywhere. */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/queries/catalogue.js';
import { PARTS, makeReport } from '../../src/report/report.js';
import { NOW, type Place } from '../support/dawnload.js';
import { makeReportWorld, NASTY, withNastyNames } from './world.js';

const now = new Date(NOW);
const LANGUAGES = ['en', 'ko'] as const;

let place: Place;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-report-'));
  place = await makeReportWorld();
}, 120_000);

afterAll(async () => {
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

const make = (file: string, language: 'en' | 'ko' = 'en'): Promise<string> =>
  makeReport(file, { language, now, runs: [] });

/** The sentences under the headings, by part. */
function sentencesOf(page: string): Map<string, string> {
  const { document } = parseHTML(page);
  return new Map(
    [...document.querySelectorAll('section')].map((section) => [
      section.id,
      section.querySelector('.sentence')?.textContent ?? '',
    ]),
  );
}

describe.each(LANGUAGES)('in %s', (language) => {
  test('every part of a filled warehouse has a sentence, a chart and a table', async () => {
    const page = await make(place.published, language);
    const { document } = parseHTML(page);
    expect(document.documentElement.getAttribute('lang')).toBe(language);
    for (const part of PARTS) {
      const section = document.querySelector(`#${part.id}`);
      const sentence = section?.querySelector('.sentence')?.textContent;
      expect(sentence, part.id).toBeTruthy();
      expect(sentence, part.id).not.toBe(part.empty?.[language]);
      expect(section?.querySelector('svg[role=img] title'), part.id).toBeTruthy();
      // Five numbers are tiles, and a heatmap has its table below it.
      if (part.id !== 'headline') expect(section?.querySelector('table caption'), part.id).toBeTruthy();
    }
    expect(page).not.toMatch(/could not be drawn|표시하지 못했습니다|NaN|undefined|Infinity|\[object/);
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  });
});

test('the SQL behind each part is the text of its bundled queries', async () => {
  const { document } = parseHTML(await make(place.published));
  const texts = [...document.querySelectorAll('pre')].map((pre) => pre.textContent);
  const bundled = loadCatalogue().map(({ sql }) => sql);
  expect(texts.length).toBeGreaterThanOrEqual(PARTS.length);
  for (const text of texts) {
    // A browser leaves out the line break that a pre begins with.
    const sql = text.replace(/^\n/, '').replace(/^(set variable "\w+" = '[^']*';\n)*/, '');
    expect(bundled).toContain(sql);
  }
});

test('nothing refers to another file or address, and nothing can run', async () => {
  const page = await make(place.published);
  const { document } = parseHTML(page);
  expect(document.querySelectorAll('script, iframe, object, embed, form, base, img').length).toBe(0);
  const attributes = [...page.matchAll(/\s(src|href|action|xlink:href|data|on\w+)="([^"]*)"/g)];
  expect(attributes.filter(([, , value]) => !/^#[\w-]+$|^data:,$/.test(value ?? ''))).toEqual([]);
  expect(page).not.toMatch(/url\(\s*["']?(?!#)/);
  expect(page).not.toContain('@import');
});

test('a part whose query fails says so, and the others are there', async () => {
  const file = join(folder, 'without-a-view.duckdb');
  await copyFile(place.published, file);
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run('drop view marts.failure_reasons');
  connection.closeSync();
  instance.closeSync();
  const sentences = sentencesOf(await make(file));
  expect(sentences.get('failures')).toMatch(/^This part could not be drawn: .*failure_reasons/);
  expect([...sentences.values()].filter((said) => said.includes('could not be drawn'))).toHaveLength(1);
});

test('names that try to be markup are names', async () => {
  const page = await make(await withNastyNames(place));
  const { document } = parseHTML(page);
  expect(document.querySelectorAll('script, img').length).toBe(0);
  expect(page).not.toContain('<script>');
  expect(String(document.querySelector('#campaigns')?.textContent)).toContain(NASTY);
  expect(String(document.querySelector('#journeys')?.textContent)).toContain(NASTY);
  // Also where it is the name of a chart.
  const titles = [...document.querySelectorAll('svg title')].map((title) => title.textContent);
  expect(titles.some((title) => title.includes(NASTY))).toBe(true);
});

describe('what it says of numbers', () => {
  test('the last seven days are those of the daily statistics', async () => {
    const [{ sent } = {}] = await place.rows(
      `select sum(message_sent)::double as sent from daily_statistics where date between '2026-11-14' and '2026-11-20'`,
    );
    const sentences = sentencesOf(await make(place.published));
    expect(sentences.get('headline')).toContain(
      `${Number(sent).toLocaleString('en')} messages were sent from 2026-11-14 – 2026-11-20.`,
    );
  });

  test('the numbers of its sentences are those of the bundled queries', async () => {
    const sentences = sentencesOf(await make(place.published));
    const ask = async (name: string): Promise<Record<string, unknown>[]> => {
      const output = join(folder, `${name}.json`);
      const present = name === 'budget' ? ['--param', `now=${now.toISOString()}`] : [];
      const { code, stderr } = await place.run([
        'query',
        name,
        '--format',
        'json',
        '--output',
        output,
        ...present,
      ]);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(await readFile(output, 'utf8')) as Record<string, unknown>[];
    };
    const count = (value: unknown): string => Number(value).toLocaleString('en');

    const [budget = {}] = await ask('budget');
    expect(sentences.get('spend')).toContain(
      `${count(budget['records_used'])} of ${count(budget['records_per_month'])} records are used`,
    );
    const coming = Number(budget['forecast_records']) - Number(budget['records_used']);
    expect(sentences.get('spend')).toContain(
      `about ${count(coming)} more, ${count(budget['forecast_records'])} in all`,
    );

    const sales = (await ask('revenue')).filter(({ variant_name }) => variant_name === null);
    const [most] = [...sales].sort((a, b) => Number(b['revenue']) - Number(a['revenue']));
    expect(sentences.get('revenue')).toContain(
      `“${String(most?.['campaign_name'])}” sold the most in 28 days: ${count(most?.['revenue'])}.`,
    );

    const channels = await ask('channel-summary');
    const sent = new Map<string, number>();
    for (const row of channels) {
      const channel = String(row['channel']);
      sent.set(channel, (sent.get(channel) ?? 0) + Number(row['sent']));
    }
    const [largest] = [...sent].sort(([, a], [, b]) => b - a);
    const all = [...sent.values()].reduce((sum, value) => sum + value, 0);
    expect(sentences.get('channels')).toContain(
      `${largest?.[0] ?? ''} sent the most: ${count(largest?.[1])} of ${count(all)} messages`,
    );

    const checks = await ask('checks');
    expect(sentences.get('findings')).toMatch(
      checks.length === 0 ? /found nothing/ : new RegExp(`^Findings: ${count(checks.length)}, `),
    );
    const funnel = await ask('journey-funnel');
    const [drop] = [...funnel].sort((a, b) => Number(b['drop_off']) - Number(a['drop_off']));
    expect(sentences.get('journeys')).toContain(`before “${String(drop?.['user_journey_node_name'])}”`);
  }, 120_000);

  test('a day that is missing is named, and days before the first of a stream are not', async () => {
    const later = await makeReport(place.published, {
      language: 'en',
      now: new Date(now.getTime() + 2 * 86_400_000),
      runs: [],
    });
    const freshness = sentencesOf(later).get('freshness');
    expect(freshness).toContain('Missing up to 2026-11-22');
    expect(freshness).toContain('Events (paid) 2026-11-21 – 2026-11-22');
    expect(freshness).not.toContain('2026-11-13');
    expect(sentencesOf(await make(place.published)).get('freshness')).toBe(
      'No day is missing up to 2026-11-20, the last complete one.',
    );
  });
});

describe('the command', () => {
  test('writes report.html into the data folder, or where it is told', async () => {
    const written = await place.run(['report']);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    const own = join(place.folder, 'data', 'report.html');
    expect(await readFile(own, 'utf8')).toContain('<html lang="en">');
    const elsewhere = join(place.folder, '보고서.html');
    expect((await place.run(['report', '--lang', 'ko', '--output', elsewhere])).code).toBe(0);
    expect(await readFile(elsewhere, 'utf8')).toContain('<html lang="ko">');
  });

  test('writes nothing else into the data folder', async () => {
    const refused = await place.run(['report', '--output', join(place.folder, 'data', 'warehouse.duckdb')]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('is inside the data folder');
    expect((await place.run(['status'])).code).toBe(0);
  });

  test('says in one sentence that there is no warehouse, or no folder to write to', async () => {
    const none = await place.run(['report', '--data-dir', join(folder, 'nothing')]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('There is no warehouse');
    const away = await place.run(['report', '--output', join(folder, 'no', 'such', 'report.html')]);
    expect(away.code).toBe(1);
    expect(away.stderr).toContain('cannot be written');
  });
});

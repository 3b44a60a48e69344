// @module-tag long
/// <reference lib="dom" />
/** The report as a file, in a browser, and at the end of runs; in both languages. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeReport } from '../../../src/readers/report/report.js';
import { SECTIONS } from '../../../src/readers/report/sections.js';
import { NOW, Place } from '../../support/dawnload.js';
import { copyTemplate } from '../../support/template.js';
import { ends } from '../../support/place.js';
import { placeOfShop } from '../shop.js';
import { extended } from '../../support/tags.js';

const NASTY = `<script>alert('하나')</script> & "둘" <img src=x onerror=alert(1)>`;

/** The campaign with the most e-mails is clicked far more than chance explains. */
const CLICKED_MORE = `
  update daily_statistics set click = (message_sent - message_failed) * 9 // 10
  where channel = 'email' and campaign_id = (
    select campaign_id from daily_statistics where channel = 'email' and campaign_id is not null
    group by campaign_id order by sum(message_sent) desc limit 1
  )`;

/** Changes a database that nobody else has open. */
async function changed(
  file: string,
  change: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await change(connection);
  connection.closeSync();
  instance.closeSync();
}

/** A copy of the published file in which a campaign has a name that tries to be markup. */
async function withNastyNames(place: Place): Promise<string> {
  const file = join(place.folder, 'nasty.duckdb');
  await copyFile(place.published, file);
  await changed(file, async (connection) => {
    const tables = await connection.runAndReadAll(
      `select table_schema || '.' || table_name, column_name from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_type = 'BASE TABLE' and data_type = 'VARCHAR'
         and column_name in ('campaign_name', 'variant_name', 'user_journey_name', 'user_journey_node_name', 'failure_reason')`,
    );
    for (const [table, column] of tables.getRows()) {
      await connection.run(`update ${String(table)} set ${String(column)} = $name || ${String(column)}`, {
        name: NASTY,
      });
    }
  });
  return file;
}

declare global {
  // What axe-core puts into a page.
  interface Window {
    readonly axe: typeof axe;
  }
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const now = new Date(NOW);
const LANGUAGES = ['en', 'ko'] as const;

let place: Place;
let folder: string;
/** A copy of the published file with names that try to be markup. */
let nasty: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-report-'));
  place = await placeOfShop();
  await changed(place.published, (connection) => connection.run(CLICKED_MORE));
  nasty = await withNastyNames(place);
}, 120_000);

afterAll(async () => {
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

const made = new Map<string, Promise<string>>();

/** The page of a file that does not change, made once in each language. */
function make(file: string, language: 'en' | 'ko' = 'en'): Promise<string> {
  const key = `${file} ${language}`;
  const page = made.get(key) ?? makeReport(file, { language, now, runs: [] }).then((one) => one.page);
  made.set(key, page);
  return page;
}

/** What sections say, by their id. */
function sentencesOf(page: string): Map<string, string> {
  const { document } = parseHTML(page);
  return new Map(
    [...document.querySelectorAll('section')].map((section) => [
      section.id,
      (section.querySelector('.says')?.textContent ?? '').replace(/\s+/g, ' ').trim(),
    ]),
  );
}

describe.each(LANGUAGES)('in %s', (language) => {
  test('every section of a filled warehouse has a sentence, and a chart or a table', async () => {
    const page = await make(place.published, language);
    const { document } = parseHTML(page);
    expect(document.documentElement.getAttribute('lang')).toBe(language);
    for (const { id } of SECTIONS) {
      const section = document.querySelector(`#${id}`);
      // The calendar is asked for what was sent when, of which nothing more is to be said.
      if (id !== 'calendar') expect(section?.querySelector('.sentence')?.textContent, id).toBeTruthy();
      // A small world shows no hour that differs from the others.
      if (id !== 'hours')
        expect(section?.querySelector('svg[role=img] title, table caption'), id).toBeTruthy();
    }
    expect(page).not.toMatch(/could not be shown|표시하지 못했습니다|NaN|undefined|Infinity|\[object/);
    expect(Buffer.byteLength(page)).toBeLessThan(350_000);
  });
});

test('the page names the commands that ask its queries again', async () => {
  const { document } = parseHTML(await make(place.published));
  const commands = [...document.querySelectorAll('#about code')].map(({ textContent }) => textContent);
  for (const { asks } of SECTIONS)
    for (const { query } of asks)
      expect(commands.some((command) => command.startsWith(`dawnload query ${query}`))).toBe(true);
  expect(commands).toContain('dawnload query period-comparison by=campaign');
  // A link or a command that is kept shows the latest days later, too.
  expect(commands).toContain('dawnload query revenue-by-channel days=7');
  expect(commands.filter((command) => /\d{4}-\d\d-\d\d/.test(command))).toEqual([]);
});

test('nothing refers to another file or address, and nothing but the script that sorts can run', async () => {
  const page = await make(place.published);
  const { document } = parseHTML(page);
  expect(document.querySelectorAll('iframe, object, embed, form, base, img').length).toBe(0);
  const [script, ...others] = [...document.querySelectorAll('script')].map(({ textContent }) => textContent);
  expect(others).toEqual([]);
  const hash = createHash('sha256')
    .update(script ?? '')
    .digest('base64');
  expect(document.querySelector('[http-equiv]')?.getAttribute('content')).toContain(
    `script-src 'sha256-${hash}'`,
  );
  const attributes = [...page.matchAll(/\s(src|href|action|xlink:href|data|on\w+)="([^"]*)"/g)];
  expect(attributes.filter(([, , value]) => !/^#[\w-]+$|^data:,$/.test(value ?? ''))).toEqual([]);
  expect(page).not.toMatch(/url\(\s*["']?(?!#)/);
  expect(page).not.toContain('@import');
});

test('a section whose query fails says so, as does the command, and the others are there', async () => {
  const lacking = join(folder, 'without-a-view');
  const file = join(lacking, 'warehouse.duckdb');
  await mkdir(lacking);
  await copyFile(place.published, file);
  await changed(file, (connection) => connection.run('drop view marts.failure_reasons'));
  const sentences = sentencesOf(await make(file));
  expect(sentences.get('failures')).toMatch(
    /^This part could not be shown: The query failure-reasons does not fit the published file/,
  );
  expect([...sentences.values()].filter((said) => said.includes('could not be shown'))).toHaveLength(1);
  await ends(
    place.run(['report', '--data-dir', lacking]),
    1,
    /One section could not be shown: The query failure-reasons does not fit .*`dawnload run`/s,
  );
});

test('names that try to be markup are names', async () => {
  const page = await make(nasty);
  const { document } = parseHTML(page);
  expect(document.querySelectorAll('script, img').length).toBe(1);
  expect(page).not.toContain('<script>alert');
  expect(String(document.querySelector('#campaigns')?.textContent)).toContain(NASTY);
  expect(String(document.querySelector('#journeys')?.textContent)).toContain(NASTY);
  // Also where it is the name of a chart.
  const titles = [...document.querySelectorAll('svg title')].map((title) => title.textContent);
  expect(titles.some((title) => title.includes(NASTY))).toBe(true);
});

test('a day that is missing is named, and days before the first of a stream are not', async () => {
  const { page: later } = await makeReport(place.published, {
    language: 'en',
    now: new Date(now.getTime() + 2 * 86_400_000),
    runs: [],
  });
  const freshness = sentencesOf(later).get('freshness');
  expect(freshness).toContain('Events (paid): 2 days missing Nov 21–22.');
  expect(freshness).not.toContain('Nov 13');
  expect(later).toMatch(/class="notice"[^>]*>\s*Statistics of 2 days in the last two weeks are missing/);
  expect(sentencesOf(await make(place.published)).get('freshness')).toContain('No days are missing');
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

  test('says in one sentence that there is no warehouse, or no folder to write to', async () => {
    await ends(place.run(['report', '--data-dir', join(folder, 'nothing')]), 2, 'does not exist yet');
    await ends(
      place.run(['report', '--output', join(folder, 'no', 'such', 'report.html')]),
      2,
      'cannot be written, because the folder',
    );
  });
});

const WIDTHS = [390, 768, 1280, 1440];

// Without a browser there is nothing to try: `apt-get install chromium` brings one.
describe.skipIf(CHROMIUM === undefined)('the report in Chromium (skipped where none is installed)', () => {
  let browser: Browser;

  /** Writes a page where it is asked for the first time; its address. */
  async function addressOf(kind: string): Promise<string> {
    const [what = '', language = 'en'] = kind.split(' ');
    const path = join(place.folder, `${what}-${language}.html`);
    if (!existsSync(path)) {
      const empty = join(place.folder, 'empty.duckdb');
      if (what === 'empty') copyTemplate(empty);
      const files: Record<string, string> = { filled: place.published, nasty, empty };
      await writeFile(path, await make(files[what] ?? '', language === 'ko' ? 'ko' : 'en'));
    }
    return pathToFileURL(path).href;
  }

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    });
  }, 180_000);

  afterAll(async () => {
    await browser.close();
  });

  /** Opens a page, and expects that nothing goes wrong in it. */
  async function open(
    kind: string,
    colorScheme: 'light' | 'dark',
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1440, height: 800 } });
    const wrong: string[] = [];
    const page = await context.newPage();
    page.on('console', (message) => wrong.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(`error: ${String(error)}`));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    const address = await addressOf(kind);
    page.on('request', (request) => {
      if (request.url() !== address && !request.url().startsWith('data:'))
        wrong.push(`request: ${request.url()}`);
    });
    try {
      await page.goto(address);
      await look(page);
      expect(wrong).toEqual([]);
    } finally {
      await context.close();
    }
  }

  const unfold = (page: Page): Promise<void> =>
    page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });

  /** Looks at the page in each width. */
  async function inEachWidth(page: Page, look: (width: number) => Promise<void>): Promise<void> {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await look(width);
    }
  }

  describe.each([
    ['en', 'long'],
    ['ko', 'extended'],
  ] as const)('in %s', (language, tag) => {
    test.each(['filled', 'nasty', 'empty'])(
      'the %s page overflows at no width, folded or not',
      { tags: [tag] },
      (kind) =>
        open(`${kind} ${language}`, 'light', async (page) => {
          for (const folded of [true, false]) {
            if (!folded) await unfold(page);
            await inEachWidth(page, async (width) => {
              const overflow = await page.evaluate(
                () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
              );
              expect(overflow, `${width} pixels${folded ? '' : ', unfolded'}`).toBeLessThanOrEqual(0);
            });
          }
        }),
    );

    test(
      'no table scrolls sideways, no number is cut at any width, and a column of numbers sorts its table',
      { tags: [tag] },
      () =>
        open(`filled ${language}`, 'light', async (page) => {
          await unfold(page);
          await inEachWidth(page, async (width) => {
            const cut = await page.evaluate(() =>
              [...document.querySelectorAll('.scroll, td.number')]
                .filter((element) => element.scrollWidth > element.clientWidth + 1)
                .map(
                  (element) => `${element.closest('section')?.id ?? ''}: ${element.textContent.slice(0, 60)}`,
                ),
            );
            expect(cut, `${width} pixels`).toEqual([]);
            const broken = await page.evaluate(() => {
              const found: string[] = [];
              for (const cell of document.querySelectorAll('table :is(th, td, small, span)')) {
                for (const node of cell.childNodes) {
                  for (const word of (node.nodeType === 3 ? (node.textContent ?? '') : '').matchAll(
                    /[\p{L}\p{N},.%]+/gu,
                  )) {
                    const range = document.createRange();
                    range.setStart(node, word.index);
                    range.setEnd(node, word.index + word[0].length);
                    if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
                      found.push(word[0]);
                  }
                }
              }
              return found;
            });
            expect(broken, `words and numbers broken at ${width} pixels`).toEqual([]);
            // Pictures get smaller on a phone, and stay.
            const pictures = await page.evaluate(
              () =>
                [...document.querySelectorAll('td.picture svg')].filter(
                  (svg) => svg.getBoundingClientRect().width > 20,
                ).length,
            );
            expect(pictures, `${width} pixels`).toBeGreaterThan(50);
          });
          const order = await page.evaluate(() => {
            const table = document.querySelectorAll<HTMLTableElement>('#campaigns table.sortable')[1];
            table?.querySelectorAll('button')[0]?.click();
            table?.querySelectorAll('button')[0]?.click();
            return [...(table?.tBodies[0]?.rows ?? [])].map((row) =>
              Number(row.querySelector<HTMLElement>('[data-value]')?.dataset['value']),
            );
          });
          expect(order.length).toBeGreaterThan(5);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }),
    );
  });

  // What axe objects to depends on the colours and on the words, and not on both together.
  test.each([
    ['en', 'light'],
    ['ko', 'dark'],
  ] as const)('axe finds nothing to object to in %s and %s colours', async (language, scheme) => {
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const kind of [language === 'en' ? 'empty' : 'filled']) {
      await open(`${kind} ${language}`, scheme, async (page) => {
        await unfold(page);
        await page.evaluate(source);
        const { violations } = await page.evaluate(() =>
          window.axe.run(document, { resultTypes: ['violations'] }),
        );
        const told = violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map(({ html }) => html.slice(0, 120))
              .slice(0, 3)
              .join(' ')}`,
        );
        expect(told).toEqual([]);
      });
    }
  });
});

extended('each run and backfill writes it, in the language of the setting', async () => {
  const settings = 'start_date: 2026-11-19\nlookback_days: 1\n';
  const own = await Place.make(`${settings}report: true\n`, { eventsPerDay: 50 });
  onTestFinished(() => own.remove());
  const page = join(own.folder, 'data', 'report.html');
  const { code, stderr } = await own.run(['run']);
  expect(code).toBe(0);
  expect(stderr).toContain(`The report on it is ${page}.`);
  expect(await readFile(page, 'utf8')).toContain('<html lang="en">');
  await own.configure(`${settings}report: ko\n`);
  const backfill = ['backfill', '--start', '2026-11-19', '--end', '2026-11-19', '--streams', 'statistics'];
  expect((await own.run(backfill)).code).toBe(0);
  expect(await readFile(page, 'utf8')).toContain('<html lang="ko">');
});

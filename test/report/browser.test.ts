/** The report in a real browser: nothing goes wrong, nothing is asked for, nothing overflows, everybody can read it. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeReport } from '../../src/report/report.js';
import { makeWarehouse } from '../queries/support.js';
import { NOW, type Place } from '../support/dawnload.js';
import { makeReportWorld, withNastyNames } from './world.js';

declare global {
  // What axe-core puts into a page.
  interface Window {
    readonly axe: typeof axe;
  }
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const LANGUAGES = ['en', 'ko'] as const;
const SCHEMES = ['light', 'dark'] as const;
const LOOKS = SCHEMES.flatMap((scheme) => [360, 768, 1440].map((width) => [scheme, width] as const));

// Without a browser there is nothing to try: `apt-get install chromium` brings one.
describe.skipIf(CHROMIUM === undefined)(
  'the report in Chromium (skipped where none is installed)',
  { tags: ['long'] },
  () => {
    let place: Place;
    let browser: Browser;
    const pages = new Map<string, string>();

    beforeAll(async () => {
      place = await makeReportWorld();
      const empty = join(place.folder, 'empty.duckdb');
      await makeWarehouse('empty', empty);
      const files = { filled: place.published, nasty: await withNastyNames(place), empty };
      for (const language of LANGUAGES) {
        for (const [kind, file] of Object.entries(files)) {
          const path = join(place.folder, `${kind}-${language}.html`);
          await writeFile(path, await makeReport(file, { language, now: new Date(NOW), runs: [] }));
          pages.set(`${kind} ${language}`, pathToFileURL(path).href);
        }
      }
      browser = await chromium.launch({
        ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
        args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      });
    }, 180_000);

    afterAll(async () => {
      await browser.close();
      await place.remove();
    });

    /** Opens a page and gives what went wrong in it. */
    async function open(
      kind: string,
      { scheme, width }: { scheme: 'light' | 'dark'; width: number },
      look: (page: Page) => Promise<void>,
    ): Promise<string[]> {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
      const wrong: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => wrong.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => wrong.push(`error: ${String(error)}`));
      page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
      const address = pages.get(kind) ?? '';
      page.on('request', (request) => {
        if (request.url() !== address && !request.url().startsWith('data:'))
          wrong.push(`request: ${request.url()}`);
      });
      try {
        await page.goto(address);
        await look(page);
        return wrong;
      } finally {
        await context.close();
      }
    }

    const unfold = (page: Page): Promise<void> =>
      page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });

    describe.each(LANGUAGES)('in %s', (language) => {
      test.each(['filled', 'nasty', 'empty'])(
        'the %s page overflows at no width, folded or not',
        async (kind) => {
          // What overflows does so in any colours; the whole page is looked at in all of them.
          for (const [scheme, width] of kind === 'filled' ? LOOKS : LOOKS.slice(0, 2)) {
            const wrong = await open(`${kind} ${language}`, { scheme: 'light', width }, async (page) => {
              for (const folded of [true, false]) {
                if (!folded) await unfold(page);
                const overflow = await page.evaluate(
                  () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
                );
                expect(
                  overflow,
                  `${scheme}, ${width} pixels${folded ? '' : ', unfolded'}`,
                ).toBeLessThanOrEqual(0);
              }
            });
            expect(wrong).toEqual([]);
          }
        },
      );

      test.each([360, 390, 768, 1280])(
        'no table scrolls sideways and no number is cut at %i pixels',
        async (width) => {
          await open(`filled ${language}`, { scheme: 'light', width }, async (page) => {
            await unfold(page);
            const cut = await page.evaluate(() =>
              [...document.querySelectorAll('.scroll, td.number')]
                .filter((element) => element.scrollWidth > element.clientWidth + 1)
                .map(
                  (element) => `${element.closest('section')?.id ?? ''}: ${element.textContent.slice(0, 60)}`,
                ),
            );
            expect(cut).toEqual([]);
            const seen = await page.evaluate(() => ({
              bars: [...document.querySelectorAll<HTMLElement>('td.chart')].filter(
                (cell) => cell.offsetParent !== null,
              ).length,
              numbers: [...document.querySelectorAll<HTMLElement>('td.number')].filter(
                (cell) => cell.offsetParent !== null,
              ).length,
              heatmap: [...document.querySelectorAll('#hours svg')]
                .map((svg) => svg.getBoundingClientRect().width)
                .reduce((widest, one) => Math.max(widest, one), 0),
            }));
            // Bars give way to numbers, and the heatmap takes the width that there is.
            if (width <= 390) expect(seen.bars).toBe(0);
            else expect(seen.bars).toBeGreaterThan(0);
            expect(seen.numbers).toBeGreaterThan(0);
            expect(seen.heatmap).toBeGreaterThan(Math.min(width, 1216) * 0.85);
          });
        },
      );

      test.each(SCHEMES)('axe finds nothing to object to in %s colours', async (scheme) => {
        const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
        for (const kind of ['filled', 'empty']) {
          const wrong = await open(`${kind} ${language}`, { scheme, width: 1440 }, async (page) => {
            await unfold(page);
            await page.evaluate(source);
            const { violations } = await page.evaluate(() => window.axe.run(document));
            const told = violations.map(
              ({ id, nodes }) =>
                `${id}: ${nodes
                  .map(({ html }) => html.slice(0, 120))
                  .slice(0, 3)
                  .join(' ')}`,
            );
            expect(told).toEqual([]);
          });
          expect(wrong).toEqual([]);
        }
      });

      test('no Korean word is cut at the end of a line', async () => {
        await open(`filled ${language}`, { scheme: 'light', width: 360 }, async (page) => {
          const breaks = await page.evaluate(
            () =>
              [...document.querySelectorAll('.sentence, h1, h2, h3, header p, td, th')].filter(
                (element) => getComputedStyle(element).wordBreak !== 'keep-all',
              ).length,
          );
          expect(breaks).toBe(0);
        });
      });
    });

    test('the paper shows no navigation and is light in dark surroundings', async () => {
      await open('filled en', { scheme: 'dark', width: 1440 }, async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        const seen = await page.evaluate(() => ({
          background: getComputedStyle(document.body).backgroundColor,
          navigation: getComputedStyle(document.querySelector('nav') ?? document.body).display,
        }));
        expect(seen).toEqual({ background: 'rgb(255, 255, 255)', navigation: 'none' });
      });
    });
  },
);

// @module-tag long
/// <reference lib="dom" />
/** `dawnload explore` in a browser: what a marketer and an analyst do with it, in both languages. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import type axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORDS, type Word } from '../../../src/readers/explore/words.js';
import { NOW, type Place } from '../../support/dawnload.js';
import { answeringHere } from '../../support/here.js';
import { placeOfShop } from '../shop.js';
import { Served } from './support.js';

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

answeringHere();

// Without a browser there is nothing to try: `apt-get install chromium` brings one.
describe.skipIf(CHROMIUM === undefined)('explore in Chromium (skipped where none is installed)', () => {
  let place: Place;
  let server: ChildProcess;
  let address: string;
  /** The same in this process, where no question waits for a process of its own. */
  let served: Served;
  let browser: Browser;

  beforeAll(async () => {
    place = await placeOfShop('queries: ./questions\n');
    server = place.start(['explore', '--port', '0']);
    if (server.stdout === null) throw new Error('The command has no output.');
    [address] = (await once(createInterface(server.stdout), 'line')) as [string];
    served = await Served.start(place.published, { now: () => new Date(NOW) });
    browser = await chromium.launch({
      ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    });
  }, 180_000);

  afterAll(async () => {
    await browser.close();
    await served.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
    await place.remove();
  });

  /** A browser that has opened the first address, in which nothing may go wrong. */
  async function opened(
    language: 'en' | 'ko',
    given: Parameters<Browser['newContext']>[0] = {},
    from = address,
  ): Promise<{ page: Page; context: BrowserContext; wrong: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...given });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => wrong.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(`error: ${String(error)}`));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== new URL(from).origin && protocol !== 'data:') wrong.push(`request: ${request.url()}`);
    });
    await page.goto(`${from}&lang=${language}`);
    return { page, context, wrong };
  }

  const at = (page: Page): URL => new URL(page.url());

  describe.each(LANGUAGES)('in %s', (language) => {
    // The words differ, and the code does not: a change waits for one language.
    const options = { tags: language === 'en' ? [] : ['extended'] };
    const word = (name: Word): string => WORDS[name][language];
    const named = (name: Word) => ({ name: word(name), exact: true });

    test('a marketer does five tasks, and an analyst five', { ...options, timeout: 120_000 }, async () => {
      const { page, context, wrong } = await opened(language, { acceptDownloads: true });

      // 1. Opens the page of today, and goes from one of its parts to the question behind it.
      expect(page.url()).not.toContain('token');
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.locator('.tile').count()).toBeGreaterThan(3);
      const folded = page.locator('#channels > details:not([open]) > summary');
      if ((await folded.count()) > 0) await folded.click();
      await page.locator('#channels .links a').first().click();
      await page.waitForURL(/\/q\/channel-summary/);

      // 2. Asks for one channel and the last seven days.
      await page.locator('select[name=by]').selectOption('day');
      await page.locator('select[name=channel]').selectOption('push-notification');
      await page.getByRole('button', named('ask')).click();
      await page.getByRole('link', named('last7')).click();
      await page.locator('table.rows').waitFor();
      expect(Object.fromEntries(at(page).searchParams)).toMatchObject({
        by: 'day',
        channel: 'push-notification',
        days: '7',
      });
      expect(await page.locator('table.rows tbody tr').count()).toBe(7);
      expect(await page.locator('.plot path.line').count()).toBe(1);

      // 3. Holds it against the seven days before.
      await page.locator('select[name=beside]').selectOption('before');
      await page.getByRole('button', named('ask')).click();
      await page.locator('.pair').waitFor();
      expect(await page.locator('.pair h2').count()).toBe(2);
      expect(await page.locator('.pair .plot').count()).toBe(2);

      // 4. Finds a campaign by a word of its name, and reads its message.
      const search = page.getByRole('searchbox');
      const [campaign] = await place.rows(
        "select any_value(campaign_name) as name, campaign_id as id from daily_statistics where message is not null and channel = 'push-notification' and campaign_id is not null group by campaign_id order by id limit 1",
      );
      await search.fill(String(campaign?.['name']));
      await search.press('Enter');
      await page.locator(`a[href="/campaign/${String(campaign?.['id'])}"]`).click();
      await page.locator('.message').first().waitFor();
      expect(await page.locator('.message dd').first().textContent()).not.toBe('');
      await page.locator('table.rows').first().waitFor();

      // 5. Takes the campaigns along for Excel.
      await page.goto(new URL('/q/campaign-performance', address).href);
      const downloads = page.waitForEvent('download');
      await page.getByRole('link', { name: 'XLSX' }).click();
      const file = await (await downloads).path();
      expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK');

      // 6. Sorts the campaigns by clicks.
      const heading = page.locator('table.rows thead a', {
        hasText: new RegExp(`^${language === 'en' ? 'Clicked' : '클릭'}$`),
      });
      await heading.click();
      await page.waitForURL(/sort=-clicked/);
      const column = page.locator('table.rows th[aria-sort=descending]');
      expect(await column.count()).toBe(1);
      const nth = await column.evaluate((cell: HTMLTableCellElement) => cell.cellIndex);
      const counts = await page.locator(`table.rows tbody tr > :nth-child(${nth + 1})`).allTextContents();
      const numbers = counts.filter((text) => text !== '–').map((text) => Number(text.replaceAll(',', '')));
      expect(numbers.length).toBeGreaterThan(3);
      expect(numbers).toEqual([...numbers].sort((a, b) => b - a));

      // 7. Looks up which days there are, and what a column means.
      await page.getByRole('link', named('data')).click();
      await page.locator('.calendar td.loaded').nth(30).waitFor();
      await search.fill('failure_rate');
      await search.press('Enter');
      await page.getByRole('link', { name: 'marts.channel_days', exact: true }).click();
      expect(await page.locator('dt code', { hasText: /^failure_rate$/ }).count()).toBe(1);

      // 8. Writes SQL with the help of the editor.
      await page.getByRole('link', { name: 'SQL', exact: true }).click();
      const editor = page.locator('.cm-content');
      expect(await editor.getAttribute('aria-label')).toBe(word('sqlLabel'));
      await editor.click();
      await page.keyboard.type('select date, channel, sent from marts.channel_da');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: 'marts.channel_days' }).waitFor();
      // The editor ignores keys just after its list has opened.
      await page.waitForTimeout(200);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+Enter');
      await page.locator('table.rows').waitFor();
      expect(at(page).searchParams.get('q')).toMatch(
        /^select date, channel, sent from marts\.channel_(days|counters)$/,
      );
      await page.locator('.plot').waitFor();

      // 9. Keeps it as a question, and finds it among the others.
      await page.locator('.keep [name=name]').fill(`sent-${language}`);
      await page.locator('.keep [name=title]').fill(`Sent ${language}`);
      await page.locator('.keep [name=question]').fill('How much was sent?');
      await page.getByRole('button', named('keep')).click();
      await page.waitForURL(new RegExp(`/q/sent-${language}$`));
      expect(readFileSync(join(place.folder, 'questions', `sent-${language}.sql`), 'utf8')).toContain(
        '-- chart: line date sent by channel',
      );
      await page.getByRole('link', named('questions')).click();
      expect(await page.getByRole('link', { name: `Sent ${language}` }).count()).toBe(1);

      // 10. Cancels a question that takes too long, and sends a link to a colleague, who is asked for the token.
      await page.goto(
        new URL(
          `/sql?q=${encodeURIComponent('select count(*) from range(1_000_000) a, range(1_000_000) b where a.range % 7 = b.range % 11')}`,
          address,
        ).href,
        { waitUntil: 'commit' },
      );
      await page.getByRole('button', named('cancel')).click();
      await page.getByText(word('cancelled')).waitFor();
      await page.getByRole('link', named('today')).click();
      const other = await browser.newContext();
      const colleague = await other.newPage();
      await colleague.goto(new URL(`/q/sent-${language}`, address).href);
      await colleague.locator('input[name=token]').fill(new URL(address).searchParams.get('token') ?? '');
      await colleague.getByRole('button').click();
      await colleague.locator('table.rows').waitFor();
      expect(colleague.url()).toBe(new URL(`/q/sent-${language}`, address).href);
      await other.close();

      expect(wrong).toEqual([]);
      await context.close();
    });

    test('no view is wider than its window, from 390 to 1440 pixels', options, async () => {
      const { page, context, wrong } = await opened(language, {}, served.address);
      const views = [
        '/',
        '/search',
        '/search?q=a',
        '/q/channel-summary?by=day&beside=before',
        '/q/ab-tests',
        '/data',
        '/sql?q=from+marts.channel_days',
      ];
      for (const path of views) {
        await page.goto(new URL(path, served.address).href);
        for (const width of [390, 768, 1280, 1440]) {
          await page.setViewportSize({ width, height: 800 });
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect([path, width, Math.max(0, over)]).toEqual([path, width, 0]);
        }
      }
      expect(wrong).toEqual([]);
      await context.close();
    });
  });

  test('works without scripts', async () => {
    const { page, context } = await opened('en', { javaScriptEnabled: false });
    await page.goto(new URL('/sql', address).href);
    await page.locator('textarea[name=q]').fill('select 42 as answer');
    await page.getByRole('button', { name: WORDS.ask.en, exact: true }).click();
    expect(await page.locator('table.rows tbody').textContent()).toBe('42');
    await page.goto(new URL('/q/channel-summary', address).href);
    await page.locator('select[name=by]').selectOption('week');
    await page.getByRole('button', { name: WORDS.ask.en, exact: true }).click();
    expect(at(page).search).toBe('?by=week');
    await context.close();
  });

  test.each([
    ['en', 'light'],
    ['ko', 'dark'],
  ] as const)(
    'axe finds nothing to object to in %s and %s colours',
    { timeout: 120_000 },
    async (language, colorScheme) => {
      const { page, context } = await opened(language, { colorScheme }, served.address);
      const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const [one] = await place.rows('select min(campaign_id) as id from campaigns');
      const views = [
        '/',
        '/search',
        '/search?q=a',
        '/q/channel-summary?by=day&beside=before',
        '/q/campaign-performance?beside=channel-summary',
        '/q/send-heatmap',
        `/campaign/${String(one?.['id'])}`,
        '/data',
        '/data?table=events',
        '/sql?q=from+marts.channel_days',
        '/nothing',
      ];
      for (const path of language === 'en' ? views : views.slice(2, 4)) {
        await page.goto(new URL(path, served.address).href);
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
        });
        await page.evaluate(source);
        const { violations } = await page.evaluate(() =>
          window.axe.run(document, { resultTypes: ['violations'] }),
        );
        const told = violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map(({ html }) => html.slice(0, 160))
              .slice(0, 2)
              .join(' ')}`,
        );
        expect([path, ...told]).toEqual([path]);
      }
      await context.close();
    },
  );
});

/** One export from its id to loaded pages: a service of a few lines, a real ledger and a real landing zone. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { downloadExport, resumeExports } from '../../src/streams/events/pull.js';
import { Patience, type DownloadParts } from '../../src/streams/events/reading.js';
import { type Export } from '../../src/exports/export.js';
import { Ledger } from '../../src/exports/ledger.js';
import { Journal } from '../../src/journal/journal.js';
import { LandingZone } from '../../src/landing/landing-zone.js';
import { dataFolder, filesBelow, HELD, placeOf } from '../landing/support.js';
import { silent } from '../support/in-process.js';
import { clientFor, json, quickEffects, startDouble, type Handler } from '../support/service-double.js';

const DAY = '2026-11-20';
const KEY = `${DAY}.1`;

interface Circumstances {
  readonly retries?: number;
  readonly concurrency?: number;
  /** Messages that the daily statistics count, and so the records to expect. */
  readonly sent?: number;
  readonly maxWaitMinutes?: number;
  readonly largestAnswer?: number;
}

async function setUp(
  handler: Handler,
  { retries = 0, concurrency = 1, sent = 0, maxWaitMinutes = 1, largestAnswer = 2 ** 30 }: Circumstances = {},
) {
  let isDead = false;
  const quick = quickEffects();
  const effects = {
    ...quick,
    reach(point: string): void {
      if (isDead && point === 'land/events-manifest/before-write') throw new Error('killed');
    },
  };
  const double = await startDouble(handler);
  const service = clientFor(double.url, effects, { retries, concurrency, exports: { largestAnswer } });
  onTestFinished(async () => {
    await Promise.all([double.close(), service.close()]);
  });
  const data = await dataFolder();
  const { exports } = placeOf(data);
  const journal = await Journal.open({ dataDir: data }, effects);
  const ledger = new Ledger(
    { dataDir: data, exports: { ...exports, maxWaitMinutes } },
    journal,
    effects,
    HELD,
  );
  await ledger.intend({ day: DAY, messageData: true, pricePerRecord: 0 });
  await ledger.requested(KEY, 'export/1');
  const said: string[] = [];
  const counted = { sent, failed: 0, delivered: 0, click: 0, rows: sent > 0 ? 1 : 0, nights: 1 };
  const folder: DownloadParts = {
    ledger,
    landing: await LandingZone.open(data, effects, () => journal.head),
    warehouse: {
      messages: () => Promise.resolve(new Map([[DAY, counted]])),
      lackOf: () =>
        Promise.resolve({
          ...{ repeated: 0, uncounted: 0, without_id: 0, erased: 0, missing: 0, counted: sent, senders: 0 },
          ...{ empty: 0, is_provable: false, records: 0 },
        }),
    },
    report: { exports: [], pending: [], gaps: [] },
    invocation: { effects, signal: new AbortController().signal, runId: 'run', terminal: silent(said, said) },
    load: () => Promise.resolve(true),
  };
  const patience = (): Patience => new Patience(maxWaitMinutes, effects);
  return {
    double,
    ledger,
    effects,
    slept: quick.slept,
    /** Resumes all exports under way, as a run does. */
    resume: () => resumeExports(service, folder, patience()),
    /** Downloads the export; with `kill`, the process dies when all pages have landed. */
    download: async (kill = false): Promise<Export> => {
      isDead = kill;
      await downloadExport(ledger.get(KEY), service, folder, patience());
      return ledger.get(KEY);
    },
    /** What people are told, and the reasons of gaps. */
    told: () => [...said, ...folder.report.gaps.map(({ reason }) => reason)].join('\n'),
    /** The pages that E21 was asked for, in order. */
    asked: () => double.received.flatMap(({ url }) => (url.includes('page=') ? [pageOf(url)] : [])),
    /** The numbers of the pages in the folder of the last reading. */
    landed: async (): Promise<number[]> => {
      const below = join(data, 'landing/events', DAY, KEY);
      const readings = (await readdir(below)).sort((a, b) => a.length - b.length);
      const names = await filesBelow(join(below, readings.at(-1) ?? ''));
      return names.flatMap((name) => (name.startsWith('page-') ? [Number(name.slice(5, 10))] : []));
    },
    /** The words in the names of the answers that were set aside. */
    rejected: async (): Promise<string[]> => {
      const names = await filesBelow(join(data, 'landing/rejected')).catch(() => []);
      return names.map((name) => name.replace(/^.*e21-2026-11-20-1-|-[0-9a-f]+\.gz$/g, ''));
    },
  };
}

const pageOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page'));
const records = (page: number, count = 3): { id: string }[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${page}-${i}` }));
const success = (page: number, total: number, count = 3): unknown => ({
  status: 'success',
  data: records(page, count),
  total_page_count: total,
});
const PROCESSING = { status: 'processing', message: 'wait' };
const EMPTY = { status: 'success', data: [], total_page_count: 0 };

test('a page above the limit names the setting every night; the export stays as it is, and is never in doubt', async () => {
  let isLarge = true;
  const { download, told, asked, landed } = await setUp(
    ({ url }, response) => {
      const number = pageOf(url);
      const padding = isLarge && number === 1 ? ' '.repeat(3 * 2 ** 20) : '';
      response.end(padding + JSON.stringify(success(number, 3)));
    },
    { largestAnswer: 2 * 2 ** 20 },
  );
  for (let night = 0; night < 5; night++)
    expect(await download()).toMatchObject({ state: 'ready', troubles: 0, doubted: false });
  expect(told()).toContain(
    `Page 1 of export ${KEY} is an answer of 3.1 MB, larger than the limit of 2 MiB; raise exports.largest_answer. ` +
      'Landed pages are kept. The next run resumes the same export at no cost.',
  );
  expect(told()).not.toMatch(/pay/i);
  // It is not asked for again in the same night, and what has landed is not asked for in the next one.
  expect(asked()).toEqual([0, 1, 1, 1, 1, 1]);
  isLarge = false;
  expect(await download()).toMatchObject({ state: 'loaded', records: 9 });
  expect(await landed()).toEqual([0, 1, 2]);
});

test.each(['error', 'not_found', 'invalid_page', 'an unknown word for token-1 of kim@example.com'])(
  'what a result that is %s repeats of a secret or tells of a person is said to nobody',
  async (status) => {
    const { download, told } = await setUp(({ headers }, response) => {
      const message = `${headers.authorization ?? ''} of kim@example.com, 010-1234-5678`;
      json(response, { status, message });
    });
    expect(JSON.stringify(await download())).not.toMatch(/token-1|kim@|1234-/);
    expect(told()).toContain(status.startsWith('an') ? 'for … of …' : 'Bearer … of …, …');
    expect(told()).not.toMatch(/token-1|kim@|1234/);
  },
);

describe('waiting for an export', () => {
  test.each([
    ['success without data', EMPTY],
    ['success with null data', { status: 'success', data: null, total_page_count: 1 }],
    ['invalid_page on page 0', { status: 'invalid_page', message: 'no page' }],
  ])('an export without records is a result, and doubted where records are expected: %s', async (_, body) => {
    for (const sent of [0, 10]) {
      const { download, asked } = await setUp(
        (__, response, nth) => {
          json(response, nth === 0 ? PROCESSING : body);
        },
        { sent },
      );
      const { state, doubted, records: held } = await download();
      expect([state, doubted, held]).toEqual(
        sent > 0 ? ['processing', true, undefined] : ['loaded', false, 0],
      );
      if (sent > 0) expect(asked().length).toBeGreaterThan(5);
    }
  });

  test('a failure that passes is waited for, one that stays is named', async () => {
    const passing = await setUp((_, response, nth) => {
      if (nth === 0) json(response, { error: 'Timeout' });
      else json(response, nth === 1 ? { status: 'not_found', message: 'not yet' } : success(0, 1));
    });
    expect((await passing.download()).state).toBe('loaded');
    // Also where the waiting time ends before.
    for (const maxWaitMinutes of [1, 0]) {
      const staying = await setUp(
        (_, response) => {
          json(response, { status: 'error', message: 'broken' }, 500);
        },
        { maxWaitMinutes },
      );
      expect(await staying.download()).toMatchObject({ state: 'requested', troubles: 1 });
      expect(staying.told()).toMatch(/is not delivered \(.*broken\)/);
      if (maxWaitMinutes === 0) expect(staying.asked()).toHaveLength(1);
      else expect(staying.slept.reduce((sum, ms) => sum + ms)).toBeCloseTo(60_000, -3);
    }
  });
});

describe('the waiting time', () => {
  test('is one for all exports, which are read at the same time', async () => {
    const { resume, ledger, effects, told, double } = await setUp(
      ({ url }, response) => {
        json(response, url.includes('good') ? success(pageOf(url), 1) : { error: 'Timeout' });
      },
      { maxWaitMinutes: 60 },
    );
    for (const [day, id] of [
      ['2026-11-19', 'stuck'],
      ['2026-11-18', 'good'],
    ] as const) {
      const { key } = await ledger.intend({ day, messageData: true, pricePerRecord: 0 });
      await ledger.requested(key, id);
    }
    const began = effects.now().getTime();
    await resume();
    const minutes = (effects.now().getTime() - began) / 60_000;
    expect(minutes).toBeGreaterThan(59);
    expect(minutes).toBeLessThan(61);
    expect(ledger.entries().map(({ state }) => state)).toEqual(['requested', 'requested', 'loaded']);
    expect(told()).toMatch(/2026-11-19.1 is not delivered .*ask the service's operator about export stuck/);
    expect(double.received.every(({ method, url }) => method === 'GET' || url === '/authenticate')).toBe(
      true,
    );
  });

  test('is not spent on an export that waits for a decision', async () => {
    const { download, resume, slept } = await setUp((_, response) => {
      json(response, { error: 'Timeout' });
    });
    for (const troubles of [1, 2, 3]) expect(await download()).toMatchObject({ troubles });
    slept.length = 0;
    await resume();
    expect(slept).toEqual([]);
  });
});

describe('reading the pages', () => {
  test('fetches each page once, page 0 not again, also where some hold fewer records', async () => {
    const { download, landed, asked } = await setUp(
      ({ url }, response) => {
        json(response, success(pageOf(url), 12, 1 + (pageOf(url) % 3)));
      },
      { concurrency: 4 },
    );
    expect(await download()).toMatchObject({ state: 'loaded', pages: 12, records: 24, short: undefined });
    expect(await landed()).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(asked().sort((a, b) => a - b)).toEqual(await landed());
  });

  test('does not fetch pages of an earlier run again, and looks on page 0 for a missing one that is gone', async () => {
    let total = 6;
    const { download, landed, asked } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      const isGone = page > 2;
      json(response, isGone ? { status: total === 6 ? 'error' : 'invalid_page' } : success(page, total));
    });
    expect(await download()).toMatchObject({ state: 'ready', troubles: 1 });
    expect(await landed()).toEqual([0, 1, 2]);
    const before = asked().length;
    total = 3;
    expect(await download()).toMatchObject({ state: 'loaded', pages: 3, records: 9 });
    expect(asked().slice(before, before + 2)).toEqual([3, 0]);
    expect(asked().slice(before)).not.toContain(1);
  });

  test('a page parameter that the service ignores is found out after two answers, and named', async () => {
    const { download, told, landed, rejected, asked } = await setUp((_, response) => {
      json(response, success(0, 50));
    });
    expect(await download()).toMatchObject({
      state: 'ready',
      note: expect.stringContaining('exports.page_parameter') as string,
    });
    expect(told()).toContain('"page"');
    expect([await landed(), await rejected(), asked()]).toEqual([[0], ['page-1'], [0, 1, 1]]);
  });

  test('a page that repeats another one is not taken for new records: it counts as empty, and is asked for again', async () => {
    const { download, landed, rejected, asked } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page === 5 ? 3 : page, 8));
    });
    expect(await download()).toMatchObject({ records: 21, short: 0, note: 'page 5 repeats page 3' });
    expect(await landed()).not.toContain(5);
    expect(await rejected()).toEqual(['page-5']);
    expect(asked().filter((page) => page === 5)).toHaveLength(4);
  });

  test('fewer records than the statistics tell of make the number of pages asked for again, and are told', async () => {
    for (const [more, told] of [
      [4, { pages: 4, records: 12, note: 'total_page_count changed from 1 to 4' }],
      [1, { pages: 1, records: 3, note: 'it has 3 records, at least 6 are expected' }],
    ] as const) {
      const { download } = await setUp(
        ({ url }, response, nth) => {
          json(response, success(pageOf(url), nth < 2 ? 1 : more));
        },
        { sent: 12 },
      );
      expect(await download()).toMatchObject(told);
    }
  });

  test('an empty page in the middle that stays empty is kept and noted, also where the next reading fails', async () => {
    let isDown = false;
    const { download, asked, told } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, isDown ? { status: 'error' } : success(page, 4, page === 2 ? 0 : 3));
    });
    const lack = { state: 'loaded', pages: 4, records: 9, short: 0, note: 'page 2 has no records' };
    expect(await download()).toMatchObject(lack);
    expect(asked().filter((page) => page === 2)).toHaveLength(4);
    isDown = true;
    expect(await download()).toMatchObject(lack);
    expect(told()).toContain('is not delivered');
  });

  test('pages of an export that has landed are asked for again, and what is more is taken, once', async () => {
    let count = 2;
    const { download, landed, told, asked } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page, 3, page === 1 ? count : 3));
    });
    expect(await download()).toMatchObject({ records: 8 });
    expect(await download()).toMatchObject({ records: 8 });
    expect(told()).toContain('is unchanged');
    count = 3;
    // Pages that a killed reading landed count in the next one.
    await expect(download(true)).rejects.toThrow('killed');
    const before = asked().length;
    expect(await download()).toMatchObject({ records: 9 });
    expect(asked().slice(before).sort()).toEqual([0, 1, 2]);
    expect(await landed()).toEqual([0, 1, 2]);
  });

  test.each<[string, unknown, RegExp]>([
    ['not found any more', { status: 'not_found', message: 'gone' }, /Page 3 .* cannot be downloaded/],
    [
      'without a status',
      { data: records(3), total_page_count: 6 },
      /Page 3 .*\(E21 answered without a status\)/,
    ],
  ])('a page that is %s ends the reading, and the others are kept', async (_, body, message) => {
    const { download, told, landed, rejected } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, page === 3 ? body : success(page, 6));
    });
    expect((await download()).state).toBe('ready');
    expect(told()).toMatch(message);
    expect([await landed(), await rejected()]).toEqual([[0, 1, 2, 4, 5], ['page-3']]);
  });
});

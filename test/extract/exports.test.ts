import { afterEach, describe, expect, test } from 'vitest';
import { requestExport } from '../../src/extract/export-request.js';
import {
  awaitExport,
  collectPages,
  type ExportReading,
  type PageSink,
} from '../../src/extract/export-result.js';
import type { Page } from '../../src/extract/export-page.js';
import type { ServiceClient } from '../../src/service/client.js';
import {
  clientFor,
  json,
  quickEffects,
  startDouble,
  type Double,
  type Handler,
} from '../support/service-double.js';

const WINDOW = { start: new Date('2026-11-19T15:00:00Z'), end: new Date('2026-11-20T15:00:00Z') };

const open: (Double | ServiceClient)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function setUp(handler: Handler): Promise<{ reading: ExportReading; double: Double; slept: number[] }> {
  const effects = quickEffects();
  const double = await startDouble(handler);
  const service = clientFor(double.url, effects, { retries: 0 });
  open.push(double, service);
  const reading = {
    service,
    effects,
    signal: new AbortController().signal,
    exportId: 'export/1',
    pageParameter: 'page',
  };
  return { reading, double, slept: effects.slept };
}

const pageOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page'));
const records = (page: number, count = 3): { id: string }[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${page}-${i}` }));
const look = (): Promise<void> => Promise.resolve();

function sink(): PageSink & { landed: number[]; rejected: number[] } {
  const landed: number[] = [];
  const rejected: number[] = [];
  return {
    landed,
    rejected,
    accept: (page) => {
      landed.push(page.number);
      return Promise.resolve();
    },
    reject: (page) => {
      rejected.push(page);
      return Promise.resolve();
    },
  };
}

async function ready(reading: ExportReading): Promise<Page> {
  const waiting = await awaitExport(reading, 60_000, look);
  if (waiting.kind !== 'ready') throw new Error(waiting.kind);
  return waiting.first;
}

describe('the paid request', () => {
  test.each<[string, unknown, number, string]>([
    ['an export id', { export_id: 'abc' }, 200, 'accepted'],
    ['an export id with status 201', { export_id: 'abc' }, 201, 'accepted'],
    ['a 400 with an error body', { error: 'InvalidRequest', message: 'x' }, 400, 'refused'],
    ['a 400 in the words of the exports', { status: 'error', message: 'bad window' }, 400, 'refused'],
    ['a 401', { error: 'Unauthorized' }, 401, 'refused'],
    ['a 403', {}, 403, 'refused'],
    ['a 404', {}, 404, 'refused'],
    ['a 429', '', 429, 'refused'],
    ['an error body with status 200', { error: 'InvalidRequest', message: 'x' }, 200, 'refused'],
    ['a 307', '', 307, 'unknown'],
    ['a 303, which may follow work done', '', 303, 'unknown'],
    ['a 400 without a word', '', 400, 'unknown'],
    ['a 408', '', 408, 'unknown'],
    ['a 500', { error: 'InternalServerError', message: 'x' }, 500, 'unknown'],
    ['InternalServerError with status 200', { error: 'InternalServerError', message: 'x' }, 200, 'unknown'],
    ['a failure in no clear words with status 200', { status: 'error', message: 'Failed' }, 200, 'unknown'],
    ['Timeout with status 200', { error: 'Timeout' }, 200, 'unknown'],
    ['HTML with status 502', '<html></html>', 502, 'unknown'],
    ['a 200 of another shape', { ok: true }, 200, 'unknown'],
    ['a 200 that is not JSON', 'done', 200, 'unknown'],
  ])('%s leaves the outcome clear or not: %s', async (_, body, status, kind) => {
    const { reading, double } = await setUp((__, response) => {
      if (typeof body === 'string') {
        response.writeHead(status, { location: '/elsewhere' });
        response.end(body);
      } else json(response, body, status);
    });
    expect((await requestExport(reading.service, WINDOW, true)).kind).toBe(kind);
    const posts = double.received.filter(({ url }) => url.endsWith('/exports'));
    expect(posts).toHaveLength(1);
    expect(JSON.parse(posts[0]?.body ?? '')).toEqual({
      start: '2026-11-19T15:00:00.000Z',
      end: '2026-11-20T15:00:00.000Z',
      isMessageDataIncluded: true,
    });
  });
});

describe('waiting for an export', () => {
  test('goes on while it is processing, with growing pauses', async () => {
    const { reading, slept } = await setUp((_, response, nth) => {
      if (nth < 4) json(response, { status: 'processing', message: 'wait' });
      else json(response, { status: 'success', data: records(0), total_page_count: 1 });
    });
    expect((await ready(reading)).records).toBe(3);
    expect(slept).toHaveLength(4);
    expect([...slept].sort((a, b) => a - b)).toEqual(slept);
  });

  test('ends when patience ends, and the export is still processing', async () => {
    const { reading } = await setUp((_, response) => {
      json(response, { status: 'processing', message: 'wait' });
    });
    expect(await awaitExport(reading, 60_000, look)).toEqual({ kind: 'processing' });
  });

  test.each([
    ['success without data', { status: 'success', data: [], total_page_count: 0 }],
    ['success with null data', { status: 'success', data: null, total_page_count: 1 }],
    ['invalid_page on page 0', { status: 'invalid_page', message: 'no page' }],
  ])('an export without records is a result: %s', async (_, body) => {
    const { reading } = await setUp((__, response, nth) => {
      json(response, nth === 0 ? { status: 'processing', message: 'wait' } : body);
    });
    expect((await awaitExport(reading, 60_000, look)).kind).toBe('empty');
  });

  test('a failure that passes is waited for, one that stays is named', async () => {
    const passing = await setUp((_, response, nth) => {
      if (nth === 0) json(response, { error: 'Timeout' });
      else if (nth === 1) json(response, { status: 'not_found', message: 'not yet' });
      else json(response, { status: 'success', data: records(0), total_page_count: 1 });
    });
    expect((await awaitExport(passing.reading, 60_000, look)).kind).toBe('ready');
    const staying = await setUp((_, response) => {
      json(response, { status: 'error', message: 'broken' }, 500);
    });
    expect(await awaitExport(staying.reading, 60_000, look)).toMatchObject({
      kind: 'stuck',
      reason: expect.stringContaining('broken') as string,
    });
  });
});

describe('reading the pages', () => {
  const success = (page: number, total: number, count = 3): unknown => ({
    status: 'success',
    data: records(page, count),
    total_page_count: total,
  });

  test('fetches each page once, page 0 not again', async () => {
    const { reading, double } = await setUp(({ url }, response) => {
      json(response, success(pageOf(url), 12));
    });
    const first = await ready(reading);
    const into = sink();
    expect(await collectPages(reading, first, [], 4, into)).toEqual({ pages: 12, records: 36, notes: [] });
    expect(into.landed.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(double.received.filter(({ url }) => url.includes('/result'))).toHaveLength(12);
  });

  test('does not fetch pages of an earlier run again', async () => {
    const { reading, double } = await setUp(({ url }, response) => {
      json(response, success(pageOf(url), 6));
    });
    const first = await ready(reading);
    const into = sink();
    const landed = [0, 1, 4].map((number) => ({ ...first, number, fingerprint: String(number) }));
    expect(await collectPages(reading, first, landed, 4, into)).toMatchObject({ pages: 6, records: 18 });
    expect(into.landed.sort()).toEqual([2, 3, 5]);
    expect(double.received.map(({ url }) => url).filter((url) => url.includes('page=4'))).toEqual([]);
  });

  test('a page parameter that the service ignores is found out after one page, and named', async () => {
    const { reading, double } = await setUp((_, response) => {
      json(response, success(0, 50));
    });
    const first = await ready(reading);
    const into = sink();
    await expect(collectPages(reading, first, [], 8, into)).rejects.toMatchObject({
      message: expect.stringContaining('"page"') as string,
      hint: expect.stringContaining('exports.page_parameter') as string,
    });
    expect(into).toMatchObject({ landed: [0], rejected: [1] });
    expect(double.received.filter(({ url }) => url.includes('/result'))).toHaveLength(2);
  });

  test('a page that repeats another one is not taken for new records', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page === 5 ? 3 : page, 8));
    });
    const first = await ready(reading);
    const into = sink();
    await expect(collectPages(reading, first, [], 1, into)).rejects.toThrow(
      'Page 5 of the export repeats page 3',
    );
    expect(into.rejected).toEqual([5]);
  });

  test('a total that grows on the way brings the further pages too, and is noted', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page, page < 3 ? 4 : 6));
    });
    const collected = await collectPages(reading, await ready(reading), [], 1, sink());
    expect(collected).toEqual({ pages: 6, records: 18, notes: ['total_page_count changed from 4 to 6'] });
  });

  test('a total that shrinks is believed only when page 0 says so too, and is noted', async () => {
    let first = true;
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      if (page >= 3) json(response, { status: 'invalid_page', message: 'no' });
      else json(response, success(page, first ? 5 : 3));
      first = false;
    });
    const collected = await collectPages(reading, await ready(reading), [], 1, sink());
    expect(collected).toMatchObject({ pages: 3, records: 9 });
    expect(collected.notes.join()).toContain('total_page_count');
  });

  test('a short page in the middle is loaded and noted', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page, 4, page === 2 ? 1 : 3));
    });
    const collected = await collectPages(reading, await ready(reading), [], 2, sink());
    expect(collected).toEqual({
      pages: 4,
      records: 10,
      notes: ['page 2 holds 1 records where others hold 3'],
    });
  });

  test('an export that is not found any more on the way keeps what has landed', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      if (page < 3) json(response, success(page, 6));
      else json(response, { status: 'not_found', message: 'gone' });
    });
    const first = await ready(reading);
    const into = sink();
    await expect(collectPages(reading, first, [], 1, into)).rejects.toThrow(/Page 3 .* cannot be had/);
    expect(into.landed).toEqual([0, 1, 2]);
  });
});

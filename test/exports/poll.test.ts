import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { readAnswer, requestExport } from '../../src/exports/paid-request.js';
import {
  awaitExport,
  collectPages,
  type ExportSource,
  type Wait,
  type PageSink,
  type PageAnswer,
} from '../../src/exports/poll.js';
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

async function setUp(
  handler: Handler,
  retries = 0,
): Promise<{ reading: ExportSource; double: Double; slept: number[] }> {
  const effects = quickEffects();
  const double = await startDouble(handler);
  const service = clientFor(double.url, effects, { retries });
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
const PATIENT: Wait = {
  maxWaitMs: 60_000,
  expectsRecords: false,
  missing: 0,
  onAnswer: () => Promise.resolve(),
};

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

async function ready(reading: ExportSource): Promise<PageAnswer> {
  const waiting = await awaitExport(reading, PATIENT);
  if (waiting.kind !== 'ready') throw new Error(waiting.kind);
  return waiting.first;
}

describe('the paid request', () => {
  test('is sent once, with its window and the wish for messages', async () => {
    const { reading, double } = await setUp((_, response) => {
      json(response, { export_id: 'abc' });
    });
    expect((await requestExport(await reading.service.authorize(), WINDOW, true)).kind).toBe('accepted');
    const posts = double.received.filter(({ url }) => url.endsWith('/exports'));
    expect(posts).toHaveLength(1);
    expect(JSON.parse(posts[0]?.body ?? '')).toEqual({
      start: '2026-11-19T15:00:00.000Z',
      end: '2026-11-20T15:00:00.000Z',
      isMessageDataIncluded: true,
    });
  });

  /** The table of docs/money.md. */
  const table = [
    ...readFileSync('docs/money.md', 'utf8').matchAll(/^\| (\d{3}) +\| (?:`(.*)`|nothing) +\| (\w+) +\|$/gm),
  ].map(
    ([, status = '', body = '', outcome = '']) =>
      [Number(status), body.replaceAll('…', 'x'), outcome] as const,
  );

  test('has its outcomes in a table of the documents', () => {
    expect(table.length).toBeGreaterThan(40);
    expect(new Set(table.map(([, , outcome]) => outcome))).toEqual(
      new Set(['accepted', 'refused', 'ambiguous']),
    );
  });

  test.each(table)('answered with %i %s is %s', async (status, body, outcome) => {
    const { reading, double } = await setUp((__, response) => {
      response.writeHead(status, { location: '/elsewhere' });
      response.end(status === 204 ? undefined : body);
    });
    const { kind } = await requestExport(await reading.service.authorize(), WINDOW, true);
    expect(kind).toBe(outcome === 'ambiguous' ? 'unknown' : outcome);
    expect(double.received.filter(({ url }) => url.endsWith('/exports'))).toHaveLength(1);
  });

  test('answered by a server error is never a refusal, whatever the words', () => {
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ error: fc.string(), message: fc.string() }).map((error) => JSON.stringify(error)),
    );
    const status = fc.oneof(
      fc.integer({ min: 500, max: 599 }),
      fc.constantFrom(200, 201, 202, 204, 408, 409, 418),
    );
    fc.assert(
      fc.property(status, body, (code, text) => {
        expect(readAnswer(code, Buffer.from(text)).kind).not.toBe('refused');
      }),
    );
  });

  test.each(['9007199254740993', '0.10'])(
    'accepted with the number %s keeps its digits as they came',
    async (digits) => {
      const { reading } = await setUp((_, response) => {
        response.end(`{"export_id": ${digits} }`);
      });
      expect(await requestExport(await reading.service.authorize(), WINDOW, true)).toMatchObject({
        exportId: digits,
      });
    },
  );
});

describe('what the service repeats of a secret or tells of a person', () => {
  const PERSON = 'kim@example.com, 010-1234-5678';

  test('as an export_id leaves the outcome open: an id goes everywhere', async () => {
    const { reading } = await setUp(({ headers }, response) => {
      json(response, { export_id: `job/${headers.authorization ?? ''}` });
    });
    expect(await requestExport(await reading.service.authorize(), WINDOW, true)).toMatchObject({
      kind: 'unknown',
      note: 'the export_id repeats a key or the token',
    });
  });

  test.each(['error', 'not_found', 'invalid_page', 'an unknown word for token-1 of kim@example.com'])(
    'in a result that is %s is in no reason',
    async (status) => {
      const { reading } = await setUp(({ headers }, response) => {
        json(response, { status, message: `${headers.authorization ?? ''} of ${PERSON}` });
      });
      const waiting = await awaitExport(reading, PATIENT);
      expect(JSON.stringify(waiting)).toContain(status.startsWith('an') ? 'for … of …' : 'Bearer … of …, …');
      expect(JSON.stringify(waiting)).not.toMatch(/token-1|kim@|1234/);
    },
  );
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
    expect(await awaitExport(reading, PATIENT)).toEqual({ kind: 'processing' });
  });

  test.each([
    ['success without data', { status: 'success', data: [], total_page_count: 0 }],
    ['success with null data', { status: 'success', data: null, total_page_count: 1 }],
    ['invalid_page on page 0', { status: 'invalid_page', message: 'no page' }],
  ])('an export without records is a result, and doubted where records are expected: %s', async (_, body) => {
    for (const expectsRecords of [false, true]) {
      const { reading, double } = await setUp((__, response, nth) => {
        json(response, nth === 0 ? { status: 'processing', message: 'wait' } : body);
      });
      const { kind } = await awaitExport(reading, { ...PATIENT, expectsRecords });
      expect(kind).toBe(expectsRecords ? 'doubtful' : 'empty');
      if (expectsRecords) expect(double.received.length).toBeGreaterThan(5);
    }
  });

  test('an answer without records is not the last word where records are expected', async () => {
    const seen: string[] = [];
    const { reading } = await setUp((_, response, nth) => {
      json(response, { status: 'success', data: nth < 2 ? [] : records(0), total_page_count: 1 });
    });
    const waiting = await awaitExport(reading, {
      ...PATIENT,
      expectsRecords: true,
      onAnswer: ({ kind, body }) => {
        seen.push(`${kind} ${body.length}`);
        return Promise.resolve();
      },
    });
    expect(waiting).toMatchObject({ kind: 'ready', first: { records: 3 } });
    expect(seen).toHaveLength(3);
  });

  test.each([undefined, [], '', 1.5, -1])(
    'success whose total_page_count is %j is no page: the next answer may tell it',
    async (total) => {
      const { reading } = await setUp((_, response, nth) => {
        const count = nth < 2 ? total : 2;
        json(response, { status: 'success', data: records(0), total_page_count: count });
      }, 2);
      expect(await awaitExport(reading, PATIENT)).toMatchObject({ kind: 'ready', first: { totalPages: 2 } });
    },
  );

  test('a failure that passes is waited for, one that stays is named', async () => {
    const passing = await setUp((_, response, nth) => {
      if (nth === 0) json(response, { error: 'Timeout' });
      else if (nth === 1) json(response, { status: 'not_found', message: 'not yet' });
      else json(response, { status: 'success', data: records(0), total_page_count: 1 });
    });
    expect((await awaitExport(passing.reading, PATIENT)).kind).toBe('ready');
    const staying = await setUp((_, response) => {
      json(response, { status: 'error', message: 'broken' }, 500);
    });
    expect(await awaitExport(staying.reading, PATIENT)).toMatchObject({
      kind: 'stuck',
      reason: expect.stringContaining('broken') as string,
    });
    // Also where the waiting time ends before.
    expect(await awaitExport(staying.reading, { ...PATIENT, maxWaitMs: 0 })).toMatchObject({
      kind: 'stuck',
      isUnknown: false,
    });
  });
});

describe('answers that are not in the specification', () => {
  test('a status of an unknown word is waited for, as one that may pass', async () => {
    const { reading } = await setUp((_, response, nth) => {
      if (nth === 0) json(response, { status: 'queued', message: 'soon' });
      else json(response, { status: 'success', data: records(0), total_page_count: 1 });
    });
    expect((await awaitExport(reading, PATIENT)).kind).toBe('ready');
  });

  test.each<[unknown, string]>([
    [{ data: records(0), total_page_count: 1 }, 'E21 answered without a status'],
    [records(0), 'E21 answered with a list'],
    [
      { status: 'success', data: { 0: 'x' }, total_page_count: 1 },
      'E21 answered success with data that is not a list',
    ],
  ])('an answer of another shape stops the wait, with its reason: %j', async (body, reason) => {
    const { reading } = await setUp((_, response) => {
      json(response, body);
    });
    expect(await awaitExport(reading, PATIENT)).toEqual({ kind: 'stuck', reason });
  });

  test('a first missing page that is gone is looked for on page 0', async () => {
    const { reading, double } = await setUp(({ url }, response) => {
      if (pageOf(url) > 0) json(response, { status: 'invalid_page', message: 'no page' });
      else json(response, { status: 'success', data: records(0), total_page_count: 1 });
    });
    expect(await awaitExport(reading, { ...PATIENT, missing: 3 })).toMatchObject({
      kind: 'ready',
      first: { number: 0, totalPages: 1 },
    });
    expect(double.received.flatMap(({ url }) => (url.includes('page=') ? [pageOf(url)] : []))).toEqual([
      3, 0,
    ]);
  });
});

describe('reading the pages', () => {
  const success = (page: number, total: number, count = 3): unknown => ({
    status: 'success',
    data: records(page, count),
    total_page_count: total,
  });

  test('fetches each page once, page 0 not again, also where some hold fewer records', async () => {
    const { reading, double } = await setUp(({ url }, response) => {
      json(response, success(pageOf(url), 12, 1 + (pageOf(url) % 3)));
    });
    const first = await ready(reading);
    const into = sink();
    expect(await collectPages(reading, first, [], 4, into)).toEqual({
      pages: 12,
      records: 24,
      unreadable: [],
      notes: [],
    });
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

  test('a page parameter that the service ignores is found out after two answers, and named', async () => {
    const { reading, double } = await setUp((_, response) => {
      json(response, success(0, 50));
    });
    const first = await ready(reading);
    const into = sink();
    await expect(collectPages(reading, first, [], 8, into)).rejects.toMatchObject({
      message: expect.stringContaining('"page"') as string,
      hint: expect.stringContaining('exports.page_parameter') as string,
    });
    expect(into).toMatchObject({ landed: [0], rejected: [1, 1] });
    expect(double.received.filter(({ url }) => url.includes('/result'))).toHaveLength(3);
  });

  test('a page that repeats another one is not taken for new records: it counts as empty, and is asked for again', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page === 5 ? 3 : page, 8));
    });
    const into = sink();
    const collected = await collectPages(reading, await ready(reading), [], 1, into);
    expect(collected).toEqual({
      pages: 8,
      records: 21,
      unreadable: [],
      notes: ['page 5 repeats page 3'],
    });
    expect(into.landed).not.toContain(5);
    expect(into.rejected).toEqual([5]);
  });

  test('fewer records than the statistics tell of make the number of pages asked for again, and are told', async () => {
    for (const [more, told] of [
      [4, { pages: 4, records: 12, notes: [expect.stringContaining('total_page_count')] }],
      [1, { pages: 1, records: 3, notes: ['it holds 3 records, at least 6 are expected'] }],
    ] as const) {
      let asked = 0;
      const { reading } = await setUp(({ url }, response) => {
        json(response, success(pageOf(url), ++asked < 3 ? 1 : more));
      });
      const collected = await collectPages(reading, await ready(reading), [], 2, sink(), { atLeast: 6 });
      expect(collected).toMatchObject(told);
    }
  });

  test('records of no page are no page', async () => {
    const { reading } = await setUp((_, response, nth) => {
      json(response, success(0, nth === 0 ? 0 : 2));
    });
    expect(await ready(reading)).toMatchObject({ totalPages: 2 });
  });

  test('a total that grows on the way brings the further pages too, and is noted', async () => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page, page < 3 ? 4 : 6));
    });
    const collected = await collectPages(reading, await ready(reading), [], 1, sink());
    expect(collected).toMatchObject({
      pages: 6,
      records: 18,
      notes: ['total_page_count changed from 4 to 6'],
    });
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

  test.each<[string, number, number, number]>([
    ['an empty page in the middle', 1, 0, 4],
    ['an empty first page of two', 0, 0, 2],
  ])('%s that comes once is read again, and what it holds then counts', async (_, short, held, total) => {
    let once = true;
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      const isShort = page === short && once;
      if (isShort) once = false;
      json(response, success(page, total, isShort ? held : 3));
    });
    const into = sink();
    const collected = await collectPages(reading, await ready(reading), [], 2, into);
    expect(collected).toEqual({ pages: total, records: 3 * total, unreadable: [], notes: [] });
    expect(into.landed.filter((page) => page === short)).toHaveLength(2);
  });

  test('an empty page in the middle that stays empty is kept and noted', async () => {
    const { reading, double } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, success(page, 4, page === 2 ? 0 : 3));
    });
    const collected = await collectPages(reading, await ready(reading), [], 2, sink());
    expect(collected).toEqual({ pages: 4, records: 9, unreadable: [], notes: ['page 2 holds no records'] });
    expect(double.received.filter(({ url }) => url.includes('page=2'))).toHaveLength(4);
  });

  test('pages of an earlier run are asked for again where that is wanted, and what is more is taken', async () => {
    const { reading } = await setUp(({ url }, response) => {
      json(response, success(pageOf(url), 3));
    });
    const first = await ready(reading);
    const into = sink();
    const landed = [0, 1, 2].map((number) => ({
      ...first,
      number,
      fingerprint: String(number),
      records: number === 1 ? 2 : 3,
    }));
    const again = { again: [0, 1, 2] };
    expect(await collectPages(reading, first, landed, 4, into, again)).toMatchObject({ records: 9 });
    expect(into.landed).toEqual([1]);
  });

  test.each<[string, unknown, number[], RegExp]>([
    [
      'not found any more',
      { status: 'not_found', message: 'gone' },
      [3, 3, 3, 3],
      /Page 3 .* cannot be downloaded/,
    ],
    [
      'without a status',
      { data: records(3), total_page_count: 6 },
      [3],
      /Page 3 .*\(E21 answered without a status\)/,
    ],
  ])('a page that is %s ends it, and keeps what has landed', async (_, body, rejected, message) => {
    const { reading } = await setUp(({ url }, response) => {
      const page = pageOf(url);
      json(response, page < 3 ? success(page, 6) : body);
    });
    const into = sink();
    await expect(collectPages(reading, await ready(reading), [], 1, into)).rejects.toThrow(message);
    expect(into).toMatchObject({ landed: [0, 1, 2], rejected });
  });
});

/** What a client receives for each fault, what is billed, and what each lie changes. */
import { Agent, request as send } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonAnswer } from '../../../sandbox/answer.js';
import type { EndpointName } from '../../../sandbox/endpoint.js';
import { type Client, client, PROJECT } from '../../sandbox/support.js';
import type { Lie } from './fault.js';
import { type Fault, type FaultySandbox, startFaultySandbox } from './index.js';
import { isRecord, tellLie } from './lies.js';
import { long } from '../../support/tags.js';

const DAY = { start: '2026-11-19', end: '2026-11-19' };
const EXPORT = { start: '2026-11-18T15:00:00Z', end: '2026-11-19T15:00:00Z', isMessageDataIncluded: true };
const EXPORTS = `/projects/${PROJECT}/campaign-event-data/exports`;
const MIB = 1024 * 1024;

let sandbox: FaultySandbox;
let service: Client;
let bills = 0;
/** A page of an export with its records. */
let page = '';
let whole: Buffer;
let half: Buffer;
beforeAll(async () => {
  const now = () => new Date('2026-11-24T01:00:00Z');
  sandbox = await startFaultySandbox({ now, exportSeconds: 0, eventsPerDay: 1_000 });
  service = await client(sandbox);
  page = `${EXPORTS}/${(await service.e20(EXPORT)).json.export_id}/result?page=0`;
  whole = (await raw(page)).body;
  half = whole.subarray(0, Math.floor(whole.length / 2));
});
beforeEach(() => {
  bills = sandbox.bills().length;
});
afterAll(() => sandbox.close());

const billed = () => sandbox.bills().length - bills;
const by = (...faults: Fault[]) => {
  sandbox.setFaults(faults);
};

/** The result of a request with a short time limit: its status, the error's code, or 'silence'. */
function outcome(answer: Promise<{ status: number }>): Promise<number | string> {
  const silence = setTimeout(400, 'silence');
  const failed = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error);
  return Promise.race([answer.then(({ status }) => status, failed), silence]);
}

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The error that ended the body; null if it is complete. */
  error: string | null;
}

/** Sends a request and keeps its body, even an incomplete one. */
function raw(path: string, agent: Agent | false = false, body?: unknown): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = { authorization: `Bearer ${service.token}`, 'content-length': Buffer.byteLength(text) };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = send(`${sandbox.url}${path}`, { agent, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      const { statusCode: status = 0, headers: got } = answer;
      const finish = (error: string | null): void => {
        resolve({ status, headers: got, body: Buffer.concat(chunks), error });
      };
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', finish.bind(null, null));
      answer.on('error', (error: NodeJS.ErrnoException) => {
        finish(error.code ?? error.message);
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

describe('a connection', () => {
  test.each<[string, object, number | string, number]>([
    ['is reset before the request is handled', { kind: 'reset-before' }, 'ECONNRESET', 0],
    ['is reset after the request is handled', { kind: 'reset-after' }, 'ECONNRESET', 1],
    ['stays silent for ever, unhandled', { kind: 'no-answer', billed: false }, 'silence', 0],
    ['stays silent for ever, handled', { kind: 'no-answer', billed: true }, 'silence', 1],
    ['drips', { kind: 'slow-drip' }, 'silence', 1],
    ['drips to the end', { kind: 'slow-drip', intervalMs: 1, bytes: 9 }, 200, 1],
    ['answers an error, handled', { kind: 'status', status: 500, handled: true }, 500, 1],
    ['answers an error, unhandled', { kind: 'status', status: 500 }, 500, 0],
  ])('%s: what is handled is billed', async (_, fault, ends, bill) => {
    by({ endpoint: 'E20', ...fault } as Fault);
    expect([await outcome(service.e20(EXPORT)), billed()]).toEqual([ends, bill]);
  });

  test.each<[string, object, string | undefined, string | null, () => Buffer]>([
    ['is cut short of its content-length', { kind: 'cut-with-length' }, '0', 'ECONNRESET', () => half],
    [
      'is cut in chunks without one',
      { kind: 'cut-without-length', bytes: 9 },
      undefined,
      null,
      () => whole.subarray(0, 9),
    ],
    ['is cut by its end', { kind: 'cut-without-length', framing: 'close' }, undefined, null, () => half],
    [
      'states a content-length that is too large',
      { kind: 'wrong-length', by: 10 },
      '10',
      'ECONNRESET',
      () => whole,
    ],
  ])('%s', async (_, fault, more, ends, expected) => {
    by({ endpoint: 'E21', ...fault } as Fault);
    const { headers, error, body } = await raw(page);
    const length = more === undefined ? undefined : String(whole.length + Number(more));
    expect([headers['content-length'], error, body.equals(expected())]).toEqual([length, ends, true]);
  });

  long('carries a gzip bomb, or a plain body of more than 64 MiB', async () => {
    by({ endpoint: 'E21', kind: 'gzip-bomb', mib: 70 });
    const bomb = await raw(page);
    expect(bomb.headers['content-encoding']).toBe('gzip');
    expect(bomb.body.length).toBeLessThan(2 * MIB);
    const inflated = gunzipSync(bomb.body);
    expect(inflated.length).toBe(70 * MIB);
    expect(inflated.subarray(0, whole.length).equals(whole)).toBe(true);
    by({ endpoint: 'E20', kind: 'oversized' });
    const large = await raw(EXPORTS, false, EXPORT);
    expect([large.headers['content-length'], large.body.length]).toEqual([String(65 * MIB), 65 * MIB]);
    expect(JSON.parse(large.body.toString())).toHaveProperty('export_id');
  });

  test('that is kept alive is dead when it is used again, or closed while idle', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    by({ endpoint: 'E21', kind: 'close-keep-alive', times: 1 });
    expect((await raw(page, agent)).status).toBe(200);
    await expect(raw(EXPORTS, agent, EXPORT)).rejects.toThrow(/hang up|ECONNRESET/);
    expect(billed()).toBe(0);
    expect((await raw(page, agent)).status).toBe(200);
    by({ endpoint: 'E21', kind: 'close-keep-alive', when: 'idle' });
    expect((await raw(page, agent)).headers['connection']).toBe('keep-alive');
    await setTimeout(100);
    expect(Object.keys(agent.freeSockets)).toHaveLength(0);
    agent.destroy();
  });
});

describe('something else is answered', () => {
  test('any status, headers, body and shape', async () => {
    by(
      { endpoint: 'E17', kind: 'status', status: 429, headers: { 'retry-after': '2' }, times: 1 },
      { endpoint: 'E17', kind: 'status', status: 502, body: '<html>Bad Gateway</html>', times: 1 },
      { endpoint: 'E17', kind: 'status', status: 503, body: { error: 'busy' }, times: 1 },
      { endpoint: 'E17', kind: 'other-shape-200', body: [[]], times: 1 },
      { endpoint: 'E17', kind: 'other-shape-200', times: 1 },
    );
    const limited = await service.e17(DAY);
    expect([limited.status, limited.headers['retry-after'], limited.json.error]).toEqual([
      429,
      '2',
      'InternalServerError',
    ]);
    const gateway = await service.e17(DAY);
    expect([gateway.headers['content-type'], gateway.text]).toEqual([
      'text/html',
      '<html>Bad Gateway</html>',
    ]);
    const bodies: unknown[] = [{ error: 'busy' }, [[]], { result: { items: [] }, ok: true }];
    for (const body of bodies) expect((await service.e17(DAY)).json).toEqual(body);
    expect((await service.e17(DAY)).status).toBe(200);
  });
});

test('faults let requests through first, strike so many times, only where they should, and are counted', async () => {
  const fault: Fault = { endpoint: 'E17', kind: 'status', status: 500, skip: 1, times: 2 };
  by(fault);
  const statuses = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await service.e17(DAY)).status);
  expect(statuses).toEqual([200, 500, 500, 200, 200]);
  expect((await service.e18(DAY)).status).toBe(200);
  expect(sandbox.faults()).toEqual([{ ...fault, struck: 2 }]);
  // A lie counts only if it changed an answer.
  by({ endpoint: 'E21', kind: 'repeated-page', page: 1, times: 1 });
  await service.call('GET', page);
  expect(sandbox.faults()[0]?.struck).toBe(0);
});

const T = '1763654400000000';
/** The pages of a list, as the endpoint returns them. */
const record = (id: string, rest: object = {}) => ({ id, time: T, message_data: { title: id }, ...rest });
const PAGES: Partial<Record<EndpointName, unknown[]>> = {
  E21: ['a', 'c', 'e'].map((id, i) => ({
    status: 'success',
    data: [record(id), record(String.fromCharCode(id.charCodeAt(0) + 1))].slice(0, i === 2 ? 1 : 2),
    total_page_count: 3,
  })),
  E4: [['a', 'b'], ['c', 'd'], ['e']].map((ids) => ({
    data: { templates: ids.map((id) => ({ id })), totalCount: 5 },
  })),
  E2: [['a', 'b'], ['c', 'd'], ['e']].map((ids, i) => ({
    data: {
      items: ids.map((id) => ({ id })),
      next_cursor: i === 2 ? null : `p${i + 1}`,
      links: { next: i === 2 ? null : `/items?cursor=p${i + 1}` },
    },
  })),
  E17: [
    [
      { date: '2026-11-19', message_sent: 7, delivered: null, click: 1 },
      { date: '2026-11-19', message_sent: 2 },
    ],
  ],
};

/** The pages of a list under a lie, requested again and again. */
function told(endpoint: EndpointName, lie: object, ...pages: number[]): unknown[] {
  const memory = new Map<string, number>();
  const answerOf = (number: number) => {
    const json = PAGES[endpoint]?.[number] ?? { status: 'invalid_page' };
    const next =
      isRecord(json) && isRecord(json['data']) && isRecord(json['data']['links'])
        ? json['data']['links']['next']
        : null;
    return {
      ...jsonAnswer(json),
      headers: typeof next === 'string' ? { link: `<${next}>; rel="next"` } : {},
    };
  };
  return pages.map((number) => {
    const cursor = endpoint === 'E2' && number > 0 ? `p${number}` : null;
    const situation = {
      endpoint,
      page: number,
      isLater: number > 0,
      cursor,
      answerOf,
      firstAnswer: () => answerOf(0),
    };
    const answer = tellLie({ ...lie, endpoint } as Lie, situation, answerOf(number), memory);
    if (answer === null) return TRUTH;
    return { ...(JSON.parse(answer.body.toString()) as object), link: answer.headers['link'] };
  });
}

const truth = (endpoint: EndpointName, number: number) => PAGES[endpoint]?.[number] as { data: never };
const ids = (...list: string[]) => list.map((id) => expect.objectContaining({ id }) as unknown);
const TRUTH = 'the truth';
const LINK = '</items?cursor=p1>; rel="next"';
const items = (next: string | null, ...list: string[]) => ({
  data: {
    items: ids(...list),
    next_cursor: next,
    links: { next: next === null ? null : `/items?cursor=${next}` },
  },
});

const both = (one: object) => ({ data: [one, one] });

test.each<[EndpointName, Lie['kind'], object, number[], ...unknown[]]>([
  ['E21', 'processing-forever', {}, [0, 0], { status: 'processing' }, { status: 'processing' }],
  ['E21', 'success-then-not-found', { after: 2 }, [0, 1, 2], TRUTH, TRUTH, { status: 'not_found' }],
  ['E21', 'export-error', {}, [0], { status: 'error' }],
  ['E21', 'changing-page-count', {}, [0, 1], TRUTH, { total_page_count: 4 }],
  ['E21', 'repeated-page', { page: 1 }, [1, 2], truth('E21', 0), TRUTH],
  ['E21', 'ignores-page-parameter', {}, [1, 99], truth('E21', 0), truth('E21', 0)],
  ['E21', 'other-type', { field: 'time' }, [0], both({ time: { text: T } })],
  [
    'E17',
    'other-type',
    { field: 'message_sent' },
    [0],
    { 0: { message_sent: '7' }, 1: { message_sent: '2' } },
  ],
  ['E21', 'extra-field', { field: 'x', value: 1 }, [0], both({ x: 1, message_data: { x: 1 } })],
  [
    'E17',
    'restate',
    { by: 5 },
    [0, 0, 0],
    TRUTH,
    { 0: { message_sent: 12, click: 6 } },
    { 0: { message_sent: 17 } },
  ],
  ['E4', 'repeated-item', {}, [0, 1], TRUTH, { data: { templates: ids('a', 'c', 'd') } }],
  ['E2', 'ignores-page-parameter', {}, [0, 1], TRUTH, truth('E2', 0)],
  ['E2', 'cursor-loop', {}, [0, 1], TRUTH, { ...items('p1', 'c', 'd'), link: LINK }],
  ['E4', 'emptied-list', {}, [0], { data: { templates: [], totalCount: 0 } }],
  ['E4', 'endless-list', {}, [1], { data: { templates: ids('a0', 'b0') } }],
])('the lie of %s: %s %j', (endpoint, kind, rest, pages, ...expected) => {
  expect(told(endpoint, { kind, ...rest }, ...pages)).toMatchObject(expected);
});

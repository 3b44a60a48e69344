/** The sandbox over plain HTTP, and tables of requests and answers that are played against it. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { expect } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.js';

export const PROJECT = '0123456789abcdef0123456789abcdef';
export const KEYS = { accessKey: 'sandbox-access-key', secretKey: 'sandbox-secret-key' };
export const CATALOGS = `/v1/projects/${PROJECT}/catalogs`;
export const ANY_TEXT = expect.any(String) as string;

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; each test knows what it is. */
  json: Reply;
}

/** What answers of E20 and E21, and errors of all endpoints, hold. */
interface Reply {
  status: string;
  message: string;
  error: string | null;
  export_id: string;
  data: EventRecord[];
  total_page_count: number;
}

export interface EventRecord {
  id: string;
  user_id: string;
  channel: string;
  event_name: string;
  failure_reason: string | null;
  resource_type: string;
  campaign_id: string | null;
  experiment_group_name: string | null;
  user_journey_id: string | null;
  user_journey_node_id: string | null;
  time: string;
  message_data: Record<string, unknown> | null;
  channel_metadata: { channel_subtype: string | null; brand_message_target: string | null };
}

export type Row = Readonly<Record<string, unknown>>;

export interface ItemPage {
  items: Row[];
  next_cursor: string | null;
  links: { next: string | null };
}

interface Ask {
  method?: string;
  path: string;
  token?: string | undefined;
  /** JSON, unless it is a text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One request and its whole answer; rejects when the connection breaks before the answer ends. */
export function ask(
  sandbox: { url: string },
  { method = 'GET', path, token, body, headers }: Ask,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const text =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const own: Record<string, string> = {};
    if (token !== undefined) own['authorization'] = `Bearer ${token}`;
    if (text !== undefined) {
      own['content-type'] = 'application/json';
      own['content-length'] = String(Buffer.byteLength(text));
    }
    const options = { method, agent: false, headers: { ...own, ...headers } } as const;
    const sent = request(`${sandbox.url}${path}`, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const received = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers: got } = answer;
        resolve({ status, headers: got, text: received, json: parse(received) as Reply });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** A client that is logged in: one function for each endpoint of statistics and exports, and for catalogs. */
export async function client(sandbox: { url: string }, project = PROJECT) {
  const login = await ask(sandbox, { method: 'POST', path: '/authenticate', body: KEYS });
  const token = login.json.data as unknown as string;
  const exports = `/projects/${project}/campaign-event-data/exports`;
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(sandbox, { method, path, body, headers, token });
  const page = async (name: string, cursor?: string): Promise<ItemPage> => {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    return dataOf(await call('GET', `${CATALOGS}/${name}/items${query}`)) as ItemPage;
  };
  return {
    token,
    call,
    page,
    e17: (body: unknown) => call('POST', `/v1/projects/${project}/statistics`, body),
    e18: (body: unknown) => call('GET', `/v1/projects/${project}/statistics.csv`, body),
    e19: (campaign: string, start: string, end: string) =>
      call('GET', `/projects/${project}/campaigns/${campaign}/stats?start=${start}&end=${end}`),
    e20: (body: unknown) => call('POST', exports, body),
    e21: (id: string, number: number | string = 0, parameter = 'page') =>
      call('GET', `${exports}/${id}/result?${parameter}=${number}`),
    /** Every item of a catalog, page after page. */
    async all(name: string): Promise<Row[]> {
      const items: Row[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const got = await page(name, cursor);
        items.push(...got.items);
        more = got.next_cursor !== null;
        cursor = got.next_cursor ?? undefined;
      }
      return items;
    },
    /** One catalog of the list. */
    async listed(name: string) {
      const data = dataOf(await call('GET', CATALOGS)) as { catalogs: (Row & { num_items: number })[] };
      return data.catalogs.find((one) => one['name'] === name);
    },
  };
}

export type Client = Awaited<ReturnType<typeof client>>;

/** `data` of an answer with status 200: each test knows what it is. */
export function dataOf(got: Got): unknown {
  expect(got.status, got.text).toBe(200);
  return got.json.data;
}

/** Every record of a window, page after page. */
export async function exportAll(service: Client, start: string, end: string, isMessageDataIncluded = true) {
  const { json } = await service.e20({ start, end, isMessageDataIncluded });
  const records = [];
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const got = await service.e21(json.export_id, page);
    pages = got.json.total_page_count;
    records.push(...got.json.data);
  }
  return records;
}

const opened: Sandbox[] = [];

/** For `afterEach` or `afterAll`: ends every sandbox that `start` began. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((sandbox) => sandbox.close()));
}

/** The day on which everything is written. */
export const DAY = '2026-11-20';

interface State {
  messages: Row[];
}

/** A small sandbox on the morning of `DAY`, with a clock that tests move. */
export async function start(options: SandboxOptions = {}) {
  const clock = { now: new Date(`${DAY}T01:00:00Z`) };
  const sandbox = await startSandbox({
    now: () => clock.now,
    exportSeconds: 0,
    eventsPerDay: 400,
    tokenLifetimeSeconds: 1e9,
    ...options,
  });
  opened.push(sandbox);
  const service = await client(sandbox);
  return {
    ...service,
    clock,
    sandbox,
    state: () => sandbox.state() as State,
    /** A KST day's records and daily statistics as they are from the second morning after it on. */
    async day(day = DAY) {
      const begin = Date.parse(`${day}T00:00:00+09:00`);
      const later = new Date(begin + 3 * 86_400_000);
      if (clock.now < later) clock.now = later;
      const [from, to] = [begin, begin + 86_400_000].map((ms) => new Date(ms).toISOString());
      const records = await exportAll(service, from ?? '', to ?? '');
      const range = { start: day, end: day };
      const [e17, e18] = [await service.e17(range), await service.e18(range)];
      expect([e17.status, e18.status]).toEqual([200, 200]);
      return { records, e17: e17.json as unknown as Row[], e18: e18.json as unknown as Row[] };
    },
    /** One metric of a campaign in a window (E19); by default the whole of `DAY`. */
    async metric(
      campaign: string,
      name: string,
      from = '2026-11-19T15:00:00.000Z',
      to = '2026-11-20T15:00:00.000Z',
    ) {
      const { stats } = dataOf(await service.e19(campaign, from, to)) as { stats: Row[] };
      return Number(stats.find((stat) => stat['metricName'] === name)?.['totalCount'] ?? 0);
    },
  };
}

export type Service = Awaited<ReturnType<typeof start>>;

/**
 * What a request must be answered: a status; a catalog error such as `404 NOT_FOUND`; the details of a refusal by a
 * catalog, `field code` each; a status and the whole body; or a part of the body of a success.
 */
export type Expected = number | string | readonly [status: number, body: unknown] | object;

/** A request with its answer, a move of the clock, or the options of a new sandbox for the steps that follow. */
export type Step =
  | readonly [request: string, body?: unknown, expected?: Expected]
  | { readonly now: string }
  | { readonly options: SandboxOptions };

/** The same request with several bodies that are answered alike. */
export function each(request: string, expected: Expected, ...bodies: unknown[]): Step[] {
  return bodies.map((body) => [request, body, expected] as const);
}

/** Plays steps one after the other. A request that is refused must leave the state of the sandbox as it was. */
export async function play(
  service: Service,
  steps: readonly Step[],
  pathOf = (path: string) => path,
): Promise<void> {
  let there = service;
  for (const step of steps) {
    if ('now' in step) there.clock.now = new Date(step.now);
    else if ('options' in step) there = await start(step.options);
    else {
      const [what, body, expected = {}] = step;
      const [method = '', path = ''] = what.split(/ (.*)/s);
      const isRefused =
        typeof expected === 'string' || Number(Array.isArray(expected) ? expected[0] : expected) >= 400;
      const before = isRefused ? JSON.stringify(there.state()) : '';
      const got = await there.call(method, pathOf(path), body);
      expectAnswer(
        got,
        expected,
        `${what} ${JSON.stringify(body ?? null).slice(0, 200)}\n${got.text.slice(0, 500)}`,
      );
      if (isRefused) expect(JSON.stringify(there.state()), what).toBe(before);
    }
  }
}

function expectAnswer({ status, json }: Got, expected: Expected, what: string): void {
  if (typeof expected === 'number') expect(status, what).toBe(expected);
  else if (Array.isArray(expected)) expect([status, json], what).toEqual(expected);
  else if (typeof expected === 'object') {
    expect(status === 200 || status === 201, what).toBe(true);
    expect(json, what).toMatchObject(expected);
  } else {
    const [, code, name] = /^(\d{3}) ([A-Z_]+)$/.exec(expected) ?? [];
    const error = { code: name ?? 'INVALID_ARGUMENT', message: ANY_TEXT };
    const details = name === undefined ? { details: expect.any(Array) as unknown } : {};
    expect([status, json], what).toEqual([
      Number(code ?? 400),
      { data: null, error: { ...error, ...details } },
    ]);
    if (name !== undefined) return;
    const found = (json as unknown as { error: { details: { field: string; code: string }[] } }).error
      .details;
    expect(found.map((one) => `${one.field} ${one.code}`).join('; '), what).toBe(expected);
  }
}

/** The number of events by name. */
export function namesOf(records: readonly EventRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event_name } of records) counts[event_name] = (counts[event_name] ?? 0) + 1;
  return counts;
}

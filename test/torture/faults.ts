/** Every fault on every endpoint: the run ends in a declared state in time, and the next clean one completes. */
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { EndpointName as AnyEndpoint, Sandbox } from '../../sandbox/index.js';
import type { Fault } from '../support/faults/index.js';
import { KEYS, PROJECT, type Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, assertShown, audit, orphans, runUntilQuiet, windowOf } from './audit.js';
import { Counters } from './counters.js';
import { Trial } from './trial.js';

export const ENDPOINTS = ['E1', 'E17', 'E18', 'E19', 'E20', 'E21'] as const;

/** The endpoints that a night with statistics, campaigns and events asks. */
export type EndpointName = (typeof ENDPOINTS)[number];

type WithoutEndpoint<F> = F extends unknown ? Omit<F, 'endpoint'> : never;

/** Each fault by its name; all but `refused`, which no service can play by itself. */
export const FAULTS: Readonly<Record<string, WithoutEndpoint<Fault>>> = {
  'reset before': { kind: 'reset-before' },
  'reset after': { kind: 'reset-after' },
  'stale keep-alive': { kind: 'close-keep-alive', when: 'reuse' },
  'closed keep-alive': { kind: 'close-keep-alive', when: 'idle' },
  'no answer, not handled': { kind: 'no-answer', billed: false },
  'no answer, handled': { kind: 'no-answer', billed: true },
  'slow drip': { kind: 'slow-drip', bytes: 1, intervalMs: 100 },
  'cut with content-length': { kind: 'cut-with-length' },
  'cut, chunked': { kind: 'cut-without-length', framing: 'chunked' },
  'cut, until close': { kind: 'cut-without-length', framing: 'close' },
  'content-length too small': { kind: 'wrong-length', by: -10 },
  'content-length too large': { kind: 'wrong-length', by: 10 },
  'gzip bomb': { kind: 'gzip-bomb' },
  oversized: { kind: 'oversized' },
  '300': { kind: 'status', status: 300 },
  '301': { kind: 'redirect', status: 301 },
  '302': { kind: 'redirect', status: 302 },
  '302, handled': { kind: 'redirect', status: 302, handled: true },
  '303': { kind: 'redirect', status: 303 },
  '304': { kind: 'status', status: 304 },
  '304, handled': { kind: 'status', status: 304, handled: true },
  '305': { kind: 'status', status: 305, headers: { location: 'http://127.0.0.1:9/' } },
  '307': { kind: 'redirect', status: 307 },
  '308': { kind: 'redirect', status: 308 },
  '401 once': { kind: 'status', status: 401, times: 1 },
  '401 always': { kind: 'status', status: 401 },
  '403': { kind: 'status', status: 403 },
  '404': { kind: 'status', status: 404 },
  '404, HTML': { kind: 'status', status: 404, body: '<h1>Not Found</h1>' },
  '408': { kind: 'status', status: 408 },
  '408, handled': { kind: 'status', status: 408, handled: true },
  '429': { kind: 'status', status: 429 },
  '429, Retry-After 1': { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  '429, Retry-After 3600': { kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
  '500': { kind: 'status', status: 500 },
  '500, handled': { kind: 'status', status: 500, handled: true },
  '502, HTML': { kind: 'status', status: 502, body: '<html>Bad Gateway</html>', handled: true },
  '503': { kind: 'status', status: 503, headers: { 'retry-after': '1' } },
  '200, error body': { kind: 'error-body-200', refusal: 'internal' },
  '200, error body, handled': { kind: 'error-body-200', refusal: 'internal', handled: true },
  '200, unauthorized body': { kind: 'error-body-200', refusal: 'unauthorized' },
  '200, timeout body': { kind: 'error-body-200', refusal: 'timeout' },
  '200, another shape': { kind: 'other-shape-200' },
  '200, another shape, handled': { kind: 'other-shape-200', handled: true },
};

export const REFUSED = 'refused';

export const PAIRS = [REFUSED, ...Object.keys(FAULTS)].flatMap((fault) =>
  ENDPOINTS.map((endpoint) => ({ fault, endpoint, name: `${fault} on ${endpoint}` })),
);

export const faultCounters = (): Counters =>
  new Counters(
    { fault: PAIRS.map(({ name }) => name) },
    {
      'stale keep-alive on E18': 'a connection is closed after a GET with a body',
      'stale keep-alive on E20': 'a request that must not be repeated has a connection of its own',
    },
  );

/** What one fault on one endpoint came to. */
export interface Row {
  readonly fault: string;
  readonly endpoint: EndpointName;
  readonly code: number | null;
  /** States in the ledger after the faulty run. */
  readonly states: string;
  /** Bills after the faulty run. */
  readonly bills: number;
  readonly seconds: number;
}

const DAY = '2026-11-20';
const YAML = `start_date: ${DAY}
lookback_days: 1
request_timeout_seconds: 1
retries: 1
exports:
  budget: { records_per_run: 100000, records_per_month: 1000000 }
  max_wait_minutes: 0.05
`;

/** A faulty run must have ended by then. */
const DEADLINE_SECONDS = 60;

/**
 * One fault on one endpoint in a folder of its own.
 *
 * @throws Broken when the run does not end as it should, or the next clean one does not complete
 */
export async function tryFault(
  fault: string,
  endpoint: EndpointName,
  counters = faultCounters(),
): Promise<Row> {
  // Two pages, so that a request follows the one that was struck.
  const options = endpoint === 'E21' ? { eventsPerDay: 1_200 } : {};
  const trial = await Trial.make(YAML, options, undefined, 'inside');
  trial.tell(`${fault} on ${endpoint}`);
  const begun = Date.now();
  const result =
    fault === REFUSED ? await refused(trial, endpoint, counters) : await struck(trial, fault, endpoint);
  const seconds = (Date.now() - begun) / 1000;
  trial.assert(seconds < DEADLINE_SECONDS, `the run took ${seconds} s`, result);
  trial.assert([0, 1, 3].includes(result.code ?? -1), 'the run ended in an undeclared way', result);
  await assertBooksAgree(trial);
  const entries = await trial.entries();
  const states = entries.map(({ state }) => state).join(', ');
  const bills = trial.bills().length;
  trial.assert(
    result.code === 0
      ? states === 'loaded'
      : result.stderr.includes('dawnload') || result.stderr.includes('warning'),
    'the run does not say what is missing',
    result,
  );

  counters.play(trial.place.sandbox, []);
  await trial.place.configure(YAML);
  await runUntilQuiet(trial, ['run']);
  const waiting = await audit(trial);
  await assertShown(trial, waiting);
  if (waiting.length > 0) {
    for (const entry of waiting) await resolve(trial, entry.key);
    await runUntilQuiet(trial, ['run']);
    trial.assert((await audit(trial)).length === 0, 'something still waits for a person');
  }
  const [days] = await trial.place.rows('select count(*)::int as n from ops.coverage');
  trial.assert(days?.['n'] === 4, `the clean run did not complete: ${String(days?.['n'])} of 4 streams`);
  trial.assert(trial.bills().length === 1, `${trial.bills().length} bills for one day`);
  await trial.remove();
  return { fault, endpoint, code: result.code, states, bills, seconds };
}

async function struck(trial: Trial, fault: string, endpoint: EndpointName): Promise<Ended> {
  const kind = FAULTS[fault];
  if (kind === undefined) throw new Error(`no such fault: ${fault}`);
  trial.faults([{ ...kind, endpoint, name: `${fault} on ${endpoint}` }]);
  return trial.run(['run']);
}

/** What is asked before each endpoint, so that the endpoint's own connection is the one that is refused. */
const BEFORE: Readonly<Record<EndpointName, EndpointName | undefined>> = {
  E1: undefined,
  E17: 'E1',
  E18: 'E17',
  E19: 'E1',
  E20: 'E1',
  E21: 'E20',
};
const STREAMS: Readonly<Record<EndpointName, string>> = {
  E1: 'statistics,campaigns,events',
  E17: 'statistics',
  E18: 'statistics',
  E19: 'campaigns',
  E20: 'events',
  E21: 'events',
};

async function refused(trial: Trial, endpoint: EndpointName, counters: Counters): Promise<Ended> {
  const backfill = ['backfill', '--start', DAY, '--end', DAY, '--yes-paid', '--streams'];
  if (endpoint === 'E19' || endpoint === 'E20' || endpoint === 'E21')
    await trial.run([...backfill, 'statistics']);
  const before = BEFORE[endpoint];
  // Of the requests that were already made none may count.
  const counts = trial.place.sandbox.requests();
  const relay = await Relay.start(
    {
      ...trial.place.sandbox,
      requests: () => {
        const now = trial.place.sandbox.requests();
        return { ...now, ...(before === undefined ? {} : { [before]: now[before] - counts[before] }) };
      },
    },
    before,
  );
  try {
    await writeFile(
      join(trial.place.folder, 'dawnload.yaml'),
      `base_url: ${relay.url}\nproject_id: ${PROJECT}\n${YAML}`,
    );
    return await trial.run([...backfill, STREAMS[endpoint]], { DAWNLOAD_ACCESS_KEY: KEYS.accessKey });
  } finally {
    relay.close();
    if (relay.hungUp) counters.count('fault', `${REFUSED} on ${endpoint}`);
  }
}

/** Whatever is billed is known or shown as ambiguous; whatever is said not to be billed is not. */
async function assertBooksAgree(trial: Trial): Promise<void> {
  assertNotPaidTwice(trial);
  const entries = await trial.entries();
  for (const { start, end } of await orphans(trial)) {
    trial.assert(
      entries.some((entry) => entry.state === 'ambiguous' && windowOf(entry) === `${start}/${end}`),
      `a bill is not known: the ledger says ${entries.map(({ state }) => state).join(', ') || 'nothing'}`,
    );
  }
}

async function resolve(trial: Trial, key: string): Promise<void> {
  const [bill] = await orphans(trial);
  const decision =
    bill === undefined
      ? ['exports', 'decide', key, '--pay-again']
      : ['exports', 'decide', key, '--attach', bill.export_id, '--yes'];
  const result = await trial.run(decision);
  trial.assert(result.code === 0, 'the decision was not taken', result);
}

/** A relay before the sandbox that hangs up for good after an endpoint has answered: from then on, refused. */
class Relay {
  /** True once it takes no connection any more. */
  hungUp = false;

  private constructor(
    readonly url: string,
    readonly server: Server,
    readonly sockets: Set<Socket>,
  ) {}

  /** @param last the endpoint whose first answer is the last one to get through; undefined: none does */
  static async start(sandbox: Sandbox, last: AnyEndpoint | undefined): Promise<Relay> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const service = connect(sandbox.port, '127.0.0.1');
      for (const socket of [client, service]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => sockets.delete(socket));
      }
      client.pipe(service);
      let text = '';
      service.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const isLast = last !== undefined && sandbox.requests()[last] > 0 && isWhole(text);
        if (isWhole(text)) text = '';
        client.write(chunk, () => {
          if (isLast) hangUp();
        });
      });
    });
    const hangUp = (): void => {
      relay.hungUp = true;
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const relay = new Relay(`http://127.0.0.1:${port}`, server, sockets);
    if (last === undefined) hangUp();
    return relay;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Whether the bytes hold one whole answer. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
  return head >= 0 && length !== undefined && text.length >= head + 4 + Number(length);
}

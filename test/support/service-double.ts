/** A minimal service for the client's tests: each test defines the answers, sent over a real socket. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realEffects, type Effects } from '../../src/ground/effects.js';
import type { Spool } from '../../src/service/exchange.js';
import { ServiceClient, type ServiceSettings } from '../../src/service/client.js';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (received: Received, response: ServerResponse, nth: number) => void;

export interface Double {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

export const PROJECT = '0123456789abcdef0123456789abcdef';

/** Answers E1 with `token-1`, `token-2`, … unless the handler wants E1 itself. */
export async function startDouble(handler: Handler, ownAuth = false): Promise<Double> {
  const received: Received[] = [];
  let tokens = 0;
  let asked = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(one);
      if (one.url === '/authenticate' && !ownAuth) {
        json(response, { data: `token-${++tokens}`, error: null });
        return;
      }
      handler(one, response, asked++);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Effects whose pauses take no time, are recorded, and advance the clock. */
export function quickEffects(): Effects & { readonly slept: number[] } {
  const slept: number[] = [];
  let time = Date.now();
  const start = time;
  return {
    slept,
    now: () => new Date(Date.now() + time - start),
    sleep: async (ms, signal) => {
      const end = Date.now() - start + time + ms;
      slept.push(ms);
      signal?.throwIfAborted();
      // Give other pending work its turn.
      await new Promise((resolve) => setImmediate(resolve));
      time = Math.max(time, end - (Date.now() - start));
    },
    random: () => 0.5,
    identify: realEffects({}).identify,
    reach: () => undefined,
  };
}

export function clientFor(
  url: string,
  effects: Effects = quickEffects(),
  settings: Partial<ServiceSettings> = {},
  signal: AbortSignal = new AbortController().signal,
  spool?: Spool,
): ServiceClient {
  return new ServiceClient(
    {
      baseUrl: url,
      projectId: PROJECT,
      credentials: { reveal: () => ({ accessKey: 'access', secretKey: 'secret' }) },
      requestsPerSecond: 1000,
      concurrency: 8,
      requestTimeoutSeconds: 5,
      retries: 3,
      serviceClock: 'obey',
      exports: { largestAnswer: 2 ** 30 },
      ...settings,
    },
    effects,
    signal,
    '0.0.0',
    spool,
  );
}

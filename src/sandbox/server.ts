/** The sockets: reads requests, counts them, sends answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

import type { Reply } from './answer.js';
import { type Bill, openBills } from './bills.js';
import { control, isControl, noRequests, type RequestCount } from './control.js';
import { createEndpoints } from './endpoints.js';
import { type SandboxOptions, settle } from './options.js';
import { answerTo, findEndpoint, notFound } from './service.js';
import { createTokens } from './tokens.js';

/** Largest request body where an endpoint says nothing else; those of the specification are far smaller. */
const BODY_BYTES = 1024 * 1024;

/** Longer than any pause of a well-behaved client, so that it does not meet a connection about to close. */
const KEEP_ALIVE_MS = 65_000;

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  bills(): Bill[];
  requests(): RequestCount;
  close(): Promise<void>;
}

/** Starts the service on a port of this machine. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  const bills = openBills(settings.billingJournal);
  const tokens = createTokens(settings.now, settings.tokenLifetimeSeconds);
  const endpoints = createEndpoints(settings, tokens, bills);
  const requests: RequestCount = noRequests();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET';
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://sandbox');
    const found = isControl(path) ? null : findEndpoint(endpoints, method, path);
    const body = await readBody(request, found?.endpoint.bodyBytes ?? BODY_BYTES);
    // By the service's clock, so that a client can see how far its own is off.
    const date = settings.date(settings.now());
    response.sendDate = false;
    if (date !== null) response.setHeader('date', date);
    if (isControl(path)) {
      send(response, control(method, path, { bills, requests }));
      return;
    }
    requests[found?.endpoint.name ?? 'other'] += 1;
    if (found === null) {
      send(response, notFound());
      return;
    }
    if (settings.latencyMs > 0) await setTimeout(settings.latencyMs);
    const { endpoint, values } = found;
    const { headers } = request;
    const answerOf = (asked: URLSearchParams) =>
      answerTo(endpoint, values, { query: asked, headers, body }, settings, tokens);
    const pageParameter = endpoint.pageParameter ?? settings.pageParameter;
    const answer = settings.interfere({ endpoint, query, pageParameter, request, response }, answerOf);
    if (answer !== undefined) send(response, answer);
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    // A client that goes away in the middle is no error of the service.
    handle(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, settings.port, settings.host);
  return {
    url: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    port,
    bills: () => bills.all(),
    requests: () => ({ ...requests }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          bills.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** The whole body, or null when it is too large. Read to its end all the same, so that the answer gets through. */
async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= most) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length <= most ? Buffer.concat(chunks) : null;
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Reply, jsonAnswer } from './answer.js';
import { type Bill, openBills, type Bills } from './bills.js';
import { createEndpoints } from './endpoints.js';
import { type SandboxOptions, settle, type Settings } from './options.js';
import { createTokens, type Tokens } from './tokens.js';
import type { EndpointName, Call, Endpoint } from './endpoint.js';
import { INVALID_TOKEN, refuse } from './family.js';

/** A small implementation of the messaging service for the demo, tests and benchmarks. */
export type { Bill } from './bills.js';
export type { EndpointName } from './endpoint.js';
export type { SandboxOptions } from './options.js';

/** Default limit of request bodies; those of the specification are far smaller. */
const BODY_BYTES = 1024 * 1024;

/** Longer than any pause of a client, so that it never uses a connection that is about to close. */
const KEEP_ALIVE_MS = 65_000;

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  /** Answers a request, for a client in this process that needs no socket. */
  readonly listener: RequestListener;
  bills(): Bill[];
  requests(): RequestCount;
  /** Everything that was written through the interface since the start. */
  state(): unknown;
  close(): Promise<void>;
}

/** Starts the service on a port of this machine. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  const bills = openBills(settings.billingJournal);
  const tokens = createTokens(settings.now, settings.tokenLifetimeSeconds);
  const { endpoints, state } = createEndpoints(settings, tokens, bills);
  const requests: RequestCount = noRequests();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET';
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://sandbox');
    const found = isControl(path) ? null : findEndpoint(endpoints, method, path);
    const body = await readBody(request, found?.endpoint.bodyBytes ?? BODY_BYTES);
    // By the service's clock, so that clients can compare theirs.
    const date = settings.date(settings.now());
    response.sendDate = false;
    if (date !== null) response.setHeader('date', date);
    if (isControl(path)) {
      send(response, control(method, path, { bills, requests, state }));
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

  const listener: RequestListener = (request, response) => {
    // A client that disconnects early is not an error of the service.
    handle(request, response).catch(() => response.destroy());
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  const port = await listen(server, settings.port, settings.host);
  return {
    url: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    port,
    listener,
    bills: () => bills.all(),
    requests: () => ({ ...requests }),
    state,
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

/** The whole body, or null if too large. It is read to the end anyway, so that the client gets the answer. */
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

/** How often each endpoint was asked, `other` counts paths that do not exist. */
type RequestCount = Record<EndpointName | 'other', number>;

function noRequests(): RequestCount {
  return {
    ...{ E1: 0, E2: 0, E3: 0, E4: 0, E5: 0, E6: 0, E7: 0, E8: 0, E9: 0, E10: 0, E11: 0, E12: 0 },
    ...{ E13: 0, E14: 0, E15: 0, E16: 0, E17: 0, E18: 0, E19: 0, E20: 0, E21: 0, other: 0 },
  };
}

interface Controlled {
  readonly bills: Bills;
  readonly requests: RequestCount;
  readonly state: () => unknown;
}

/** Whether a path is the sandbox's own and not the service's. */
function isControl(path: string): boolean {
  return path.startsWith('/_sandbox/');
}

function control(method: string, path: string, { bills, requests, state }: Controlled): Reply {
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/bills':
      return jsonAnswer(bills.all());
    case 'GET /_sandbox/requests':
      return jsonAnswer(requests);
    case 'GET /_sandbox/state':
      return jsonAnswer(state());
    default:
      return notFound();
  }
}

/** `projectId` in paths. */
const PROJECT_ID = /^[a-f0-9]{32}$/;

interface Asked {
  readonly query: URLSearchParams;
  readonly headers: Call['headers'];
  /** The body, or null if it was too large. */
  readonly body: Buffer | null;
}

function notFound(): Reply {
  return jsonAnswer({ error: 'Not Found' }, 404);
}

/** The endpoint of a path, and the values in the path. */
function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): { endpoint: Endpoint; values: string[] } | null {
  for (const endpoint of endpoints) {
    const match = endpoint.path.exec(path);
    if (match !== null && endpoint.method === method) return { endpoint, values: match.slice(1) };
  }
  return null;
}

/** Why access is refused; undefined if it is allowed. */
function refusalOf(endpoint: Endpoint, values: string[], asked: Asked, settings: Settings, tokens: Tokens) {
  const { family } = endpoint;
  if (family === 'authentication') return null;
  const { authorization } = asked.headers;
  const token = typeof authorization === 'string' ? /^Bearer (.+)$/.exec(authorization)?.[1] : undefined;
  if (token === undefined || !tokens.isValid(token)) return refuse(family, 'unauthorized', INVALID_TOKEN);
  if (endpoint.projectInBody === true) return null;
  const projectId = values[0] ?? '';
  if (!PROJECT_ID.test(projectId)) return refuse(family, 'invalid', 'Invalid project id');
  if (projectId === settings.projectId) return null;
  return endpoint.otherProject?.() ?? refuse(family, 'forbidden', 'Project access denied');
}

export function answerTo(
  endpoint: Endpoint,
  values: string[],
  asked: Asked,
  settings: Settings,
  tokens: Tokens,
): Reply {
  if (asked.body === null) return refuse(endpoint.family, 'too-large', 'The request body is too large');
  const refusal = refusalOf(endpoint, values, asked, settings, tokens);
  if (refusal !== null) return refusal;
  let body: unknown;
  if (endpoint.hasBody) {
    try {
      body = JSON.parse(asked.body.toString());
    } catch {
      return refuse(endpoint.family, 'invalid', 'The request body is not JSON');
    }
  }
  try {
    return endpoint.answer({
      values: endpoint.projectInBody === true ? values : values.slice(1),
      query: asked.query,
      body,
      bytes: asked.body,
      headers: asked.headers,
    });
  } catch (error) {
    // An internal error is a bug in the sandbox; the service would show no details either.
    const reason = error instanceof Error ? error.message : 'unknown';
    return refuse(endpoint.family, 'internal', `Internal Server Error (${reason})`);
  }
}

/**
 * One HTTP exchange: sends a request and reads its answer, with a deadline and a maximum size of the decoded body. Redirects are not
 * followed, and nothing is sent twice. A failure shows whether the request may have reached the service.
 */
import type { Dispatcher, buildConnector, EnvHttpProxyAgent } from 'undici';
import { codeOf, DawnloadError, InterruptedError, messageOf, ConfigError } from '../ground/errors.js';
import { LARGE, OutsideReader } from '../ground/large-body.js';
import type { ServiceRequest } from './endpoints.js';
import { isOfCertificate, type AnswerClass, type RawAnswer } from './verdict.js';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Body } from '../ground/envelope.js';
import { sizeInWords } from '../ground/text.js';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

export class Exchanger {
  readonly #connections: Connections;

  /**
   * @param deadlineMs the time limit of one exchange, from connecting to the last byte
   * @param onDate is called with the `Date` header of each answer as soon as it arrives
   */
  constructor(
    private readonly baseUrl: string,
    connections: number,
    private readonly deadlineMs: number,
    private readonly userAgent: string,
    private readonly onDate: (date: string | undefined) => void = () => undefined,
    service?: Dispatcher,
  ) {
    this.#connections = new Connections(connections, deadlineMs, service);
  }

  async exchange(
    question: ServiceRequest,
    token: string | undefined,
    signal: AbortSignal,
    room: Room = { most: LARGE },
  ): Promise<RawAnswer | AnswerClass> {
    signal.throwIfAborted();
    const own = question.once ? await this.#connections.own() : undefined;
    const dispatcher = own?.dispatcher ?? (await this.#connections.shared());
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    const headers = { 'user-agent': this.userAgent, authorization };
    const deadline = AbortSignal.timeout(this.deadlineMs);
    const chunks: Buffer[] = [];
    // Each exchange has its own signal, because listeners on a long-lived signal would accumulate over thousands of requests.
    const abort = new AbortController();
    const stop = (): void => {
      abort.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    deadline.addEventListener('abort', stop, { once: true });
    const url = this.baseUrl + question.path;
    try {
      return await send(url, question, headers, dispatcher, abort.signal, room, chunks, this.onDate);
    } catch (cause) {
      if (signal.aborted) throw new InterruptedError('Interrupted during a request.', { cause });
      if (cause instanceof DawnloadError) throw cause;
      const lateMs = deadline.aborted ? this.deadlineMs : undefined;
      return failure(cause, lateMs, Buffer.concat(chunks), own?.isConnected());
    } finally {
      signal.removeEventListener('abort', stop);
      if (own !== undefined) void own.dispatcher.destroy();
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

async function send(
  url: string,
  { method, headers, body, once }: ServiceRequest,
  own: Readonly<Record<string, string | undefined>>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  room: Room,
  chunks: Buffer[],
  onDate: (date: string | undefined) => void,
): Promise<RawAnswer> {
  const { request } = await http();
  const answer = await request(url, {
    method,
    dispatcher,
    signal,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...headers,
      ...own,
      'content-type': body === undefined ? undefined : 'application/json',
    },
    // A GET may have a body too (E18).
    body: typeof body === 'string' ? body : JSON.stringify(body),
    // Not `reset: once`, because `reset: false` would keep a connection that undici closes after a GET with a body.
    ...(once && { reset: true }),
  });
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  // Observe the date before reading the body, which may take minutes.
  onDate(header('date'));
  return {
    status: answer.statusCode,
    contentType: header('content-type') ?? '',
    retryAfter: header('retry-after'),
    location: header('location'),
    body: await readBody(
      answer.body,
      { encoding: header('content-encoding'), length: header('content-length') },
      room,
      chunks,
    ),
  };
}

/** Codes of errors while connecting: no part of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
]);

/**
 * @param lateMs the deadline, if it has passed
 * @param isConnected whether a connection had been made; undefined if unknown
 */
function failure(
  error: unknown,
  lateMs: number | undefined,
  received: Buffer,
  isConnected?: boolean,
): AnswerClass {
  if (error instanceof TooLarge) return { kind: 'oversized', reason: error.message };
  const code = innermostCode(error);
  const sent = isConnected ?? (code === undefined || !(NEVER_SENT.has(code) || isOfCertificate(code)));
  const what = WORDS[code ?? ''] ?? code ?? messageOf(error);
  const why = received.length === 0 ? what : `the answer was cut off: ${what}`;
  const reason = lateMs === undefined ? why : `no complete answer within ${lateMs / 1000} s`;
  return { kind: 'unreachable', reason, sent, cause: error, received };
}

/** Error codes of libraries in words. Codes of the system are printed, because they are well known. */
const WORDS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'headers that are too long',
  UND_ERR_ABORTED: 'the proxy of HTTPS_PROXY or HTTP_PROXY did not open the connection',
  HPE_INVALID_CONSTANT: 'the answer is not HTTP',
  HPE_INVALID_CONTENT_LENGTH: 'the answer is not HTTP',
  Z_DATA_ERROR: 'the compression of the answer is damaged',
  Z_BUF_ERROR: 'the compression of the answer ends too early',
};

/** Returns the code of an error, of its first inner error (the host's addresses each have one), or of its cause. */
function innermostCode(error: unknown): string | undefined {
  const own = codeOf(error);
  if (own !== undefined) return own;
  if (error instanceof AggregateError && error.errors.length > 0) return innermostCode(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostCode(error.cause) : undefined;
}

// The size of decoded bodies is limited, because a small gzip file may expand to hundreds of MB. Large bodies go into a compressed file
// while their envelope is read.

/** A place for large bodies. */
export interface Spool {
  /** Stores a text as a gzip file; resolves with its path. Throws `StorageError`, and any error of the text. */
  store(text: AsyncIterable<Buffer>): Promise<string>;
  /** Removes the file if it was not moved elsewhere. */
  discard(file: string): Promise<void>;
}

/** The maximum size of a body in bytes, and the setting that raises it. A body above 64 MiB needs a spool, or stays in memory. */
export interface Room {
  readonly most: number;
  readonly setting?: string | undefined;
  readonly spool?: Spool | undefined;
}

/** Thrown if a body is larger than the limit. */
class TooLarge extends Error {
  /** @param length the size announced by the service, if any */
  constructor({ most, setting }: Room, length?: number) {
    const size = length === undefined ? 'an answer that is' : `an answer of ${sizeInWords(length)},`;
    const remedy = setting === undefined ? '' : `; raise ${setting}`;
    super(`${size} larger than the limit of ${sizeInWords(most)}${remedy}`);
  }
}

/**
 * Returns the whole decoded body.
 *
 * @param chunks receives the pieces as they arrive, so that an interrupted body is kept too; only the first pieces of a large body
 * @throws TooLarge as soon as the body exceeds the limit
 * @throws StorageError
 */
export async function readBody(
  body: Readable,
  headers: { readonly encoding: string | undefined; readonly length: string | undefined },
  room: Room,
  chunks: Buffer[],
): Promise<Body> {
  const decoder = /^\s*(?:x-)?gzip\s*$/i.test(headers.encoding ?? '') ? createGunzip() : undefined;
  const source = decoder === undefined ? body : body.pipe(decoder);
  if (decoder !== undefined) body.on('error', (error) => decoder.destroy(error));
  const announced = decoder === undefined ? Number(headers.length ?? 0) : 0;
  try {
    if (announced > room.most) throw new TooLarge(room, announced);
    const pieces = limited(source, room);
    let length = 0;
    // Not `for await`, because leaving such a loop would close the source, and its rest is read below.
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      chunks.push(next.value);
      length += next.value.length;
      if (room.spool !== undefined && length > LARGE) return await spooled(chunks, pieces, room.spool);
    }
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
  } finally {
    body.destroy();
  }
}

async function* limited(source: AsyncIterable<unknown>, room: Room): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of source) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += bytes.length;
    if (length > room.most) throw new TooLarge(room);
    yield bytes;
  }
}

async function spooled(chunks: Buffer[], rest: AsyncIterable<Buffer>, spool: Spool): Promise<Body> {
  const outside = new OutsideReader();
  async function* text(): AsyncGenerator<Buffer> {
    const later = chunks.splice(1);
    for (let chunk = chunks[0]; chunk !== undefined; chunk = later.shift()) {
      outside.push(chunk);
      yield chunk;
    }
    for await (const chunk of rest) {
      outside.push(chunk);
      yield chunk;
    }
  }
  const file = await spool.store(text());
  return outside.end(file);
}

// Connections are kept alive, and use HTTPS_PROXY, HTTP_PROXY and NO_PROXY. A request that must not be repeated gets a connection of its
// own.

/**
 * How long to try one of a host's addresses before trying the next, in milliseconds: long enough to resend a lost packet twice (after 1 s
 * and 3 s). With Node's default of 250 ms, a distant IPv4 address behind a dead IPv6 address would never be reached.
 */
const ATTEMPT_MS = 4_000;

/** Imports the HTTP library. That takes as long as opening a DuckDB file, so only commands with requests do it. */
export function http() {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
  return import('undici');
}

/** Returns a dispatcher through the proxy named in the environment. Throws ConfigError if that name is not an address. */
export async function throughProxy(options?: EnvHttpProxyAgent.Options): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent } = await http();
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    const message = 'HTTPS_PROXY or HTTP_PROXY is not an address such as http://proxy.example.com:3128.';
    throw new ConfigError(message, { hint: 'Correct it in the environment.', cause });
  }
}

/** A connection used for one request that must not be repeated. */
interface OwnConnection {
  readonly dispatcher: Dispatcher;
  /** True once the connection exists. Before that, nothing can have been sent. */
  readonly isConnected: () => boolean;
}

export class Connections {
  #shared: Promise<Dispatcher> | undefined;

  /**
   * @param deadlineMs the time limit for each step of connecting
   * @param service used for all connections instead, by tests
   */
  constructor(
    private readonly connections: number,
    private readonly deadlineMs: number,
    private readonly service?: Dispatcher,
  ) {}

  shared(): Promise<Dispatcher> {
    if (this.service !== undefined) return Promise.resolve(this.service);
    this.#shared ??= this.#open({ connections: this.connections, pipelining: 1, keepAliveTimeout: 4_000 });
    return this.#shared;
  }

  /** Opens a new connection. With a stale one that was kept alive, nobody would know whether the request was read. */
  async own(): Promise<OwnConnection> {
    if (this.service !== undefined) return { dispatcher: this.service, isConnected: () => true };
    const { Pool } = await http();
    let isConnected = false;
    // A proxy's connector resolves when the tunnel to the service is open.
    const noting =
      (inner: buildConnector.connector): buildConnector.connector =>
      (options, callback) => {
        inner(options, (...result) => {
          isConnected ||= result[0] === null;
          callback(...result);
        });
      };
    const factory = (origin: string | URL, options: { connect: buildConnector.connector }): Dispatcher =>
      new Pool(origin, { ...options, connect: noting(options.connect) });
    const dispatcher = await this.#open({ connections: 1, pipelining: 0, factory });
    return { dispatcher, isConnected: () => isConnected };
  }

  async #open(own: EnvHttpProxyAgent.Options): Promise<EnvHttpProxyAgent> {
    const { buildConnector } = await http();
    const connect = buildConnector({ timeout: this.deadlineMs });
    return throughProxy({ connect, headersTimeout: this.deadlineMs, bodyTimeout: this.deadlineMs, ...own });
  }

  async close(): Promise<void> {
    await (await this.#shared)?.destroy();
  }
}

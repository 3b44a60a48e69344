/**
 * One HTTP exchange: a deadline over all of it, a cap on the decoded body, no redirects, no retries, and a failure that
 * says whether the request may have reached the service.
 */
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { codeOf, InterruptedError, messageOf } from '../errors.js';
import type { RawAnswer, AnswerClass } from './answer.js';
import { CERTIFICATE_CODES } from './certificate.js';

/** No valid answer is larger, in bytes after decoding. */
export const LARGEST_BODY = 64 * 1024 * 1024;

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly token: string | undefined;
  /** Sent as JSON, with a GET too (E18). */
  readonly body: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * On a connection of its own, closed afterwards. For E20: a kept connection that went stale would leave open whether
   * the request was read, and before there is a connection nothing of it has been written.
   */
  readonly fresh: boolean;
}

export interface Transport {
  exchange(what: Exchange, signal: AbortSignal): Promise<RawAnswer | AnswerClass>;
  close(): Promise<void>;
}

/** Failures of connecting a shared connection: nothing of the request had been written yet. */
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
  ...CERTIFICATE_CODES,
]);

class TooLarge extends Error {}

/** @param deadlineMs for one exchange from connecting to the last byte */
export function httpTransport(connections: number, deadlineMs: number, userAgent: string): Transport {
  const timeouts = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs };
  const connect = buildConnector({ timeout: deadlineMs });
  const shared = new Agent({ connections, pipelining: 1, keepAliveTimeout: 4_000, connect, ...timeouts });

  async function exchange(what: Exchange, signal: AbortSignal): Promise<RawAnswer | AnswerClass> {
    signal.throwIfAborted();
    let isConnected = false;
    const noting: buildConnector.connector = (options, callback) => {
      connect(options, (...result) => {
        isConnected ||= result[0] === null;
        callback(...result);
      });
    };
    const dispatcher = what.fresh
      ? new Agent({ connections: 1, pipelining: 0, connect: noting, ...timeouts })
      : shared;
    const deadline = AbortSignal.timeout(deadlineMs);
    // A signal of this exchange's own: listeners on a long-lived one would pile up over thousands of requests.
    const abort = new AbortController();
    const stop = (): void => {
      abort.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    deadline.addEventListener('abort', stop, { once: true });
    try {
      return await send(dispatcher, what, abort.signal, userAgent);
    } catch (cause) {
      if (signal.aborted) throw new InterruptedError('Interrupted during a request.', { cause });
      return failure(cause, deadline.aborted, deadlineMs, what.fresh ? isConnected : undefined);
    } finally {
      signal.removeEventListener('abort', stop);
      if (what.fresh) void dispatcher.destroy();
    }
  }

  return { exchange, close: () => shared.destroy() };
}

async function send(
  dispatcher: Dispatcher,
  what: Exchange,
  signal: AbortSignal,
  userAgent: string,
): Promise<RawAnswer> {
  const answer = await request(what.url, {
    method: what.method,
    dispatcher,
    signal,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': userAgent,
      ...what.headers,
      ...(what.token === undefined ? {} : { authorization: `Bearer ${what.token}` }),
      ...(what.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(what.body === undefined ? {} : { body: JSON.stringify(what.body) }),
    ...(what.fresh ? { reset: true } : {}),
  });
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    status: answer.statusCode,
    contentType: header('content-type') ?? '',
    retryAfter: header('retry-after'),
    location: header('location'),
    date: header('date'),
    link: header('link'),
    body: await readCapped(answer.body, header('content-encoding')),
  };
}

/** The whole body, decoded, or `TooLarge` as soon as it is more than the cap: a small gzip can hold hundreds of MB. */
async function readCapped(body: Readable, encoding: string | undefined): Promise<Buffer> {
  const decoder = decoderFor(encoding);
  const source = decoder === undefined ? body : body.pipe(decoder);
  if (decoder !== undefined) body.on('error', (error) => decoder.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      length += bytes.length;
      if (length > LARGEST_BODY) throw new TooLarge();
      chunks.push(bytes);
    }
  } finally {
    body.destroy();
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

/** @param isConnected where that is known, whether a connection stood */
function failure(error: unknown, late: boolean, deadlineMs: number, isConnected?: boolean): AnswerClass {
  if (error instanceof TooLarge) {
    return { kind: 'oversized', reason: `an answer of more than ${LARGEST_BODY / 1024 / 1024} MiB` };
  }
  const code = innermostCode(error);
  const sent = isConnected ?? (code === undefined || !NEVER_SENT.has(code));
  const reason = late ? `no complete answer within ${deadlineMs / 1000} s` : (code ?? messageOf(error));
  return { kind: 'unreachable', reason, sent, cause: error };
}

/** The code of an error, or of the first of several (one per address of the host) or of its cause. */
function innermostCode(error: unknown): string | undefined {
  const own = codeOf(error);
  if (own !== undefined) return own;
  if (error instanceof AggregateError && error.errors.length > 0) return innermostCode(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostCode(error.cause) : undefined;
}

/**
 * Performs one HTTP exchange: with a deadline over the whole exchange and a limit on the decoded body, without
 * redirects and retries, through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. A failure states whether the
 * request may have reached the service.
 */
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { buildConnector, EnvHttpProxyAgent, Pool, request, type Dispatcher } from 'undici';
import { codeOf, InterruptedError, messageOf, ServiceError } from '../ground/errors.js';
import type { RawAnswer, AnswerClass } from './answer.js';
import type { Method } from './endpoints.js';

interface CertificateTrouble {
  /** Ends the sentence "The certificate of … ". */
  readonly what: string;
  readonly remedy: string;
}

const OTHER_ISSUER =
  'If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, check base_url and what stands between this machine and the service.';

const TROUBLES: Readonly<Record<string, CertificateTrouble>> = {
  CERT_HAS_EXPIRED: {
    what: 'has expired',
    remedy:
      'Check this machine’s clock. If it is right, the operator of the service has to renew the certificate.',
  },
  CERT_NOT_YET_VALID: { what: 'is not valid yet', remedy: 'Check this machine’s clock.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'is for another name',
    remedy: 'Correct the host in base_url: it has to be a name that the certificate holds.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { what: 'is signed by itself', remedy: OTHER_ISSUER },
  SELF_SIGNED_CERT_IN_CHAIN: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_GET_ISSUER_CERT: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { what: 'comes from an unknown issuer', remedy: OTHER_ISSUER },
  CERT_REVOKED: { what: 'was revoked', remedy: 'Ask the operator of the service for a new certificate.' },
};

/** Error codes of a failed TLS handshake: no part of a request had been written. */
const CERTIFICATE_CODES: readonly string[] = Object.keys(TROUBLES);

/** Maximum size of a decoded body in bytes; no valid answer is larger. */
const LARGEST_BODY = 64 * 1024 * 1024;

interface Exchange {
  readonly method: Method;
  readonly url: string;
  readonly token: string | undefined;
  /** The body, sent as JSON, with a GET too (E18). */
  readonly body: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * True for a new connection that is closed afterwards. For E20: on a stale kept-alive connection it would be unknown
   * whether the request was read; on a new one, nothing has been written until the connection exists.
   */
  readonly fresh: boolean;
}

/** Error codes of a failed connection: no part of the request had been written. */
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

export type Transport = ReturnType<typeof httpTransport>;

/** @param deadlineMs the time limit of one exchange, from connecting to the last byte */
export function httpTransport(connections: number, deadlineMs: number, userAgent: string) {
  const timeouts = { headersTimeout: deadlineMs, bodyTimeout: deadlineMs };
  const connect = buildConnector({ timeout: deadlineMs });
  const shared = new EnvHttpProxyAgent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    connect,
    ...timeouts,
  });

  async function exchange(what: Exchange, signal: AbortSignal): Promise<RawAnswer | AnswerClass> {
    signal.throwIfAborted();
    let isConnected = false;
    // The connector of a proxy ends when its tunnel to the service stands.
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
    const dispatcher = what.fresh
      ? new EnvHttpProxyAgent({ connections: 1, pipelining: 0, connect, factory, ...timeouts })
      : shared;
    const deadline = AbortSignal.timeout(deadlineMs);
    // Each exchange has its own signal: listeners on a long-lived signal would accumulate over thousands of requests.
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
      authorization: what.token === undefined ? undefined : `Bearer ${what.token}`,
      'content-type': what.body === undefined ? undefined : 'application/json',
    },
    body: typeof what.body === 'string' ? what.body : JSON.stringify(what.body),
    // `reset: false` would keep a connection that undici closes after a GET with a body.
    ...(what.fresh && { reset: true }),
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
    body: await readCapped(answer.body, header('content-encoding')),
  };
}

/**
 * Returns the whole decoded body; throws `TooLarge` as soon as the body exceeds the limit, since a small gzip can hold
 * hundreds of MB.
 */
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

/** @param isConnected whether a connection existed; undefined if unknown */
function failure(error: unknown, late: boolean, deadlineMs: number, isConnected?: boolean): AnswerClass {
  if (error instanceof TooLarge) {
    return { kind: 'oversized', reason: `an answer of more than ${LARGEST_BODY / 1024 / 1024} MiB` };
  }
  const code = innermostCode(error);
  const sent = isConnected ?? (code === undefined || !NEVER_SENT.has(code));
  const reason = late ? `no complete answer within ${deadlineMs / 1000} s` : (code ?? messageOf(error));
  return { kind: 'unreachable', reason, sent, cause: error };
}

/** Returns the code of an error, of its first inner error (one per address of the host), or of its cause. */
function innermostCode(error: unknown): string | undefined {
  const own = codeOf(error);
  if (own !== undefined) return own;
  if (error instanceof AggregateError && error.errors.length > 0) return innermostCode(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostCode(error.cause) : undefined;
}

/** @param reason an error code such as ECONNREFUSED, or a text */
export function unreachable(baseUrl: string, reason: string, cause: unknown): ServiceError {
  const { host } = new URL(baseUrl);
  const trouble = TROUBLES[reason];
  if (trouble !== undefined) {
    return new ServiceError(`The certificate of ${host} ${trouble.what} (${reason}).`, {
      hint: trouble.remedy,
      cause,
    });
  }
  return new ServiceError(`The service at ${host} cannot be reached (${reason}).`, {
    hint: HINTS[reason] ?? 'Check base_url and the network.',
    ofRun: 'Nothing is lost; the next run continues from here.',
    cause,
  });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name could not be looked up. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url.',
};

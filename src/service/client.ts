/**
 * The client of the service: sends a request, returns the answer and its class. Tokens, request rate, concurrency, retries
 * and the two clocks, this machine's and that of the answers, are handled only here, and below them one HTTP exchange: the
 * request goes out, through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, with a deadline over the whole
 * exchange and a limit on the decoded body, without redirects and retries; and what its answer means. A failure states
 * whether the request may have reached the service.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import pLimit from 'p-limit';
import pThrottle from 'p-throttle';
import type { buildConnector, Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { Effects } from '../ground/effects.js';
import {
  bytesOf,
  partValue,
  readEnvelope,
  textOf,
  type Body,
  type Envelope,
  type Part,
} from '../ground/envelope.js';
import {
  ClockError,
  codeOf,
  ConfigError,
  CredentialsError,
  DawnloadError,
  InterruptedError,
  messageOf,
  ServiceError,
} from '../ground/errors.js';
import { LARGE } from '../ground/large-body.js';
import { Secrets, withoutPeople } from '../ground/redaction.js';
import { cut } from '../ground/text.js';
import { formatDuration } from '../terminal/text.js';
import { readBody, TooLarge, type Room, type Spool } from './body.js';
import { authenticate, type FreeRequest, type OnceRequest, type ServiceRequest } from './endpoints.js';

/** The settings of a client. Requests that are safe to repeat are repeated at most `retries` times. */
export type ServiceSettings = Pick<
  ServiceConfig,
  | 'baseUrl'
  | 'projectId'
  | 'requestsPerSecond'
  | 'concurrency'
  | 'requestTimeoutSeconds'
  | 'retries'
  | 'serviceClock'
> & {
  readonly credentials: Pick<ServiceConfig['credentials'], 'reveal'>;
  readonly exports: Pick<ServiceConfig['exports'], 'largestAnswer'>;
};

/** A verdict together with the body that it was read from, if there is a body. */
export interface ServiceAnswer<B extends Body = Buffer> {
  readonly verdict: AnswerClass;
  readonly body: B;
  readonly status: number | undefined;
}

/** The characters that a header may hold: those that HTTP sends as one byte each, except control characters. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]+$/;

const NO_BODY = Buffer.alloc(0);
const NEVER = new AbortController().signal;

type Exchanged = (
  question: ServiceRequest,
  token: string | undefined,
  signal: AbortSignal,
  room: Room,
) => Promise<ServiceAnswer<Body>>;

/** The size in bytes up to which an answer is held in memory whose inside the caller reads. */
const IN_MEMORY = 256 * 1024 * 1024;

/** An answer that was read without a spool. */
function whole({ body, ...rest }: ServiceAnswer<Body>): ServiceAnswer {
  return { ...rest, body: bytesOf(body) };
}

/** Permission for one request that must not be repeated; returned by `authorize`. */
export interface Permit {
  readonly projectId: string;
  readonly secrets: Secrets;
  /** Sends the request once: without retries, and without another token if this one is refused. */
  sendOnce(question: OnceRequest): Promise<ServiceAnswer>;
}

export class ServiceClient implements AsyncDisposable {
  /** The keys and tokens to hide in texts, since the service may repeat what it was sent. */
  readonly secrets: Secrets;
  readonly #effects: Effects;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;
  readonly #paced: Exchanged;
  #skewMs: number | undefined;
  #token: { readonly value: string; readonly until: number } | undefined;
  /** The token that is being fetched. */
  #renewal: Promise<string> | undefined;

  constructor(
    readonly settings: ServiceSettings,
    effects: Effects,
    signal: AbortSignal,
    version: string,
    private readonly spool?: Spool,
  ) {
    const { accessKey, secretKey } = settings.credentials.reveal();
    this.secrets = new Secrets(accessKey, secretKey);
    this.#effects = effects;
    this.#signal = signal;
    this.#transport = httpTransport(
      settings.baseUrl,
      settings.concurrency,
      settings.requestTimeoutSeconds * 1000,
      `dawnload/${version}`,
    );
    const limit = pLimit(settings.concurrency);
    const throttle = pThrottle({ ...pace(settings.requestsPerSecond), strict: true });
    const throttled = throttle<Exchanged>((...request) => this.#exchange(...request));
    this.#paced = (...request) => limit(() => throttled(...request));
  }

  /** @param spool the disk for answers that are too large for memory */
  static open(
    settings: ServiceSettings,
    { effects, signal, version }: Pick<Invocation, 'effects' | 'signal' | 'version'>,
    spool?: Spool,
  ): ServiceClient {
    // Loads while DuckDB opens files.
    void http();
    return new ServiceClient(settings, effects, signal, version, spool);
  }

  get projectId(): string {
    return this.settings.projectId;
  }

  // The two clocks of a run. When they differ too much, one of them is wrong: no paid request is sent then, and beyond an
  // hour nothing lands. If the service sends no time, this machine's clock decides.

  /** Milliseconds that this machine's clock is behind the service's, by the latest answer with a `Date`. */
  get clockSkewMs(): number | undefined {
    return this.#skewMs;
  }

  /** The difference that counts: 0 if it is unknown, or the service's clock is known to be wrong. */
  get #skew(): number {
    return this.settings.serviceClock === 'ignore' ? 0 : (this.#skewMs ?? 0);
  }

  /** The present instant: by the service's clock if this machine's differs too much from it. */
  present(): Date {
    return new Date(Number(this.#effects.now()) + (Math.abs(this.#skew) > MOST_SKEW_MS ? this.#skew : 0));
  }

  /** The earlier of the two clocks: a day is complete when both say so. */
  earlier(): Date {
    return new Date(Number(this.#effects.now()) + Math.min(0, this.#skew));
  }

  /** The present instant for an answer that lands. Throws as `assertMayLand`. */
  landingTime(): Date {
    this.assertMayLand();
    return this.present();
  }

  /** One sentence about clocks that differ too much for a payment, by the latest answer; undefined if they agree. */
  get clockTrouble(): string | undefined {
    const skew = this.#skewMs ?? 0;
    return Math.abs(skew) > MOST_SKEW_MS ? `${skewInWords(skew)}.` : undefined;
  }

  /**
   * @param consequence a sentence on what was not done
   * @throws ClockError when the clocks differ too much for a request that is billed or reaches people
   */
  assertClocksAgree(consequence: string): void {
    const trouble = this.clockTrouble;
    if (trouble !== undefined) throw new ClockError(`${trouble} ${consequence}`, { hint: CLOCK_REMEDY });
  }

  /** @throws ClockError when the clocks differ by more than an hour */
  assertMayLand(): void {
    const trouble = this.clockTrouble;
    if (trouble === undefined || Math.abs(this.#skew) <= LANDS_NOTHING_MS) return;
    throw new ClockError(`${trouble} Nothing more is pulled.`, {
      hint: `${CLOCK_REMEDY} If the service's clock is wrong, set service_clock: ignore; paid requests wait in any case.`,
    });
  }

  /**
   * Sends a request, with retries if they may help, and returns the answer with its verdict; if the token is refused,
   * fetches one new token and asks again. Throws only for failures that no caller can handle.
   *
   * @throws CredentialsError when the keys, the token or the project are refused
   * @throws InterruptedError when the run is being stopped, or the signal aborts
   */
  async ask(question: FreeRequest, signal = this.#signal): Promise<ServiceAnswer> {
    return whole(await this.#ask(question, signal, this.#room(IN_MEMORY)));
  }

  /** Asks as `ask`, for an answer that may be too large for memory; a caller that does not land it discards it. */
  askLarge(question: FreeRequest, signal = this.#signal): Promise<ServiceAnswer<Body>> {
    const { spool } = this;
    const room = this.#room(spool === undefined ? IN_MEMORY : Infinity);
    return this.#ask(question, signal, { ...room, spool });
  }

  /** Removes the file of a large body that has not landed. */
  async discard(body: Body): Promise<void> {
    if (!Buffer.isBuffer(body)) await this.spool?.discard(body.file);
  }

  /** @param most the number of bytes that the caller can take */
  #room(most: number): Room {
    const { largestAnswer } = this.settings.exports;
    return largestAnswer <= most ? { most: largestAnswer, setting: 'exports.largest_answer' } : { most };
  }

  async #ask(question: FreeRequest, signal: AbortSignal, room: Room): Promise<ServiceAnswer<Body>> {
    const token = await this.#validToken();
    let answer = await this.#persist(question, token, signal, room);
    if (answer.verdict.kind === 'unauthorized') {
      this.#refuse(token);
      answer = await this.#persist(question, await this.#validToken(), signal, room);
    }
    const { verdict, status } = answer;
    // A valid token of another project is rejected as unauthorized too; only the status distinguishes the two cases.
    if (verdict.kind === 'forbidden' || (verdict.kind === 'unauthorized' && status === 403)) {
      throw new CredentialsError(
        `The service denies access to project ${this.projectId} (${verdict.reason}).`,
        { hint: 'Check that project_id belongs to the access key.' },
      );
    }
    if (verdict.kind !== 'unauthorized') return answer;
    throw new CredentialsError(`The service refuses a token that it has just issued (${verdict.reason}).`, {
      hint: 'Check that project_id belongs to the access key, and that this machine’s clock is right (`dawnload doctor`).',
    });
  }

  /**
   * Ensures a token that stays valid for a while, so that the next request does not fail for lack of one. Returns the
   * permission to send one request with that token.
   *
   * @throws CredentialsError when E1 refuses the keys
   * @throws ServiceError when E1 gives no answer
   */
  async authorize(): Promise<Permit> {
    const token = await this.#validToken();
    return {
      projectId: this.projectId,
      secrets: this.secrets,
      sendOnce: async (question) => {
        // Once its intent is recorded, the request is never aborted, not even by Ctrl-C.
        const answer = await this.#paced(question, token, NEVER, { most: LARGE });
        if (answer.verdict.kind === 'unauthorized') this.#refuse(token);
        return whole(answer);
      },
    };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the token to use now. Concurrent callers cause only one request. */
  #validToken(): Promise<string> {
    const now = this.#effects.now().getTime();
    const token = this.#token;
    // A clock that was set back would make the token look younger than it is; it is valid for one hour at most.
    if (token !== undefined && now < token.until && token.until - now <= TOKEN_LIFETIME_MS)
      return Promise.resolve(token.value);
    this.#renewal ??= this.#authenticate().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Forgets a token that the service refused; a token that was issued in the meantime stays. */
  #refuse(token: string): void {
    if (this.#token?.value === token) this.#token = undefined;
  }

  /** Sends a request until its answer is of use, or no retry is left or would help; resolves with the last answer. */
  async #persist(
    question: FreeRequest,
    token: string | undefined,
    signal: AbortSignal,
    room: Room,
  ): Promise<ServiceAnswer<Body>> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#paced(question, token, signal, room);
      const { verdict } = answer;
      if (attempt > this.settings.retries || !isWorthRetrying(verdict, question.whole)) return answer;
      await this.discard(answer.body);
      const asked = 'retryAfterMs' in verdict ? verdict.retryAfterMs : undefined;
      await this.#effects.sleep(pauseBefore(attempt, this.#effects.random(), asked), signal);
    }
  }

  async #exchange(
    question: ServiceRequest,
    token: string | undefined,
    signal: AbortSignal,
    room: Room,
  ): Promise<ServiceAnswer<Body>> {
    const result = await this.#transport.exchange(question, token, signal, room);
    if ('kind' in result) {
      const body = result.kind === 'unreachable' ? result.received : NO_BODY;
      return { verdict: result, body, status: undefined };
    }
    const serviceTime = instantOf(result.date);
    if (serviceTime !== undefined) this.#skewMs = serviceTime - this.#effects.now().getTime();
    return {
      verdict: judge(result, this.#effects.now(), question.discriminator, this.secrets),
      body: result.body,
      status: result.status,
    };
  }

  /** Requests a token from E1. */
  async #authenticate(): Promise<string> {
    const { verdict, body, status } = await this.#persist(
      authenticate(this.settings.credentials.reveal()),
      undefined,
      this.#signal,
      { most: LARGE },
    );
    if (verdict.kind === 'ok') {
      const token = textOf(verdict.envelope, body, 'data')?.trim() ?? '';
      if (HEADER_TEXT.test(token)) {
        this.secrets.add(token);
        const until = this.#effects.now().getTime() + TOKEN_LIFETIME_MS - MARGIN_MS;
        this.#token = { value: token, until };
        return token;
      }
      const what = token === '' ? 'without a token' : 'with a token that no header can carry';
      throw new ServiceError(`The service answers E1 (authenticate) ${what}.`, {
        hint: 'Check base_url. This does not look like the service.',
      });
    }
    const keysRefused = verdict.kind === 'refused' && status !== 404 && status !== 405;
    if (keysRefused || verdict.kind === 'unauthorized' || verdict.kind === 'forbidden') {
      throw new CredentialsError(`The service refuses the access keys (${verdict.reason}).`, {
        hint: 'Check DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY.',
      });
    }
    throw this.unanswered('E1 (authenticate)', verdict);
  }

  /** The error for a request without a usable answer, with its remedy. */
  unanswered(what: string, verdict: Exclude<AnswerClass, { kind: 'ok' }>): ServiceError {
    const { host } = new URL(this.settings.baseUrl);
    const { kind, reason } = verdict;
    const cause = kind === 'unreachable' ? verdict.cause : undefined;
    const error = (message: string, hint: string): ServiceError => new ServiceError(message, { hint, cause });
    if (kind === 'unreachable' && !verdict.sent)
      return isOfCertificate(reason)
        ? error(`The certificate of ${host} is not accepted (${reason}).`, CERTIFICATE)
        : error(
            `The service at ${host} cannot be reached (${reason}).`,
            HINTS[reason] ?? 'Check base_url and the network.',
          );
    if (kind === 'redirected')
      return error(
        `The service at ${host} redirects ${what} (${reason}), and redirects are not followed.`,
        'Set base_url to the address that answers without a redirect.',
      );
    // A server that rejects E1 this way is not the messaging service; an HTML page comes from a proxy or another server.
    const isForeign = kind === 'refused' || /HTML page|not complete JSON/.test(reason);
    return error(
      `The service at ${host} gave no usable answer to ${what} (${reason}).`,
      isForeign
        ? 'If this goes on, check base_url: it does not look like the service.'
        : 'Try again later. If it goes on, ask the operator of the service.',
    );
  }
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name could not be looked up. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url, and HTTPS_PROXY or HTTP_PROXY where set.',
};

const CERTIFICATE =
  'Check base_url and this machine’s clock. If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, ask what stands between this machine and the service.';

/** The error codes of a failed TLS handshake: no part of the request had been written. */
const OF_CERTIFICATE = new Set([
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

const isOfCertificate = (code: string): boolean => OF_CERTIFICATE.has(code);

/** The difference of the clocks in milliseconds from which an incomplete day may be taken for a complete one. */
export const NOTABLE_SKEW_MS = 2 * 60_000;

/** The largest difference of two right clocks, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

/** The difference in milliseconds beyond which a run lands nothing: its days and instants would be wrong. */
const LANDS_NOTHING_MS = 60 * 60_000;

export const CLOCK_REMEDY =
  'Correct the clock that is wrong (`dawnload doctor` compares both), then run again.';

/** Describes the difference: `This machine's clock is 3 min ahead of the service's`. */
export function skewInWords(skewMs: number): string {
  return `This machine's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`;
}

/** The first and the longest pause between two attempts, in milliseconds. */
export const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** Maximum `Retry-After`, in milliseconds, that a run waits for; a longer one is left to the next run. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * True if a retry may help, for a request that is safe to repeat. Never called for E20.
 *
 * @param isWhole true if the request cannot be made smaller; then it is repeated unchanged after a `Timeout` (E1)
 */
export function isWorthRetrying(verdict: AnswerClass, isWhole = false): boolean {
  switch (verdict.kind) {
    case 'timeout':
      return isWhole;
    case 'busy':
    case 'broken':
    case 'unreachable':
      return verdict.retryAfterMs === undefined || verdict.retryAfterMs <= LONGEST_RETRY_AFTER_MS;
    default:
      return false;
  }
}

/**
 * Returns the pause before the next attempt, in milliseconds: it doubles with each attempt, with jitter over its upper
 * half, and is never shorter than the service's `Retry-After`.
 *
 * @param attempt number of failed attempts, from 1
 * @param random a number in [0, 1)
 */
export function pauseBefore(attempt: number, random: number, retryAfterMs: number | undefined): number {
  const full = Math.min(BACKOFF.longestMs, BACKOFF.firstMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs ?? 0, full / 2 + (full / 2) * random);
}

/** Parses a `Date` header into milliseconds. Accepts only the HTTP form, since Date.parse accepts nearly anything. */
function instantOf(date: string | undefined): number | undefined {
  if (date === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date))
    return undefined;
  const instant = Date.parse(date);
  return Number.isNaN(instant) ? undefined : instant;
}

/**
 * Converts the request rate for p-throttle: a number of calls per interval; high rates are spread over parts of a
 * second.
 */
function pace(requestsPerSecond: number): { limit: number; interval: number } {
  if (requestsPerSecond < 1) return { limit: 1, interval: 1000 / requestsPerSecond };
  return {
    limit: Math.floor(requestsPerSecond),
    interval: (1000 * Math.floor(requestsPerSecond)) / requestsPerSecond,
  };
}

/** Validity of a token: one hour. */
const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** A token is not used in the last minutes of its validity: a request that leaves with it must also arrive in time. */
const MARGIN_MS = 5 * 60 * 1000;

/**
 * Resolves with the results of all promises, once every one has settled.
 *
 * @throws the first rejection, once the others have settled: a page that is being written is written completely
 */
export async function settleAll<T>(promises: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

// One exchange.

/** An HTTP answer with its body decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** The header `Date`, which shows the service's clock. */
  readonly date: string | undefined;
  readonly body: Body;
}

/** The class of an answer, or of a missing answer. */
export type AnswerClass =
  /** A JSON body without a sign of an error. */
  | { readonly kind: 'ok'; readonly envelope: Envelope }
  /** The service rejects the token (401, `Unauthorized`, `Invalid Authorization Token`). */
  | { readonly kind: 'unauthorized'; readonly reason: string }
  /** The keys have no access to the project (403). */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The service ran out of time (`{error: Timeout}`, 408); a smaller request may succeed. */
  | { readonly kind: 'timeout'; readonly reason: string }
  /** The service refused the request, and would refuse the same request again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Too many requests (429). */
  | { readonly kind: 'busy'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** The service, or a proxy before it, failed (5xx, `InternalServerError`, a truncated body or one that is not JSON). */
  | { readonly kind: 'broken'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** A redirect (3xx). It is never followed, since the token would be sent along. */
  | { readonly kind: 'redirected'; readonly reason: string }
  /** No answer arrived. `sent` is false only if the request provably never left this machine. */
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly sent: boolean;
      readonly retryAfterMs?: undefined;
      readonly cause: unknown;
      /** The part of the body that came before the connection broke. */
      readonly received: Buffer;
    }
  /** The decoded body is larger than the limit, which `reason` names with the setting that raises it. */
  | { readonly kind: 'oversized'; readonly reason: string };

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
]);

export type Transport = ReturnType<typeof httpTransport>;

/**
 * How long a connection to one of several addresses of a host may take before the next one is tried: long enough to repeat
 * a lost packet twice (after 1 s and 3 s). After Node's own 250 ms, a distant IPv4 beside a dead IPv6 is never reached.
 */
const ATTEMPT_MS = 4_000;

/** The HTTP library, which takes as long to load as DuckDB to open a file: commands without a request do without it. */
export function http() {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
  return import('undici');
}

/** A dispatcher through the proxy that the environment names. Throws ConfigError if that is not an address. */
export async function throughProxy(options?: EnvHttpProxyAgent.Options): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent } = await http();
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    const message = 'HTTPS_PROXY or HTTP_PROXY is not an address such as http://proxy.example.com:3128.';
    throw new ConfigError(message, { hint: 'Correct it in the environment.', cause });
  }
}

/** @param deadlineMs the time limit of one exchange, from connecting to the last byte */
export function httpTransport(baseUrl: string, connections: number, deadlineMs: number, userAgent: string) {
  const open = async (own: EnvHttpProxyAgent.Options) => {
    const { buildConnector } = await http();
    const connect = buildConnector({ timeout: deadlineMs });
    return throughProxy({ connect, headersTimeout: deadlineMs, bodyTimeout: deadlineMs, ...own });
  };
  let shared: Promise<EnvHttpProxyAgent> | undefined;

  /**
   * A request that must not be repeated has a connection of its own: on a stale kept-alive one it would be unknown whether
   * the request was read; on a new one, nothing has been written until the connection exists.
   */
  async function exchange(
    question: ServiceRequest,
    token: string | undefined,
    signal: AbortSignal,
    room: Room = { most: LARGE },
  ): Promise<RawAnswer | AnswerClass> {
    signal.throwIfAborted();
    const { Pool } = await http();
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
    shared ??= open({ connections, pipelining: 1, keepAliveTimeout: 4_000 });
    const dispatcher = await (question.once ? open({ connections: 1, pipelining: 0, factory }) : shared);
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    const own = { 'user-agent': userAgent, authorization };
    const deadline = AbortSignal.timeout(deadlineMs);
    const chunks: Buffer[] = [];
    // Each exchange has its own signal: listeners on a long-lived signal would accumulate over thousands of requests.
    const abort = new AbortController();
    const stop = (): void => {
      abort.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    deadline.addEventListener('abort', stop, { once: true });
    try {
      return await send(baseUrl + question.path, question, own, dispatcher, abort.signal, room, chunks);
    } catch (cause) {
      if (signal.aborted) throw new InterruptedError('Interrupted during a request.', { cause });
      if (cause instanceof DawnloadError) throw cause;
      const lateMs = deadline.aborted ? deadlineMs : undefined;
      return failure(cause, lateMs, Buffer.concat(chunks), question.once ? isConnected : undefined);
    } finally {
      signal.removeEventListener('abort', stop);
      if (question.once) void dispatcher.destroy();
    }
  }

  return { exchange, close: async () => (await shared)?.destroy() };
}

async function send(
  url: string,
  { method, headers, body, once }: ServiceRequest,
  own: Readonly<Record<string, string | undefined>>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  room: Room,
  chunks: Buffer[],
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
    // `reset: false` would keep a connection that undici closes after a GET with a body.
    ...(once && { reset: true }),
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
    body: await readBody(
      answer.body,
      { encoding: header('content-encoding'), length: header('content-length') },
      room,
      chunks,
    ),
  };
}

/**
 * @param lateMs the deadline, if it has passed
 * @param isConnected whether a connection existed; undefined if unknown
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
  const why = received.length === 0 ? what : `the answer broke off: ${what}`;
  const reason = lateMs === undefined ? why : `no complete answer within ${lateMs / 1000} s`;
  return { kind: 'unreachable', reason, sent, cause: error, received };
}

/** The error codes of libraries in words; people know those of the system by their names. */
const WORDS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'headers that are too long',
  UND_ERR_ABORTED: 'the proxy of HTTPS_PROXY or HTTP_PROXY did not open the connection',
  HPE_INVALID_CONSTANT: 'what came is not HTTP',
  HPE_INVALID_CONTENT_LENGTH: 'what came is not HTTP',
  Z_DATA_ERROR: 'its compression is damaged',
  Z_BUF_ERROR: 'its compression ends too early',
};

/** Returns the code of an error, of its first inner error (one per address of the host), or of its cause. */
function innermostCode(error: unknown): string | undefined {
  const own = codeOf(error);
  if (own !== undefined) return own;
  if (error instanceof AggregateError && error.errors.length > 0) return innermostCode(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostCode(error.cause) : undefined;
}

const UNAUTHORIZED = /unauthori[sz]ed|invalid authorization token|jwt (expired|malformed)/i;
const TIMEOUT = /time[d]?[\s-]?out|shorter date range/i;
const SERVER_ERROR = /internal\s?server\s?error|internal error|service unavailable|bad gateway/i;

/**
 * Classifies an answer.
 *
 * @param telling the key whose presence alone makes the body a valid answer, whatever its status: `status` of E21's
 *   results, `export_id` of E20
 * @param secrets texts that are hidden in every reason
 */
export function judge(
  answer: RawAnswer,
  now: Date,
  telling?: string,
  secrets: Secrets = new Secrets(),
): AnswerClass {
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  const envelope = readEnvelope(answer.body);
  if (telling !== undefined && envelope !== undefined) {
    const told = textOf(envelope, answer.body, telling);
    const message = textOf(envelope, answer.body, 'message') ?? '';
    // The result of an export has one shape for every error, including an expired token.
    if (told === 'error' && (answer.status === 401 || UNAUTHORIZED.test(message))) {
      return { kind: 'unauthorized', reason: clean(`HTTP ${answer.status}: ${message}`, secrets) };
    }
    if (told !== undefined) return { kind: 'ok', envelope };
  }
  const said = envelope === undefined ? plainText(answer) : errorWords(envelope, bytesOf(answer.body));
  const words = said === undefined ? undefined : clean(said, secrets);
  const status = `HTTP ${answer.status}`;

  if (words !== undefined) {
    const reason = `${status}: ${words}`;
    if (UNAUTHORIZED.test(words)) return { kind: 'unauthorized', reason };
    if (TIMEOUT.test(words)) return { kind: 'timeout', reason };
    if (SERVER_ERROR.test(words)) return { kind: 'broken', reason, retryAfterMs };
  }
  const { status: code } = answer;
  const reason = words === undefined ? status : `${status}: ${words}`;
  if (code === 401) return { kind: 'unauthorized', reason };
  if (code === 403) return { kind: 'forbidden', reason };
  if (code === 408) return { kind: 'timeout', reason };
  if (code === 429) return { kind: 'busy', reason, retryAfterMs };
  if (code >= 300 && code < 400) {
    return { kind: 'redirected', reason: clean(`${status} to ${originOf(answer.location)}`, secrets) };
  }
  if (code >= 500) return { kind: 'broken', reason, retryAfterMs };
  if (code >= 400 || (words !== undefined && envelope !== undefined)) return { kind: 'refused', reason };
  if (envelope === undefined) {
    const what = words === HTML ? HTML : 'a body that is not complete JSON';
    return { kind: 'broken', reason: `${status} with ${what}`, retryAfterMs };
  }
  return { kind: 'ok', envelope };
}

/**
 * Returns the error texts of a body unchanged, in any of the known shapes: `{data: null, error: string}`, `{error,
 * message}`, `{data: null, error: {code, message}}`, `{status: error | not_found, message}`, and a `resultCode` other
 * than 0 with its `resultMessage` (E10). Returns undefined if the body reports no error.
 */
function errorWords(envelope: Envelope, body: Buffer): string | undefined {
  if (envelope.kind === 'array') return undefined;
  const error = partValue(body, envelope.parts.get('error'));
  const message = partValue(body, envelope.parts.get('message'));
  const told = /^(error|not_found)$/.test(textOf(envelope, body, 'status') ?? '');
  const isError = told || (error !== undefined && error !== null);
  const words = [
    ...(told ? ['error'] : []),
    ...wordsOf(error),
    ...(isError ? wordsOf(message) : []),
    ...resultWords(envelope, body),
  ];
  return words.length === 0 ? undefined : words.join(': ');
}

function resultWords({ parts }: Envelope & { kind: 'object' }, body: Buffer): string[] {
  const code = partValue(body, parts.get('resultCode'));
  if ((typeof code !== 'number' && typeof code !== 'string') || Number(code) === 0) return [];
  return [`resultCode ${code}`, ...wordsOf(partValue(body, parts.get('resultMessage')))];
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'code' || key === 'message') && typeof inner === 'string' ? [inner] : [],
  );
}

const HTML = 'an HTML page, as a proxy would send it';

/** Returns a body that is plain text: E18 is known to refuse in this way, whatever its content type. */
function plainText({ body, contentType }: RawAnswer): string | undefined {
  // Longer than any shown text: a truncated secret would not be recognised.
  const text = bytesOf(body)
    .toString('utf8', 0, 1024 * 1024)
    .trim();
  if (text === '') return undefined;
  if (text.startsWith('<')) return HTML;
  if (text.startsWith('{') || text.startsWith('[') || contentType.startsWith('image/')) return undefined;
  return text;
}

/**
 * Shortens a text of the service to one line for a message, without secrets, persons, long numbers and control
 * characters.
 */
export function clean(text: string, secrets: Secrets = new Secrets()): string {
  const line = withoutPeople(secrets.hide(text), 1_000)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}]/gu, '')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '…')
    .replace(/\+?\d[\d -]{8,}\d/g, '…');
  return cut(line, 200);
}

/**
 * A text of the service for a person to judge, without the words that occur in values of the call, those of one or two characters
 * only if a value has them as a word; the number of its rows is shown.
 */
export function shownText(text: string, items: readonly string[]): string {
  const WORD = /[\p{L}\p{N}@._-]+/gu;
  const all = items.map((item) => item.replaceAll(/"(?:[^"\\]|\\.)*":/g, ' ')).join(' ');
  const values = ` ${all.toLowerCase().match(WORD)?.join('  ')} `;
  return withoutPeople(text, 500).replaceAll(WORD, (found) => {
    const word = found.toLowerCase();
    const isValue = values.includes(word.length < 3 ? ` ${word} ` : word);
    return isValue && word !== String(items.length) ? '…' : found;
  });
}

function originOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** Parses `Retry-After`, in seconds or as an HTTP date, into milliseconds from `now`; undefined if absent or malformed. */
function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

// The answers that mean that a request that must not be repeated (E13, E16, E20) did nothing: a list, so that every other
// answer is unknown, and waits for a person. A class above that is wrong costs a request; here it would cost money, or reach
// people twice.

/**
 * The status, and the whole value of `error` or `status`, in any case. They are the errors of the caller in the
 * specification (Errors; Authentication; States and transitions), and the reason phrases of statuses that are given before
 * a request is processed.
 */
const REFUSALS: readonly (readonly [status: number, value: string])[] = [
  [400, 'InvalidRequest'],
  [401, 'Unauthorized'],
  [401, 'Invalid Authorization Token'],
  [404, 'not_found'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [429, 'Too Many Requests'],
];

/** The keys of a refusal. An answer with another key may tell of work that was done, so a person judges it. */
const ERROR_KEYS: ReadonlySet<string> = new Set([
  ...['error', 'message', 'status', 'statusCode', 'code', 'data'],
  ...['path', 'timestamp', 'projectId', 'durationMs'],
]);

/** The values of `status` beside an error; any other one is about an export (E21). */
const ERROR_STATUSES: readonly unknown[] = ['error', 'not_found'];

/**
 * The meaning of an answer: a refusal is an entry of the list in a body that is JSON alone and holds neither data nor an
 * export id. An `error` has such a body too, with another text, which a person may judge.
 */
export function readError(
  status: number,
  envelope: Envelope,
  body: Buffer,
): { kind: 'refused' } | { kind: 'error'; text: string } | { kind: 'unknown' } {
  if (envelope.kind !== 'object') return { kind: 'unknown' };
  const { parts } = envelope;
  const text = errorWords(envelope, body);
  if (text === undefined || envelope.twice.size > 0 || !isErrorAlone(parts, body)) return { kind: 'unknown' };
  const values = ['error', 'status']
    .map((key) => partValue(body, parts.get(key)))
    .filter((value) => typeof value === 'string');
  const isRefusal = (value: string): boolean =>
    REFUSALS.some(([code, known]) => code === status && isSame(value, known));
  const isPlain = [...parts].every(
    ([key, part]) => ERROR_KEYS.has(key) || (key === 'success' && partValue(body, part) === false),
  );
  return isPlain && values.length > 0 && values.every(isRefusal)
    ? { kind: 'refused' }
    : { kind: 'error', text };
}

/** True if a body is valid JSON and holds no data, no state of an export and, at any depth, no export id. */
function isErrorAlone(parts: ReadonlyMap<string, Part>, body: Buffer): boolean {
  const keys: string[] = [];
  try {
    JSON.parse(body.toString('utf8'), (key, value: unknown) => {
      keys.push(key);
      return value;
    });
  } catch {
    return false;
  }
  const hasId = keys.some((key) => /^export_?id$/i.test(key));
  const [data, status] = ['data', 'status'].map((key) => partValue(body, parts.get(key)));
  return !hasId && (data ?? null) === null && (typeof status !== 'string' || ERROR_STATUSES.includes(status));
}

/** True if a person has listed the text as a refusal: compared whole, without case. */
export function isJudged(text: string, refusals: readonly string[]): boolean {
  return refusals.some((judged) => isSame(judged, text));
}

/** True if two texts differ in case and spaces alone. */
export function isSame(a: string, b: string): boolean {
  const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  return folded(a) === folded(b);
}

/** The service's client: sends requests and classifies answers. Tokens, request rate, concurrency and retries are handled only here. */
import type { ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import type { Effects } from '../ground/effects.js';
import { bytesOf, textOf, type Body } from '../ground/envelope.js';
import { CredentialsError, ServiceError } from '../ground/errors.js';
import { LARGE } from '../ground/large-body.js';
import { Secrets } from '../ground/redaction.js';
import { type Room, type Spool, Exchanger, http } from './exchange.js';
import { Clocks } from './clocks.js';
import { authenticate, type FreeRequest, type OnceRequest, type ServiceRequest } from './endpoints.js';
import { judge, unanswered, type AnswerClass } from './verdict.js';
import pLimit from 'p-limit';

/** The settings of a client. A request that is safe to repeat is repeated up to `retries` times. */
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

/** A verdict, and the body from which it was read, if there is one. */
export interface ServiceAnswer<B extends Body = Buffer> {
  readonly verdict: AnswerClass;
  readonly body: B;
  readonly status: number | undefined;
}

/** The characters allowed in a header: those that HTTP sends as one byte each, except control characters. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]+$/;

const NO_BODY = Buffer.alloc(0);
const NEVER = new AbortController().signal;

type Exchanged = (
  question: ServiceRequest,
  token: string | undefined,
  signal: AbortSignal,
  room: Room,
) => Promise<ServiceAnswer<Body>>;

/** Maximum size of an answer, in bytes, that stays in memory because the caller parses it. */
const IN_MEMORY = 256 * 1024 * 1024;

/** Asserts that a body is in memory: the answer was read without a spool. */
function whole({ body, ...rest }: ServiceAnswer<Body>): ServiceAnswer {
  return { ...rest, body: bytesOf(body) };
}

/** Permission to send one request that must not be repeated; `authorize` returns it. */
export interface Permit {
  readonly projectId: string;
  readonly secrets: Secrets;
  /** Sends the request once. If it fails or the token is rejected, nothing is sent again. */
  sendOnce(question: OnceRequest): Promise<ServiceAnswer>;
}

export class ServiceClient implements AsyncDisposable {
  /** The keys and tokens to hide in texts, because the service may repeat what it was sent. */
  readonly secrets: Secrets;
  readonly clocks: Clocks;
  readonly #effects: Effects;
  readonly #exchanger: Exchanger;
  readonly #signal: AbortSignal;
  readonly #paced: Exchanged;
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
    this.clocks = new Clocks(effects, settings.serviceClock);
    this.#exchanger = new Exchanger(
      settings.baseUrl,
      settings.concurrency,
      settings.requestTimeoutSeconds * 1000,
      `dawnload/${version}`,
      (date) => {
        this.clocks.observe(date);
      },
      effects.service,
    );
    const limit = pLimit(settings.concurrency);
    const inPace = paced(settings.requestsPerSecond);
    this.#paced = (...request) => limit(() => inPace(() => this.#exchange(...request), request[2]));
  }

  /** @param spool stores answers on disk that are too large for memory */
  static open(
    settings: ServiceSettings,
    { effects, signal, version }: Pick<Invocation, 'effects' | 'signal' | 'version'>,
    spool?: Spool,
  ): ServiceClient {
    // Start loading it now, while DuckDB opens files.
    void http();
    return new ServiceClient(settings, effects, signal, version, spool);
  }

  get projectId(): string {
    return this.settings.projectId;
  }

  /**
   * Sends a request, retries it if that may help, and returns the last answer with its verdict. If the token is rejected, gets a new one
   * and asks again, once. Throws only for failures that no caller can handle.
   *
   * @throws CredentialsError if the keys, the token or the project are rejected
   * @throws InterruptedError when the run is being stopped, or the signal aborts
   */
  async ask(question: FreeRequest, signal = this.#signal): Promise<ServiceAnswer> {
    return whole(await this.#ask(question, signal, this.#room(IN_MEMORY)));
  }

  /** Like `ask`, for an answer that may be too large for memory. If the caller does not land it, it must call `discard`. */
  askLarge(question: FreeRequest): Promise<ServiceAnswer<Body>> {
    const { spool } = this;
    const room = this.#room(spool === undefined ? IN_MEMORY : Infinity);
    return this.#ask(question, this.#signal, { ...room, spool });
  }

  /** Removes the file of a large answer that was not landed. */
  async discard(body: Body): Promise<void> {
    if (!Buffer.isBuffer(body)) await this.spool?.discard(body.file);
  }

  /** @param most the maximum number of bytes that the caller accepts */
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
    // The service also answers "unauthorized" for another project's token; only the status tells the difference.
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
   * Gets a token that is valid for several more minutes, and returns the permission to send one request with it.
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

  /** Returns the error, with a remedy, for a request without a usable answer. */
  unanswered(what: string, verdict: Exclude<AnswerClass, { kind: 'ok' }>): ServiceError {
    return unanswered(this.settings.baseUrl, what, verdict);
  }

  close(): Promise<void> {
    return this.#exchanger.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #validToken(): Promise<string> {
    const now = this.#effects.now().getTime();
    const token = this.#token;
    // If the clock was set back, the token would seem younger than it is. A token is valid for at most one hour.
    if (token !== undefined && now < token.until && token.until - now <= TOKEN_LIFETIME_MS)
      return Promise.resolve(token.value);
    this.#renewal ??= this.#authenticate().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Drops a rejected token, unless a new one has replaced it already. */
  #refuse(token: string): void {
    if (this.#token?.value === token) this.#token = undefined;
  }

  /** Repeats a request until the answer is usable, no retry is left, or a retry would not help. Resolves with the last answer. */
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
    const result = await this.#exchanger.exchange(question, token, signal, room);
    if ('kind' in result) {
      const body = result.kind === 'unreachable' ? result.received : NO_BODY;
      return { verdict: result, body, status: undefined };
    }
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
        hint: 'Correct DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY, in .env or the environment, and test them with `dawnload doctor`.',
      });
    }
    throw this.unanswered('E1 (authenticate)', verdict);
  }
}

/** The first pause between two attempts, and the longest one, in milliseconds. */
export const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** Maximum `Retry-After` in milliseconds for which a run waits. Longer waits are left to the next run. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * True if repeating a request may help. Never called for requests that must not be repeated, such as E20.
 *
 * @param isWhole true if the request cannot be made smaller (E1), so that it is repeated unchanged after a `Timeout`
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
 * Returns the pause before the next attempt, in milliseconds. It doubles with each attempt; its upper half is random. It is never shorter
 * than the service's `Retry-After`.
 *
 * @param attempt number of failed attempts, at least 1
 * @param random a number in [0, 1)
 */
export function pauseBefore(attempt: number, random: number, retryAfterMs: number | undefined): number {
  const full = Math.min(BACKOFF.longestMs, BACKOFF.firstMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs ?? 0, full / 2 + (full / 2) * random);
}

/**
 * Limits the rate of requests as the service counts them. A request occupies its slot until one second after its answer, because delayed
 * requests may arrive together. An aborted request frees its slot immediately, so Ctrl-C also ends waiting requests.
 */
export function paced(requestsPerSecond: number) {
  const places = Math.max(1, Math.floor(requestsPerSecond));
  const pauseMs = (1000 * places) / requestsPerSecond;
  const inTurn = pLimit(places);
  return <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      void inTurn(async () => {
        await request().then(resolve, reject);
        if (signal.aborted) return;
        await new Promise((done) => setTimeout(done, pauseMs));
      });
    });
}

const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** Milliseconds before its end when a token is no longer used, because a request must also arrive while the token is valid. */
const MARGIN_MS = 5 * 60 * 1000;

/**
 * The client of the service: sends a request, returns the answer and its class. Tokens, request rate, concurrency and
 * retries are handled only here.
 */
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import type { Effects } from '../ground/effects.js';
import { CredentialsError, ServiceError } from '../ground/errors.js';
import { Secrets } from '../ground/redaction.js';
import { judge, textOf, type AnswerClass } from './answer.js';
import { authenticate, type FreeRequest, type OnceRequest, type ServiceRequest } from './endpoints.js';
import { isWorthRetrying, pauseBefore } from './retry.js';
import { httpTransport, type Transport, unreachable } from './transport.js';

export interface ServiceSettings {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly credentials: { body(): { accessKey: string; secretKey: string } };
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  readonly requestTimeoutSeconds: number;
  /** Maximum number of repetitions of a request that is safe to repeat. */
  readonly retries: number;
}

/** A verdict together with the body that it was read from, if there is a body. */
export interface ServiceAnswer {
  readonly verdict: AnswerClass;
  readonly body: Buffer;
  readonly status: number | undefined;
}

/** A failed attempt, which makes p-retry try again. */
class Attempt extends Error {
  constructor(readonly answer: ServiceAnswer) {
    super('attempt failed');
  }
}

/** The characters that a header may hold: those that HTTP sends as one byte each, except control characters. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]+$/;

const NO_BODY = Buffer.alloc(0);
const NEVER = new AbortController().signal;

/** Permission for one request that must not be repeated; returned by `authorize`. */
export interface Permit {
  readonly projectId: string;
  readonly secrets: Secrets;
  /** Sends the request once: without retries, and without another token if this one is refused. */
  sendOnce(question: OnceRequest): Promise<ServiceAnswer>;
}

export class ServiceClient {
  /** The keys and tokens to hide in texts, since the service may repeat what it was sent. */
  readonly secrets: Secrets;
  readonly #settings: ServiceSettings;
  readonly #effects: Effects;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;
  readonly #tokens: TokenKeeper;
  readonly #onToken: () => Promise<void>;
  readonly #paced: (
    question: ServiceRequest,
    token: string | undefined,
    signal: AbortSignal,
  ) => Promise<ServiceAnswer>;
  #requests = 0;
  #skewMs: number | undefined;

  /** @param onToken is called after each token that E1 issues and awaited before the token is used */
  constructor(
    settings: ServiceSettings,
    effects: Effects,
    signal: AbortSignal,
    version: string,
    onToken: () => Promise<void> = () => Promise.resolve(),
  ) {
    const { accessKey, secretKey } = settings.credentials.body();
    this.secrets = new Secrets(accessKey, secretKey);
    this.#settings = settings;
    this.#effects = effects;
    this.#signal = signal;
    this.#onToken = onToken;
    this.#transport = httpTransport(
      settings.concurrency,
      settings.requestTimeoutSeconds * 1000,
      `dawnload/${version}`,
    );
    this.#tokens = new TokenKeeper(
      () => this.#authenticate(),
      () => effects.now(),
    );
    const limit = pLimit(settings.concurrency);
    const throttle = pThrottle({ ...pace(settings.requestsPerSecond), strict: true });
    const throttled = throttle((question: ServiceRequest, token: string | undefined, stopped: AbortSignal) =>
      this.#exchange(question, token, stopped),
    );
    this.#paced = (question, token, stopped) => limit(() => throttled(question, token, stopped));
  }

  /** Number of requests sent so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Milliseconds that this machine's clock is behind the service's, by the latest answer with a `Date`. */
  get clockSkewMs(): number | undefined {
    return this.#skewMs;
  }

  get projectId(): string {
    return this.#settings.projectId;
  }

  /** Maximum number of repetitions of a request that is safe to repeat. */
  get retries(): number {
    return this.#settings.retries;
  }

  /**
   * Sends a request, with retries if they may help, and returns the answer with its verdict. Throws only for failures
   * that no caller can handle.
   *
   * @throws CredentialsError when the keys, the token or the project are refused
   * @throws InterruptedError when the run is being stopped, or the signal aborts
   */
  async ask(question: FreeRequest, signal = this.#signal): Promise<ServiceAnswer> {
    const answer = await this.#asked(question, signal);
    const { verdict } = answer;
    // A valid token of another project is rejected as unauthorized too; only the status distinguishes the two cases.
    const denied = verdict.kind === 'forbidden' || (verdict.kind === 'unauthorized' && answer.status === 403);
    if (verdict.kind === 'unauthorized' && !denied) throw refusedToken(verdict.reason);
    if (denied) {
      throw new CredentialsError(
        `The service denies access to project ${this.projectId} (${verdict.reason}).`,
        {
          hint: 'Check that project_id belongs to the access key.',
        },
      );
    }
    return answer;
  }

  /**
   * Ensures a token that stays valid for a while, so that the next request does not fail for lack of one. Returns the
   * permission to send one request with that token.
   *
   * @throws CredentialsError when E1 refuses the keys
   * @throws ServiceError when E1 gives no answer
   */
  async authorize(): Promise<Permit> {
    const token = await this.#tokens.token();
    return {
      projectId: this.projectId,
      secrets: this.secrets,
      sendOnce: async (question) => {
        // Once its intent is recorded, the request is never aborted, not even by Ctrl-C.
        const answer = await this.#paced(question, token, NEVER);
        if (answer.verdict.kind === 'unauthorized') this.#tokens.refuse(token);
        return answer;
      },
    };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends a request; if the token is refused, fetches one new token and sends it once more. */
  async #asked(question: FreeRequest, signal: AbortSignal): Promise<ServiceAnswer> {
    const token = await this.#tokens.token();
    const answer = await this.#persist(question, token, signal);
    if (answer.verdict.kind !== 'unauthorized') return answer;
    this.#tokens.refuse(token);
    return this.#persist(question, await this.#tokens.token(), signal);
  }

  async #persist(
    question: FreeRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ServiceAnswer> {
    try {
      return await pRetry(() => this.#attempt(question, token, signal), {
        retries: this.#settings.retries,
        minTimeout: 0,
        maxTimeout: 0,
        signal,
        shouldRetry: ({ error }) =>
          error instanceof Attempt && isWorthRetrying(error.answer.verdict, question.whole),
        onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
          if (!(error instanceof Attempt) || retriesLeft === 0) return;
          const { verdict } = error.answer;
          if (!isWorthRetrying(verdict, question.whole)) return;
          const asked = 'retryAfterMs' in verdict ? verdict.retryAfterMs : undefined;
          await this.#effects.sleep(pauseBefore(attemptNumber, this.#effects.random(), asked), signal);
        },
      });
    } catch (error) {
      if (error instanceof Attempt) return error.answer;
      throw error;
    }
  }

  async #attempt(
    question: FreeRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ServiceAnswer> {
    const answer = await this.#paced(question, token, signal);
    if (isWorthRetrying(answer.verdict, question.whole)) throw new Attempt(answer);
    return answer;
  }

  async #exchange(
    question: ServiceRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ServiceAnswer> {
    this.#requests++;
    const result = await this.#transport.exchange(
      {
        method: question.method,
        url: this.#settings.baseUrl + question.path,
        token,
        body: question.body,
        headers: question.headers,
        fresh: question.once,
      },
      signal,
    );
    if ('kind' in result) return { verdict: result, body: NO_BODY, status: undefined };
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
      authenticate(this.#settings.credentials.body()),
      undefined,
      this.#signal,
    );
    if (verdict.kind === 'ok') {
      const token = textOf(verdict.envelope, body, 'data')?.trim() ?? '';
      if (HEADER_TEXT.test(token)) {
        this.secrets.add(token);
        await this.#onToken();
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
    throw unanswered('E1 (authenticate)', this.#settings.baseUrl, verdict);
  }
}

/** Parses a `Date` header into milliseconds. Accepts only the HTTP form, since Date.parse accepts nearly anything. */
function instantOf(date: string | undefined): number | undefined {
  if (date === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date))
    return undefined;
  const instant = Date.parse(date);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Returns the error for a request without a usable answer. */
export function unanswered(
  what: string,
  baseUrl: string,
  verdict: Exclude<AnswerClass, { kind: 'ok' }>,
): ServiceError {
  const host = new URL(baseUrl).host;
  if (verdict.kind === 'unreachable' && !verdict.sent) {
    return unreachable(baseUrl, verdict.reason, verdict.cause);
  }
  if (verdict.kind === 'redirected') {
    return new ServiceError(
      `The service at ${host} redirects ${what} (${verdict.reason}), and redirects are not followed.`,
      {
        hint: 'Set base_url to the address that answers without a redirect.',
      },
    );
  }
  // A server that rejects E1 this way is not the messaging service; an HTML page comes from a proxy or another server.
  const foreign = verdict.kind === 'refused' || /HTML page|not complete JSON/.test(verdict.reason);
  return new ServiceError(`The service at ${host} gave no usable answer to ${what} (${verdict.reason}).`, {
    ...(foreign ? { hint: 'If this goes on, check base_url: it does not look like the service.' } : {}),
    ofRun: 'Nothing is lost; the next run asks again.',
    ...(verdict.kind === 'unreachable' ? { cause: verdict.cause } : {}),
  });
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

class TokenKeeper {
  readonly #fetch: () => Promise<string>;
  readonly #now: () => Date;
  #token: { value: string; until: number } | undefined;
  #pending: Promise<string> | undefined;

  /** @param fetch requests a token from E1 */
  constructor(fetch: () => Promise<string>, now: () => Date) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Returns the token to use now. Concurrent callers cause only one request. */
  async token(): Promise<string> {
    const now = this.#now().getTime();
    // A clock that was set back would make the token look younger than it is; it is valid for one hour at most.
    if (
      this.#token !== undefined &&
      now < this.#token.until &&
      this.#token.until - now <= TOKEN_LIFETIME_MS
    ) {
      return this.#token.value;
    }
    this.#pending ??= this.#renew();
    return this.#pending;
  }

  /** Forgets a token that the service refused; a token that was issued in the meantime stays. */
  refuse(token: string): void {
    if (this.#token?.value === token) this.#token = undefined;
  }

  async #renew(): Promise<string> {
    try {
      const value = await this.#fetch();
      this.#token = { value, until: this.#now().getTime() + TOKEN_LIFETIME_MS - MARGIN_MS };
      return value;
    } finally {
      this.#pending = undefined;
    }
  }
}

/** Returns the error for a newly issued token that is refused too. */
function refusedToken(reason: string): CredentialsError {
  return new CredentialsError(`The service refuses a token that it has just issued (${reason}).`, {
    hint: 'Check that project_id belongs to the access key, and that this machine’s clock is right (`dawnload doctor`).',
  });
}

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

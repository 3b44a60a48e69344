/**
 * The client of the service: takes a request, returns an answer and its meaning. Tokens, the pace, concurrency and retries
 * are handled here and nowhere else.
 */
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import type { Effects } from '../effects.js';
import { CredentialsError, ServiceError } from '../errors.js';
import { Secrets } from '../redaction.js';
import { judge, textOf, type AnswerClass } from './answer.js';
import { authenticate, type FreeRequest, type PaidRequest, type ServiceRequest } from './endpoints.js';
import { isWorthRetrying, pauseBefore } from './retry.js';
import { httpTransport, type Transport, unreachable } from './transport.js';

export interface ServiceSettings {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly credentials: { body(): { accessKey: string; secretKey: string } };
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  readonly requestTimeoutSeconds: number;
  /** How often a request that is safe to repeat is sent again. */
  readonly retries: number;
}

/** A verdict together with the bytes that it was read from, where there were any. */
export interface ServiceAnswer {
  readonly verdict: AnswerClass;
  readonly body: Buffer;
  readonly status: number | undefined;
  /** The header `Link`, which E2 sends. */
  readonly link?: string | undefined;
}

/** A failed attempt, for p-retry to count. */
class Attempt extends Error {
  constructor(readonly answer: ServiceAnswer) {
    super('attempt failed');
  }
}

/** The text that a header may hold: letters that HTTP sends as one byte each, and no control character. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]+$/;

const NO_BODY = Buffer.alloc(0);
const NEVER = new AbortController().signal;

/** Permission for one billed request, from `authorize`. */
export interface Permit {
  readonly projectId: string;
  readonly secrets: Secrets;
  /** Sends the request as it is: no retry, and no other token when this one is refused. */
  sendOnce(question: PaidRequest): Promise<ServiceAnswer>;
}

export class ServiceClient {
  /** The keys and tokens to hide: the service may repeat in a text what it was sent. */
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

  /** @param onToken is awaited after each token that E1 gives, before it is used */
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

  /** How many requests have been sent. */
  get requests(): number {
    return this.#requests;
  }

  /** How far this machine's clock is behind the service's, in milliseconds, by the latest answer with a `Date`. */
  get clockSkewMs(): number | undefined {
    return this.#skewMs;
  }

  get projectId(): string {
    return this.#settings.projectId;
  }

  /**
   * Sends a request, with retries where they may help. The caller reads the verdict; only what no caller can handle is
   * thrown.
   *
   * @throws CredentialsError when the keys, the token or the project are refused
   * @throws InterruptedError when the run is being stopped, or the signal aborts
   */
  async ask(question: FreeRequest, signal = this.#signal): Promise<ServiceAnswer> {
    const answer = await this.#asked(question, signal);
    const { verdict } = answer;
    // A token that was accepted for another project is called unauthorized, too; only its status tells.
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
   * Makes sure that there is a token that stays valid for a while, so that the next request does not fail without one, and
   * permits to send a request with that token.
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
        // Once its intent is on record, the request that is billed runs to its own end, whoever presses Ctrl-C.
        const answer = await this.#paced(question, token, NEVER);
        if (answer.verdict.kind === 'unauthorized') this.#tokens.refuse(token);
        return answer;
      },
    };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Fetches one new token after a refused one, not a second. */
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
        fresh: question.billed,
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
      link: result.link,
    };
  }

  /** E1. */
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

/** The instant of a `Date` header, in milliseconds; only in the form that HTTP prescribes, since Date.parse accepts nearly anything. */
function instantOf(date: string | undefined): number | undefined {
  if (date === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date))
    return undefined;
  const instant = Date.parse(date);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The error for a request without a usable answer. */
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
  // A server that rejects E1 this way is not the messaging service; a page of HTML comes from a proxy or from another server.
  const foreign = verdict.kind === 'refused' || /HTML page|not complete JSON/.test(verdict.reason);
  const doubt = foreign ? 'If this goes on, check base_url: it does not look like the service. ' : '';
  return new ServiceError(`The service at ${host} gave no usable answer to ${what} (${verdict.reason}).`, {
    hint: `${doubt}Nothing is lost; the next run asks again.`,
    ...(verdict.kind === 'unreachable' ? { cause: verdict.cause } : {}),
  });
}

/** The pace as p-throttle wants it: so many calls in an interval, spread over parts of a second when there are many. */
function pace(requestsPerSecond: number): { limit: number; interval: number } {
  if (requestsPerSecond < 1) return { limit: 1, interval: 1000 / requestsPerSecond };
  return {
    limit: Math.floor(requestsPerSecond),
    interval: (1000 * Math.floor(requestsPerSecond)) / requestsPerSecond,
  };
}

/** A token is valid for an hour. */
const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** How long before its end a token is no longer used: a request that leaves with it must also arrive with it. */
const MARGIN_MS = 5 * 60 * 1000;

class TokenKeeper {
  readonly #fetch: () => Promise<string>;
  readonly #now: () => Date;
  #token: { value: string; until: number } | undefined;
  #pending: Promise<string> | undefined;

  /** @param fetch E1 */
  constructor(fetch: () => Promise<string>, now: () => Date) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** The token to use now. Many callers at the same time cause one request. */
  async token(): Promise<string> {
    const now = this.#now().getTime();
    // A clock that jumped back would make the token look younger than it is; one hour is the most it can have left.
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

  /** Forgets a token that the service refused; another one that came in the meantime stays. */
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

/** The error for a newly issued token that is refused too. */
function refusedToken(reason: string): CredentialsError {
  return new CredentialsError(`The service refuses a token that it has just issued (${reason}).`, {
    hint: 'Check that project_id belongs to the access key, and that this machine’s clock is right (`dawnload doctor`).',
  });
}

/**
 * The results of all, when every one has ended.
 *
 * @throws the first rejection, after the others have ended: a page that is being written is written to its end
 */
export async function settleAll<T>(promises: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

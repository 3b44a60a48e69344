/** The bearer token: one for all requests, fetched once, refreshed before its hour ends (specification, Authentication). */
import { CredentialsError } from '../errors.js';

/** A token is valid for an hour. */
export const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** How long before its end a token is no longer used: a request that leaves with it must also arrive with it. */
const MARGIN_MS = 5 * 60 * 1000;

export class TokenKeeper {
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
export function refusedToken(reason: string): CredentialsError {
  return new CredentialsError(`The service refuses a token that it has just issued (${reason}).`, {
    hint: 'Check that project_id belongs to the access key, and that this machine’s clock is right (`dawnload doctor`).',
  });
}

/**
 * Access control. Browsers need the token or the password. The Host header must name this server (against DNS rebinding), and forms must
 * come from its own pages (against CSRF).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** True for addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean => /^(127(\.\d+){3}|localhost|::1)$/.test(host);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export class Guard {
  /** The value of the cookie that gives access; different after each start. */
  readonly #session = randomBytes(32).toString('base64url');
  readonly #secret: Buffer;
  #wrongUntil = 0;

  constructor(
    private readonly host: string,
    secret: string,
    readonly isPassword: boolean,
    private readonly now: () => number,
  ) {
    this.#secret = digest(secret);
  }

  /** True if the Host header names this server. A server on all addresses accepts any IP address, and the machine's name. */
  isOwnHost(header: string | undefined): boolean {
    const name = header
      ?.replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase();
    if (name === undefined || name === '') return false;
    if (isLoopback(name) || name === this.host.toLowerCase()) return true;
    return /^(0\.0\.0\.0|::)$/.test(this.host) && (isIP(name) !== 0 || name === hostname().toLowerCase());
  }

  /** True if a form comes from a page of this server. Behind a proxy, only the browser's own header shows that. */
  isOwnForm(headers: Headers): boolean {
    const site = headers.get('sec-fetch-site');
    if (site !== null) return site === 'same-origin';
    return headers.get('origin') === `http://${headers.get('host') ?? ''}`;
  }

  /** The cookie's name includes the port, because browsers share cookies between the ports of a host. */
  #cookieName(headers: Headers): string {
    return `dawnload-${/:(\d+)$/.exec(headers.get('host') ?? '')?.[1] ?? '80'}`;
  }

  isKnown(headers: Headers): boolean {
    const name = this.#cookieName(headers);
    const cookies = headers.get('cookie')?.split(/; */) ?? [];
    return cookies.some(
      (cookie) =>
        cookie.startsWith(`${name}=`) && same(digest(cookie.slice(name.length + 1)), digest(this.#session)),
    );
  }

  /** Returns the cookie for a correct token; undefined for a wrong one. Each wrong token costs a second, to slow down guessing. */
  cookieFor(token: string, headers: Headers): string | undefined {
    if (this.isPassword && this.now() < this.#wrongUntil) return undefined;
    if (same(digest(token), this.#secret))
      return `${this.#cookieName(headers)}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
    this.#wrongUntil = this.now() + 1000;
    return undefined;
  }
}

const same = (a: Buffer, b: Buffer): boolean => timingSafeEqual(a, b);

/** The headers of every answer: it may use only files of this server, and no other site may embed or read it. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Without a referrer, a form would have no origin.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
};

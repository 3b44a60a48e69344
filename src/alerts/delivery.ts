/** Sends alerts and pings. Answers are not read, and redirects are not followed: only whether it was taken counts. */
import { request } from 'undici';
import { messageOf } from '../errors.js';

/** All alerts of a run together must not hold it up for longer, in milliseconds. */
export const DELIVERY_MS = 10_000;

/** Sends one body; returns why it was not taken, without the address, which may be a secret. */
export async function post(url: string, body: string, signal: AbortSignal): Promise<string | undefined> {
  return send(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }, signal);
}

/** Tells a health check; returns why it was not taken. */
export async function ping(url: string, signal: AbortSignal): Promise<string | undefined> {
  return send(url, { method: 'GET' }, signal);
}

/** `https://host/id` and `/fail` are `https://host/id/fail`, before a query. */
export function pathUnder(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return address.href;
}

async function send(
  url: string,
  options: { method: 'GET' | 'POST'; body?: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { ...options, signal });
    // Whatever it says is not read; that it is broken off is no error.
    body.on('error', () => undefined).destroy();
    return statusCode >= 200 && statusCode < 300 ? undefined : `HTTP ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `no answer within ${DELIVERY_MS / 1000} seconds`;
    return messageOf(error).replaceAll(url, 'its address');
  }
}

/** Decides whether to send a request again, and after which pause. Pure: retrying is decided only here. */
import type { AnswerClass } from './answer.js';

interface Backoff {
  /** The first pause in milliseconds. */
  readonly firstMs: number;
  /** The longest pause in milliseconds. */
  readonly longestMs: number;
}

export const BACKOFF: Backoff = { firstMs: 500, longestMs: 30_000 };

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
export function pauseBefore(
  attempt: number,
  random: number,
  retryAfterMs: number | undefined,
  { firstMs, longestMs }: Backoff = BACKOFF,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs ?? 0, full / 2 + (full / 2) * random);
}

/** When to ask again, and after how long. Pure: the one place where retrying is decided. */
import type { AnswerClass } from './answer.js';

interface Backoff {
  /** The first pause, milliseconds. */
  readonly firstMs: number;
  /** No pause is longer, milliseconds. */
  readonly longestMs: number;
}

export const BACKOFF: Backoff = { firstMs: 500, longestMs: 30_000 };

/** A longer `Retry-After` than this, in milliseconds, is left for the next run. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Whether a retry may help, for a request that is safe to repeat. Never asked for E20.
 *
 * @param isWhole whether the request cannot be made smaller: then a `Timeout` is asked again as it is (E1)
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
 * The pause before the next attempt, in milliseconds: doubling, with full jitter on its upper half, and never shorter
 * than what the service asked for.
 *
 * @param attempt how many attempts have failed, from 1
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

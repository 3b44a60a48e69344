import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BACKOFF, isWorthRetrying, pauseBefore } from '../../src/service/client.js';

describe('retrying', () => {
  test('pauses double, within their jitter and up to the longest one', () => {
    expect([1, 2, 3, 4].map((attempt) => pauseBefore(attempt, 0, undefined))).toEqual([250, 500, 1000, 2000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const pause = pauseBefore(attempt, random, undefined);
          expect(pause).toBeGreaterThanOrEqual(BACKOFF.firstMs / 2);
          expect(pause).toBeLessThanOrEqual(BACKOFF.longestMs);
        },
      ),
    );
  });

  test('the service is not asked sooner than it wished', () => {
    expect(pauseBefore(1, 0, 9_000)).toBe(9_000);
  });

  test('a timeout is asked again where nothing can be made smaller', () => {
    const verdict = { kind: 'timeout', reason: '' } as const;
    expect(isWorthRetrying(verdict)).toBe(false);
    expect(isWorthRetrying(verdict, true)).toBe(true);
  });

  test('what would be refused again is not asked again', () => {
    const reason = '';
    expect(isWorthRetrying({ kind: 'broken', reason, retryAfterMs: undefined })).toBe(true);
    expect(isWorthRetrying({ kind: 'busy', reason, retryAfterMs: 1000 })).toBe(true);
    expect(isWorthRetrying({ kind: 'busy', reason, retryAfterMs: 3_600_000 })).toBe(false);
    expect(
      isWorthRetrying({
        kind: 'unreachable',
        reason,
        sent: true,
        cause: undefined,
        received: Buffer.alloc(0),
      }),
    ).toBe(true);
    for (const kind of [
      'refused',
      'unauthorized',
      'forbidden',
      'timeout',
      'redirected',
      'oversized',
    ] as const) {
      expect(isWorthRetrying({ kind, reason }), kind).toBe(false);
    }
  });
});

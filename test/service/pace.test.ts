/** The pace, as a service counts it that sees only arrivals. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { paced } from '../../src/service/client.js';

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const SIGNAL = new AbortController().signal;

/** The most arrivals in any second. */
function most(arrivals: readonly number[]): number {
  const sorted = [...arrivals].sort((a, b) => a - b);
  return Math.max(...sorted.map((end, nth) => nth + 1 - sorted.findIndex((one) => one > end - 1000)));
}

test('no second has more arrivals than the pace allows, however long requests and answers travel', async () => {
  const travel = fc.tuple(fc.nat(2_000), fc.nat(500));
  const property = fc.asyncProperty(
    fc.constantFrom(1, 5, 50),
    fc.array(travel, { minLength: 1, maxLength: 200 }),
    async (rate, travels) => {
      vi.useFakeTimers();
      const inPace = paced(rate);
      const arrivals: number[] = [];
      const all = travels.map(([there, back]) =>
        inPace(async () => {
          await later(there);
          arrivals.push(Date.now());
          await later(back);
        }, SIGNAL),
      );
      await vi.runAllTimersAsync();
      await Promise.all(all);
      expect(arrivals).toHaveLength(travels.length);
      expect(most(arrivals)).toBeLessThanOrEqual(rate);
    },
  );
  await fc.assert(property, { numRuns: 40 }).finally(() => vi.useRealTimers());
});

test('a slow pace waits, answers come at once, and what was stopped holds nobody up', async () => {
  vi.useFakeTimers();
  const inPace = paced(0.5);
  const began = Date.now();
  const times: number[] = [];
  const ask = (signal = SIGNAL): Promise<void> =>
    inPace(() => Promise.resolve(void times.push(Date.now() - began)), signal);
  await ask();
  const stopped = Array.from({ length: 99 }, () => ask(AbortSignal.abort()));
  const last = ask();
  await vi.runAllTimersAsync();
  await Promise.all([...stopped, last]);
  vi.useRealTimers();
  expect(times[0]).toBe(0);
  expect(new Set(times.slice(1))).toEqual(new Set([2_000]));
  await expect(inPace(() => Promise.reject(new Error('refused')), SIGNAL)).rejects.toThrow('refused');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RATIO, estimateRecords, learnRatio, spendOf } from '../../src/exports/budget.js';
import { entry } from './entries.js';

describe('the records that a message leaves', () => {
  it('are guessed as long as nothing was landed', () => {
    expect(learnRatio([])).toBe(DEFAULT_RATIO);
    expect(learnRatio([{ records: 10, messages: 0 }])).toBe(DEFAULT_RATIO);
  });

  it('are learnt over all days together, so that an odd small day weighs little', () => {
    expect(
      learnRatio([
        { records: 2_000, messages: 1_000 },
        { records: 50, messages: 1 },
      ]),
    ).toBeCloseTo(2.048, 3);
  });

  it('are never less than one', () => {
    expect(learnRatio([{ records: 0, messages: 1_000 }])).toBe(1);
  });

  it('make an estimate that is a whole number, and never below the messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ records: fc.nat(9_999), messages: fc.nat(9_999) })),
        fc.nat(1_000_000),
        (samples, messages) => {
          const estimate = estimateRecords(messages, learnRatio(samples));
          expect(Number.isInteger(estimate)).toBe(true);
          expect(estimate).toBeGreaterThanOrEqual(messages);
        },
      ),
    );
  });
});

describe('the spend report', () => {
  it('adds up per month in Korea what is billed or may be, and says how much of it is estimated', () => {
    const november = new Date('2026-11-20T22:05:00Z');
    const december = new Date('2026-11-30T15:00:00Z');
    const entries = [
      entry({ intendedAt: december, records: 7, estimate: 9, state: 'loaded', pricePerRecord: 2 }),
      entry({ intendedAt: november, records: 80, estimate: 100, state: 'loaded', pricePerRecord: 0.5 }),
      entry({ intendedAt: november, estimate: 20, state: 'ambiguous', billed: 'maybe', pricePerRecord: 0.5 }),
      entry({ intendedAt: november, estimate: undefined, state: 'requested' }),
      entry({ intendedAt: november, estimate: 1_000, state: 'failed', billed: 'no' }),
    ];
    expect(spendOf(entries)).toEqual([
      { month: '2026-11', exports: 3, records: 100, estimatedRecords: 20, unknown: 1, price: 50 },
      { month: '2026-12', exports: 1, records: 7, estimatedRecords: 0, unknown: 0, price: 14 },
    ]);
  });
});

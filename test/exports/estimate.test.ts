import { describe, expect, it } from 'vitest';
import { estimateDays, isQuiet } from '../../src/exports/budget.js';
import type { MessageTotals } from '../../src/warehouse/rows.js';
import { entry } from './entries.js';

const totals = (given: Partial<MessageTotals> = {}): MessageTotals => ({
  rows: 1,
  sent: 100,
  failed: 0,
  delivered: 80,
  click: 5,
  nights: 1,
  ...given,
});

function estimateOf(
  day: MessageTotals | undefined,
  landed: { records: number; totals: MessageTotals }[] = [],
): { estimate: number | undefined; learned: boolean } {
  const messages = new Map(landed.map(({ totals }, i) => [`2026-11-1${i}`, totals]));
  if (day !== undefined) messages.set('2026-11-20', day);
  const entries = landed.map(({ records }, i) => entry({ day: `2026-11-1${i}`, state: 'loaded', records }));
  const { candidates, learned } = estimateDays(entries, messages, ['2026-11-20']);
  return { estimate: candidates[0]?.estimate, learned };
}

describe('the estimate of an export', () => {
  it('is every counted thing until an export has landed', () => {
    expect(estimateOf(totals())).toEqual({ estimate: 185, learned: false });
  });

  it('is learned from what landed, and never below deliveries and clicks', () => {
    const landed = [{ records: 5_000, totals: totals({ sent: 1_000 }) }];
    expect(estimateOf(totals(), landed)).toEqual({ estimate: 500, learned: true });
    expect(estimateOf(totals({ sent: 0, delivered: 7, click: 3 }), landed)).toEqual({
      estimate: 10,
      learned: true,
    });
  });

  it.each<[string, MessageTotals | undefined]>([
    ['daily statistics', undefined],
    ['rows of daily statistics', totals({ rows: 0, sent: 0, delivered: 0, click: 0 })],
  ])('does not exist without %s', (_, day) => {
    expect(estimateOf(day).estimate).toBeUndefined();
    expect(estimateOf(day, [{ records: 5, totals: totals() }]).estimate).toBeUndefined();
  });

  it('is not learned from an export without records, nor from a day without messages', () => {
    expect(estimateOf(totals(), [{ records: 0, totals: totals() }]).learned).toBe(false);
    expect(estimateOf(totals(), [{ records: 9, totals: totals({ sent: 0 }) }]).learned).toBe(false);
  });
});

it.each<[number, number, boolean]>([
  [0, 0, false],
  [0, 1, false],
  [0, 2, true],
  [1, 7, false],
])('a day with %i rows, asked for on %i nights, is quiet: %s', (rows, nights, quiet) => {
  expect(isQuiet(totals({ rows, nights }))).toBe(quiet);
});

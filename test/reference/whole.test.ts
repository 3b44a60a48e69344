/** Whether a reading of a list counts as a snapshot. */
import { describe, expect, test } from 'vitest';
import { judgeReading, type ReadList } from '../../src/reference/whole.js';

const list = (given: Partial<ReadList>): ReadList => ({
  rows: 10,
  repeated: 0,
  announced: 10,
  moved: false,
  ...given,
});
const FIRST = { lastNight: undefined, accepted: false };
const kindOf = (
  given: Partial<ReadList>,
  before?: Partial<ReadList>,
  rest: Parameters<typeof judgeReading>[2] = FIRST,
): string => judgeReading(list(given), before && list(before), rest).kind;

describe('a reading', () => {
  test('counts when it has as many rows as are announced, or when no number is announced', () => {
    expect(kindOf({})).toBe('whole');
    expect(kindOf({ announced: null, rows: 3 })).toBe('whole');
    expect(kindOf({ announced: 0, rows: 0 })).toBe('whole');
  });

  test('is read again when a row stood on two pages, or when the number changed, even for a person who accepts', () => {
    const accepted = { lastNight: undefined, accepted: true };
    expect(kindOf({ repeated: 1 }, { repeated: 1 }, accepted)).toBe('again');
    expect(kindOf({ moved: true }, { moved: true }, accepted)).toBe('again');
  });

  test('with more rows than announced counts the second time, and the difference is reported', () => {
    expect(kindOf({ rows: 11 })).toBe('again');
    expect(kindOf({ rows: 11 }, { rows: 11 })).toBe('differs');
    expect(kindOf({ rows: 11 }, { rows: 12 })).toBe('again');
  });

  test('with fewer rows than announced takes two nights that lack as many, or a person', () => {
    expect(judgeReading(list({ rows: 8 }), list({ rows: 8 }), FIRST)).toMatchObject({
      kind: 'again',
      shortage: { rows: 8, announced: 10 },
    });
    const lastNight = { rows: 7, announced: 9 };
    expect(kindOf({ rows: 8 }, { rows: 8 }, { lastNight, accepted: false })).toBe('differs');
    expect(kindOf({ rows: 7 }, { rows: 7 }, { lastNight, accepted: false })).toBe('again');
    expect(kindOf({ rows: 8 }, undefined, { lastNight: undefined, accepted: true })).toBe('differs');
  });
});

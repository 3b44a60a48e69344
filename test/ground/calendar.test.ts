import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  completeFrom,
  dayCount,
  dayOf,
  daysOf,
  halvesOf,
  isDay,
  lastCompleteDay,
  rangesOf,
  shiftDay,
  windowOf,
} from '../../src/ground/calendar.js';

const anyInstant = fc.date({
  min: new Date('2015-01-01T00:00:00Z'),
  max: new Date('2035-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const anyDay = anyInstant.map((instant) => instant.toISOString().slice(0, 10));

describe('KST days', () => {
  test('a day runs from 15:00Z of the day before to 15:00Z', () => {
    const { start, end } = windowOf('2026-11-20');
    expect(start.toISOString()).toBe('2026-11-19T15:00:00.000Z');
    expect(end.toISOString()).toBe('2026-11-20T15:00:00.000Z');
  });

  test('yesterday is complete from 07:00 KST on, and not a millisecond before', () => {
    expect(lastCompleteDay(new Date('2026-11-20T21:59:59.999Z'))).toBe('2026-11-19');
    expect(lastCompleteDay(new Date('2026-11-20T22:00:00.000Z'))).toBe('2026-11-20');
  });

  test('a day that does not exist is not a day', () => {
    for (const text of ['2026-02-29', '2026-13-01', '2026-1-1', '20261101', '2026-11-31', '', 'yesterday']) {
      expect(isDay(text), text).toBe(false);
    }
    expect(isDay('2028-02-29')).toBe(true);
  });

  test('every instant lies in the window of its own day and of no other', () => {
    fc.assert(
      fc.property(anyInstant, (instant) => {
        const { start, end } = windowOf(dayOf(instant));
        expect(start <= instant && instant < end).toBe(true);
        expect(end.getTime() - start.getTime()).toBe(86_400_000);
      }),
    );
  });

  test('the last complete day is complete, and the one after it is not', () => {
    fc.assert(
      fc.property(anyInstant, (now) => {
        const last = lastCompleteDay(now);
        expect(completeFrom(last) <= now).toBe(true);
        expect(completeFrom(shiftDay(last, 1)) > now).toBe(true);
      }),
    );
  });

  test('ranges hold exactly the days they were made of, and none is longer than allowed', () => {
    fc.assert(
      fc.property(fc.array(anyDay, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (days, longest) => {
        const ranges = rangesOf(days, longest);
        expect(ranges.flatMap(daysOf)).toEqual([...new Set(days)].sort());
        for (const range of ranges) expect(dayCount(range)).toBeLessThanOrEqual(longest);
      }),
    );
  });

  test('the halves of a range are the range, and both have days', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 2, max: 400 }), (start, length) => {
        const range = { start, end: shiftDay(start, length - 1) };
        const halves = halvesOf(range);
        expect(halves.flatMap(daysOf)).toEqual(daysOf(range));
        for (const half of halves) expect(dayCount(half)).toBeGreaterThan(0);
      }),
    );
  });
});

/** Which days a refresh computes again, and in which batches: no database is needed to tell. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayBatches, dirtyDays, sparedDays, type Changes, type Refresh } from '../../src/warehouse/model.js';

const NOTHING: Changes = { touched: [], opt_outs_told: [], covered: [], removed: [], strays: [] };
const DAILY: Refresh = {
  streams: ['events'],
  lookback: 0,
  allLater: false,
  partition: 'day',
  full: false,
  keepsRows: true,
};
/** A Monday, as the calendar of 2026 has it, in days since 1970. */
const MONDAY = Date.parse('2026-11-16') / 86_400_000;

function touched(...days: number[]): Changes {
  return {
    ...NOTHING,
    touched: days.map((day) => ({ stream: 'events', day })),
    covered: Array.from({ length: 30 }, (_, step) => ({ day: MONDAY + step, records: 10 })),
  };
}

function dirty(refresh: Partial<Refresh>, changes: Changes, stored: number[] = []): number[] {
  return dirtyDays({ ...DAILY, ...refresh }, changes, stored);
}

describe('dirty days', () => {
  test('are those that loads of the streams changed, in order and once each', () => {
    const changes = touched(MONDAY + 2, MONDAY, MONDAY + 2);
    expect(dirty({}, changes)).toEqual([MONDAY, MONDAY + 2]);
    expect(dirty({ streams: ['statistics'] }, changes)).toEqual([]);
  });

  test('are also the days that look back at them, up to the last day that is covered', () => {
    expect(dirty({ lookback: 2 }, touched(MONDAY))).toEqual([MONDAY, MONDAY + 1, MONDAY + 2]);
    expect(dirty({ lookback: 7 }, touched(MONDAY + 28))).toEqual([MONDAY + 28, MONDAY + 29]);
    expect(dirty({ lookback: 7 }, touched(MONDAY + 40))).toEqual([MONDAY + 40]);
  });

  test('are all later ones with events where a person is followed, and no earlier one', () => {
    const events = [MONDAY - 1, MONDAY, MONDAY + 3, 2_932_896];
    expect(dirty({ allLater: true }, touched(MONDAY), events)).toEqual([MONDAY, MONDAY + 3, 2_932_896]);
  });

  test('include the days of opt-outs that a snapshot tells of, for what depends on opt-outs', () => {
    const changes = { ...touched(MONDAY), opt_outs_told: [MONDAY - 3] };
    expect(dirty({ streams: ['events', 'opt_outs'] }, changes)).toEqual([MONDAY - 3, MONDAY]);
    expect(dirty({}, changes)).toEqual([MONDAY]);
  });

  test('come by whole weeks from Monday where rows are replaced by the week, also before 1970', () => {
    const week = (monday: number): number[] => Array.from({ length: 7 }, (_, step) => monday + step);
    expect(dirty({ partition: 'week' }, touched(MONDAY + 6))).toEqual(week(MONDAY));
    // 1969-12-31 was a Wednesday.
    expect(dirty({ partition: 'week' }, touched(-1))).toEqual(week(-3));
  });

  test('are also days without events that look back at a later day, which an earlier one changes', () => {
    const refresh = { allLater: true, lookback: 2 };
    expect(dirty(refresh, touched(MONDAY), [MONDAY, MONDAY + 5])).toEqual(
      [0, 1, 2, 5, 6, 7].map((step) => MONDAY + step),
    );
  });

  test('are every day that any row is about in a full refresh', () => {
    expect(dirty({ full: true }, NOTHING, [5, 3, 2_932_896])).toEqual([3, 5, 2_932_896]);
  });
});

describe('days whose events are removed', () => {
  const changes: Changes = { ...touched(MONDAY + 1, MONDAY + 2), removed: [MONDAY] };

  test('stay, and so do days that look back at them, unless their own events changed', () => {
    const refresh = { ...DAILY, lookback: 3 };
    expect(sparedDays(refresh, changes)).toEqual([MONDAY, MONDAY + 3]);
    expect(dirtyDays(refresh, changes, [])).toEqual([MONDAY + 1, MONDAY + 2, MONDAY + 4, MONDAY + 5]);
  });

  test('stay in a full refresh with the days near them that their records may count on', () => {
    const strays = { ...NOTHING, removed: [MONDAY], strays: [MONDAY] };
    const spared = sparedDays({ ...DAILY, full: true }, strays);
    expect([spared[0], spared.at(-1), spared.length]).toEqual([MONDAY - 31, MONDAY + 31, 63]);
    expect(sparedDays({ ...DAILY, full: true, keepsRows: false }, strays)).toEqual([MONDAY]);
  });

  test('are looked at where nothing is computed of events alone', () => {
    expect(sparedDays({ ...DAILY, streams: ['statistics'] }, changes)).toEqual([]);
  });
});

test('batches hold each day once, in order, never divide a week, and stay within a month and a million records', () => {
  const days = fc.uniqueArray(fc.integer({ min: -400, max: 400 }), { maxLength: 200 });
  const records = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 801, maxLength: 801 });
  fc.assert(
    fc.property(days, records, fc.constantFrom('day' as const, 'week' as const), (some, sizes, unit) => {
      const sorted = some.toSorted((a, b) => a - b);
      const covered = sizes.map((size, at) => ({ day: at - 400, records: size }));
      const batches = dayBatches(sorted, unit, { ...NOTHING, covered });
      expect(batches.flat()).toEqual(sorted);
      const unitOf = (day: number): number => (unit === 'week' ? Math.floor((day + 3) / 7) : day);
      const units = batches.map((batch) => new Set(batch.map(unitOf)));
      expect(new Set(sorted.map(unitOf)).size).toBe(units.reduce((sum, { size }) => sum + size, 0));
      for (const [at, batch] of batches.entries()) {
        const held = batch.reduce((sum, day) => sum + (sizes[day + 400] ?? 0), 0);
        expect(units[at]?.size === 1 || (batch.length <= 31 && held <= 1_000_000)).toBe(true);
      }
    }),
  );
});

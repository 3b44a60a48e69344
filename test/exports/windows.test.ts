import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysOf, shiftDay, windowOf, type Window } from '../../src/calendar.js';
import {
  coveredDays,
  daysTouched,
  missingDays,
  overlap,
  EXPORT_STATES,
  blocksRuns,
  type ExportState,
} from '../../src/exports/export.js';
import { entry } from './entries.js';

const FIRST = windowOf('2026-11-01').start.getTime();
const window: fc.Arbitrary<Window> = fc
  .tuple(fc.integer({ min: -48, max: 24 * 20 }), fc.integer({ min: 1, max: 72 }))
  .map(([from, hours]) => ({
    start: new Date(FIRST + from * 3_600_000),
    end: new Date(FIRST + (from + hours) * 3_600_000),
  }));
const state = fc.constantFrom<ExportState>(...EXPORT_STATES);
const range = fc
  .tuple(fc.nat(15), fc.integer({ min: -1, max: 8 }))
  .map(([from, more]) => ({ start: shiftDay('2026-11-01', from), end: shiftDay('2026-11-01', from + more) }));

describe('coverage', () => {
  it('counts a KST day from 15:00Z to 15:00Z, the end excluded', () => {
    const paid = entry({ state: 'loaded', window: windowOf('2026-11-20') });
    expect(coveredDays([paid])).toEqual(['2026-11-20']);
    expect(missingDays({ start: '2026-11-19', end: '2026-11-21' }, [paid])).toEqual([
      '2026-11-19',
      '2026-11-21',
    ]);
  });

  it('leaves out a day that is covered by an hour only', () => {
    const hour = { start: new Date('2026-11-20T14:00:00Z'), end: new Date('2026-11-20T15:00:00Z') };
    const paid = entry({ state: 'requested', window: hour });
    expect(missingDays({ start: '2026-11-19', end: '2026-11-21' }, [paid])).toEqual([
      '2026-11-19',
      '2026-11-21',
    ]);
  });

  it('finds nothing missing in a range that ends before it starts', () => {
    expect(missingDays({ start: '2026-11-20', end: '2026-11-19' }, [])).toEqual([]);
  });

  it('splits every range into covered and missing days, and no missing day touches a window that blocks', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(window, state), { maxLength: 8 }), range, (windows, days) => {
        const entries = windows.map(([w, s]) => entry({ window: w, state: s }));
        const missing = missingDays(days, entries);
        const covered = new Set(coveredDays(entries));
        expect(missing).toEqual(daysOf(days).filter((day) => !covered.has(day)));
        for (const day of missing) {
          for (const one of entries.filter((e) => blocksRuns(e.state))) {
            expect(overlap(windowOf(day), one.window)).toBe(false);
          }
        }
      }),
    );
  });

  it('knows the days that a window touches: exactly those whose own window it overlaps', () => {
    fc.assert(
      fc.property(window, (w) => {
        const around = daysOf({ start: '2026-10-25', end: '2026-12-05' });
        expect(daysTouched(w)).toEqual(around.filter((day) => overlap(windowOf(day), w)));
      }),
    );
  });
});

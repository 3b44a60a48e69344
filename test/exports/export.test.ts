/** The states of a paid export, and the days that a run may request. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysOf, shiftDay } from '../../src/ground/calendar.js';
import {
  billedAfter,
  blocksPayingAgain,
  blocksRuns,
  STATES,
  isResumable,
  missingDays,
  MOVES,
  type Billed,
  type ExportState,
} from '../../src/exports/export.js';
import { entry } from './entries.js';

type Moves = (typeof MOVES)[ExportState];

/** What may still happen to an export that is with the service. */
const waiting = (state: ExportState): Moves => ({
  ready: 'ready',
  troubled: state,
  doubted: state,
  attached: 'requested',
  abandoned: 'abandoned',
});

/** A person may find out of what was not made that it was. */
const notMade: Moves = { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' };

/** Every move there is: what is not here must be refused. */
const EXPECTED: Record<ExportState, Moves> = {
  intended: { requested: 'requested', ambiguous: 'ambiguous', failed: 'failed', withdrawn: 'withdrawn' },
  requested: { ...waiting('requested'), processing: 'processing' },
  processing: waiting('processing'),
  ready: { ...waiting('ready'), landed: 'landed' },
  // The command gives up only one that is kept back.
  landed: {
    loaded: 'loaded',
    ready: 'ready',
    attached: 'requested',
    doubted: 'landed',
    abandoned: 'abandoned',
  },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested', doubted: 'loaded', short: 'loaded' },
  ambiguous: { attached: 'requested', abandoned: 'abandoned', failed: 'failed' },
  failed: notMade,
  withdrawn: notMade,
  abandoned: { attached: 'requested' },
};

describe('the states of a paid export', () => {
  it('lets happen what the table says and nothing else', () => {
    expect(MOVES).toEqual(EXPECTED);
  });

  it.each<[ExportState, boolean, boolean, boolean, Billed]>([
    // state, keeps runs away, keeps even a person from paying again, a run can go on with it, is billed
    ['intended', true, true, false, 'maybe'],
    ['requested', true, true, true, 'yes'],
    ['processing', true, true, true, 'yes'],
    ['ready', true, true, true, 'yes'],
    ['landed', true, true, true, 'yes'],
    ['loaded', true, true, false, 'yes'],
    ['ambiguous', true, true, false, 'maybe'],
    ['failed', false, false, false, 'no'],
    ['withdrawn', false, false, false, 'no'],
    ['abandoned', true, false, false, 'maybe'],
  ])('%s: blocks runs %s, blocks paying again %s, resumable %s, billed %s', (state, ...wanted) => {
    const found = [
      blocksRuns(state),
      blocksPayingAgain(state),
      isResumable(state),
      billedAfter(state, 'maybe'),
    ];
    expect(found).toEqual(wanted);
  });

  it.each<Billed>(['yes', 'no'])('an abandoned export stays billed: %s', (billed) => {
    expect(billedAfter('abandoned', billed)).toBe(billed);
  });
});

const state = fc.constantFrom<ExportState>(...(Object.keys(STATES) as ExportState[]));
const range = fc
  .tuple(fc.nat(15), fc.integer({ min: -1, max: 8 }))
  .map(([from, more]) => ({ start: shiftDay('2026-11-01', from), end: shiftDay('2026-11-01', from + more) }));

it('the days of any range that no export blocks may be requested', () => {
  const offsets = fc.array(fc.tuple(fc.nat(20), state), { maxLength: 8 });
  fc.assert(
    fc.property(offsets, range, (exports, days) => {
      const entries = exports.map(([n, one]) => entry({ day: shiftDay('2026-11-01', n), state: one }));
      const blocked = entries.filter((one) => blocksRuns(one.state)).map((one) => one.day);
      expect(missingDays(days, entries)).toEqual(daysOf(days).filter((day) => !blocked.includes(day)));
    }),
  );
});

/** The states of a paid export, and the days that its window covers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysOf, shiftDay, windowOf, type Window } from '../../src/calendar.js';
import {
  billedAfter,
  blocksPayingAgain,
  blocksRuns,
  coveredDays,
  daysTouched,
  EXPORT_EVENTS,
  EXPORT_STATES,
  isResumable,
  missingDays,
  nextState,
  overlap,
  type Billed,
  type ExportEvent,
  type ExportState,
} from '../../src/exports/export.js';
import { entry } from './entries.js';

type Moves = Partial<Record<ExportEvent, ExportState>>;

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
const MOVES: Record<ExportState, Moves> = {
  intended: { requested: 'requested', ambiguous: 'ambiguous', failed: 'failed', withdrawn: 'withdrawn' },
  requested: { ...waiting('requested'), processing: 'processing' },
  processing: waiting('processing'),
  ready: { ...waiting('ready'), landed: 'landed' },
  landed: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested', doubted: 'loaded' },
  ambiguous: { attached: 'requested', abandoned: 'abandoned', failed: 'failed' },
  failed: notMade,
  withdrawn: notMade,
  abandoned: { attached: 'requested' },
};

describe('the states of a paid export', () => {
  it.each(EXPORT_STATES)(
    'lets happen to an export that is %s what the table says and nothing else',
    (state) => {
      const moves = EXPORT_EVENTS.map((event) => [event, nextState(state, event)]);
      expect(moves).toEqual(EXPORT_EVENTS.map((event) => [event, MOVES[state][event]]));
    },
  );

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

  it('takes a day that is covered by an hour only for covered', () => {
    const hour = { start: new Date('2026-11-20T14:00:00Z'), end: new Date('2026-11-20T15:00:00Z') };
    expect(coveredDays([entry({ state: 'requested', window: hour })])).toEqual(['2026-11-20']);
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

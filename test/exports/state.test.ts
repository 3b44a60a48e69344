import { describe, expect, it } from 'vitest';
import {
  billedAfter,
  blocksPayingAgain,
  blocksRuns,
  EXPORT_EVENTS,
  EXPORT_STATES,
  isResumable,
  nextState,
  type ExportEvent,
  type ExportState,
} from '../../src/exports/export.js';

/** Every move there is, as one line each: what is not here must be refused. */
const MOVES: [ExportState, ExportEvent, ExportState][] = [
  ['intended', 'requested', 'requested'],
  ['intended', 'ambiguous', 'ambiguous'],
  ['intended', 'failed', 'failed'],
  ['intended', 'withdrawn', 'withdrawn'],
  ['requested', 'processing', 'processing'],
  ['requested', 'ready', 'ready'],
  ['requested', 'troubled', 'requested'],
  ['requested', 'doubted', 'requested'],
  ['requested', 'attached', 'requested'],
  ['requested', 'abandoned', 'abandoned'],
  ['processing', 'processing', 'processing'],
  ['processing', 'ready', 'ready'],
  ['processing', 'troubled', 'processing'],
  ['processing', 'doubted', 'processing'],
  ['processing', 'attached', 'requested'],
  ['processing', 'abandoned', 'abandoned'],
  ['ready', 'ready', 'ready'],
  ['ready', 'landed', 'landed'],
  ['ready', 'troubled', 'ready'],
  ['ready', 'doubted', 'ready'],
  ['ready', 'attached', 'requested'],
  ['ready', 'abandoned', 'abandoned'],
  ['landed', 'loaded', 'loaded'],
  ['landed', 'ready', 'ready'],
  ['landed', 'attached', 'requested'],
  ['loaded', 'loaded', 'loaded'],
  ['loaded', 'ready', 'ready'],
  ['loaded', 'attached', 'requested'],
  ['ambiguous', 'attached', 'requested'],
  ['ambiguous', 'abandoned', 'abandoned'],
  ['ambiguous', 'failed', 'failed'],
  ['failed', 'abandoned', 'abandoned'],
  ['failed', 'attached', 'requested'],
  ['failed', 'ambiguous', 'ambiguous'],
  ['withdrawn', 'abandoned', 'abandoned'],
  ['withdrawn', 'attached', 'requested'],
  ['withdrawn', 'ambiguous', 'ambiguous'],
  ['abandoned', 'attached', 'requested'],
];

describe('the states of a paid export', () => {
  for (const state of EXPORT_STATES) {
    it(`lets happen to an export that is ${state} what the table says and nothing else`, () => {
      for (const event of EXPORT_EVENTS) {
        const move = MOVES.find(([from, what]) => from === state && what === event);
        expect([state, event, nextState(state, event)]).toEqual([state, event, move?.[2]]);
      }
    });
  }

  it.each<[ExportState, boolean, boolean, boolean]>([
    // state, keeps runs away, keeps even a person from paying again, a run can go on with it
    ['intended', true, true, false],
    ['requested', true, true, true],
    ['processing', true, true, true],
    ['ready', true, true, true],
    ['landed', true, true, true],
    ['loaded', true, true, false],
    ['ambiguous', true, true, false],
    ['failed', false, false, false],
    ['withdrawn', false, false, false],
    ['abandoned', true, false, false],
  ])('%s: blocks runs %s, blocks paying again %s, resumable %s', (state, runs, again, resumable) => {
    expect([blocksRuns(state), blocksPayingAgain(state), isResumable(state)]).toEqual([
      runs,
      again,
      resumable,
    ]);
  });

  it('remembers of an abandoned export whether it was billed', () => {
    expect(billedAfter('abandoned', 'yes')).toBe('yes');
    expect(billedAfter('abandoned', 'maybe')).toBe('maybe');
    expect(billedAfter('abandoned', 'no')).toBe('no');
  });

  it('takes an export for billed from the answer on, and perhaps billed as long as there is none', () => {
    expect(EXPORT_STATES.map((state) => [state, billedAfter(state, 'maybe')])).toEqual([
      ['intended', 'maybe'],
      ['requested', 'yes'],
      ['processing', 'yes'],
      ['ready', 'yes'],
      ['landed', 'yes'],
      ['loaded', 'yes'],
      ['ambiguous', 'maybe'],
      ['failed', 'no'],
      ['withdrawn', 'no'],
      ['abandoned', 'maybe'],
    ]);
  });
});

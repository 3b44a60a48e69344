import { expect, test } from 'vitest';
import { causesOf, type Ended, type Memory } from '../../src/alerts/causes.js';

const NOTHING_TOLD: Memory = { told: {}, failing: false, drift: [] };

/** A run that ended before it could report. */
const ended = (more: Partial<Ended>): Ended => ({
  report: undefined,
  failure: undefined,
  newest: '2026-11-19',
  complete: '2026-11-19',
  ...more,
});

test('a run that fails before it could report tells its failure, and where to look', () => {
  expect(causesOf(ended({ failure: new Error('The disk is full.') }), NOTHING_TOLD)).toMatchObject([
    { cause: 'failure', message: 'The run failed. The disk is full.', next: 'dawnload doctor' },
  ]);
});

test('what went wrong and is well again is told once, what was well is not', () => {
  const recovery = { cause: 'recovery', numbers: { rows: 0 } };
  expect(causesOf(ended({}), { ...NOTHING_TOLD, failing: true })).toMatchObject([recovery]);
  expect(causesOf(ended({}), NOTHING_TOLD)).toEqual([]);
});

test('statistics that miss more than one night are stale; one night, or none yet, is not', () => {
  expect(causesOf(ended({ newest: '2026-11-16' }), NOTHING_TOLD)).toMatchObject([
    { cause: 'stale', numbers: { days_behind: 3 }, next: 'dawnload plan' },
  ]);
  expect(causesOf(ended({ newest: '2026-11-18' }), NOTHING_TOLD)).toEqual([]);
  expect(causesOf(ended({ newest: undefined }), NOTHING_TOLD)).toEqual([]);
});

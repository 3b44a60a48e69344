import { describe, expect, test } from 'vitest';
import { replaces, type Candidate, type Size } from '../../src/warehouse/unknown-fields.js';

/** Mornings in Korea: the 21st, 22nd and 23rd of November at 07:10. */
const NIGHTS = ['2026-11-20T22:10:00Z', '2026-11-21T22:10:00Z', '2026-11-22T22:10:00Z'].map(
  (at) => new Date(at),
);

const answer = (rows: number, messages: number, night = 0, hours = 0): Candidate => ({
  rows,
  messages,
  pulledAt: new Date((NIGHTS[night] ?? new Date(0)).getTime() + hours * 3_600_000),
});
const HELD = { rows: 10, messages: 100 };

describe('an answer about a day', () => {
  test.each<[string, Size | undefined, Candidate, Candidate[], boolean]>([
    ['that is not held replaces', undefined, answer(0, 0), [], true],
    ['that is held without rows replaces', { rows: 0, messages: 0 }, answer(0, 0), [], true],
    ['that holds as much replaces', HELD, answer(10, 100), [], true],
    ['that holds more replaces', HELD, answer(11, 120), [], true],
    ['that holds just half replaces', HELD, answer(1, 50), [], true],
    ['that holds less than half is held back', HELD, answer(10, 49), [], false],
    ['that is empty is held back', HELD, answer(0, 0), [], false],
    [
      'that is empty where no message was counted is held back',
      { rows: 3, messages: 0 },
      answer(0, 0),
      [],
      false,
    ],
    ['that agrees with one of the same night is held back', HELD, answer(0, 0, 0, 1), [answer(0, 0)], false],
    ['that agrees with one of another night replaces', HELD, answer(0, 0, 1), [answer(0, 0)], true],
    ['about as small as one of another night replaces', HELD, answer(4, 30, 1), [answer(4, 40)], true],
    ['that is smaller still than that one is held back', HELD, answer(4, 19, 1), [answer(4, 40)], false],
    ['that is small where the other was empty is held back', HELD, answer(4, 40, 1), [answer(0, 0)], false],
    [
      'that agrees with the night before last replaces',
      HELD,
      answer(0, 0, 2),
      [answer(0, 0), answer(4, 40, 1)],
      true,
    ],
    [
      'asked on both sides of midnight is held back',
      HELD,
      answer(0, 0, 0, 17.5),
      [answer(0, 0, 0, 16.5)],
      false,
    ],
  ])('%s', (_, before, candidate, held, expected) => {
    expect(replaces(before, candidate, held)).toBe(expected);
  });
});

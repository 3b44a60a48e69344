import { describe, expect, test } from 'vitest';
import { parseDays } from '../../jobs/backfill.js';
import { TryLaterError, UsageError } from '../../src/ground/errors.js';
import { describeGap, mergedGaps } from '../../src/night/report.js';

/** 00:30 in Korea on 20 November 2026: the 19th is not complete yet, the 18th is. */
const NIGHT = new Date('2026-11-19T15:30:00Z');

describe('the days that a person types', () => {
  test('are a range of complete days', () => {
    expect(parseDays('2026-11-01', '2026-11-18', NIGHT)).toEqual({ start: '2026-11-01', end: '2026-11-18' });
  });

  test.each([
    ['2026-02-30', '2026-11-18', /--start 2026-02-30 is not a day that exists/],
    ['2026-11-18', '2026-11-1', /--end 2026-11-1 is not a day that exists/],
    ['2026-11-18', '2026-11-17', /--end 2026-11-17 is before --start 2026-11-18/],
    ['2026-11-18', '2026-11-21', /^2026-11-21 is in the future \(today is 2026-11-20 in Korea\)/],
    ['2026-11-21', '2026-11-22', /^2026-11-21 is in the future/],
    ['1016-11-18', '2026-11-18', /1016-11-18 to 2026-11-18 is more than 3700 days/],
  ])('%s to %s is refused with what to correct', (start, end, words) => {
    const wrong = (): unknown => parseDays(start, end, NIGHT);
    expect(wrong).toThrow(UsageError);
    expect(wrong).toThrow(words);
  });

  test('may have to wait for 07:00, and are told for how long', () => {
    const early = (): unknown => parseDays('2026-11-18', '2026-11-19', NIGHT);
    expect(early).toThrow(TryLaterError);
    expect(early).toThrow('2026-11-19 is not complete before 2026-11-20 07:00 KST.');
    try {
      early();
    } catch (error) {
      expect(error).toHaveProperty('hint', 'Try again in 6 h 30 min, or end with 2026-11-18.');
    }
  });
});

test('gaps of one stream and one reason are told as ranges of days', () => {
  const gap = (stream: 'events' | 'campaigns', start: string, end: string, reason = 'It failed.') =>
    ({ stream, days: { start, end }, reason }) as const;
  expect(
    mergedGaps([
      gap('events', '2026-11-20', '2026-11-20'),
      gap('events', '2026-11-18', '2026-11-19'),
      gap('campaigns', '2026-11-18', '2026-11-18'),
      gap('events', '2026-11-16', '2026-11-16'),
      gap('events', '2026-11-17', '2026-11-17', 'It was refused.'),
    ]).map(describeGap),
  ).toEqual([
    'Events of 2026-11-16: It failed.',
    'Events of 2026-11-18 to 2026-11-20: It failed.',
    'Campaigns of 2026-11-18: It failed.',
    'Events of 2026-11-17: It was refused.',
  ]);
});

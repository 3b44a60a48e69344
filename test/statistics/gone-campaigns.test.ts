import { expect, test } from 'vitest';
import { absences, isGone } from '../../src/streams/campaigns/pull.js';

type Pull = Parameters<typeof absences>[0] extends Iterable<infer P> ? P : never;

/** A pull of one campaign on the n-th night, at so many hours after 07:10 KST. */
function pull(night: number, what: 'answers' | '404' | 'gone' | 'nothing', hours = 0): Pull {
  const pulledAt = new Date(Date.parse('2026-11-20T22:10:00Z') + (night * 24 + hours) * 3_600_000);
  const answer = { campaignId: 'c', windowStart: pulledAt, windowEnd: pulledAt };
  return {
    pulledAt,
    facts: {
      answers: what === 'answers' ? [answer] : [],
      notFound: what === '404' ? ['c'] : [],
      gone: what === 'gone' ? ['c'] : [],
    },
  };
}

test.each<[string, Pull[], Pull, boolean, boolean]>([
  ['the first 404', [], pull(0, '404'), false, false],
  ['the second night', [pull(0, '404')], pull(1, '404'), false, false],
  ['the third time on one day', [pull(0, '404'), pull(0, '404', 1)], pull(0, '404', 2), false, false],
  ['the third night', [pull(0, '404'), pull(1, '404')], pull(2, '404'), true, false],
  [
    'after an answer it begins anew',
    [pull(0, '404'), pull(1, '404'), pull(2, 'answers')],
    pull(3, '404'),
    false,
    false,
  ],
  ['the fourth night', [pull(0, '404'), pull(1, '404'), pull(2, 'gone')], pull(3, '404'), true, true],
  [
    'gone, back and away again',
    [pull(0, '404'), pull(1, '404'), pull(2, 'gone'), pull(3, 'answers'), pull(4, '404')],
    pull(5, '404'),
    false,
    false,
  ],
])('%s', (_, before, { pulledAt }, gone, known) => {
  const absence = absences(before).get('c');
  expect(isGone(absence, pulledAt)).toBe(gone);
  expect(absence?.isReported === true).toBe(known);
});

// @module-tag extended
import { expect, test } from 'vitest';
import { ALIKE, BETTER } from './cells.js';
import { falseWinners, REVENUE_CELLS } from './revenue.js';
import { simulate } from './simulate.js';
import { namedMornings, WATCH_BETTER, WATCH_CELLS } from './watch.js';

// 120 tests of a cell: where one in fifty finds a false winner, as measured, more than six are out of the question. The long
// form is `npm run simulate`.
test.each(ALIKE.filter((_, index) => [1, 10].includes(index)))(
  'daily looks name no false winners: $name',
  async (cell) => {
    const { judged, distrusted } = await simulate({ ...cell, tests: 120 }, 7);
    expect(judged).toBeLessThanOrEqual(0.05);
    expect(distrusted).toBeLessThanOrEqual(0.005);
  },
  120_000,
);

test('a lift of a fifth is found among enough people', async () => {
  const enough = BETTER.at(-1);
  if (enough === undefined) throw new Error('There is no cell.');
  const { judged, distrusted } = await simulate({ ...enough, tests: 50 }, 7);
  expect(judged).toBeGreaterThan(0.8);
  expect(distrusted).toBe(0);
});

test.each(WATCH_CELLS.filter(({ campaigns }) => campaigns === 20))(
  'equal campaigns are named on few mornings: $name',
  async (cell) => {
    expect(await namedMornings(cell, 40, 7)).toBeLessThanOrEqual(0.05);
  },
);

test('equal variants have no winner by revenue, whichever morning is asked', async () => {
  const large = REVENUE_CELLS.at(-1);
  if (large === undefined) throw new Error('There is no cell.');
  expect(await falseWinners(large, { tests: 60, mornings: 60 }, 7)).toBeLessThanOrEqual(0.05);
});

test('a campaign that is clicked more is named, where messages to a person are clicked each for itself', async () => {
  const better = WATCH_BETTER[0];
  if (better === undefined) throw new Error('There is no cell.');
  expect(await namedMornings(better, 15, 7)).toBeGreaterThan(0.5);
});

// @module-tag extended
import { expect, test } from 'vitest';
import { ALIKE, BETTER, simulate } from './experiments.js';
import { namedMornings, WATCH_BETTER, WATCH_CELLS } from './watch.js';

// 60 tests of a cell: where one in a hundred finds a false winner, as measured, more than three are out of the question. The long
// form is `npm run simulate`.
const SMALL = [
  '10 % of the clickers of one cross, accepted',
  '90 : 10 to 50 : 50, once, rising rates, split mean',
  '90 : 10 to 50 : 50, daily, rising rates, split by day',
  'one device shared',
];
test.each(ALIKE.filter(({ name }) => SMALL.includes(name)))(
  'daily looks name no false winners: $name',
  async (cell) => {
    expect((await simulate({ ...cell, tests: 60 }, 7)).judged).toBeLessThanOrEqual(0.05);
  },
  120_000,
);

test('a lift is found among enough people, without an alarm', async () => {
  const enough = BETTER.at(-1);
  if (enough === undefined) throw new Error('There is no cell.');
  const { judged, alarmed } = await simulate({ ...enough, tests: 30 }, 7);
  expect(judged).toBeGreaterThan(0.8);
  expect(alarmed).toBe(0);
}, 120_000);

test.each(WATCH_CELLS.filter(({ campaigns }) => campaigns === 20))(
  'equal campaigns are named on few mornings: $name',
  async (cell) => {
    expect(await namedMornings(cell, 40, 7)).toBeLessThanOrEqual(0.05);
  },
);

test('a campaign that is clicked more is named, where messages to a person are clicked each for itself', async () => {
  const better = WATCH_BETTER[0];
  if (better === undefined) throw new Error('There is no cell.');
  expect(await namedMornings(better, 15, 7)).toBeGreaterThan(0.5);
});

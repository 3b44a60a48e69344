// @module-tag extended
/** What the question `uplift` says is true: of holdouts without an effect, of those with one, and of the sandbox's shop. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groupsCsv, ordersCsv, ordersOf } from '../../sandbox/world/orders.js';
import { dayOf, daysOf } from '../../src/ground/calendar.js';
import { ALIKE, simulateHoldouts, SIZES, toldOfShops, type Told, type World } from './uplift.js';

const seeds = (holdouts: number): number[] => Array.from({ length: holdouts }, (_, n) => n + 1);
const namesWinner = ({ winner }: Told): boolean => winner !== undefined;

// 5% of 500 and two standard errors are 35.
test('of 500 holdouts without an effect, looked at daily, at most 35 have a winner', async () => {
  const [world] = ALIKE;
  if (world === undefined) throw new Error('There is no world.');
  const [all = []] = await simulateHoldouts(world, seeds(500));
  for (const { seed, winner } of all)
    process.stdout.write(`seed ${seed}: ${winner === undefined ? 'none' : 'a winner'}\n`);
  expect(all.filter(namesWinner).length).toBeLessThanOrEqual(35);
}, 1_200_000);

test.each(ALIKE.slice(1))(
  'holdouts without an effect have few winners: $name',
  async (world) => {
    // 5% of 50 and two standard errors.
    const [all = []] = await simulateHoldouts(world, seeds(50));
    expect(all.filter(namesWinner).length).toBeLessThanOrEqual(6);
  },
  300_000,
);

test('a seed gives the same holdout alone and among others', async () => {
  const world: World = { ...ALIKE[0]!, people: 400, share: 0.5 };
  const [together = []] = await simulateHoldouts(world, seeds(6), { lifts: [3], looks: [13] });
  expect(together.some(namesWinner)).toBe(true);
  const [, alone] = await simulateHoldouts(world, [4], { lifts: [0, 3], looks: [13] });
  expect(alone).toEqual(together.filter(({ seed }) => seed === 4));
}, 300_000);

test('an effect of a quarter is found among enough people, and never the other way round', async () => {
  const [, world] = SIZES;
  if (world === undefined) throw new Error('There is no world.');
  const [all = []] = await simulateHoldouts(world, seeds(5), { lifts: [0.25], looks: [27] });
  expect(all.map(({ winner }) => winner?.code)).toEqual(Array.from({ length: 5 }, () => 'more'));
}, 600_000);

test('what messages earned in the shop of the demo is inside the interval in at least 95 of 100 seeds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
  const [first, last] = ['2026-11-02', '2026-11-29'];
  const days = daysOf({ start: first, end: last });
  await writeFile(join(folder, 'groups.csv'), groupsCsv(2222, first));
  const found: string[] = [];
  let inside = 0;
  let earned = 0;
  const write = (seed: number): Promise<void> => {
    const shop = { seed, eventsPerDay: 20_000, heldOut: 2222, othersPerEvent: 1 / 80 };
    const orders = ordersOf(shop, days).filter(({ orderedAt }) => dayOf(orderedAt) <= last);
    earned = orders.reduce((sum, { amount, isEarned }) => sum + (isEarned ? amount : 0), 0);
    return writeFile(join(folder, 'orders.csv'), ordersCsv(orders));
  };
  for await (const { seed, low, high, code } of toldOfShops(folder, last, seeds(100), write)) {
    inside += Number(earned >= low && earned <= high);
    found.push(code);
    process.stdout.write(`seed ${seed}: ${earned} earned, ${low} to ${high}, ${code}\n`);
  }
  expect(inside).toBeGreaterThanOrEqual(95);
  expect(found.filter((code) => code === 'more').length).toBeGreaterThanOrEqual(90);
}, 1_200_000);

// @module-tag extended
/** What the question `uplift` says is true: of holdouts without an effect, of those with one, and of the sandbox's shop. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groupsCsv, ordersCsv, ordersOf } from '../../sandbox/world/orders.js';
import { dayOf, daysOf } from '../../src/ground/calendar.js';
import { ALIKE, EFFECTS, simulateHoldouts, toldOfShop } from './uplift.js';

const HOLDOUTS = 50;

// 5 % of 500 and two standard errors are 35.
test('of 500 holdouts without an effect, looked at daily, at most 35 have a winner', async () => {
  const [cell] = ALIKE;
  if (cell === undefined) throw new Error('There is no cell.');
  let winners = 0;
  for (let seed = 1; seed <= 500 / HOLDOUTS; seed += 1) {
    const { named } = await simulateHoldouts(cell, HOLDOUTS, seed);
    for (let nth = 0; nth < HOLDOUTS; nth += 1)
      process.stdout.write(`seed ${seed}, holdout ${nth}: ${named.includes(nth) ? 'a winner' : 'none'}\n`);
    winners += named.length;
  }
  process.stdout.write(`${winners} of 500 have a winner\n`);
  expect(winners).toBeLessThanOrEqual(35);
}, 1_200_000);

test.each(ALIKE.slice(1))(
  'holdouts without an effect have few winners: $name',
  async (cell) => {
    const { named } = await simulateHoldouts(cell, HOLDOUTS, 7);
    // 5 % and two standard errors.
    expect(named.length).toBeLessThanOrEqual(6);
  },
  300_000,
);

test('an effect of a tenth is found among enough people, and never the other way round', async () => {
  const cell = EFFECTS.findLast(({ lift }) => lift === 0.1);
  if (cell === undefined) throw new Error('There is no cell.');
  const { named, wrong } = await simulateHoldouts({ ...cell, days: 21 }, 4, 7);
  expect(named.length).toBe(4);
  expect(wrong).toEqual([]);
}, 600_000);

test('what messages earned in the shop of the demo is inside the interval in at least 95 of 100 seeds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
  const [first, last] = ['2026-11-02', '2026-11-29'];
  const days = daysOf({ start: first, end: last });
  await writeFile(join(folder, 'groups.csv'), groupsCsv(2222, first));
  const found: string[] = [];
  let inside = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const shop = { seed, eventsPerDay: 20_000, heldOut: 2222, othersPerEvent: 1 / 80 };
    const orders = ordersOf(shop, days).filter(({ orderedAt }) => dayOf(orderedAt) <= last);
    await writeFile(join(folder, 'orders.csv'), ordersCsv(orders));
    const earned = orders.reduce((sum, { amount, isEarned }) => sum + (isEarned ? amount : 0), 0);
    const { low, high, code } = await toldOfShop(folder, last);
    const isInside = earned >= low && earned <= high;
    inside += Number(isInside);
    found.push(code);
    process.stdout.write(`seed ${seed}: ${earned} earned, ${low} to ${high}, ${code}\n`);
  }
  expect(inside).toBeGreaterThanOrEqual(95);
  expect(found.filter((code) => code === 'more').length).toBeGreaterThanOrEqual(90);
}, 1_200_000);

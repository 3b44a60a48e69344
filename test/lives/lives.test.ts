// @module-tag long
/** A sample of `npm run lives`; the safeguards that it must miss are in test/torture/mutations.txt. */
import { expect, test } from 'vitest';
import { broken, play } from './seed.js';
import { DAMAGES } from './damages.js';
import { counters, type Step } from './steps.js';

/** More where mutations are tried. */
const SEEDS = Number(process.env['LIVES_SEEDS'] ?? 3);

test('lives of nights, decisions, deaths and losses pay nothing twice and lose nothing', async () => {
  const counted = counters();
  for (let seed = 1; seed <= SEEDS; seed++)
    expect(await broken(seed, 20, counted, 'file', 10_000)).toBeUndefined();
  expect(counted.times('mishap', 'the clock is right')).toBeGreaterThan(0);
}, 600_000);

test('a loss is on record before its evidence is gone, wherever the process dies that notices it', async () => {
  const counted = counters();
  const night = { kind: 'night', days: 1, skew: 0 } as const;
  for (const name of ['the second copy is lost', 'the journal is lost']) {
    const what = DAMAGES.findIndex((damage) => damage.name === name);
    for (let at = 1; at <= 16; at++) {
      const life: Step[] = [night, { kind: 'damage', what, amount: 0 }, { ...night, kill: { at } }, night];
      await play(life, counted, 'file');
    }
  }
  expect(counted.times('damage', 'the journal is lost')).toBe(16);
}, 120_000);

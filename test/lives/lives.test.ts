// @module-tag long
/** A sample of `npm run lives`; the safeguards that it must miss are in test/torture/mutations.txt. */
import { expect, test } from 'vitest';
import { broken } from './seed.js';
import { counters } from './steps.js';

/** More where mutations are tried. */
const SEEDS = Number(process.env['LIVES_SEEDS'] ?? 3);

test('lives of nights, decisions, deaths and losses pay nothing twice and lose nothing', async () => {
  const counted = counters();
  for (let seed = 1; seed <= SEEDS; seed++)
    expect(await broken(seed, 20, counted, 'file', 10_000)).toBeUndefined();
  expect(counted.times('mishap', 'the clock is right')).toBeGreaterThan(0);
}, 600_000);

/** The list of safeguards that are removed on purpose: `npm run torture -- --mutations` runs the tests that notice. */
import { expect, test } from 'vitest';
import { applyAll, namingNoTest } from './mutations.js';

test('every mutation still finds the safeguard that it removes', () => {
  expect(applyAll()).toBeGreaterThanOrEqual(45);
});

test('every run of tests that should notice one names a test', () => {
  expect(namingNoTest()).toEqual([]);
});

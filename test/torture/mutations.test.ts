/** The list of safeguards that are removed on purpose: `npm run torture -- --mutations` runs the tests that notice. */
import { expect, test } from 'vitest';
import { applyAll } from './mutations.js';

test('every mutation still finds the safeguard that it removes', () => {
  expect(applyAll()).toBeGreaterThanOrEqual(45);
});

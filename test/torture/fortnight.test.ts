// @module-tag long
/** A sample of the fortnights: two hostile nights; `npm run torture -- --fortnights 50` is the long form. */
import { test } from 'vitest';
import { emptyFortnightReport, fortnight } from './fortnight.js';

test(
  'two nights of a hostile service and a hostile data folder break no promise',
  { timeout: 180_000 },
  async () => {
    await fortnight(1, emptyFortnightReport(), 2);
  },
);

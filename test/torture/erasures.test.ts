// @module-tag long
// @module-tag extended
import { expect, test } from 'vitest';
import { eraseWithKills } from './erasures.js';

test('an erasure may be killed at any moment: the next one ends it, and nothing else is lost or paid again', async () => {
  const report = await eraseWithKills({
    seed: 20261121,
    erasures: 2,
    // Half the pages cut; the database written anew and not published.
    first: ['erasures/page/durable', 'replace/after-rename'],
  });
  expect(report.kills).toBeGreaterThanOrEqual(2);
}, 170_000);

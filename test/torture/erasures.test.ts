// @module-tag long
// @module-tag extended
import { expect, test } from 'vitest';
import { eraseWithKills } from './erasures.js';

test('an erasure may be killed at any moment: the next one ends it, and nothing else is lost or paid again', async () => {
  const report = await eraseWithKills({
    seed: 20261121,
    erasures: 3,
    // Half the pages cut; cut and not loaded again; the database written anew and not published.
    first: ['erasures/page/durable', 'erase/landing-swept', 'replace/after-rename'],
  });
  expect(report.kills).toBeGreaterThanOrEqual(3);
}, 170_000);

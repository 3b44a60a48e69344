import { expect, test } from 'vitest';
import { killTorture } from './kill.js';

const SECONDS = 40;

test('a run may be killed at any moment: nothing is paid for twice, lost, or shown half done', async () => {
  const seed = 20261121;
  const report = await killTorture({
    seed,
    kills: 1_000,
    until: Date.now() + SECONDS * 1000,
    roundsPerFolder: 5,
    first: ['ledger/intended/durable', 'ledger/requested/before-append', 'ledger/requested/before-fsync'],
  });
  expect(report.kills).toBeGreaterThan(5);
  expect(report.looks).toBeGreaterThan(10);
  expect(report.orphans).toBeGreaterThan(0);
}, 170_000);

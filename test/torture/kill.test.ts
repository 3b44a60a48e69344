import { expect, test } from 'vitest';
import { killTorture } from './kill.js';

/** More where mutations are tried. */
const SECONDS = Number(process.env['TORTURE_SECONDS'] ?? 40);

test('a run may be killed at any moment: nothing is paid for twice, lost, or shown half done', async () => {
  const seed = 20261121;
  const report = await killTorture({
    seed,
    kills: Number(process.env['TORTURE_KILLS'] ?? 12),
    // A slow machine has time for fewer; the first two are always among them.
    until: Date.now() + SECONDS * 1000,
    roundsPerFolder: 5,
    // The answer to a paid request is lost in the first; whether it was sent is not known after the second.
    first: ['ledger/requested/before-append', 'ledger/intended/durable'],
  });
  expect(report.kills).toBeGreaterThan(1);
  expect(report.looks).toBeGreaterThan(1);
  expect(report.orphans).toBeGreaterThan(0);
}, 170_000);

// @module-tag long
import { expect, test } from 'vitest';
import { killTorture } from './kill.js';

/** More where mutations are tried. */
const SECONDS = Number(process.env['TORTURE_SECONDS'] ?? 12);

test('a run may be killed at any moment: nothing is paid for twice, lost, or shown half done', async () => {
  const seed = 20261121;
  const report = await killTorture({
    seed,
    kills: Number(process.env['TORTURE_KILLS'] ?? 6),
    // A slow machine has time for fewer; the first of them are always the same.
    until: Date.now() + SECONDS * 1000,
    roundsPerFolder: 5,
    // An intent not yet on record, half a landed file, a bill without an answer, an intent without a bill; everything
    // at home, but the disk may have forgotten it; everything published.
    first: [
      'ledger/intended/before-append',
      'land/statistics/before-fsync',
      'ledger/requested/before-append',
      'ledger/intended/durable',
      'model/done',
      'publish/after-folder-fsync',
    ],
  });
  expect(report.kills).toBeGreaterThan(1);
  expect(report.looks).toBeGreaterThan(1);
  expect(report.orphans).toBeGreaterThan(0);
}, 170_000);

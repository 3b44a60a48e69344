// @module-tag long
// @module-tag extended
/** A sample of the odd nights; `npm run torture -- --odd 3000` is the long form. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OddNights } from './odd.js';

let nights: OddNights;
beforeAll(async () => {
  nights = await OddNights.begin();
}, 180_000);
afterAll(() => nights.end());

test.each([
  ['E17', '[].message_sent', '2^63 - 1', 0],
  ['E19', 'data.lastCollectedAt', 'an instant beyond all', 0],
  ['E20', 'export_id', 'half a pair', 1],
  ['E21', 'data', 'given twice', 1],
  ['E4', 'data.templates', 'given twice alike', 0],
  ['E12', '', 'given twice', 1],
] as const)(
  '%s %s broken (%s): the night publishes, and after a sound one the folder is well',
  async (endpoint, place, kind, code) => {
    const night = await nights.night({ endpoint, place, kind, nth: 0, allNight: true });
    expect(night.code).toBe(code);
  },
  120_000,
);

test('the same seed breaks the same value', () => {
  expect(nights.oddityOf(7)).toEqual(nights.oddityOf(7));
  expect(nights.nameOf(nights.oddityOf(7))).not.toBe(nights.nameOf(nights.oddityOf(8)));
});

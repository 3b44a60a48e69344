// @module-tag long
/** A sample of each kind of torture; `npm run torture` is the long form of all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, FAULTS, REFUSED, tryFault } from './faults.js';
import { OddNights } from './odd.js';

describe('of the extended tests', { tags: ['extended'] }, () => {
  /** Those that differ most. */
  test.each<[fault: string, endpoint: EndpointName, states: string]>([
    ['401 always', 'E1', ''],
    ['slow drip', 'E17', ''],
    ['gzip bomb', 'E18', 'loaded'],
    ['502, HTML', 'E19', 'loaded'],
    ['reset after', 'E20', 'ambiguous'],
    ['200, another shape, handled', 'E20', 'ambiguous'],
    ['500, handled', 'E20', 'ambiguous'],
    [REFUSED, 'E20', 'withdrawn'],
    ['cut, chunked', 'E21', 'requested'],
  ])(
    '%s on %s: the run says so and ends, the next one completes, nothing is paid twice',
    async (fault, endpoint, states) => {
      expect(fault === REFUSED || fault in FAULTS).toBe(true);
      expect((await tryFault(fault, endpoint)).states).toBe(states);
    },
  );

  describe('an odd value', () => {
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
      '%s %s (%s): the night publishes, and after a sound one the folder is well',
      async (endpoint, place, kind, code) => {
        const night = await nights.night({ endpoint, place, kind, nth: 0, allNight: true });
        expect(night.code).toBe(code);
      },
      120_000,
    );

    test('is the same with the same seed', () => {
      expect(nights.oddityOf(7)).toEqual(nights.oddityOf(7));
      expect(nights.nameOf(nights.oddityOf(7))).not.toBe(nights.nameOf(nights.oddityOf(8)));
    });
  });
});

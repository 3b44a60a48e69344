// @module-tag long
// @module-tag extended
import { describe, expect, test } from 'vitest';
import { type EndpointName, FAULTS, REFUSED, tryFault } from './faults.js';

/** The long form tries every fault on every endpoint; these are the ones that differ most. */
const SAMPLE: readonly (readonly [fault: string, endpoint: EndpointName, states: string])[] = [
  ['401 always', 'E1', ''],
  ['slow drip', 'E17', ''],
  ['gzip bomb', 'E18', 'loaded'],
  ['502, HTML', 'E19', 'loaded'],
  ['reset after', 'E20', 'ambiguous'],
  ['200, another shape, handled', 'E20', 'ambiguous'],
  ['500, handled', 'E20', 'ambiguous'],
  [REFUSED, 'E20', 'withdrawn'],
  ['cut, chunked', 'E21', 'requested'],
];

describe('a service that fails', () => {
  test.each(SAMPLE)(
    '%s on %s: the run says so and ends, the next one completes, nothing is paid twice',
    async (fault, endpoint, states) => {
      expect((await tryFault(fault, endpoint)).states).toBe(states);
    },
  );

  test('every sampled fault is one that the long form knows', () => {
    expect(SAMPLE.map(([fault]) => fault).filter((fault) => fault !== REFUSED && !(fault in FAULTS))).toEqual(
      [],
    );
  });
});

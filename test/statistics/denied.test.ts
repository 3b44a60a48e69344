// @module-tag long
/** Keys that are denied one endpoint, or one campaign, alone: all other streams are pulled and published. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';

let place: Place;
beforeEach(async () => {
  place = await Place.make(
    'start_date: 2026-11-19\nlookback_days: 1\nretries: 1\nexports: { budget: { records_per_run: 100000 } }\n',
    { eventsPerDay: 60 },
  );
});
afterEach(() => place.remove());

const denied = (endpoint: string, status: number, error: string, more: object = {}): Fault =>
  ({ endpoint, kind: 'status', status, body: { data: null, error }, ...more }) as Fault;

test.each([
  ['E18', 401, 'Unauthorized', {}, /Statistics by subchannel of .*: .*The other streams continue/],
  ['E19', 403, 'Forbidden', { times: 1 }, /Campaigns of .*: Campaign \S+: The service denies access/],
  ['E19', 401, 'Unauthorized', {}, /Campaigns of .*: Campaign \S+ and \d+ more: The service refuses a token/],
] as const)('%s %i %s %j', async (endpoint, status, error, more, said) => {
  place.sandbox.setFaults([denied(endpoint, status, error, more)]);
  const night = await place.run(['run']);
  place.sandbox.setFaults([]);
  expect([night.code, night.stderr]).toEqual([1, expect.stringMatching(said)]);
  expect(night.stderr).toContain('Loaded events: 2 days');
});

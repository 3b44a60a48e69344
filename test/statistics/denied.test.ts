// @module-tag long
/** Keys that are denied one endpoint, or one campaign, alone: all other streams are pulled and published. */
import { afterEach, beforeEach, test } from 'vitest';
import { Place } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { ends } from '../support/place.js';

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

test.each<[what: string, faults: Fault[], ...said: RegExp[]]>([
  [
    'E18 and a campaign of E19',
    [denied('E18', 401, 'Unauthorized'), denied('E19', 403, 'Forbidden', { times: 1 })],
    /Statistics by subchannel of .*: .*The other streams continue/,
    /Campaigns of .*: Campaign \S+: The service denies access/,
  ],
  [
    'E19',
    [denied('E19', 401, 'Unauthorized')],
    /Campaigns of .*: Campaign \S+ and \d+ more: The service refuses a token/,
  ],
])('%s', async (_, faults, ...said) => {
  place.sandbox.setFaults(faults);
  await ends(place.run(['run']), 1, ...said, 'Loaded events: 2 days');
});

// @module-tag long
/** Empty answers, the built command; budgets and estimates that are wrong are tables of exports/budget and exports/download. */
import { expect, test } from 'vitest';
import { NOW } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';

const YAML = `start_date: 2026-11-11
lookback_days: 2
request_timeout_seconds: 2
retries: 0
exports:
  budget: { records_per_run: 100, records_per_month: 1000000 }
  max_wait_minutes: 0
`;
const EMPTY = [{ endpoint: 'E17', kind: 'other-shape-200', body: [] }] as const;
const night = { instant: NOW };
const now = { now: () => new Date(night.instant), date: () => new Date(night.instant).toUTCString() };
const at = (instant: string): { DAWNLOAD_NOW: string } => {
  night.instant = instant;
  return { DAWNLOAD_NOW: instant };
};
const TOMORROW = '2026-11-21T22:30:00Z';

test('a day without rows of daily statistics is not wanted: nothing is requested, however large the budget, and nothing is missing', async () => {
  const place = await makePlace(YAML, now);
  place.sandbox.setFaults(EMPTY);
  await ends(place.run(['run'], at(NOW)), 0, /Events not requested, no messages so far/);
  const plan = JSON.parse((await place.run(['plan', '--json'])).stdout) as {
    events: { to_request: unknown[]; not_requested: unknown[] };
  };
  expect(plan.events).toMatchObject({ to_request: [], not_requested: [] });
  // The second night names only the newest day, which was asked for on one night alone.
  const second = await place.run(['run'], at(TOMORROW));
  expect(second.stderr).toMatch(/no messages so far [^:]*: 2026-11-21\./);
  const status = await place.run(['status'], at(TOMORROW));
  expect(status.code).toBe(0);
  expect(status.stdout).not.toMatch(/missing/);
  // The same night asks again for the days of lookback_days alone.
  const asked = place.sandbox.requests();
  expect((await place.run(['run'], at('2026-11-21T23:30:00Z'))).code).toBe(0);
  expect(place.sandbox.requests().E18 - asked.E18).toBe(2);
  expect(place.sandbox.requests().E20).toBe(0);
});

import { afterEach, expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';

let place: Place | undefined;
afterEach(() => place?.remove());

test('after a demo, whose service and keys are gone, the doctor warns and does not fail', async () => {
  place = await Place.make('start_date: 2026-11-20\nlookback_days: 1\n', { eventsPerDay: 200 });
  expect((await place.run(['run'])).code).toBe(0);
  const gone = { DAWNLOAD_ACCESS_KEY: '', DAWNLOAD_SECRET_KEY: '' };
  const result = await place.run(['doctor'], gone);
  expect(result.stdout).toMatch(/warn +keys +not set; base_url is this machine/);
  expect(result.code).toBe(0);
  // A run still needs them.
  expect((await place.run(['run'], gone)).code).toBe(2);
});

test('without keys for a service elsewhere the doctor fails', async () => {
  place = await Place.make('start_date: 2026-11-20\n');
  const elsewhere = { DAWNLOAD_ACCESS_KEY: '', DAWNLOAD_BASE_URL: 'https://api.example.com' };
  const result = await place.run(['doctor'], elsewhere);
  expect(result.stdout).toMatch(/fail +keys +The access keys are not set/);
  expect(result.code).toBe(1);
});

// @module-tag long
/** A ledger that was lost, or restored from an older backup, pays for nothing again: the built command. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';

const YAML =
  'start_date: 2026-11-19\nlookback_days: 2\nrequest_timeout_seconds: 2\nretries: 0\n' +
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

const inData = (place: Place, ...path: string[]): string => join(place.folder, 'data', ...path);

async function states(place: Place): Promise<string[]> {
  const { stdout } = await place.run(['exports', 'list', '--json']);
  return (JSON.parse(stdout) as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
}

/** One export whose outcome is not known; the other day is not requested. */
async function ambiguous(): Promise<Place> {
  const place = await Place.make(YAML);
  places.push(place);
  place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
  expect((await place.run(['run'])).code).toBe(1);
  expect(await states(place)).toEqual(['2026-11-20.1 ambiguous']);
  return place;
}

/** One export that is still being made. */
async function pending(): Promise<Place> {
  const place = await Place.make(YAML, { exportSeconds: 3_600 });
  places.push(place);
  expect((await place.run(['run'])).code).toBe(1);
  expect(await states(place)).toEqual(['2026-11-20.1 processing']);
  return place;
}

describe('while an export is not settled', () => {
  test.each<[string, () => Promise<Place>, string, string[]]>([
    [
      'the ledger, its second copy and the published warehouse, one ambiguous',
      ambiguous,
      '2026-11-20.1 ambiguous',
      ['ledger', 'landing/ledger', 'warehouse.duckdb'],
    ],
    [
      'all but the published warehouse, one pending',
      pending,
      '2026-11-20.1 processing',
      ['ledger', 'landing', 'private'],
    ],
  ])('a run without %s sends nothing that is billed, and recover heals it', async (__, make, state, lost) => {
    const place = await make();
    for (const path of lost) await rm(inData(place, path), { recursive: true, force: true });
    const doctor = await place.run(['doctor']);
    if (!lost.includes('warehouse.duckdb')) {
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/fail +ledger [\s\S]*dawnload exports recover/);
    }
    const plan = await place.run(['plan', '--json']);
    expect((JSON.parse(plan.stdout) as { events: { to_request: unknown[] } }).events.to_request).toEqual(
      lost.includes('warehouse.duckdb') ? expect.anything() : [],
    );
    const result = await place.run(['run']);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/lacks paid exports .*2026-11-20\.1[\s\S]*dawnload exports recover/);
    // The free streams went on, and a rebuild does not make the memory of the export go away.
    expect(result.stderr).toMatch(/Published/);
    expect((await place.run(['rebuild'])).code).toBe(1);
    expect((await place.run(['run'])).code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(1);

    const shown = await place.run(['exports', 'recover']);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/2026-11-20\.1/);
    const recovered = await place.run(['exports', 'recover', '--yes']);
    expect(recovered).toMatchObject({ code: 0 });
    const [after] = await states(place);
    expect([state, state.replace('processing', 'requested')]).toContain(after);
    await place.run(['run']);
    expect(place.sandbox.bills().filter(({ start }) => start === '2026-11-19T15:00:00.000Z')).toHaveLength(1);
  });
});

test.each([
  ['a rebuild', ['rebuild'], []],
  ['a run that has lost its private warehouse too', ['run'], ['private/warehouse.duckdb']],
])('%s never publishes a file without the events that the lost ledger knew', async (_, command, lost) => {
  const place = await Place.make(YAML);
  places.push(place);
  expect((await place.run(['run'])).code).toBe(0);
  const events = 'select date, count(*) as events from events group by all order by all';
  const before = await place.rows(events);
  expect(before).toHaveLength(2);
  for (const path of ['ledger', ...lost]) await rm(inData(place, path), { recursive: true });
  expect((await place.run(command)).code).toBe(1);
  expect(await place.rows(events)).toEqual(before);
  expect((await place.run(['exports', 'recover', '--yes'])).code).toBe(0);
  expect((await place.run(command)).code).toBe(0);
  expect(await place.rows(events)).toEqual(before);
});

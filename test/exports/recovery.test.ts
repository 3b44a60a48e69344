// @module-tag long
/**
 * A journal that was lost pays for nothing again. A data folder that was restored from a backup cannot know what was paid
 * since, so a person is asked first.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyData } from '../support/copies.js';
import { Place } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const YAML =
  'start_date: 2026-11-20\nlookback_days: 2\nrequest_timeout_seconds: 2\nretries: 0\n' +
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';

const TWO_DAYS = YAML.replace('11-20', '11-19');

/** The mornings after 20, 21 and 22 November. */
const NIGHTS = ['2026-11-20T22:30:00Z', '2026-11-21T22:30:00Z', '2026-11-22T22:30:00Z'] as const;
const at = (night: number): { DAWNLOAD_NOW: string } => ({ DAWNLOAD_NOW: NIGHTS[night] ?? '' });

const inData = (place: Place, ...path: string[]): string => join(place.folder, 'data', ...path);

/** Two nights, each of which has paid for its day; the data folder as it was after each is beside it. */
let two: Place;
const clock = { night: 0 };
beforeAll(async () => {
  two = await Place.make(YAML, {
    now: () => new Date(NIGHTS[clock.night] ?? ''),
    date: () => new Date(NIGHTS[clock.night] ?? '').toUTCString(),
  });
  for (const night of [0, 1]) {
    clock.night = night;
    await two.run(['run'], at(night));
    await cp(inData(two), `${inData(two)}-${night}`, { recursive: true });
  }
  expect(two.sandbox.bills()).toHaveLength(2);
}, 120_000);
afterAll(() => two.remove());

/** How many bills there were when the test began. */
let billed = 0;

/** The folder after the two nights, on the third. */
async function twoNights(): Promise<Place> {
  await copyData(`${inData(two)}-1`, inData(two));
  clock.night = 2;
  billed = two.sandbox.bills().length;
  return two;
}

/** Those paths are as they were after the first night. */
async function restore(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await rm(inData(two, path), { recursive: true, force: true });
    await mkdir(dirname(inData(two, path)), { recursive: true });
    await cp(join(`${inData(two)}-0`, path), inData(two, path), { recursive: true });
  }
}

async function machineLost(): Promise<Place> {
  const place = await twoNights();
  await rm(inData(place), { recursive: true });
  await restore(['landing', 'ledger', 'private/hmac.key']);
  return place;
}

/** Days that were paid for since the test began, in the order of the bills. */
const paid = (place: Place): string[] =>
  place.sandbox
    .bills()
    .slice(billed)
    .map(({ end }) => end.slice(0, 10));

describe('a machine that was lost and restored by the documented steps', () => {
  test('pays for nothing until a person has seen the days', async () => {
    const place = await machineLost();
    const { code, stderr } = await place.run(['rebuild'], at(2));
    expect(code).toBe(1);
    expect(stderr).toMatch(/restored from a backup.*dawnload recover/s);
    const plan = JSON.parse((await place.run(['plan', '--json'], at(2))).stdout) as {
      events: { to_request: unknown[]; needs_attention: { advice: string }[] };
    };
    expect(plan.events.to_request).toEqual([]);
    expect(plan.events.needs_attention[0]?.advice).toMatch(/restored from a backup/);
    await ends(place.run(['run'], at(2)), 1, /restored from a backup.*dawnload recover/s, /Published/);
    expect(await place.run(['status'], at(2))).toMatchObject({ code: 1 });
    expect((await place.run(['doctor'], at(2))).stdout).toMatch(/fail +ledger .*restored from a backup/);
    // A consent to pay for named days does not lift it either.
    const day = ['backfill', '--start', '2026-11-22', '--end', '2026-11-22', '--yes-paid'];
    expect((await place.run(day, at(2))).code).toBe(1);
    expect(paid(place)).toEqual([]);

    // What is seen later is named too.
    await rm(inData(place, 'landing/ledger'), { recursive: true });
    await ends(place.run(['run'], at(2)), 1, /second copy .* is missing/);
    await ends(place.run(['run'], at(2)), 1, /second copy .* is missing/);

    // The person finds the one in the bills, and lets runs request the other.
    const { export_id: id = '' } = place.sandbox.bills()[1] ?? {};
    expect((await place.run(['exports', 'decide', '2026-11-21.1', '--attach', id], at(2))).code).toBe(0);
    expect((await place.run(['status'], at(2))).stdout).toContain('2 exports (1 of unknown size)');
    expect((await place.run(['plan'], at(2))).stdout).toMatch(
      /so far 2 exports \(1 of unknown size\), [\d,]+ records/,
    );
    await ends(
      place.run(['recover'], at(2)),
      1,
      /Check the service's bills/,
      'To let runs pay and push again: `dawnload recover --yes`.',
    );
    expect((await place.run(['recover', '--yes'], at(2))).code).toBe(0);
    expect(await place.run(['run'], at(2))).toMatchObject({ code: 0 });
    expect(paid(place)).toEqual(['2026-11-22']);
    expect((await place.run(['recover'], at(2))).stderr).toMatch(/is complete/);
    // A second export of a day is given up from the start: to abandon it changes nothing.
    const second = await ends(
      place.run(['exports', 'decide', '2026-11-21.2', '--attach', 'exp-2', '--yes'], at(2)),
      0,
      'It counts as billed.',
    );
    expect(second.stderr).not.toContain('--abandon');
  });
});

async function states(place: Place): Promise<string[]> {
  const { stdout } = await place.run(['exports', 'list', '--json']);
  return (JSON.parse(stdout) as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
}

extended(
  'a folder of which the published file alone is left pays for nothing, and recover heals it',
  async () => {
    const place = await makePlace(TWO_DAYS, { exportSeconds: 3_600 });
    expect((await place.run(['run'])).code).toBe(1);
    expect(await states(place)).toEqual(['2026-11-20.1 processing']);
    for (const path of ['ledger', 'landing', 'private'])
      await rm(inData(place, path), { recursive: true, force: true });
    const doctor = await place.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/fail +ledger [\s\S]*dawnload recover/);
    const plan = await place.run(['plan', '--json']);
    expect((JSON.parse(plan.stdout) as { events: { to_request: unknown[] } }).events.to_request).toEqual([]);
    const result = await ends(
      place.run(['run']),
      1,
      /Paid requests and pushes are blocked[\s\S]*dawnload recover/,
    );
    // The free streams went on, and a rebuild does not make the memory of the export go away.
    expect(result.stderr).toMatch(/Published/);
    expect((await place.run(['rebuild'])).code).toBe(1);
    expect((await place.run(['run'])).code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(1);

    const shown = await place.run(['recover']);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/2026-11-20\.1/);
    const recovered = await place.run(['recover', '--yes']);
    expect(recovered).toMatchObject({ code: 0 });
    expect(await states(place)).toEqual(['2026-11-20.1 requested']);
    await place.run(['run']);
    expect(place.sandbox.bills().filter(({ start }) => start === '2026-11-19T15:00:00.000Z')).toHaveLength(1);
  },
);

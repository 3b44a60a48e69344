// @module-tag long
/** Which days are complete, and whether anything is paid, where this machine's clock and the service's disagree. */
import { afterEach, describe, expect, test } from 'vitest';
import { completeFrom } from '../../src/calendar.js';
import type { SandboxOptions } from '../../src/sandbox/index.js';
import { NOW, Place } from '../support/dawnload.js';
import { performCommand } from '../support/in-process.js';

const SETTINGS = `start_date: 2026-11-17
lookback_days: 2
retries: 0
exports:
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;
const HOUR = 3_600_000;
const MINUTE = 60_000;

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

async function make(options: SandboxOptions = {}): Promise<Place> {
  const place = await Place.make(SETTINGS, { eventsPerDay: 300, ...options });
  places.push(place);
  return place;
}

/** The command's clock, so far from the service's. */
const clock = (ms: number): { DAWNLOAD_NOW: string } => ({
  DAWNLOAD_NOW: new Date(Date.parse(NOW) + ms).toISOString(),
});

async function daysOf(place: Place, stream: string): Promise<string[]> {
  const rows = await place.rows(
    `select strftime(date, '%d') as day from ops.coverage where stream = '${stream}' order by 1`,
  );
  return rows.map(({ day }) => String(day));
}

describe('clocks that are further apart than five minutes', () => {
  test.each<[string, number, string[], RegExp]>([
    ['48 h ahead', 48 * HOUR, ['17', '18', '19', '20'], /clock is 2 days ahead of the service's/],
    ['31 days ahead', 744 * HOUR, ['17', '18', '19', '20'], /ahead of the service's/],
    ['48 h behind', -48 * HOUR, ['17', '18'], /clock is 2 days behind the service's/],
    ['10 min ahead', 10 * MINUTE, ['17', '18', '19', '20'], /clock is 10 min ahead of the service's/],
    ['10 min behind', -10 * MINUTE, ['17', '18', '19', '20'], /clock is 10 min behind the service's/],
  ])('%s: nothing is paid, and the days complete by both are there', async (_, ms, days, words) => {
    const place = await make();
    const result = await place.run(['run', '--json'], clock(ms));
    expect(result.stderr).toMatch(words);
    expect(result.stderr).toMatch(/Correct this machine’s clock/);
    expect(result.code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(0);
    for (const stream of ['statistics', 'statistics_by_subchannel', 'campaigns']) {
      expect(await daysOf(place, stream)).toEqual(days);
    }
    const told = JSON.parse(result.stdout) as { days: { end: string }; not_requested: object[] };
    expect(told.days.end).toBe(`2026-11-${days.at(-1) ?? ''}`);
    expect(told.not_requested).toHaveLength(days.length);
    expect(told.not_requested[0]).toMatchObject({ reason: 'clock' });

    // Nothing was done that a clock set right would not do.
    expect((await place.run(['run'])).code).toBe(0);
    expect(await daysOf(place, 'events')).toEqual(['17', '18', '19', '20']);
    expect(place.sandbox.bills()).toHaveLength(4);
  });

  test('paying again is refused too, and a backfill with consent', async () => {
    const place = await make();
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
    await place.run(['run']);
    const before = place.sandbox.requests().E20;
    for (const ms of [-48 * HOUR, 48 * HOUR]) {
      const again = await place.run(['exports', 'resume', '2026-11-20.1', '--pay-again'], clock(ms));
      expect(again.stderr).toMatch(/clock is 2 days .* the service's\. No paid request was sent\./);
      expect(again.code).toBe(1);
    }
    const backfill = ['backfill', '--start', '2026-11-15', '--end', '2026-11-16', '--yes-paid'];
    expect((await place.run(backfill, clock(48 * HOUR))).code).toBe(1);
    const future = ['backfill', '--start', '2026-11-21', '--end', '2026-11-22', '--yes-paid'];
    const result = await place.run(future, clock(48 * HOUR));
    expect(result.stderr).toMatch(/The last complete day is 2026-11-20/);
    expect(result.code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(before);
    expect(await daysOf(place, 'statistics')).toEqual(['15', '16', '17', '18', '19', '20']);
  });
});

test('within five minutes the earlier clock decides whether yesterday is complete', async () => {
  const seven = completeFrom('2026-11-20').getTime();
  const place = await make({ now: () => new Date(seven - 2 * MINUTE) });
  const result = await place.run(['run'], { DAWNLOAD_NOW: new Date(seven + 2 * MINUTE).toISOString() });
  expect(result.stderr).toMatch(/The last complete day is 2026-11-19/);
  expect(result.code).toBe(0);
  expect(await daysOf(place, 'statistics')).toEqual(['17', '18', '19']);
  expect(await daysOf(place, 'events')).toEqual(['17', '18', '19']);
});

test('where the service does not tell its time, this clock alone decides', async () => {
  const place = await make({ date: () => null });
  const result = await place.run(['run']);
  expect(result.stderr).not.toMatch(/clock/);
  expect(result.code).toBe(0);
  expect(await daysOf(place, 'events')).toEqual(['17', '18', '19', '20']);
});

test('a clock that is set back by two minutes during a run leaves the budget of the run as it is', async () => {
  const place = await make();
  await place.configure(SETTINGS.replace('records_per_run: 100000', 'records_per_run: 400'));
  const began = Date.now();
  const result = await performCommand(['run'], place.folder, place.environment, {
    now: () => {
      const isBack = place.sandbox.requests().E17 > 0;
      return new Date(Date.parse(NOW) + Date.now() - began - (isBack ? 2 * MINUTE : 0));
    },
    moveTo: () => undefined,
  });
  expect(result.stderr).toMatch(/not requested, over exports\.budget\.records_per_run/);
  expect(result.stderr).not.toMatch(/ -\d/);
  expect(result.code).toBe(3);
  expect(place.sandbox.bills()).toHaveLength(1);
});

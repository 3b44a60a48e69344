// @module-tag long
/** Which days are complete, and whether anything is paid, where this machine's clock and the service's disagree. */
import { afterEach, describe, expect, test } from 'vitest';
import { completeFrom } from '../../src/calendar.js';
import type { SandboxOptions } from '../../sandbox/index.js';
import { contents } from '../support/contents.js';
import { NOW, Place, type Ended } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
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

describe('a clock that is 400 days ahead for a night', () => {
  const LISTS = `start_date: 2026-11-18
lookback_days: 7
retries: 0
reference: { catalogs: true, opt_outs: true, brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] } }
`;
  const AHEAD = 400 * 24 * HOUR;
  const EMPTY_E17: Fault = { endpoint: 'E17', kind: 'status', status: 200, body: [] };
  const EMPTY_E12: Fault = { endpoint: 'E12', kind: 'emptied-list' };

  /** Nights of a machine, and of the service, whose clocks are so far ahead. */
  async function nights(): Promise<
    (
      night: number,
      ahead?: { machine?: number; service?: number },
      faults?: readonly Fault[],
      args?: string[],
      crash?: string,
    ) => Promise<Ended>
  > {
    let at = new Date(NOW);
    let service = 0;
    const place = await Place.make(LISTS, {
      eventsPerDay: 300,
      now: () => at,
      date: () => new Date(at.getTime() + service).toUTCString(),
    });
    places.push(place);
    return async (night, ahead = {}, faults = [], args = ['run'], crash) => {
      at = new Date(Date.parse(NOW) + night * 24 * HOUR);
      service = ahead.service ?? 0;
      place.sandbox.setFaults(faults);
      const now = new Date(at.getTime() + (ahead.machine ?? 0)).toISOString();
      if (crash !== undefined) {
        const killed = await place.execute(args, { DAWNLOAD_NOW: now, DAWNLOAD_CRASH_AT: crash });
        expect(killed.signal).toBe('SIGKILL');
      }
      return place.run(args, { DAWNLOAD_NOW: now });
    };
  }

  const DAYS_OF = `
    select distinct strftime(d, '%Y-%m-%d') as day
    from (
      select valid_from as d from catalog_items_history union all select valid_to from catalog_items_history
      union all select valid_from from opt_outs_history union all select valid_to from opt_outs_history
      union all select date from ops.snapshots union all select date from ops.coverage
      union all select pulled_at::date from ops.coverage union all select pulled_at::date from ops.loads
    )
    where d is not null and d >= '2026-11-20'
    order by 1`;

  async function expectSound(place: Place, days: readonly string[]): Promise<void> {
    expect((await place.rows(DAYS_OF)).map(({ day }) => day)).toEqual(days);
    const before = await contents(place.published);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect((await place.rows(DAYS_OF)).map(({ day }) => day)).toEqual(days);
    expect(await contents(place.published)).toEqual(before);
  }

  test('dates what it pulls by the service', async () => {
    const night = await nights();
    const [place] = places;
    if (place === undefined) return;
    expect((await night(0)).code).toBe(0);
    expect((await night(1, { machine: AHEAD }, [EMPTY_E17, EMPTY_E12])).code).toBe(1);
    // Two nights agree, one of them that of the wrong clock.
    const second = await night(2, {}, [EMPTY_E17, EMPTY_E12]);
    expect(second.stderr).not.toMatch(/opt-outs are not loaded/i);
    expect(await place.rows('select count(*)::int as n from opt_outs')).toEqual([{ n: 0 }]);
    expect((await night(3)).code).toBe(0);
    await expectSound(place, ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24']);
    const status = JSON.parse((await night(3, {}, [], ['status', '--json'])).stdout) as {
      last_run: { started_at: string };
    };
    expect(status.last_run.started_at).toMatch(/^2026-11-23/);
  });

  test('dates exports that were under way by the service, too', async () => {
    const place = await make();
    place.sandbox.setFaults([{ endpoint: 'E21', kind: 'status', status: 500 }]);
    await place.run(['run']);
    place.sandbox.setFaults([]);
    await place.run(['run'], clock(AHEAD));
    expect(
      await place.rows(
        "select distinct pulled_at::date::varchar as day from ops.coverage where stream = 'events'",
      ),
    ).toEqual([{ day: '2026-11-20' }]);
  });

  test.each([
    ['once', [1], undefined],
    ['as an older version left it for nights', [1, 1.1, 1.2], undefined],
    ['also when that one is killed on the way', [1], 'instants/durable'],
  ])('leaves a folder that heals at the next sound run (%s)', async (_, wrong, crash) => {
    const night = await nights();
    const [place] = places;
    if (place === undefined) return;
    expect((await night(0)).code).toBe(0);
    // Both clocks are wrong, so nobody notices.
    const streams = 'statistics,campaigns,catalogs,opt_outs,brand_templates';
    const day = ['--start', '2026-11-20', '--end', '2026-11-20', '--streams', streams];
    for (const nth of wrong)
      expect(
        (await night(nth, { machine: AHEAD, service: AHEAD }, [EMPTY_E12], ['backfill', ...day])).code,
      ).toBe(1);
    expect(await place.rows(`${DAYS_OF} desc limit 1`)).toMatchObject([{ day: '2027-12-27' }]);

    const healed = await night(2, {}, [EMPTY_E17], ['run'], crash);
    if (crash === undefined)
      expect(healed.stderr).toMatch(/pulls of a clock that ran ahead are dated back to now/);
    expect(healed.code).toBe(1);
    expect((await night(3, {}, [EMPTY_E17])).stderr).not.toMatch(
      /Daily statistics of .*: The service answered with nothing/,
    );
    expect((await night(4)).code).toBe(0);
    await expectSound(place, [
      '2026-11-20',
      '2026-11-21',
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
      '2026-11-25',
    ]);
  });
});

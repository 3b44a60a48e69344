// @module-tag long
/** Which days are complete, and whether anything is paid, where this machine's clock and the service's disagree. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { completeFrom } from '../../src/ground/calendar.js';
import type { SandboxOptions } from '../../sandbox/index.js';
import { contents } from '../support/contents.js';
import type { Place } from '../support/dawnload.js';
import { NOW } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import { performCommand } from '../support/in-process.js';
import { extended } from '../support/tags.js';

const SETTINGS = `start_date: 2026-11-17
lookback_days: 2
retries: 0
exports:
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;
const HOUR = 3_600_000;
const MINUTE = 60_000;

function make(options: SandboxOptions = {}): Promise<Place> {
  return makePlace(SETTINGS, { eventsPerDay: 300, ...options });
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

extended(
  'a clock before the first day fails where the warehouse has data, and waits where there is none',
  async () => {
    const place = await makePlace(SETTINGS, { eventsPerDay: 60 });
    const dead = { DAWNLOAD_NOW: '1970-01-02T00:00:00Z' };
    await ends(place.run(['run'], dead), 0, /Nothing to load yet/);
    await ends(place.run(['run']), 0);
    await ends(place.run(['run'], dead), 1, /clock shows 1970-01-02 09:00 KST, before start_date 2026-11-17/);
  },
);

test('an error that nothing awaits ends the run with its last line and the heartbeat', async () => {
  const place = await makePlace(SETTINGS, { eventsPerDay: 60 });
  const called: string[] = [];
  const server = createServer((request, response) => {
    called.push(String(request.url));
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const late = `let once = setInterval(() => { if (process.listenerCount('uncaughtException') > 0) { clearInterval(once); throw new RangeError('no room'); } }, 5)`;
  const { code, stderr } = await place.execute(['run', '--log-format', 'json'], {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(late)}`,
    DAWNLOAD_HEARTBEAT_URL: `http://127.0.0.1:${port}/{exit_code}/{outcome}`,
  });
  expect(code).toBe(1);
  const last: unknown = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ event: 'run_ended', exit_code: 1, outcome: 'failed' });
  expect(called).toEqual(['/1/failed']);
});

describe('clocks that are further apart than five minutes', () => {
  test('50 min ahead: nothing is paid, and the days complete by both are there', async () => {
    const place = await make();
    const days = ['17', '18', '19', '20'];
    const result = await ends(
      place.run(['run', '--json'], clock(50 * MINUTE)),
      1,
      /clock is 50 min ahead of the service's/,
      /Correct the wrong clock/,
    );
    expect(place.sandbox.requests().E20).toBe(0);
    for (const stream of ['statistics', 'statistics_by_subchannel', 'campaigns']) {
      expect(await daysOf(place, stream)).toEqual(days);
    }
    const told = JSON.parse(result.stdout) as { not_requested: object[] };
    expect(told.not_requested).toHaveLength(days.length);
    expect(told.not_requested[0]).toMatchObject({ reason: 'clock' });

    // A clock that is set right continues.
    expect((await place.run(['run'])).code).toBe(0);
    expect(await daysOf(place, 'events')).toEqual(days);
    expect(place.sandbox.bills()).toHaveLength(4);
  });

  test('a jump during a run ends it with 1, and the next run pays', async () => {
    let isWrong = true;
    const jump = (): number => (isWrong && place.sandbox.requests().E17 > 0 ? 20 * MINUTE : 0);
    const place: Place = await make({ date: () => new Date(Date.parse(NOW) + jump()).toUTCString() });
    const result = await place.run(['run']);
    expect([result.code, place.sandbox.requests().E20]).toEqual([1, 0]);
    expect(result.stderr).toMatch(/clock is 20 min behind the service's\. No paid request is sent/);
    isWrong = false;
    expect((await place.run(['run'])).code).toBe(0);
    expect(place.sandbox.bills()).toHaveLength(4);
  });

  extended('a jump of hours during a run lands nothing after it', async () => {
    const jump = (): number => (place.sandbox.requests().E18 > 0 ? 2 * HOUR : 0);
    const place: Place = await make({ date: () => new Date(Date.parse(NOW) + jump()).toUTCString() });
    await place.configure(`${SETTINGS}reference: { catalogs: true }\n`);
    const result = await place.run(['run']);
    expect([result.code, place.sandbox.requests().E20]).toEqual([1, 0]);
    expect(result.stderr).toMatch(/clock is 2 h 0 min behind the service's\. Nothing more is pulled\./);
    // An answer of E18 that was under way may still have come with the earlier time.
    const later = "select stream from ops.loads where stream in ('campaigns', 'catalogs')";
    expect(await place.rows(later)).toEqual([]);
  });

  extended('2 days ahead or behind: nothing lands, and the run ends with 1 and a sentence', async () => {
    const place = await make();
    expect((await place.run(['run'])).code).toBe(0);
    const before = await contents(place.published);
    for (const ms of [48 * HOUR, -48 * HOUR]) {
      await ends(
        place.run(['run'], clock(ms)),
        1,
        /clock is .* the service's\. Nothing more is pulled\./,
        /service_clock: ignore/,
      );
      expect(await contents(place.published)).toEqual(before);
    }
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await contents(place.published)).toEqual(before);
  });

  test('service_clock: ignore pulls the free streams by this clock alone, and never pays', async () => {
    const place = await make({ date: () => new Date(Date.parse(NOW) + 48 * HOUR).toUTCString() });
    await place.configure(`${SETTINGS}service_clock: ignore\n`);
    await ends(place.run(['run']), 1, /No paid request is sent until they agree\. Correct the wrong clock/);
    expect(await daysOf(place, 'statistics')).toEqual(['17', '18', '19', '20']);
    expect(place.sandbox.requests().E20).toBe(0);
    expect(
      await place.rows(
        "select distinct pulled_at::date::varchar as day from ops.coverage where stream = 'statistics'",
      ),
    ).toEqual([{ day: '2026-11-20' }]);
  });

  test('paying again is refused too, and a backfill with consent', async () => {
    const place = await make();
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
    await place.run(['run']);
    const before = place.sandbox.requests().E20;
    for (const ms of [-48 * HOUR, 48 * HOUR]) {
      await ends(
        place.run(['exports', 'decide', '2026-11-20.1', '--pay-again'], clock(ms)),
        1,
        /clock is 2 days .* the service's\. No paid request was sent\./,
      );
    }
    const backfill = ['backfill', '--start', '2026-11-15', '--end', '2026-11-16', '--yes-paid'];
    expect((await place.run(backfill, clock(48 * HOUR))).code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(before);
  });
});

extended('within five minutes the earlier clock decides whether yesterday is complete', async () => {
  const seven = completeFrom('2026-11-20').getTime();
  const place = await make({ now: () => new Date(seven - 2 * MINUTE) });
  await ends(
    place.run(['run'], { DAWNLOAD_NOW: new Date(seven + 2 * MINUTE).toISOString() }),
    0,
    /The last complete day is 2026-11-19/,
  );
  expect(await daysOf(place, 'statistics')).toEqual(['17', '18', '19']);
  expect(await daysOf(place, 'events')).toEqual(['17', '18', '19']);
});

extended(
  'a clock that is set back by two minutes during a run leaves the budget of the run as it is',
  async () => {
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
    expect(result.stderr).toMatch(/not requested, over exports\.budget for one run/);
    expect(result.stderr).not.toMatch(/ -\d/);
    expect(result.code).toBe(3);
    expect(place.sandbox.bills()).toHaveLength(1);
  },
);

test('a day that the service has not completed by its own clock is not called missing', async () => {
  // 07:05 KST here, 06:55 KST there.
  const there = Date.parse('2026-11-20T21:55:00Z');
  const place = await make({ date: () => new Date(there).toUTCString() });
  await place.run(['run'], { DAWNLOAD_NOW: '2026-11-20T22:05:00Z' });
  const days = await place.rows(
    "select distinct state from ops.days where date = date '2026-11-20' and stream <> 'events'",
  );
  expect(days).toEqual([{ state: 'not_complete' }]);
});

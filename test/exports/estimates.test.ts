// @module-tag long
/** Budgets that hold although estimates are wrong, and empty or short answers that are not believed: the built command. */
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../sandbox/index.js';
import type { Place } from '../support/dawnload.js';
import { NOW } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const SETTINGS = 'lookback_days: 2\nrequest_timeout_seconds: 2\nretries: 0\n';

function make(yaml: string, options: SandboxOptions = {}): Promise<Place> {
  return makePlace(SETTINGS + yaml, { eventsPerDay: 1_200, ...options });
}

/** A page in the middle, and others around it. */
const THREE_PAGES = { eventsPerDay: 2_400 };

const exports = (perRun: number, more = ''): string =>
  `exports:\n  budget: { records_per_run: ${perRun}, records_per_month: 1000000 }\n${more}`;

interface Listed {
  readonly key: string;
  readonly estimated_records: number;
  readonly state: string;
  readonly records: number | null;
  readonly empty_in_doubt: boolean;
}

async function listed(place: Place): Promise<Listed[]> {
  return JSON.parse((await place.run(['exports', 'list', '--json'])).stdout) as Listed[];
}

const events = (place: Place): Promise<Record<string, unknown>[]> =>
  place.rows('select count(*)::int as events from events');

describe('a day without rows of daily statistics', () => {
  const EMPTY = [{ endpoint: 'E17', kind: 'other-shape-200', body: [] }] as const;
  const night = { instant: NOW };
  const now = { now: () => new Date(night.instant), date: () => new Date(night.instant).toUTCString() };
  const at = (instant: string): { DAWNLOAD_NOW: string } => {
    night.instant = instant;
    return { DAWNLOAD_NOW: instant };
  };
  const TOMORROW = '2026-11-21T22:30:00Z';

  test('is not wanted: nothing is requested, however large the budget, and nothing is missing', async () => {
    const place = await make(`start_date: 2026-11-11\n${exports(100, '  max_wait_minutes: 0\n')}`, now);
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
});

describe('the first night of a budget', () => {
  extended('requests one export at a time while the first one is still being made', async () => {
    const place = await make(`start_date: 2026-11-16\n${exports(1_000_000, '  max_wait_minutes: 0.01\n')}`, {
      exportSeconds: 3_600,
    });
    await ends(
      place.run(['run']),
      1,
      /waiting for the size of an export that is under way: 2026-11-16..2026-11-19/,
    );
    expect((await place.run(['run'])).code).toBe(1);
    expect(place.sandbox.requests().E20).toBe(1);
    const plan = JSON.parse((await place.run(['plan', '--json'])).stdout) as {
      events: { to_request: unknown[]; month: { records: number } };
    };
    expect(plan.events.to_request).toEqual([]);
    expect(plan.events.month.records).toBeGreaterThan(0);
  });
});

describe('a paid export that comes without records', () => {
  const DAY = `start_date: 2026-11-20\n${exports(100_000, '  max_wait_minutes: 0.05\n')}`;

  extended(
    'waits for a person when the service goes on saying so, and is read once the setting is right',
    async () => {
      const place = await make(DAY.replace('  max_wait', '  page_parameter: wrong\n  max_wait'), {
        pageParameter: 'page',
      });
      place.sandbox.setFaults([
        {
          endpoint: 'E21',
          kind: 'status',
          status: 200,
          body: { status: 'success', data: [], total_page_count: 0 },
        },
      ]);
      await ends(place.run(['run']), 1, /reports no records .*Check exports\.page_parameter/);
      expect(await listed(place)).toMatchObject([
        { state: 'requested', empty_in_doubt: true, records: null },
      ]);
      expect(await place.run(['status'])).toMatchObject({ code: 1 });
      place.sandbox.setFaults([]);
      await place.configure(SETTINGS + DAY);
      expect((await place.run(['exports', 'resume', '2026-11-20.1'])).code).toBe(0);
      expect(await listed(place)).toMatchObject([{ state: 'loaded', empty_in_doubt: false }]);
      expect(place.sandbox.requests().E20).toBe(1);
    },
  );
});

extended('pages that are gone for good leave those that came to a person, who may take them', async () => {
  const price = exports(100_000, '  price_per_record: 1\n');
  const place = await make(`start_date: 2026-11-20\n${price}`, THREE_PAGES);
  place.sandbox.setFaults([{ endpoint: 'E21', kind: 'success-then-not-found', after: 2 }]);
  for (let night = 0; night < 3; night++) expect((await place.run(['run'])).code).toBe(1);
  expect((await place.run(['status'])).stderr).toMatch(/exports decide 2026-11-20\.1 --accept-incomplete/);
  const taken = await place.run(['exports', 'decide', '2026-11-20.1', '--accept-incomplete']);
  expect(taken.code).toBe(0);
  expect(await events(place)).toEqual([{ events: 2_000 }]);
  // The page that never came is billed, too.
  const estimate = (await listed(place))[0]?.estimated_records ?? 0;
  expect(estimate).toBeGreaterThan(2_000);
  const { stdout } = await place.run(['status', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    export_fees: [{ exports: 1, records: estimate, estimated_records: estimate - 2_000 }],
  });
  expect((await place.run(['query', 'budget'])).stderr).toContain(`${estimate.toLocaleString('en-US')} of`);
  const shown = await place.run(['exports', 'show', '2026-11-20.1']);
  expect(shown.stdout).toContain(`price about ${estimate.toLocaleString('en-US')}`);
  // The service has them again: nothing more is paid.
  place.sandbox.setFaults([]);
  expect((await place.run(['exports', 'resume', '2026-11-20.1'])).code).toBe(0);
  expect(await events(place)).toEqual([{ events: place.sandbox.bills()[0]?.records }]);
  expect(place.sandbox.requests().E20).toBe(1);
});

extended(
  'two ids that a person mixed up are named every night, put right by two commands, and each day holds its own events',
  async () => {
    const place = await make(`start_date: 2026-11-19\n${exports(100_000)}`, { eventsPerDay: 300 });
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after' }]);
    for (let night = 0; night < 2; night++) expect((await place.run(['run'])).code).toBe(1);
    place.sandbox.setFaults([]);
    const [newer, older] = place.sandbox.bills().map(({ export_id: id }) => id);
    const attach = (day: string, id = '', ...more: string[]) =>
      place.run(['exports', 'decide', `2026-11-${day}.1`, '--attach', id, ...more]);
    // The id is tried first, at no cost.
    await ends(attach('20', 'zzz'), 3, 'The service does not know export zzz');
    place.sandbox.setFaults([{ endpoint: 'E21', kind: 'reset-before' }]);
    await ends(attach('20', older), 3, 'It is unknown whether the service has export');
    place.sandbox.setFaults([]);
    await attach('20', older);
    await attach('19', newer);
    for (let night = 0; night < 2; night++) {
      const { code, stderr } = await place.run(['run']);
      expect(code).toBe(1);
      for (const key of ['2026-11-19.1', '2026-11-20.1'])
        expect(stderr).toMatch(
          new RegExp(`${key} of .* is kept back .* its id may belong to another export`),
        );
    }
    // No run goes on with them.
    const status = await place.run(['status', '--json']);
    expect([status.code, JSON.parse(status.stdout)]).toEqual([1, expect.objectContaining({ under_way: [] })]);
    const notes = await place.rows("select note from ops.exports where note like '%happened on other days'");
    expect(notes).toHaveLength(2);
    expect((await attach('20', newer)).code).toBe(3);
    expect((await attach('20', newer, '--yes')).code).toBe(0);
    // A person may take the wrong one for right, and find out later.
    await place.run(['exports', 'decide', '2026-11-19.1', '--accept-incomplete']);
    expect((await place.run(['run'])).stderr).not.toContain('another export');
    expect((await attach('19', 'zzz')).stderr).toMatch(
      /does not know export zzz.*\. 2026-11-19\.1 is loaded, as/,
    );
    expect((await attach('19', older, '--yes')).code).toBe(0);
    expect((await place.run(['run'])).code).toBe(0);
    const held = `select strftime(date, '%d') as day, count(*)::int as n, count(distinct export_date)::int as exports
  from events group by all order by day desc`;
    const bills = place.sandbox.bills();
    const wanted = ['20', '19'].map((day, i) => ({ day, n: bills[i]?.records, exports: 1 }));
    expect(await place.rows(held)).toEqual(wanted);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await place.rows(held)).toEqual(wanted);
    expect(bills).toHaveLength(2);
  },
);

// @module-tag long
/** What is paid for, what is not, and how it is told: the built command against a service that bills. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../sandbox/index.js';
import { Place, type Ended } from '../support/dawnload.js';

const DAYS = 'start_date: 2026-11-19\nlookback_days: 2\nrequest_timeout_seconds: 2\nretries: 0\n';
const budget = (perRun: number, perMonth = 1_000_000): string =>
  `exports:\n  budget: { records_per_run: ${perRun}, records_per_month: ${perMonth} }\n`;

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.remove()));
});

async function make(yaml: string, options: SandboxOptions = {}): Promise<Place> {
  const place = await Place.make(yaml, options);
  places.push(place);
  return place;
}

const ledger = (place: Place): Promise<string> =>
  readFile(join(place.folder, 'data', 'ledger', 'exports.jsonl'), 'utf8');

async function states(place: Place): Promise<string[]> {
  const { stdout } = await place.run(['exports', 'list', '--json']);
  return (JSON.parse(stdout) as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
}

describe('paying again for an ambiguous export', () => {
  /** Yesterday's export was requested and billed, and its answer lost; nothing else was requested. */
  async function lost(): Promise<Place> {
    const place = await make(DAYS + budget(100_000));
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
    expect((await place.run(['run'])).code).toBe(1);
    expect(await states(place)).toEqual(['2026-11-20.1 ambiguous']);
    return place;
  }
  const again = (place: Place): Promise<Ended> =>
    place.run(['exports', 'resume', '2026-11-20.1', '--pay-again']);

  test('together with another consent, or with an id of nothing, is refused with exit code 2, and changes nothing', async () => {
    const place = await lost();
    const before = await ledger(place);
    for (const [args, words] of [
      [['resume', '2026-11-20.1', '--pay-again', '--accept-incomplete'], 'cannot be combined. Choose one.'],
      [['attach', '2026-11-20.1', ' '], 'The export id is empty.'],
    ] as const) {
      const { code, stderr } = await place.run(['exports', ...args]);
      expect(code).toBe(2);
      expect(stderr.replace('\n', ' ')).toContain(words);
    }
    expect(await ledger(place)).toEqual(before);
  });

  test.each([
    ['without a budget', '', /exports\.budget is not set/],
    [
      'over the budget of a run',
      budget(100),
      /over exports\.budget\.records_per_run \(about \d+ records, \d+ left\)/,
    ],
    [
      'over the budget of the month',
      budget(500, 500),
      /over exports\.budget\.records_per_month \(about \d+ records, \d+ left\)/,
    ],
  ])('%s is refused with exit code 3, and changes nothing', async (_, exports, reason) => {
    const place = await lost();
    await place.configure(DAYS + exports);
    const before = await ledger(place);
    const result = await again(place);
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(reason);
    expect(result.stderr).toMatch(/Nothing was sent/);
    expect(await ledger(place)).toBe(before);
    expect(place.sandbox.requests().E20).toBe(1);
  });

  test('within the budget is done once; a second time there is nothing to pay for', async () => {
    const place = await lost();
    expect((await again(place)).code).toBe(0);
    expect(await states(place)).toEqual(['2026-11-20.1 abandoned', '2026-11-20.2 loaded']);
    expect(place.sandbox.bills()).toHaveLength(2);
    const result = await place.run(['exports', 'resume', '2026-11-20.2', '--pay-again']);
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/nothing to pay for again/);
    expect(place.sandbox.bills()).toHaveLength(2);
  });
});

describe('a clear refusal', () => {
  test.each([
    ['400 with an error body', { status: 400, body: { error: 'InvalidRequest', message: 'no' } }],
    ['401 about the token', { status: 401, body: { status: 'error', message: 'jwt expired' } }],
    ['429 about the rate', { status: 429, body: { error: 'Too many requests' } }],
  ])('(%s) costs nothing: each run asks again, until one is accepted', async (_, answer) => {
    const place = await make(DAYS + budget(100_000));
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'status', ...answer }]);
    for (const attempts of [1, 2]) {
      const result = await place.run(['run']);
      expect(result.code).toBe(1);
      expect(result.stderr).toMatch(/refused the export .* Nothing is billed/);
      const [first, ...rest] = await states(place);
      expect([first, ...rest].filter((state) => state?.endsWith('failed'))).toHaveLength(2 * attempts);
    }
    place.sandbox.setFaults([]);
    expect((await place.run(['run'])).code).toBe(0);
    expect((await place.run(['run'])).code).toBe(0);
    expect(place.sandbox.bills().map(({ start }) => start)).toEqual([
      '2026-11-19T15:00:00.000Z',
      '2026-11-18T15:00:00.000Z',
    ]);
  });
});

test('an error that tells of an export is not asked again on the next night', async () => {
  const place = await make(DAYS + budget(100_000));
  const body = { error: 'Export queued; notification channel missing' };
  place.sandbox.setFaults([{ endpoint: 'E20', kind: 'status', status: 400, body, handled: true, times: 1 }]);
  expect((await place.run(['run'])).code).toBe(1);
  const next = await place.run(['run']);
  expect(next.code).toBe(1);
  expect(next.stderr).toMatch(/may have been billed.*Export queued; notification channel missing/);
  expect(await states(place)).toEqual(['2026-11-20.1 ambiguous', '2026-11-19.1 loaded']);
  expect(place.sandbox.bills()).toHaveLength(2);
});

test('a token that no header can carry leaves no export in doubt', async () => {
  const place = await make(DAYS + budget(100_000));
  const body = { data: 'token\nother', error: null };
  place.sandbox.setFaults([{ endpoint: 'E1', kind: 'status', status: 200, body, times: 1 }]);
  const result = await place.run(['run']);
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/with a token that no header can carry/);
  expect(await states(place)).toEqual([]);
  expect((await place.run(['run'])).code).toBe(0);
});

describe('exit codes', () => {
  test('1, not 3, when an ambiguous export waits and the budget stands in the way too', async () => {
    const place = await make(DAYS + budget(100_000));
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after', times: 1 }]);
    await place.run(['run']);
    await place.configure(DAYS + budget(1));
    const result = await place.run(['run']);
    expect(result.stderr).toMatch(/not requested, over exports\.budget\.records_per_run: 2026-11-19/);
    expect(result.code).toBe(1);
    await place.run(['exports', 'abandon', '2026-11-20.1']);
    expect((await place.run(['run'])).code).toBe(3);
    expect(place.sandbox.requests().E20).toBe(1);
  });
});

describe('days without statistics', () => {
  const events = ['backfill', '--start', '2026-11-17', '--end', '2026-11-18', '--streams', 'events'];

  test('have no estimate and are not paid for by a run, whatever the budget', async () => {
    const place = await make(`${DAYS}${budget(100_000)}  start_date: 2026-11-18\n`);
    const result = await place.run(['run']);
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/no daily statistics to estimate from .*: 2026-11-18/);
    expect(place.sandbox.bills()).toHaveLength(2);
  });

  test('are paid for with --yes-paid, one after the other: each size is known before the next', async () => {
    const place = await make(DAYS + budget(100_000));
    expect((await place.run(events)).code).toBe(3);
    expect(place.sandbox.requests().E20).toBe(0);
    expect((await place.run([...events, '--yes-paid'])).code).toBe(0);
    expect(place.sandbox.bills()).toHaveLength(2);
  });
});

test('an export that the ledger did not know is entered only with a warning', async () => {
  const place = await make(DAYS + budget(100_000));
  const result = await place.run(['exports', 'attach', '2026-11-20.1', 'found']);
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(
    /did not list 2026-11-20\.1, so it was entered .* `dawnload exports abandon 2026-11-20\.1`/,
  );
});

test('pages that are at home are not fetched again after a kill', async () => {
  const place = await make(`concurrency: 1\n${DAYS}${budget(100_000)}`, { eventsPerDay: 6_000 });
  const day = ['backfill', '--start', '2026-11-20', '--end', '2026-11-20', '--yes-paid'];
  const killed = await place.execute(day, { DAWNLOAD_CRASH_AT: 'land/events/durable:4' });
  expect(killed.signal).toBe('SIGKILL');
  const before = place.sandbox.requests();
  expect((await place.run(day)).code).toBe(0);
  const [{ pages }] = JSON.parse((await place.run(['exports', 'list', '--json'])).stdout) as [
    { pages: number },
  ];
  expect(pages).toBeGreaterThan(4);
  // Four were durable: the rest is asked for, each page once.
  expect(place.sandbox.requests().E21 - before.E21).toBe(pages - 4);
  expect(place.sandbox.requests().E20).toBe(1);
});

test('what programs read has one spelling of names: snake_case, at every depth', async () => {
  const place = await make(DAYS + budget(360));
  const keys = new Set<string>();
  const gather = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(gather);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        keys.add(key);
        gather(inner);
      }
    }
  };
  for (const command of [
    ['plan'],
    ['run'],
    ['plan'],
    ['status'],
    ['exports', 'list'],
    ['doctor'],
    ['rebuild'],
    ['backfill', '--start', '2026-11-18', '--end', '2026-11-18'],
  ]) {
    const { stdout, stderr } = await place.run([...command, '--json']);
    expect(stdout, `${command.join(' ')}: ${stderr}`).toMatch(/^[[{]/);
    gather(JSON.parse(stdout));
  }
  expect(keys).toContain('estimated_records');
  expect(keys).toContain('finished_at');
  expect([...keys].filter((key) => !/^[a-z0-9_]+$/.test(key))).toEqual([]);
});

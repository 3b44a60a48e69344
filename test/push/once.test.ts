// @module-tag long
/** Events and journeys are sent once: what an unknown outcome stops, and what a person decides. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ended, Place } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { forgetPushes, lines, published, push, written } from './support.js';

let place: Place;
beforeAll(async () => {
  place = await published();
}, 60_000);
beforeEach(() => forgetPushes(place));
afterAll(() => place.remove());

/** Each test has users of its own. */
let nth = 0;
const users = (count: number) =>
  `select 'once${nth}-' || i as user_id, i as step from range(${count}) as r(i) order by i`;
beforeEach(() => nth++);

const entered = () =>
  written(place)
    .journeys.filter(({ userId }) => userId.startsWith(`once${nth}-`))
    .map(({ userId }) => userId);
const tracked = () => written(place).events.filter(({ userId }) => userId.startsWith(`once${nth}-`));
const idIn = ({ stderr }: Ended): string => /\d{4}-\d\d-\d\d\.\d+/.exec(stderr)?.[0] ?? '';
const JOURNEY = ['journey', 'uj-win02', '--sql'] as const;

test(
  'a journey takes 1,000 users a call, events 500, each with its fields',
  { tags: ['extended'] },
  async () => {
    const before = { ...place.sandbox.requests() };
    expect((await push(place, ...JOURNEY, users(1001))).code).toBe(0);
    expect((await push(place, 'events', 'signed_up', '--sql', users(501))).code).toBe(0);
    expect(place.sandbox.requests().E16 - before.E16).toBe(2);
    expect(place.sandbox.requests().E13 - before.E13).toBe(2);
    expect(new Set(entered()).size).toBe(1001);
    expect(tracked()[7]).toMatchObject({ eventName: 'signed_up', step: 7 });
  },
);

const UNKNOWN: [string, Omit<Fault, 'endpoint'>, received: boolean][] = [
  ['a reset after it was handled', { kind: 'reset-after', times: 1 } as never, true],
  ['a 502', { kind: 'status', status: 502, times: 1 } as never, false],
  ['an empty object', { kind: 'other-shape-200', times: 1, body: {}, handled: true } as never, true],
  ['an error with status 200', { kind: 'error-body-200', times: 1 } as never, false],
  [
    'a refusal that tells of work',
    { kind: 'status', status: 400, times: 1, body: { error: 'already processing' } } as never,
    false,
  ],
];

describe('rows whose other columns change', () => {
  const changing = (count: number, more = 0) =>
    `select 'once${nth}-' || i as user_id, i + ${more} as step from range(${count}) as r(i) order by i`;
  const timed = () => `select 'once${nth}-' || i as user_id, now() as at from range(1500) as r(i) order by i`;
  const unique = () => new Set(entered()).size;
  const REFUSAL = { endpoint: 'E16', kind: 'status', status: 403, body: { message: 'no' } } as const;
  const stopAfterOneCall = async (...options: string[]) => {
    place.sandbox.setFaults([{ ...REFUSAL, skip: 1, times: 1 }]);
    expect((await push(place, ...JOURNEY, timed(), ...options)).code).toBe(1);
    place.sandbox.setFaults([]);
  };

  test('and whose outcome is unknown are left out by resume, and by later pushes', async () => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-after', times: 1 }]);
    const stopped = await push(place, ...JOURNEY, changing(10), '--key', 'user_id');
    expect(stopped.stderr.match(/is ambiguous/g)).toHaveLength(1);
    await push(place, 'resume', idIn(stopped));
    const after = await push(place, ...JOURNEY, changing(12, 1), '--key', 'user_id', '--yes');
    expect(after.stderr).toMatch(/Pushed 2 rows.*10 left because it is not known/);
    expect([entered().length, unique()]).toEqual([12, 12]);
  });

  test('and that an unfinished push has sent are not sent again', async () => {
    await stopAfterOneCall('--key', 'user_id');
    await push(place, ...JOURNEY, timed(), '--key', 'user_id', '--yes');
    expect([entered().length, unique()]).toEqual([1500, 1500]);
  });

  test('and that have no key stop a push that goes on, until a person agrees', async () => {
    await stopAfterOneCall();
    const again = await push(place, ...JOURNEY, timed());
    expect([again.code, again.stderr]).toEqual([
      3,
      expect.stringContaining('1,000 rows that this push has sent'),
    ]);
    expect(entered()).toHaveLength(1000);
  });
});

test('acknowledged rows that are not remembered any more stop the next push', async () => {
  await push(place, ...JOURNEY, users(3), '--key', 'user_id');
  await rm(join(place.folder, 'data', 'ledger', 'pushed'), { recursive: true });
  const again = await push(place, ...JOURNEY, users(3), '--key', 'user_id');
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('ledger/pushed lacks rows')]);
  expect(entered()).toHaveLength(3);
});

test('a lost key stops the next push, since no sent row is recognised under another one', async () => {
  const key = join(place.folder, 'data', 'private', 'hmac.key');
  const kept = await readFile(key);
  const events = ['events', 'signed_up', '--sql', users(3), '--key', 'user_id'] as const;
  expect((await push(place, ...events)).code).toBe(0);
  await rm(key);
  const { code, stderr } = await push(place, ...events);
  await writeFile(key, kept);
  expect(code).toBe(3);
  expect(stderr).toContain('Restore the key from its newest backup');
  expect(tracked()).toHaveLength(3);
  expect((await push(place, ...events)).code).toBe(0);
  expect(tracked()).toHaveLength(3);
});

describe('after an unknown outcome', () => {
  test.each(UNKNOWN)(
    '%s: the call is sent once, the push stops, and nothing goes on by itself',
    { tags: ['extended'] },
    async (_, fault, received) => {
      const before = place.sandbox.requests().E16;
      place.sandbox.setFaults([{ endpoint: 'E16', skip: 1, ...fault } as Fault]);
      const stopped = await push(place, ...JOURNEY, users(3000), '--key', 'user_id');
      expect(stopped.code).toBe(1);
      expect(stopped.stderr).toMatch(/ambiguous.*1000 of its rows.*push resume.*push abandon/s);
      expect(place.sandbox.requests().E16 - before).toBe(2);
      const again = await push(place, ...JOURNEY, users(3000), '--key', 'user_id', '--yes');
      expect(again.code).toBe(3);
      expect(place.sandbox.requests().E16 - before).toBe(2);
      expect(entered()).toHaveLength(received ? 2000 : 1000);
      expect((await push(place, 'list')).code).toBe(1);
    },
  );

  test.each([
    ['that has the rows, resume goes on with the others', 'reset-after', [], 3000],
    ['that has not, resume --again sends them too', 'reset-before', ['--again'], 3000],
  ] as const)('%s', async (_, kind, more, count) => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind, skip: 1, times: 1 }]);
    const id = idIn(await push(place, ...JOURNEY, users(3000)));
    const resumed = await push(place, 'resume', id, ...more);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(entered()).toHaveLength(count);
    expect(new Set(entered()).size).toBe(count);
    expect((await push(place, 'list')).code).toBe(0);
    expect((await push(place, 'resume', id)).code).toBe(3);
  });

  test('abandon ends the push; its unknown rows are not sent by later pushes with a key, the rest is', async () => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-after', skip: 1, times: 1 }]);
    const args = [...JOURNEY, users(3000), '--key', 'user_id'];
    const id = idIn(await push(place, ...args));
    expect((await push(place, 'abandon', id)).code).toBe(0);
    const next = await push(place, ...args);
    expect(next.code, next.stderr).toBe(0);
    expect(next.stderr).toContain('Pushed 1,000 rows');
    expect(next.stderr).toContain('1,000 left because it is not known');
    expect(entered()).toHaveLength(3000);
    expect(new Set(entered()).size).toBe(3000);
  });
});

describe('a clear refusal', () => {
  test('for what the rows hold is divided, and no row is sent again that was taken', async () => {
    const body = { code: 400, success: false, error: 'Invalid field' };
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'status', status: 400, times: 2, body }]);
    const before = place.sandbox.requests().E16;
    const { code, stderr } = await push(place, ...JOURNEY, users(3));
    expect(code, stderr).toBe(0);
    // All three, two of them, then each by itself.
    expect(place.sandbox.requests().E16 - before).toBe(5);
    expect(entered().sort()).toEqual([0, 1, 2].map((i) => `once${nth}-${i}`));
  });

  test(
    'of the whole target stops at the first call, and nothing is ambiguous',
    { tags: ['extended'] },
    async () => {
      const before = place.sandbox.requests().E16;
      const unknown = await push(place, 'journey', 'nothing', '--sql', users(3000));
      expect(unknown.code).toBe(1);
      expect(unknown.stderr).toContain('404');
      const closed = await push(place, 'journey', 'uj-onb01', '--sql', users(3000));
      expect(closed.code).toBe(1);
      expect(place.sandbox.requests().E16 - before).toBe(2);
      expect((await push(place, 'list')).code).toBe(0);
    },
  );

  test('for the rate stops the push, and the same command goes on', async () => {
    place.sandbox.setFaults([
      {
        endpoint: 'E16',
        kind: 'status',
        status: 429,
        skip: 1,
        times: 1,
        body: { code: 429, success: false, error: 'Too many requests' },
      },
    ]);
    const stopped = await push(place, ...JOURNEY, users(3000));
    expect(stopped.code).toBe(1);
    expect(entered()).toHaveLength(1000);
    const again = await push(place, ...JOURNEY, users(3000));
    expect(again.code, again.stderr).toBe(0);
    expect(entered()).toHaveLength(3000);
    expect(new Set(entered()).size).toBe(3000);
  });
});

test('a service that cannot be reached leaves nothing ambiguous', { tags: ['extended'] }, async () => {
  await place.run(['push', 'list']);
  const gone = await place.run(['push', ...JOURNEY, users(3)], { DAWNLOAD_BASE_URL: 'http://127.0.0.1:9' });
  expect(gone.code).toBe(1);
  expect((await lines(place)).filter(({ outcome }) => outcome === 'ambiguous')).toEqual([]);
});

test(
  'an unfinished push with another query has to be resumed or abandoned first',
  { tags: ['extended'] },
  async () => {
    place.sandbox.setFaults([
      {
        endpoint: 'E16',
        kind: 'status',
        status: 429,
        skip: 1,
        times: 1,
        body: { code: 429, success: false, error: 'Too many requests' },
      },
    ]);
    const id = idIn(await push(place, ...JOURNEY, users(2000))) || String((await lines(place))[0]?.['push']);
    const other = await push(place, ...JOURNEY, `${users(2000)} limit 1500`, '--yes');
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining(id) as string });
    const resumed = await push(place, 'resume', id);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(entered()).toHaveLength(2000);
  },
);

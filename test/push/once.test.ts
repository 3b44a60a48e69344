// @module-tag long
/** Events and journeys are sent once: what an unknown outcome stops, and what a person decides. */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Ended, Place } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { forgetPushes, lines, published, push, written, YAML } from './support.js';
import { ends, makePlace } from '../support/place.js';

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
const JOURNEY = ['journey', 'uj-win02', '--yes', '--sql'] as const;
const EVENTS = ['events', 'signed_up', '--key', 'user_id', '--yes', '--sql'] as const;

test('rows reach people only after a yes; events have to say what tells them apart', async () => {
  await ends(push(place, 'journey', 'uj-win02', '--sql', users(3)), 3, '3 rows would reach people.');
  await ends(push(place, 'events', 'signed_up', '--sql', users(3), '--yes'), 2, 'events needs --key');
  for (const id of ['..', ' ']) {
    await ends(push(place, 'journey', id, '--sql', users(3), '--yes'), 2, 'needs the id of a user journey');
  }
  expect(await lines(place)).toEqual([]);
});

const answered = (endpoint: string, status: number, body: object): Omit<Fault, 'endpoint'> =>
  ({ endpoint, kind: 'status', status, times: 1, body }) as never;

const E13: [status: number, body: object][] = [
  [400, { data: null, error: 'Tracked 4 events, 1 event is invalid' }],
  [200, { message: '3 events were discarded' }],
  [200, { message: '3건 누락' }],
  [200, { message: 'Tracked 2 events' }],
  [200, { message: 'Tracked 3 events', failed: 0 }],
];

test.each(E13)('E13 %i %j is believed by nobody, and its text is kept nowhere', async (status, body) => {
  place.sandbox.setFaults([answered('E13', status, body) as Fault]);
  await ends(push(place, ...EVENTS, users(3)), 1, 'is ambiguous');
  const kept = JSON.stringify(await lines(place));
  expect(kept).toContain(`HTTP ${status}`);
  for (const words of Object.values(body)) if (typeof words === 'string') expect(kept).not.toContain(words);
});

test('a text that a person has judged is believed, with the count of the rows', async () => {
  await place.configure(
    YAML.replace('push: {', "push: { acknowledgements: ['{count}건 저장.'], refusals: [closed], "),
  );
  try {
    place.sandbox.setFaults([answered('E13', 200, { message: '3건 저장' }) as Fault]);
    expect((await push(place, ...EVENTS, users(3))).code).toBe(0);
    place.sandbox.setFaults([answered('E13', 403, { data: null, error: 'Closed' }) as Fault]);
    await ends(push(place, ...EVENTS, users(6)), 1, 'HTTP 403');
    expect((await push(place, 'list')).code).toBe(0);
    place.sandbox.setFaults([answered('E13', 200, { message: 'Closed' }) as Fault]);
    await ends(push(place, ...EVENTS, users(6)), 1, 'stopped: HTTP 200.');
    expect((await push(place, 'list')).code).toBe(0);
    place.sandbox.setFaults([answered('E13', 200, { message: '2건 저장' }) as Fault]);
    const short = await push(place, ...EVENTS, users(6));
    expect(short.stderr).toMatch(
      /“2건 저장”\. If that means that no row was taken.* push\.acknowledgements.*is ambiguous/s,
    );
    expect((await push(place, 'decide', idIn(short), '--abandon')).stderr).toContain(
      'Its 3 rows of unknown outcome are not sent again',
    );
    place.sandbox.setFaults([answered('E13', 200, { data: null, error: 'Too late' }) as Fault]);
    const late = await push(place, ...EVENTS, users(9));
    expect(late.stderr).toMatch(/“Too late”\. If that means that no row was taken, add it to push\.refusals/);
  } finally {
    await place.configure(YAML);
  }
});

describe('rows whose other columns change', () => {
  const changing = (count: number, more = 0) =>
    `select 'once${nth}-' || i as user_id, i + ${more} as step from range(${count}) as r(i) order by i`;
  const timed = () => `select 'once${nth}-' || i as user_id, now() as at from range(1500) as r(i) order by i`;
  const unique = () => new Set(entered()).size;

  test('and whose outcome is unknown are left out by a decision, and by later pushes', async () => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-after', times: 1 }]);
    const stopped = await push(place, ...JOURNEY, changing(10));
    expect(stopped.stderr.match(/is ambiguous/g)).toHaveLength(1);
    await push(place, 'decide', idIn(stopped), '--delivered');
    expect((await push(place, ...JOURNEY, changing(10, 1))).stderr).toContain('Pushed 0 rows');
    const after = await push(place, ...JOURNEY, changing(12, 1));
    expect(after.stderr).toMatch(/Pushed 2 rows.*10 skipped, because rows with the same key were sent/);
    expect([entered().length, unique()]).toEqual([12, 12]);
  });

  test('and that a push sent before it stopped are not sent again', async () => {
    place.sandbox.setFaults([
      { endpoint: 'E16', kind: 'status', status: 403, body: { error: 'Forbidden' }, skip: 1, times: 1 },
    ]);
    expect((await push(place, ...JOURNEY, timed())).code).toBe(1);
    place.sandbox.setFaults([]);
    await push(place, ...JOURNEY, timed());
    expect([entered().length, unique()]).toEqual([1500, 1500]);
  });

  test('are left out and counted, also with a yes; a key of both columns tells them apart', async () => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-after', skip: 1, times: 1 }]);
    const id = idIn(await push(place, ...JOURNEY, changing(1500)));
    expect((await push(place, 'decide', id, '--abandon')).code).toBe(0);
    await ends(
      push(place, ...JOURNEY, changing(1500, 1)),
      0,
      /Pushed 0 rows .*; 1,000 skipped, because rows with the same key were sent .*500 skipped, because the service may/,
    );
    expect(entered()).toHaveLength(1500);
    const other = await push(place, ...JOURNEY, changing(1500), '--key', 'user_id, step', '--dry-run');
    expect(other.stderr).toContain('was user_id and is now step, user_id');
  });
});

test.each([
  ['lost', 3, (file: string) => rm(file)],
  [
    'altered',
    1,
    async (file: string) => writeFile(file, (await readFile(file, 'utf8')).replace(/"k":\["#./, '"k":["#x')),
  ],
  [
    'altered in the name of their key',
    0,
    async (file: string) =>
      writeFile(file, (await readFile(file, 'utf8')).replace(/"made_with":"./, '"made_with":"x')),
  ],
])('rows in ledger/pushed that are %s stop every push until `recover`', async (_, again, change) => {
  await push(place, ...JOURNEY, users(3));
  await change(join(place.folder, 'data', 'ledger', 'pushed', 'journey%20uj-win02.jsonl'));
  await ends(push(place, ...JOURNEY, users(3)), 1, 'ledger/pushed lacks rows');
  expect((await push(place, 'user-properties', '--sql', users(1))).stderr).toContain('pushes are blocked');
  const shown = await place.run(['recover', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    doubt: expect.stringContaining('ledger/pushed lacks rows') as string,
    exports: [],
    lost_push_calls: [{ target: 'journey uj-win02', rows: 3 }],
  });
  const recovered = await place.run(['recover', '--yes']);
  expect([recovered.code, recovered.stderr]).toEqual([0, expect.not.stringMatching(/exports? /i)]);
  const asked = await push(place, 'journey', 'uj-win02', '--sql', users(3), '--dry-run');
  expect(asked.stdout).toContain(`Would push ${again} row`);
  expect(entered()).toHaveLength(3);
});

test('agreeing to lost rows of one target agrees to those of no other', async () => {
  await push(place, ...JOURNEY, users(3));
  await push(place, ...EVENTS, users(3));
  const pushed = join(place.folder, 'data', 'ledger', 'pushed');
  await rm(join(pushed, 'journey%20uj-win02.jsonl'));
  expect((await place.run(['recover', '--yes'])).code).toBe(0);
  expect((await place.run(['recover', '--yes'])).stderr).toContain('is complete');
  for (const name of await readdir(pushed)) await rm(join(pushed, name));
  await ends(push(place, ...EVENTS, users(3)), 1, 'ledger/pushed lacks rows');
  expect((await place.run(['recover'])).code).toBe(1);
});

test('rows that reached people under another key are named, whatever the query and its name are now', async () => {
  await push(place, ...JOURNEY, users(3));
  const edited = ['--sql', `select *, 1 as v from (${users(3)})`, '--key', 'user_id,v'];
  await ends(push(place, 'journey', 'uj-win02', ...edited), 3, 'key of the rows was user_id and is now');
});

test('a lost journal stops every push until `recover`, which enters what is remembered', async () => {
  await push(place, 'user-properties', '--sql', users(1));
  await push(place, ...JOURNEY, users(3));
  for (const file of ['ledger/journal.jsonl', 'landing/ledger/journal.jsonl'])
    await rm(join(place.folder, 'data', file));
  for (const shown of ['list', 'rejected']) {
    const { code, stdout, stderr } = await push(place, shown);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^warning: The journal lacks line/),
    ]);
  }
  // Another push must not take the number of the lost one.
  expect((await push(place, 'user-properties', '--sql', users(2))).code).toBe(1);
  expect((await push(place, ...JOURNEY, users(3))).code).toBe(1);
  expect((await place.run(['recover', '--yes'])).stderr).toContain('Entered 1 push call of unknown outcome');
  const again = await ends(push(place, ...JOURNEY, users(3)), 3, 'is ambiguous');
  expect((await push(place, 'user-properties', '--sql', users(2))).code).toBe(0);
  const [, id = ''] = /Push (\S+) to journey/.exec(again.stderr) ?? [];
  await ends(place.run(['push', 'decide', id, '--delivered']), 0, 'skips the 3 rows that the service has');
  const others = await push(place, ...JOURNEY, users(4));
  expect([others.code, entered().length], others.stderr).toEqual([0, 4]);
  const ids = (await lines(place)).flatMap((one) => (one['event'] === 'begun' ? [one['push']] : []));
  expect(new Set(ids).size).toBe(ids.length);
});

test('a lost key stops the next push, since no sent row is recognised under another one', async () => {
  const key = join(place.folder, 'data', 'private', 'hmac.key');
  const kept = await readFile(key);
  expect((await push(place, ...EVENTS, users(3))).code).toBe(0);
  await rm(key);
  const { code, stderr } = await push(place, ...EVENTS, users(3));
  await writeFile(key, kept);
  expect(code).toBe(3);
  expect(stderr).toContain('Restore the key from its newest backup');
  expect(tracked()).toHaveLength(3);
  expect((await push(place, ...EVENTS, users(3))).code).toBe(0);
  expect(tracked()).toHaveLength(3);
});

test('clocks that differ stop a push, and a clock that was set back opens no new month', async () => {
  const back = { DAWNLOAD_NOW: '2026-10-20T22:30:00Z' };
  await push(place, ...JOURNEY, users(3));
  await place.configure(YAML.replace('rows_per_month: 1000000', 'rows_per_month: 4'));
  try {
    expect((await place.run(['push', ...JOURNEY, users(7)], back)).code).toBe(3);
    const behind = { DAWNLOAD_NOW: '2026-11-20T22:20:00Z' };
    await ends(place.run(['push', ...JOURNEY, users(4)], behind), 1, "behind the service's");
    await ends(push(place, ...JOURNEY, users(7)), 3, 'rows_per_month');
    expect(entered()).toHaveLength(3);
  } finally {
    await place.configure(YAML);
  }
});

describe('after an unknown outcome', () => {
  test.each([
    ['that has the rows, --delivered goes on with the others', 'reset-after', '--delivered', 3000],
    ['that has not, --again sends them too', 'reset-before', '--again', 3000],
  ] as const)('%s', async (_, kind, how, count) => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind, skip: 1, times: 1 }]);
    const id = idIn(await push(place, ...JOURNEY, users(3000)));
    expect((await push(place, 'decide', id, how)).code).toBe(0);
    const goneOn = await push(place, ...JOURNEY, users(3000));
    expect(goneOn.code, goneOn.stderr).toBe(0);
    expect(entered()).toHaveLength(count);
    expect(new Set(entered()).size).toBe(count);
    expect((await push(place, 'list')).code).toBe(0);
    expect((await push(place, 'decide', id, '--delivered')).code).toBe(3);
  });

  test('rows that the service has not, as a person says, count no more against the limits', async () => {
    await place.configure(YAML.replace('rows_per_month: 1000000', 'rows_per_month: 6'));
    try {
      place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-before', times: 1 }]);
      const id = idIn(await push(place, ...JOURNEY, users(5)));
      expect((await push(place, 'decide', id, '--delivered')).code).toBe(0);
      expect((await push(place, ...JOURNEY, users(7))).code).toBe(3);
      expect((await push(place, 'decide', id, '--again')).code).toBe(0);
      await ends(push(place, ...JOURNEY, users(5)), 0, 'Pushed 5 rows');
      expect((await push(place, ...JOURNEY, users(7))).code).toBe(3);
    } finally {
      await place.configure(YAML);
    }
  });

  test.each([
    ['--delivered takes back --again', 'reset-after', ['--again', '--delivered']],
    ['--abandon takes back --again', 'reset-after', ['--again', '--abandon']],
    ['--again takes back --delivered', 'reset-before', ['--delivered', '--again']],
  ] as const)('the last decision counts: %s', async (_, kind, decisions) => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind, times: 1 }]);
    const id = idIn(await push(place, ...JOURNEY, users(5)));
    for (const decision of decisions) await ends(push(place, 'decide', id, decision), 0, '5 rows');
    expect((await push(place, ...JOURNEY, users(5))).code).toBe(0);
    expect(entered().sort()).toEqual([0, 1, 2, 3, 4].map((i) => `once${nth}-${i}`));
  });

  test('--abandon ends the push; its unknown rows are not sent by later pushes with a key, the rest is', async () => {
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'reset-after', skip: 1, times: 1 }]);
    const args = [...JOURNEY, users(3000)];
    const id = idIn(await push(place, ...args));
    expect((await push(place, 'decide', id, '--abandon')).code).toBe(0);
    await ends(
      push(place, ...args),
      0,
      'Pushed 1,000 rows',
      '1,000 skipped, because the service may have them',
    );
    expect(entered()).toHaveLength(3000);
    expect(new Set(entered()).size).toBe(3000);
  });
});

test('a decision is exactly one, and listing rejected rows makes no key', async () => {
  const fresh = await makePlace(YAML);
  for (const how of [[], ['--delivered', '--again']])
    await ends(fresh.run(['push', 'decide', '2026-11-21.1', ...how]), 2, 'Exactly one decision is needed.');
  await ends(fresh.run(['push', 'rejected']), 0);
  expect(existsSync(join(fresh.folder, 'data/private/hmac.key'))).toBe(false);
});

test('a push that was killed before the answer is ambiguous; --delivered leaves the rows of the call out', async () => {
  const point = { DAWNLOAD_CRASH_AT: 'push/answered' };
  expect((await place.dying(['push', ...JOURNEY, users(10)], point)).signal).toBe('SIGKILL');
  const again = await ends(
    push(place, ...JOURNEY, users(10)),
    3,
    /is ambiguous.*10 of its rows \(the process ended before/,
  );
  const list = await push(place, 'list', '--json');
  expect([list.code, JSON.parse(list.stdout)]).toMatchObject([1, [{ state: 'ambiguous', in_doubt: 10 }]]);
  const advice = new RegExp(`Push ${idIn(again)} to .* is ambiguous`);
  await ends(place.run(['status']), 1, advice);
  expect((await place.run(['doctor'])).stdout).toMatch(
    /ledger +\d+ paid exports?, none needs action\. Push .* to journey \S+ needs your decision\./,
  );
  await ends(push(place, 'decide', idIn(again), '--delivered'), 0, 'the 10 rows that the service has');
  expect((await place.run(['status'])).stderr).not.toMatch(advice);
  expect((await push(place, ...JOURNEY, users(10))).stderr).toMatch(/Pushed 0 rows .*10 unchanged/);
  expect((await push(place, ...JOURNEY, users(11))).stderr).toMatch(/Pushed 1 row .*10 unchanged/);
  expect(entered()).toHaveLength(11);
});

describe('a clear refusal', () => {
  test('for what the rows hold is divided, and no row is sent again that was taken', async () => {
    const body = { data: null, error: 'InvalidRequest' };
    place.sandbox.setFaults([{ endpoint: 'E16', kind: 'status', status: 400, times: 2, body }]);
    const before = place.sandbox.requests().E16;
    const { code, stderr } = await push(place, ...JOURNEY, users(3));
    expect(code, stderr).toBe(0);
    // All three, two of them, then each by itself.
    expect(place.sandbox.requests().E16 - before).toBe(5);
    expect(entered().sort()).toEqual([0, 1, 2].map((i) => `once${nth}-${i}`));
  });

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

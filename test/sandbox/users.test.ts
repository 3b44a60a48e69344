/** Events (E13), properties (E14) and deletion (E15) of users, and entry into journeys (E16), rule by rule. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANY_TEXT,
  ask,
  closeAll,
  each,
  type EventRecord,
  type Expected,
  namesOf,
  play,
  PROJECT,
  type Service,
  start,
  type Step,
} from './support.js';

let there: Service;
beforeEach(async () => {
  there = await start();
});
afterEach(closeAll);

const E13 = 'POST /track-event';
const E14 = 'POST /set-user-properties';
const E15 = 'DELETE /users';
const JOURNEY = 'uj-win02';
const E16 = (journey = JOURNEY) => `POST /projects/${PROJECT}/user-journeys/${journey}/enter`;

const projectId = PROJECT;
const event = { projectId, eventName: 'viewed', userId: 'bora' };
const user = { projectId, userId: 'bora', userProperties: { grade: 'gold' } };
const gone = { projectId, userId: 'bora' };
const bora = {
  ...user,
  userProperties: { $email: 'bora@shop.test', $phone_number: '010-1111-2222', messengerUserId: 'm-1' },
};
const many = (count: number, one: object) =>
  Array.from({ length: count }, (_, i) => ({ ...one, userId: `u${i}` }));

/** The optional keys are there once the caller is known. */
const REFUSED: Expected = [400, { data: null, error: ANY_TEXT, projectId, durationMs: null }];
const tracked = (count: number): Expected => [200, { message: `${count} events were tracked.` }];
const rows = (count: number): Expected => [200, { data: count }];
const ENTERED: Expected = [200, { code: 200, success: true, error: null }];
const notEntered = (code: number, error: string): Expected => [code, { code, success: false, error }];
const NOT_API = notEntered(403, 'The entry type of the user journey is not API-based.');
const state = (expected: object): Step => ['GET /_sandbox/state', undefined, expected];
const IGNORED: Step = { options: { unknownUsers: 'ignored' } };
const AT = '2026-11-20T01:00:00.000Z';

const RULES: Record<string, Step[]> = {
  'E13.1 number: 1 to 500 events, as one object or an array': [
    [E13, event, tracked(1)],
    [E13, many(500, event), tracked(500)],
    ...each(E13, REFUSED, many(501, event), []),
  ],
  'E13.3 effect: a triggered alimtalk fails for a user without a number; triggers are a setting': [
    { options: { triggers: { viewed: 'wE91kd' } } },
    [E13, [event, { ...event, eventName: 'signed_up' }], tracked(2)],
    state({ messages: [{ endpoint: 'E13', failureReason: 'InvalidPhoneNumberException' }] }),
  ],
  'E13.4 body: every event has a project, a name and a user, or none is tracked': [
    ...[
      { eventName: '' },
      { eventName: undefined },
      { userId: undefined },
      { userId: 7 },
      { projectId: 1 },
    ].flatMap((wrong) => each(E13, REFUSED, { ...event, ...wrong }, [event, { ...event, ...wrong }])),
    [E13, [event, null], REFUSED],
    [E13, [event, { ...event, projectId: 'f'.repeat(32) }], 403],
  ],
  'E13.5 unknown users: are created, or skipped and not counted (option)': [
    [E13, event, tracked(1)],
    state({ users: [{ userId: 'bora', properties: {} }] }),
    IGNORED,
    [E13, [event, { ...event, userId: 'user_0000000' }, { ...event, userId: 'user_9999999' }], tracked(1)],
    state({ events: [{ userId: 'user_0000000' }] }),
  ],
  'E14.1 answer and state: the number of updated rows; properties are added, replaced, and removed by null': [
    [E14, user, rows(1)],
    [
      E14,
      [
        { ...user, userProperties: { grade: null, tags: ['a'], nested: { b: 1 } } },
        { ...user, userId: 'carl' },
      ],
      rows(2),
    ],
    state({
      users: [
        {
          userId: 'bora',
          properties: expect.not.objectContaining({ grade: expect.anything() as unknown }) as unknown,
        },
        { userId: 'carl', properties: { grade: 'gold' } },
      ],
    }),
    state({ users: [{ properties: { tags: ['a'], nested: { b: 1 } } }, {}] }),
  ],
  'E14.2 number: 1 to 1,000 users': [
    [E14, many(1000, user), rows(1000)],
    ...each(E14, REFUSED, many(1001, user), []),
  ],
  'E14.3 container (N14): an object under the configured name, or no user is changed': [
    ...[undefined, null, 'x', ['x']].map((userProperties): Step => [
      E14,
      [user, { ...user, userProperties }],
      REFUSED,
    ]),
    { options: { fieldNames: { userProperties: 'properties' } } },
    [E14, user, REFUSED],
    [E14, { projectId, userId: 'bora', properties: { grade: 'gold' } }, rows(1)],
  ],
  'E15.1 answer and state: the number of deleted rows; unknown users are not counted': [
    [E14, [user, { ...user, userId: 'carl' }], rows(2)],
    [E15, [gone, gone, { ...gone, userId: 'none' }], rows(1)],
    [E15, gone, rows(0)],
    state({ users: [{ userId: 'carl' }], deletedUsers: [{ userId: 'bora', at: AT }] }),
  ],
  'E15.3 selected by: user id, e-mail, phone number or messenger user id (N15); all given ones must match': [
    ...[
      { userId: 'bora' },
      { userProperties: { $email: 'bora@shop.test' } },
      { userProperties: { $phone_number: '010-1111-2222' } },
      { messengerUserId: 'm-1' },
      { userId: 'bora', userProperties: { $email: 'bora@shop.test' }, messengerUserId: 'm-1' },
    ].flatMap((selector): Step[] => [
      [E14, bora, rows(1)],
      [E15, { projectId, ...selector }, rows(1)],
    ]),
    [E14, bora, rows(1)],
    [E15, { ...gone, userProperties: { $email: 'other@shop.test' } }, rows(0)],
    // A number matches as it was stored, in no other form.
    [E15, { projectId, userProperties: { $phone_number: '01011112222' } }, rows(0)],
  ],
  'E15.4 messenger user id (N15): under the configured name': [
    { options: { fieldNames: { messengerUser: 'talkyId' } } },
    [E14, { ...user, userProperties: { talkyId: 'm-1' } }, rows(1)],
    [E15, { projectId, messengerUserId: 'm-1' }, REFUSED],
    [E15, { projectId, talkyId: 'm-1' }, rows(1)],
  ],
  'E15.5 body: at least one selector, and no property but e-mail and phone number': each(
    E15,
    REFUSED,
    { projectId },
    { projectId, userProperties: {} },
    { projectId, userId: '' },
    { ...gone, userProperties: { grade: 'gold' } },
    { ...gone, userProperties: { $email: 7 } },
    { userId: 'bora' },
  ),
  'E16.2 users: 1 to 1,000': [
    [E16(), { users: many(1000, {}) }, ENTERED],
    ...[many(1001, {}), [], undefined, 'bora', [{}], [{ userId: '' }], ['bora']].map((users): Step => [
      E16(),
      { users },
      notEntered(400, ANY_TEXT),
    ]),
  ],
  'E16.3 entry type: only API-based journeys, a setting; an unknown journey is not found': [
    [E16('uj-onb01'), { users: [{ userId: 'bora' }] }, NOT_API],
    [E16('none'), { users: [{ userId: 'bora' }] }, notEntered(404, 'The user journey does not exist.')],
    { options: { apiJourneys: ['uj-onb01'] } },
    [E16('uj-onb01'), { users: [{ userId: 'bora' }] }, ENTERED],
    [E16(), { users: [{ userId: 'bora' }] }, NOT_API],
  ],
};

test.each(Object.entries(RULES))('%s', (_, steps) => play(there, steps));

const of = (records: readonly EventRecord[], userId: string) =>
  records.filter(({ user_id }) => user_id === userId);
/** How many messages a row of E17 says were sent. */
const sentBy = ({ e17 }: Awaited<ReturnType<Service['day']>>, key: string, value: string) =>
  Number(e17.find((row) => row[key] === value)?.['message_sent']);

/** The user of the world with most messages on 18 and 19 November, and the records of these days. */
async function someone(): Promise<{ userId: string; before: EventRecord[] }> {
  const before: EventRecord[] = [];
  for (const day of ['2026-11-18', '2026-11-19']) before.push(...(await there.day(day)).records);
  const counts = new Map<string, number>();
  for (const { user_id } of before) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return { userId: most?.[0] ?? '', before };
}

test('E14.5 errors of E13 to E15: have the project and durationMs once the caller is known', async () => {
  for (const request of [E13, E14, E15]) {
    await play(there, [[request, { projectId, userId: '' }, REFUSED]]);
    const [method = '', path = ''] = request.split(' ');
    const { json } = await ask(there.sandbox, { method, path, body: user });
    expect(json).toEqual({ data: null, error: 'Invalid Authorization Token' });
  }
});

test('E13.6 effect: an event that triggers a campaign sends it to the user, in exports and in E17 to E19; others send nothing', async () => {
  const signedUp = { ...event, eventName: 'signed_up' };
  const userProperties = { $phone_number: '01077778888' };
  await play(there, [
    [E14, { projectId, userId: 'carl', userProperties }, rows(1)],
    [
      E13,
      [
        event,
        { ...event, eventName: 'cart_abandoned' },
        { ...signedUp, userId: 'user_0000003' },
        { ...signedUp, userId: 'carl' },
      ],
      tracked(4),
    ],
  ]);
  const untouched = await start();
  const [now, world] = [await there.day(), await untouched.day()];
  expect(now.records.slice(0, world.records.length)).toEqual(world.records);
  expect(now.records.slice(world.records.length)).toMatchObject([
    { user_id: 'bora', campaign_id: 'a8LmZ2', channel: 'push_notification', event_name: 'send_success' },
    { user_id: 'user_0000003', campaign_id: 'wE91kd', channel: 'chatapp-alimtalk' },
    { user_id: 'carl', campaign_id: 'wE91kd', message_data: { recipientNo: '01077778888' } },
  ]);
  for (const [campaign, sent] of [
    ['a8LmZ2', 1],
    ['wE91kd', 2],
  ] as const) {
    expect(sentBy(now, 'campaign_id', campaign) - sentBy(world, 'campaign_id', campaign)).toBe(sent);
    const metric = await there.metric(campaign, 'send_success');
    expect(metric - (await untouched.metric(campaign, 'send_success'))).toBe(sent);
  }
});

test('E15.6 effect: later exports have no record of a deleted user, even of earlier days; statistics of those days stay', async () => {
  const { userId, before } = await someone();
  expect(of(before, userId).length).toBeGreaterThan(3);
  await play(there, [[E13, { projectId, eventName: 'cart_abandoned', userId }, tracked(1)]]);
  const counted = (await there.day('2026-11-19')).e17;
  await play(there, [[E15, { projectId, userId }, rows(1)]]);
  const after = [...(await there.day('2026-11-18')).records, ...(await there.day('2026-11-19')).records];
  expect(after).toEqual(before.filter(({ user_id }) => user_id !== userId));
  expect((await there.day('2026-11-19')).e17).toEqual(counted);
  expect(of((await there.day('2026-11-22')).records, userId)).toEqual([]);
});

test('E15.8 effect: an earlier export keeps its records, and a user who returns has only new records', async () => {
  const cart = { projectId, eventName: 'cart_abandoned', userId: 'bora' };
  await play(there, [[E13, cart, tracked(1)], { now: '2026-11-20T02:00:00Z' }]);
  const window = { start: '2026-11-20T01:00:00Z', end: '2026-11-20T02:00:00Z', isMessageDataIncluded: false };
  const asked = (await there.e20(window)).json.export_id;
  await play(there, [[E15, gone, rows(1)]]);
  expect(of((await there.e21(asked)).json.data, 'bora')).toHaveLength(1);
  const again = (await there.e20(window)).json.export_id;
  expect(of((await there.e21(again)).json.data, 'bora')).toEqual([]);
  await play(there, [[E13, cart, tracked(1)]]);
  const times = of((await there.day()).records, 'bora').map(({ time }) => Number(time.slice(0, 13)));
  expect(times).toEqual([Date.parse('2026-11-20T02:00:00Z')]);
});

test('E16.5 effect: users who enter are sent the first step immediately, in exports and in E17', async () => {
  const users = [{ userId: 'bora', coupon: 'c-1' }, { userId: 'user_0000003' }, { userId: 'bora' }];
  await play(there, [[E16(), { users }, ENTERED]]);
  const [now, world] = [await there.day(), await (await start()).day()];
  const added = now.records.slice(world.records.length);
  expect(added.map(({ user_id }) => user_id)).toEqual(['bora', 'user_0000003', 'bora']);
  expect(namesOf(added)).toEqual({ send_success: 3 });
  const step = { user_journey_id: JOURNEY, user_journey_node_id: 'n1a5', channel: 'push_notification' };
  expect(added[0]).toMatchObject({ resource_type: 'user-journey', campaign_id: null, ...step });
  const sent = (day: typeof now) => sentBy(day, 'user_journey_node_id', 'n1a5');
  expect(sent(now) - sent(world)).toBe(3);
});

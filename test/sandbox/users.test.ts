import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { ask, type EventRecord, PROJECT } from './http.js';
import { expectAccess, namesOf, withWritten, written, type Written } from './written.js';

let there: Written;
beforeEach(async () => {
  there = await written();
});
afterEach(() => there.sandbox.close());

const E13 = '/track-event';
const E14 = '/set-user-properties';
const E15 = '/users';
const JOURNEY = 'uj-win02';
const enterPath = (journey: string) => `/projects/${PROJECT}/user-journeys/${journey}/enter`;
/** The optional keys are there once the caller is known. */
const REFUSED = { data: null, error: expect.any(String) as string, projectId: PROJECT, durationMs: null };

const projectId = PROJECT;
const event = { projectId, eventName: 'viewed', userId: 'bora' };
const user = { projectId, userId: 'bora', userProperties: { grade: 'gold' } };

function many<T extends object>(count: number, one: T): T[] {
  return Array.from({ length: count }, (_, i) => ({ ...one, userId: `u${i}` }));
}

/** A call that is refused for its body and changes nothing. */
async function refused(method: string, path: string, body: unknown, from = there): Promise<void> {
  const before = await from.state();
  const got = await from.call(method, path, body);
  expect([got.status, got.json], JSON.stringify(body).slice(0, 200)).toEqual([400, REFUSED]);
  expect(await from.state()).toEqual(before);
}

async function answered(method: string, path: string, body: unknown, from = there): Promise<unknown> {
  const got = await from.call(method, path, body);
  expect(got.status, got.text).toBe(200);
  return got.json;
}

const of = (records: readonly EventRecord[], userId: string) =>
  records.filter(({ user_id }) => user_id === userId);

/** A user of the world with several messages from 18 to 20 November, and the records of these days. */
async function someone(from = there): Promise<{ userId: string; before: EventRecord[] }> {
  const before: EventRecord[] = [];
  for (const day of ['2026-11-18', '2026-11-19']) before.push(...(await from.day(day)).records);
  const counts = new Map<string, number>();
  for (const { user_id } of before) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return { userId: most?.[0] ?? '', before };
}

describe('events (E13)', () => {
  it('answer: how many events were tracked, of one object or of an array', async () => {
    expect(await answered('POST', E13, event)).toEqual({ message: '1 events were tracked.' });
    expect(await answered('POST', E13, [event, event])).toEqual({ message: '2 events were tracked.' });
  });

  it('number: 500 events pass, 501 and none do not', async () => {
    expect(await answered('POST', E13, many(500, event))).toEqual({ message: '500 events were tracked.' });
    await refused('POST', E13, many(501, event));
    await refused('POST', E13, []);
  });

  it('state: the sandbox alone shows each event with its other fields (N13), as often as it came', async () => {
    const one = { ...event, eventProperties: { price: 900, list: ['a'] }, at: null };
    await answered('POST', E13, [one, one]);
    const kept = {
      at: null,
      eventName: 'viewed',
      userId: 'bora',
      eventProperties: { price: 900, list: ['a'] },
    };
    expect((await there.state()).events).toEqual([kept, kept]);
  });

  it('effect: an event that triggers a campaign sends it to the user, in exports and in E17 to E19; others send nothing', async () => {
    const known = { ...event, eventName: 'signed_up', userId: 'user_0000003' };
    const phone = { $phone_number: '01077778888' };
    await answered('POST', E14, { projectId, userId: 'carl', userProperties: phone });
    await answered('POST', E13, [
      event,
      { ...event, eventName: 'cart_abandoned' },
      known,
      { ...known, userId: 'carl' },
    ]);
    await withWritten({}, async (untouched) => {
      const [now, world] = [await there.day(), await untouched.day()];
      const added = now.records.slice(world.records.length);
      expect(now.records.slice(0, world.records.length)).toEqual(world.records);
      expect(added).toMatchObject([
        { user_id: 'bora', campaign_id: 'a8LmZ2', channel: 'push_notification', event_name: 'send_success' },
        { user_id: 'user_0000003', campaign_id: 'wE91kd', channel: 'chatapp-alimtalk' },
        { user_id: 'carl', campaign_id: 'wE91kd', message_data: { recipientNo: '01077778888' } },
      ]);
      const sent = ({ e17 }: typeof now, campaign: string) =>
        Number(e17.find((row) => row['campaign_id'] === campaign)?.['message_sent']);
      expect(sent(now, 'a8LmZ2') - sent(world, 'a8LmZ2')).toBe(1);
      expect(sent(now, 'wE91kd') - sent(world, 'wE91kd')).toBe(2);
      const window = ['send_success', '2026-11-19T15:00:00.000Z', '2026-11-20T15:00:00.000Z'] as const;
      expect(await there.metric('wE91kd', ...window)).toBe((await untouched.metric('wE91kd', ...window)) + 2);
    });
  });

  it('effect: a triggered alimtalk fails for a user without a number; triggers are a setting', async () => {
    await withWritten({ triggers: { viewed: 'wE91kd' } }, async (other) => {
      await answered('POST', E13, [event, { ...event, eventName: 'signed_up' }], other);
      expect((await other.state()).messages).toMatchObject([
        { endpoint: 'E13', failureReason: 'InvalidPhoneNumberException' },
      ]);
    });
  });

  it('body: project, name and user are required of every event, or none is tracked', async () => {
    for (const wrong of [
      { eventName: '' },
      { eventName: undefined },
      { userId: undefined },
      { userId: 7 },
      { projectId: 1 },
    ]) {
      await refused('POST', E13, { ...event, ...wrong });
      await refused('POST', E13, [event, { ...event, ...wrong }]);
    }
    await refused('POST', E13, [event, null]);
  });

  it('project: one event of another project, and none is tracked', async () => {
    const got = await there.call('POST', E13, [event, { ...event, projectId: 'f'.repeat(32) }]);
    expect(got.status).toBe(403);
    expect((await there.state()).events).toEqual([]);
  });

  it('unknown users: become known, or are passed over and not counted where that is set', async () => {
    await answered('POST', E13, event);
    expect((await there.state()).users).toEqual([{ userId: 'bora', properties: {} }]);
    await withWritten({ unknownUsers: 'ignored' }, async (other) => {
      const list = [event, { ...event, userId: 'user_0000000' }, { ...event, userId: 'user_9999999' }];
      expect(await answered('POST', E13, list, other)).toEqual({ message: '1 events were tracked.' });
      expect((await other.state()).events).toMatchObject([{ userId: 'user_0000000' }]);
    });
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'POST', E13, event);
  });
});

describe('user properties (E14)', () => {
  it('answer and state: the number of updated rows; properties are added, replaced, and taken away by null', async () => {
    expect(await answered('POST', E14, user)).toEqual({ data: 1 });
    const more = { ...user, userProperties: { grade: null, tags: ['a'], nested: { b: 1 } } };
    expect(await answered('POST', E14, [more, { ...user, userId: 'carl' }])).toEqual({ data: 2 });
    expect((await there.state()).users).toEqual([
      { userId: 'bora', properties: { tags: ['a'], nested: { b: 1 } } },
      { userId: 'carl', properties: { grade: 'gold' } },
    ]);
  });

  it('number: 1,000 users pass, 1,001 and none do not', async () => {
    expect(await answered('POST', E14, many(1000, user))).toEqual({ data: 1000 });
    await refused('POST', E14, many(1001, user));
    await refused('POST', E14, []);
  });

  it('container (N14): an object under the name that is set, or no user is changed', async () => {
    for (const userProperties of [undefined, null, 'x', ['x']]) {
      await refused('POST', E14, [user, { ...user, userProperties }]);
    }
    await withWritten({ fieldNames: { userProperties: 'properties' } }, async (other) => {
      await refused('POST', E14, user, other);
      const named = { projectId, userId: 'bora', properties: { grade: 'gold' } };
      expect(await answered('POST', E14, named, other)).toEqual({ data: 1 });
    });
  });

  it('errors: hold the project and durationMs once the caller is known', async () => {
    for (const [method, path] of [
      ['POST', E13],
      ['POST', E14],
      ['DELETE', E15],
    ] as const) {
      expect((await there.call(method, path, { projectId, userId: '' })).json).toEqual(REFUSED);
      expect((await ask(there.sandbox, { method, path, body: user })).json).toEqual({
        data: null,
        error: 'Invalid Authorization Token',
      });
    }
  });

  it('unknown users: become known, or lower the count where that is set', async () => {
    await withWritten({ unknownUsers: 'ignored' }, async (other) => {
      const list = [user, { ...user, userId: 'user_0000001' }];
      expect(await answered('POST', E14, list, other)).toEqual({ data: 1 });
      expect((await other.state()).users).toMatchObject([{ userId: 'user_0000001' }]);
    });
  });

  it('effect: the next message to the user goes to the number that was set, in the export of that day', async () => {
    const userProperties = { $phone_number: '01077778888' };
    await answered('POST', E14, { projectId, userId: 'user_0000003', userProperties });
    await answered('POST', E13, { projectId, eventName: 'signed_up', userId: 'user_0000003' });
    const { records } = await there.day();
    expect(records.at(-1)).toMatchObject({
      user_id: 'user_0000003',
      message_data: { recipientNo: '01077778888' },
    });
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'POST', E14, user);
  });
});

describe('deleting users (E15)', () => {
  const profile = { $email: 'bora@shop.test', $phone_number: '010-1111-2222', messengerUserId: 'm-1' };
  const bora = { ...user, userProperties: profile };
  const gone = { projectId, userId: 'bora' };

  it('answer and state: the number of deleted rows; whoever is not there is not counted', async () => {
    await answered('POST', E14, [user, { ...user, userId: 'carl' }]);
    expect(await answered('DELETE', E15, [gone, gone, { ...gone, userId: 'none' }])).toEqual({ data: 1 });
    expect(await answered('DELETE', E15, gone)).toEqual({ data: 0 });
    const { users, deletedUsers } = await there.state();
    expect(users.map(({ userId }) => userId)).toEqual(['carl']);
    expect(deletedUsers).toEqual([{ userId: 'bora', at: '2026-11-20T01:00:00.000Z' }]);
  });

  it('number: 1,000 users pass, 1,001 and none do not', async () => {
    await answered('POST', E14, many(1000, user));
    await refused('DELETE', E15, many(1001, gone));
    await refused('DELETE', E15, []);
    expect(await answered('DELETE', E15, many(1000, gone))).toEqual({ data: 1000 });
    expect((await there.state()).users).toEqual([]);
  });

  it('selected by: user id, e-mail, phone number or messenger user id (N15), and by all that are given', async () => {
    for (const selector of [
      { userId: 'bora' },
      { userProperties: { $email: 'bora@shop.test' } },
      { userProperties: { $phone_number: '010-1111-2222' } },
      { messengerUserId: 'm-1' },
      { userId: 'bora', userProperties: { $email: 'bora@shop.test' }, messengerUserId: 'm-1' },
    ]) {
      await answered('POST', E14, bora);
      expect(await answered('DELETE', E15, { projectId, ...selector }), JSON.stringify(selector)).toEqual({
        data: 1,
      });
    }
    await answered('POST', E14, bora);
    const wrong = { projectId, userId: 'bora', userProperties: { $email: 'other@shop.test' } };
    expect(await answered('DELETE', E15, wrong)).toEqual({ data: 0 });
  });

  it('messenger user id (N15): under the name that is set', async () => {
    await withWritten({ fieldNames: { messengerUser: 'talkyId' } }, async (other) => {
      await answered('POST', E14, { ...user, userProperties: { talkyId: 'm-1' } }, other);
      await refused('DELETE', E15, { projectId, messengerUserId: 'm-1' }, other);
      expect(await answered('DELETE', E15, { projectId, talkyId: 'm-1' }, other)).toEqual({ data: 1 });
    });
  });

  it('phone numbers: match exactly as stored, another format does not', async () => {
    await answered('POST', E14, bora);
    const by = (number: string) =>
      answered('DELETE', E15, { projectId, userProperties: { $phone_number: number } });
    expect(await by('01011112222')).toEqual({ data: 0 });
    expect(await by('010-1111-2222')).toEqual({ data: 1 });
  });

  it('body: something that selects, and no property but e-mail and phone number', async () => {
    for (const body of [
      { projectId },
      { projectId, userProperties: {} },
      { projectId, userId: '' },
      { ...gone, userProperties: { grade: 'gold' } },
      { ...gone, userProperties: { $email: 7 } },
      { userId: 'bora' },
    ]) {
      await refused('DELETE', E15, body);
    }
  });

  it('effect: no record of a deleted user is in later exports, those from before included; the statistics of those days stay', async () => {
    const { userId, before } = await someone();
    expect(of(before, userId).length).toBeGreaterThan(3);
    await answered('POST', E13, { projectId, eventName: 'cart_abandoned', userId });
    const counted = (await there.day('2026-11-19')).e17;
    expect(await answered('DELETE', E15, { projectId, userId })).toEqual({ data: 1 });
    const after = [...(await there.day('2026-11-18')).records, ...(await there.day('2026-11-19')).records];
    expect(after).toEqual(before.filter(({ user_id }) => user_id !== userId));
    expect((await there.day('2026-11-19')).e17).toEqual(counted);
    expect(of((await there.day('2026-11-22')).records, userId)).toEqual([]);
  });

  it('effect: the statistics of the days after count what the exports hold, without the deleted user', async () => {
    const { userId } = await someone();
    const window = ['2026-11-28T15:00:00.000Z', '2026-11-29T15:00:00.000Z'] as const;
    await answered('DELETE', E15, { projectId, userId });
    const number = Number(userId.slice('user_'.length));
    const others = Array.from({ length: 60 }, (_, i) => ({
      projectId,
      userId: `user_${String(number + i + 1).padStart(7, '0')}`,
    }));
    expect(await answered('DELETE', E15, others)).toEqual({ data: expect.any(Number) as number });
    await withWritten({}, async (untouched) => {
      const [now, world] = [await there.day('2026-11-29'), await untouched.day('2026-11-29')];
      expect(now.records.length).toBeLessThan(world.records.length);
      const sends = now.records.filter(({ event_name }) => event_name.startsWith('send_'));
      const sum = ({ e17 }: typeof now) => e17.reduce((all, row) => all + Number(row['message_sent']), 0);
      expect(sum(now)).toBe(sends.length);
      expect(now.e18.reduce((all, row) => all + Number(row['message_sent']), 0)).toBe(sends.length);
      const own = sends.filter(
        ({ campaign_id, event_name }) => campaign_id === 'a8LmZ2' && event_name === 'send_success',
      );
      expect(await there.metric('a8LmZ2', 'send_success', ...window)).toBe(own.length);
      const [half, rest] = ['2026-11-29T03:00:00.000Z', '2026-11-29T15:00:00.000Z'];
      const parts = [
        await there.metric('a8LmZ2', 'send_success', window[0], half),
        await there.metric('a8LmZ2', 'send_success', half, rest),
      ];
      expect(parts[0]! + parts[1]!).toBe(own.length);
    });
  });

  it('effect: an export that was asked for before keeps its records, and a user who comes back has new records alone', async () => {
    const cart = { projectId, eventName: 'cart_abandoned', userId: 'bora' };
    await answered('POST', E13, cart);
    there.clock.now = new Date('2026-11-20T02:00:00Z');
    const window = {
      start: '2026-11-20T01:00:00Z',
      end: '2026-11-20T02:00:00Z',
      isMessageDataIncluded: false,
    };
    const asked = (await there.e20(window)).json.export_id;
    await answered('DELETE', E15, gone);
    expect(of((await there.e21(asked)).json.data, 'bora')).toHaveLength(1);
    const again = (await there.e20(window)).json.export_id;
    expect(of((await there.e21(again)).json.data, 'bora')).toEqual([]);
    await answered('POST', E13, cart);
    const records = of((await there.day()).records, 'bora');
    expect(records.map(({ time }) => time.slice(0, 13))).toEqual([
      String(Date.parse('2026-11-20T02:00:00Z')),
    ]);
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'DELETE', E15, gone);
  });
});

describe('user journeys (E16)', () => {
  const enter = (users: unknown, journey = JOURNEY, from = there) =>
    from.call('POST', enterPath(journey), { users });
  const DONE = { code: 200, success: true, error: null };

  it('effect: whoever enters is sent the first step at once, in exports and in E17', async () => {
    const got = await enter([
      { userId: 'bora', coupon: 'c-1' },
      { userId: 'user_0000003' },
      { userId: 'bora' },
    ]);
    expect([got.status, got.json]).toEqual([200, DONE]);
    await withWritten({}, async (untouched) => {
      const [now, world] = [await there.day(), await untouched.day()];
      const added = now.records.slice(world.records.length);
      expect(added.map(({ user_id }) => user_id)).toEqual(['bora', 'user_0000003', 'bora']);
      expect(namesOf(added)).toEqual({ send_success: 3 });
      expect(added[0]).toMatchObject({
        resource_type: 'user-journey',
        campaign_id: null,
        user_journey_id: JOURNEY,
        user_journey_node_id: 'n1a5',
        channel: 'push_notification',
      });
      const sent = ({ e17 }: typeof now) =>
        Number(e17.find((row) => row['user_journey_node_id'] === 'n1a5')?.['message_sent']);
      expect(sent(now) - sent(world)).toBe(3);
    });
  });

  it('state: the sandbox alone shows each entry with its other fields (N16)', async () => {
    await enter([{ userId: 'bora', coupon: 'c-1' }, { userId: 'bora' }]);
    const at = '2026-11-20T01:00:00.000Z';
    expect((await there.state()).journeys).toEqual([
      { at, userJourneyId: JOURNEY, userId: 'bora', coupon: 'c-1' },
      { at, userJourneyId: JOURNEY, userId: 'bora' },
    ]);
  });

  it('users: 1,000 pass, 1,001 and none do not', async () => {
    expect((await enter(many(1000, { userId: '' }))).json).toEqual(DONE);
    for (const users of [
      many(1001, { userId: '' }),
      [],
      undefined,
      'bora',
      [{}],
      [{ userId: '' }],
      ['bora'],
    ]) {
      const got = await enter(users);
      expect([got.status, got.json]).toEqual([
        400,
        { code: 400, success: false, error: expect.any(String) as string },
      ]);
    }
    expect((await there.state()).journeys).toHaveLength(1000);
  });

  it('entry type: API-based alone, which journeys are is a setting; one that does not exist is not found', async () => {
    const shape = (code: number, error: string) => ({ code, success: false, error });
    expect((await enter([{ userId: 'bora' }], 'uj-onb01')).json).toEqual(
      shape(403, 'The entry type of the user journey is not API-based.'),
    );
    expect((await enter([{ userId: 'bora' }], 'none')).json).toEqual(
      shape(404, 'The user journey does not exist.'),
    );
    expect((await there.state()).journeys).toEqual([]);
    await withWritten({ apiJourneys: ['uj-onb01'] }, async (other) => {
      expect((await enter([{ userId: 'bora' }], 'uj-onb01', other)).json).toEqual(DONE);
      expect((await enter([{ userId: 'bora' }], JOURNEY, other)).status).toBe(403);
    });
  });

  it('unknown users: become known, or are passed over where that is set', async () => {
    await withWritten({ unknownUsers: 'ignored' }, async (other) => {
      expect((await enter([{ userId: 'bora' }, { userId: 'user_0000001' }], JOURNEY, other)).json).toEqual(
        DONE,
      );
      expect((await other.state()).journeys).toMatchObject([{ userId: 'user_0000001' }]);
    });
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'POST', enterPath(JOURNEY), { users: [{ userId: 'bora' }] });
  });
});

describe('GET /_sandbox/state', () => {
  it('is empty until something is written', async () => {
    expect(await there.state()).toEqual({
      ...{ users: [], deletedUsers: [], events: [], journeys: [], messages: [] },
      optOuts: { registered: [], removed: [] },
      catalogs: { changed: [], deleted: [] },
      ...{ brandTemplates: [], images: [], deletedAlimtalkTemplates: [] },
    });
  });

  it('shows what was written to catalogs (E2): fields, items, selections, and what was deleted', async () => {
    const path = `/v1/projects/${PROJECT}/catalogs`;
    await there.call('PATCH', `${path}/products/items`, { items: [{ id: 'kn-1024', name: '니트' }] });
    await there.call('DELETE', `${path}/products/items/ct-2210`);
    await there.call('DELETE', `${path}/products/fields/rank`);
    const filters = [{ field: 'name', operator: 'equals', value: '니트' }];
    await there.call('POST', `${path}/products/selections`, { selection: { name: 's', filters } });
    await there.call('DELETE', `${path}/stores`);
    const { changed, deleted } = (await there.state()).catalogs;
    expect(deleted).toEqual(['stores']);
    expect(changed).toMatchObject([
      {
        ...{ name: 'products', created: false, addedFields: [], deletedFields: ['rank'] },
        items: [
          { id: 'kn-1024', item: { name: '니트' } },
          { id: 'ct-2210', item: null },
        ],
        selections: [{ name: 's', results: ['kn-1024'] }],
      },
    ]);
  });

  it('shows opt-outs (E12) and brand-message templates (E3)', async () => {
    const one = { unsubscribeNo: '0801234567', recipientNoList: ['01012345678'] };
    await there.call('POST', `/projects/${PROJECT}/messages/text-message/blockservice/recipients`, one);
    const template = {
      senderKey: 'k',
      templateName: 't',
      template: { type: 'text', content: { text: 'b' } },
    };
    await there.call('POST', `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates`, template);
    const { optOuts, brandTemplates } = await there.state();
    expect(optOuts.registered).toEqual([
      { unsubscribeNo: '0801234567', recipientNo: '01012345678', requestDate: '2026-11-20 10:00:00' },
    ]);
    expect(brandTemplates).toMatchObject([{ templateName: 't' }]);
  });
});

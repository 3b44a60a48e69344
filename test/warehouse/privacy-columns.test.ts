/** Ids and named keys of messages under privacy.columns: hashed or dropped, wherever they stand. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { KEY, record, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
type Rules = Record<string, 'hash' | 'drop'>;

const digest = (text: string): string => createHmac('sha256', KEY).update(text).digest('hex');

const workshopFor = (rules: Rules, recipients: 'keep' | 'hash' | 'drop' = 'hash'): Workshop =>
  new Workshop({
    privacy: {
      recipients,
      key: KEY,
      columns: Object.entries(rules).map(([name, rule]) => ({ name, rule })),
    },
  });

async function loaded(workshop: Workshop, ...records: Row[]): Promise<Workshop> {
  const all = records.map((more, i) => record({ id: `e${i}`, ...more }));
  await workshop.load(workshop.events(DAY, [all]));
  return workshop;
}

test('ids are hashed with the key, dropped or kept, each column by its own rule', async () => {
  const ids = {
    user_id: 'user-1',
    service_user_id: 'su-1',
    device_id: 'device-1',
    service_device_id: 'sd-1',
  };
  const workshop = await loaded(workshopFor({ user_id: 'hash', device_id: 'drop' }), ids, {
    ...ids,
    user_id: '',
  });
  expect(
    await workshop.look(
      'select user_id, service_user_id, device_id, service_device_id from events order by event_id',
    ),
  ).toEqual([
    { ...ids, user_id: digest('user_id user-1'), device_id: null },
    { ...ids, user_id: '', device_id: null },
  ]);
  await workshop.close();
  const file = readFileSync(workshop.path).toString('latin1');
  for (const id of ['user-1', 'device-1']) expect(file).not.toContain(id);
});

test('an address as an id has the same hash under every setting of recipients', async () => {
  for (const recipients of ['keep', 'hash', 'drop'] as const) {
    const workshop = await loaded(workshopFor({ user_id: 'hash' }, recipients), {
      user_id: 'Kim@Example.com',
    });
    expect(await workshop.look('select user_id from events')).toEqual([
      { user_id: digest(`user_id ${digest('kim@example.com')}`) },
    ]);
  }
});

const RULES: Rules = {
  nick: 'drop',
  alias: 'hash',
  n: 'drop',
  '이름.a': 'drop',
  user_id: 'hash',
  service_user_id: 'drop',
};

const IN_MESSAGES: readonly [title: string, given: unknown, stored: unknown][] = [
  [
    'at any depth',
    { a: [{ nick: 'Kim' }, { nick: 'Lee', b: 1 }] },
    { a: [{ nick: null }, { nick: null, b: 1 }] },
  ],
  [
    'with a value of any type',
    [{ nick: 12 }, { nick: 1.5 }, { nick: true }, { nick: [1, { nick: 2 }] }],
    [{ nick: null }, { nick: null }, { nick: null }, { nick: null }],
  ],
  [
    'beside a longer value that begins alike',
    [{ n: 1 }, { n: 12, m: 1 }, { n: 'a' }, { n: 'ab' }],
    [{ n: null }, { n: null, m: 1 }, { n: null }, { n: null }],
  ],
  ['in a text that is JSON', { body: '{ "nick": "Kim \\"K\\"", "x": 1 }' }, { body: '{"nick":null,"x":1}' }],
  [
    'in a text in a text',
    { body: JSON.stringify({ in: JSON.stringify({ nick: 'Kim' }) }), y: 1 },
    { body: null, y: 1 },
  ],
  [
    'with the rule hash',
    { alias: 'Kim', x: { alias: 7 } },
    { alias: digest('alias Kim'), x: { alias: digest('alias 7') } },
  ],
  ['with Korean letters and signs', { '이름.a': '김', 이름xa: '이' }, { '이름.a': null, 이름xa: '이' }],
  ['with the name of an id column', { user_id: 'user-1' }, { user_id: digest('user_id user-1') }],
  ['with the name of the brand', { service_user_id: 'su-1' }, { service_user_id: null }],
  ['but not as a value', { x: 'nick', y: ['"nick":"Kim"'] }, { x: 'nick', y: ['"nick":"Kim"'] }],
];

test('a named key is found at any place of a message', async () => {
  const workshop = await loaded(
    workshopFor(RULES),
    ...IN_MESSAGES.map(([title, data]) => ({
      channel: 'webhook',
      message_data: { url: `https://example.com/${title.replaceAll(' ', '-')}`, method: 'POST', data },
    })),
  );
  const rows = z
    .array(z.object({ data: z.string(), url: z.string() }))
    .parse(await workshop.look('select url, data from webhook_messages'));
  const stored = rows.map(({ url, data }): unknown => [url.split('/').at(-1), JSON.parse(data)]);
  expect(stored.sort()).toEqual(
    IN_MESSAGES.map(([title, , expected]) => [title.replaceAll(' ', '-'), expected]).sort(),
  );
});

test('a named key that has a column is stored by its rule, and members without a column too', async () => {
  const workshop = await loaded(
    workshopFor({ sendNo: 'hash', title: 'drop', nick: 'drop', user_id: 'drop' }),
    {
      channel: 'text-message',
      nick: 'Kim',
      user_id: { id: 'user-1' },
      message_data: { title: 'Dear Kim', body: 'x', sendNo: '15440000', nick: 'Kim' },
    },
  );
  expect(await workshop.lookOne('select title, body, send_no, extra from text_messages')).toEqual({
    title: null,
    body: 'x',
    send_no: digest('sendNo 15440000'),
    extra: '{"nick":null}',
  });
  expect(await workshop.lookOne('select user_id, extra from events')).toEqual({
    user_id: null,
    extra: '{"user_id":null,"nick":null}',
  });
});

test('a file of one rule is refused under another, with the way on', async () => {
  const workshop = await loaded(workshopFor({ user_id: 'hash' }), {});
  const { path, folder } = workshop;
  const open = (rules: Rules): Promise<void> => {
    const other = workshopFor(rules);
    Object.assign(other, { path, folder });
    return other.with(() => Promise.resolve()).finally(() => other.close());
  };
  await workshop.close();
  await open({ user_id: 'hash' });
  await expect(open({ device_id: 'drop', user_id: 'hash' })).rejects.toThrow(
    'The warehouse was made with privacy.columns { user_id: hash }; the setting is now { device_id: drop, user_id: hash }.',
  );
  expect(await workshop.look('select recipients, columns from ops.privacy')).toEqual([
    { recipients: 'hash', columns: 'user_id: hash' },
  ]);
});

test('people are counted by hashed ids as by plain ones, and not at all where an id is dropped', async () => {
  const records = [1, 2, 2].map((n) => ({
    user_id: `user-${n}`,
    device_id: `device-${n}`,
    event_name: 'send_success',
  }));
  const counts = async (rules: Rules): Promise<unknown> => {
    const workshop = await loaded(workshopFor(rules), ...records);
    expect(await workshop.findings()).toEqual([]);
    return workshop.lookOne(
      'select sum(users)::integer as users, (select count(*)::integer from marts.daily_people) as people from marts.daily_events',
    );
  };
  expect(await counts({})).toEqual({ users: 2, people: 2 });
  expect(await counts({ user_id: 'hash', device_id: 'hash' })).toEqual({ users: 2, people: 2 });
  expect(await counts({ device_id: 'drop' })).toEqual({ users: null, people: 0 });
});

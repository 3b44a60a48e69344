/** What is personal stands in no byte of the file, as `privacy.recipients` and `privacy.columns` say. */
import { FIELDS } from '../../src/streams/index.js';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, describe, test } from 'vitest';
import { fieldsFor } from '../../src/ground/fields.js';
import type { Privacy } from '../../src/warehouse/privacy.js';
import { dayAfter, KEY, loadOne, micros, record, shared, statistic, Workshop, type Row } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';
import { extended, long } from '../support/tags.js';

const DAY = '2026-11-20';

/** HMAC-SHA-256 as it is made elsewhere. */
const hashOf = (plain: string, key: Buffer = KEY): string =>
  createHmac('sha256', key).update(plain).digest('hex');

type Rules = Record<string, 'hash' | 'drop'>;
const workshopFor = (recipients: Privacy['recipients'], rules: Rules = {}, key = KEY): Workshop => {
  const columns = Object.entries(rules).map(([name, rule]) => ({ name, rule }));
  return new Workshop({ privacy: { recipients, key, ...(columns.length > 0 && { columns }) } });
};

type Sent = [channel: string, message: unknown, more?: Row];

let days = 0;

/** Loads those messages on a day of their own, in their order; gives columns of a table of that day. */
async function loaded(
  workshop: Workshop,
  ...sent: readonly Sent[]
): Promise<(columns: string, table: string) => Promise<Row[]>> {
  const day = dayAfter('2025-01-01', 3 * days++);
  const records = sent.map(([channel, message_data, more], i) =>
    record({ id: `${day} ${100 + i}`, channel, message_data, time: micros(day), ...more }),
  );
  await workshop.load(workshop.events(day, [records]));
  return (columns, table) =>
    workshop.look(`select ${columns} from ${table} where export_date = '${day}' order by event_id`);
}

/** The only values of rows of one column. */
const values = (rows: readonly Row[]): unknown[] => rows.flatMap((row) => Object.values(row));

const MOBILE = '01012345678';
const FOREIGN = '15551234567';
const ADDRESS = 'kim.dawn@example.com';

describe('hashed', () => {
  const workshop = shared(() => Promise.resolve(workshopFor('hash')));

  test('the number that a message went to is hidden in all of that message, whatever its country', async () => {
    const button = { name: 'x', linkMo: `https://a.b/?n=1-555-123-4567`, more: { of: [15551234567] } };
    const found = await loaded(
      workshop,
      [
        'chatapp-alimtalk',
        {
          recipientNo: FOREIGN,
          content: '+1 555 123 4567 님, 15551234567',
          buttons: [button],
          more: 'x15551234567x',
        },
      ],
      [
        'chatapp-alimtalk',
        { recipientNo: '01099998888', content: `${FOREIGN} 1099998888`, more: 1099998888 },
      ],
    );
    const [hash, other] = [hashOf(FOREIGN), hashOf('01099998888')];
    expect(await found('content, extra', 'alimtalk_messages')).toEqual([
      { content: `+${hash} 님, ${hash}`, extra: JSON.stringify({ more: `x${hash}x` }) },
      { content: `${FOREIGN} ${other}`, extra: JSON.stringify({ more: other }) },
    ]);
    expect(await found('link_mo, extra', 'message_buttons')).toEqual([
      { link_mo: `https://a.b/?n=${hash}`, extra: JSON.stringify({ more: { of: [hash] } }) },
    ]);
  });

  test("the sender's number is nobody's secret; where it is no text, its numbers are hidden", async () => {
    const list = (number: string): object[] => [{ numbers: [number] }];
    const found = await loaded(
      workshop,
      ['text-message', { sendNo: '01011112222', recipientNo: MOBILE, body: `01011112222 ${ADDRESS}` }],
      ['text-message', { sendNo: '15881234', recipientNo: MOBILE, body: '1588-1234' }],
      ['text-message', { sendNo: MOBILE, recipientNo: MOBILE, body: MOBILE }],
      ['text-message', { sendNo: list('01011112222'), recipientNo: MOBILE, body: 'x' }],
    );
    expect(await found('send_no, body, extra', 'text_messages')).toEqual([
      { send_no: '01011112222', body: `01011112222 ${hashOf(ADDRESS)}`, extra: null },
      { send_no: '15881234', body: '1588-1234', extra: null },
      { send_no: hashOf(MOBILE), body: hashOf(MOBILE), extra: null },
      {
        send_no: null,
        body: 'x',
        extra: JSON.stringify({
          sendNo: list(hashOf('01011112222')),
          recipientNo: hashOf(MOBILE),
          body: 'x',
        }),
      },
    ]);
  });

  test('a number under no key is a telephone number, whatever became of its first zero', async () => {
    const wordless = [
      1012345678,
      '1012345678',
      '"1012345678"',
      [1012345678, ['1012345678', 7]],
      821012345678,
    ];
    const day = '2024-11-20';
    const records = wordless.map((message_data, nth) =>
      record({ id: `${nth}`, message_data, time: micros(day) }),
    );
    await workshop.load(workshop.events(day, [[...records, 1012345678]]));
    const found = await workshop.look(`
      select event_id, message_data::varchar as found from other_messages where export_date = '${day}'
      union all
      select 'z', extra from events where export_date = '${day}' and extra is not null
      order by 1`);
    const hash = hashOf(MOBILE);
    expect(found.map((row) => row['found'])).toEqual(
      [hash, hash, hash, [hash, [hash, 7]], hash, { value: hash }].map((value) => JSON.stringify(value)),
    );
  });

  test('the working file, its log and the folder for spilled data are for the job alone', async () => {
    await loaded(workshop, ['push-notification', null]);
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    const made = readdirSync(workshop.folder).filter((name) => name.startsWith('working.duckdb'));
    expect(made).toContain('working.duckdb.wal');
    for (const name of made) expect(modeOf(join(workshop.folder, name)), name).toBe('600');
    expect(modeOf(join(workshop.folder, 'tmp'))).toBe('700');
  });
});

test('numbers and addresses leave no trace where they are dropped, and stay as given where they are kept', async () => {
  const body = `전화 010-1234-5678, ${ADDRESS}.`;
  const look = async (recipients: 'drop' | 'keep'): Promise<unknown[]> => {
    const message = { title: ADDRESS, body, recipientNo: ' 010-1234-5678' };
    const found = await loaded(workshopFor(recipients), ['text-message', message, { user_id: ADDRESS }]);
    return values([
      ...(await found('title, body, recipient_no', 'text_messages')),
      ...(await found('user_id', 'events')),
    ]);
  };
  expect(await look('drop')).toEqual([null, '전화 , .', null, null]);
  expect(await look('keep')).toEqual([ADDRESS, body, ' 010-1234-5678', ADDRESS]);
});

const masked = async (recipients: Privacy['recipients']): Promise<void> => {
  const secret = 'S3cr3t-Value_99';
  const headers = {
    Authorization: `Bearer ${secret}`,
    'proxy-authorization': [secret],
    Cookie: `sid=${secret}`,
    'X-API-KEY': secret,
    'x-hub-signature-256': { sha: { of: secret } },
    'Content-Type': 'application/json',
    list: [
      ['Authorization', secret],
      ['Accept', 'text/plain'],
    ],
    pairs: [
      { name: 'X-Auth-Token', value: secret },
      { value: secret, key: 'Client-Secret' },
    ],
    raw: `Host: a\r\nAuthorization: Basic ${secret}\r\nAccept: */*`,
  };
  const url = `https://user:${secret}@a.b/c?x=1&token=${secret}&API_KEY=${secret}#access_token=${secret}`;
  const data = { request: { headers }, url: `https://:${secret}@a.b`, note: 'hello' };
  const found = await loaded(
    workshopFor(recipients),
    [
      'webhook',
      { url, method: 'POST', headers, data, oddity: { headers } },
      { failure_reason: `POST ${url}` },
    ],
    ['telepathy', { headers }, { failure_reason: `Authorization: Bearer ${secret}` }],
    ['push-notification', { title: 't', headers }],
  );
  const [webhook] = await found('*', 'webhook_messages');
  const others = [
    await found('*', 'other_messages'),
    await found('*', 'push_messages'),
    await found('*', 'events'),
  ];
  expect(JSON.stringify([webhook, others])).not.toContain(secret);
  expect(webhook?.['url']).toBe('https://***@a.b/c?x=1&token=***&API_KEY=***#access_token=***');
  expect(JSON.parse(String(webhook?.['headers']))).toMatchObject({
    Authorization: '***',
    'Content-Type': 'application/json',
    list: [
      ['Authorization', '***'],
      ['Accept', 'text/plain'],
    ],
    pairs: [{ name: 'X-Auth-Token', value: '***' }, { value: '***' }],
    raw: 'Host: a\r\nAuthorization: ***\r\nAccept: */*',
  });
  expect(JSON.parse(String(webhook?.['data']))).toMatchObject({ note: 'hello', url: 'https://***@a.b' });
};

test('credentials are masked', () => masked('hash'));

/** Numbers and addresses in every field of every document, as a text, alone, and inside an object. */
function hostile(number: string, address: string): { records: Row[]; statistics: Row[]; answer: Row } {
  const hyphened = number.replace(/^(...)(....)/, '$1-$2-');
  const text = `${hyphened} ${number} <a href="mailto:${address}?m=${number}"> ${address}`;
  const extra = { deep: [{ [address]: number, phone: hyphened, note: text }], [number]: 1, to: number };
  const fields = fieldsFor('service', FIELDS);
  const filled = (place: string, value: unknown): Row => {
    const ofPlace = fields.filter((one) => one.place === place);
    const entries = ofPlace.map(({ field, kind, part }): [string, unknown] => {
      if (part !== null && kind === 'list') return [field, [filled(part, value), value]];
      if (part !== null) return [field, filled(part, value)];
      return [field, kind === 'recipient' ? number : value];
    });
    return { ...Object.fromEntries(entries), [address]: value, extra };
  };
  const channels = [...new Set(fields.map(({ place }) => place))]
    .filter((place) => /^message_data:[^.]+$/.test(place))
    .map((place) => place.slice('message_data:'.length));
  const messages = channels.flatMap((channel) =>
    [text, hyphened, address, extra].map((value) => [channel, filled(`message_data:${channel}`, value)]),
  );
  const texts = messages.map(([channel, message]) => [channel, JSON.stringify(message, null, 1)]);
  const others = [extra, [text, extra], text].map((message) => ['telepathy', message]);
  const sent = [...messages, ...texts, ...others, ['push-notification', text], [text, { title: 't' }]];
  const ids = {
    user_id: address,
    service_user_id: text,
    device_id: `${number}-d`,
    service_device_id: address,
  };
  const of = (id: string, channel: unknown, message_data: unknown, more: Row = {}): Row =>
    record({
      ...{ id: `${address}/${id}`, ...ids, failure_reason: text, resource_title: text, campaign_id: address },
      ...{ experiment_group_name: text, user_journey_node_id: number, channel, message_data },
      channel_metadata: { channel_subtype: text, brand_message_target: number },
      time: micros(DAY),
      ...more,
    });
  const odd = [text, extra].map((value) => filled('record', value));
  const records = [
    ...sent.map(([channel, message], i) => of(String(i), channel, message)),
    ...odd.map((more, i) => ({ ...of(`odd ${i}`, 'webhook', {}), ...more, id: `${address}/odd ${i}` })),
  ];
  const counted = { conversion: [{ name: text, type: text, count: 1, extra }], extra };
  const statistics = [text, extra].map((value, i) => ({
    ...statistic({ message: extra, tags: [text, address], campaign_id: `c${i}` }),
    ...{ campaign_name: value, variant_name: number, ...counted },
    ...(i === 1 && { message_sent: text, message: { title: text, body: text } }),
  }));
  const dimensionSums = [{ dimensionKey: text, dimensionValue: address, sum: 1 }];
  const metric = { metricType: 't', metricName: text, conversionType: text, totalSum: 1 };
  const stats = [{ ...metric, dailySums: [{ date: DAY, sum: 1, extra, dimensionSums }] }];
  return { records, statistics, answer: { data: { lastCollectedAt: '2026-11-21 07:00:00', extra, stats } } };
}

describe.each([
  ['hash', 'long'],
  ['drop', 'extended'],
] as const)('a hostile day (%s)', (recipients, tag) => {
  const number = '01087654321';
  const address = 'private.person@somewhere.example';

  test('leaves no number and no address in any byte or any text of the file', { tags: [tag] }, async () => {
    const workshop = workshopFor(recipients);
    const { records, statistics, answer } = hostile(number, address);
    const plain = records.filter(({ id }) => !String(id).includes('odd'));
    await workshop.with(async (warehouse) => {
      await loadOne(warehouse, workshop.events(DAY, [plain]));
      await loadOne(
        warehouse,
        workshop.events('2026-11-19', [records.map((row) => ({ ...row, id: `again ${String(row['id'])}` }))]),
      );
      await loadOne(warehouse, workshop.statistics(DAY, statistics));
      await loadOne(warehouse, workshop.statistics(DAY, [statistic({ message_sent: 11 })]));
      await loadOne(
        warehouse,
        workshop.subchannels(
          DAY,
          statistics.map((row) => ({ ...row, resource_name: row['campaign_name'], node_name: number })),
        ),
      );
      await loadOne(warehouse, workshop.campaigns({ start: DAY, end: DAY }, { c1: answer }));
      await refreshModels(warehouse);
      await runChecks(warehouse);
    });
    const needles = [
      number,
      number.slice(1),
      '010-8765-4321',
      address,
      'private.person',
      'somewhere.example',
    ];
    await workshop.close();
    const bytes = readFileSync(workshop.path);
    for (const needle of needles) expect(bytes.includes(needle), needle).toBe(false);
    const tables = await workshop.look(
      `select format('"{}"."{}"', table_schema, table_name) as name from information_schema.tables`,
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables) {
      const text = JSON.stringify(await workshop.look(`from ${String(name)}`));
      for (const needle of needles) expect(text, String(name)).not.toContain(needle);
    }
    const { n } = await workshop.lookOne('select count(*)::integer as n from events');
    expect(n).toBe(records.length + plain.length);
  });
});

describe('under privacy.columns', () => {
  const digest = (name: string, plain: string): string => hashOf(`${name} ${plain}`);

  test('ids are hashed with the key, dropped or kept, each column by its own rule', async () => {
    const ids = {
      user_id: 'user-1',
      service_user_id: 'su-1',
      device_id: 'device-1',
      service_device_id: 'sd-1',
    };
    const workshop = workshopFor('hash', { user_id: 'hash', device_id: 'drop' });
    const found = await loaded(
      workshop,
      ['push-notification', null, ids],
      ['push-notification', null, { ...ids, user_id: '' }],
    );
    expect(await found('user_id, service_user_id, device_id, service_device_id', 'events')).toEqual([
      { ...ids, user_id: digest('user_id', 'user-1'), device_id: null },
      { ...ids, user_id: null, device_id: null },
    ]);
    await workshop.close();
    const file = readFileSync(workshop.path).toString('latin1');
    for (const id of ['user-1', 'device-1']) expect(file).not.toContain(id);
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
    [
      'in a text that is JSON',
      { body: '{ "nick": "Kim \\"K\\"", "x": 1 }' },
      { body: '{ "nick": null, "x": 1 }' },
    ],
    [
      'in a text in a text',
      { body: JSON.stringify({ in: JSON.stringify({ nick: 'Kim' }) }), y: 1 },
      { body: JSON.stringify({ in: JSON.stringify({ nick: null }) }), y: 1 },
    ],
    [
      'with the rule hash',
      { alias: 'Kim', x: { alias: 7 } },
      { alias: digest('alias', 'Kim'), x: { alias: digest('alias', '7') } },
    ],
    ['with Korean letters and signs', { '이름.a': '김', 이름xa: '이' }, { '이름.a': null, 이름xa: '이' }],
    ['with the name of an id column', { user_id: 'user-1' }, { user_id: digest('user_id', 'user-1') }],
    ['with the name of the brand', { service_user_id: 'su-1' }, { service_user_id: null }],
    ['but not as a value', { x: 'nick', y: ['"nick":"Kim"'] }, { x: 'nick', y: ['"nick":"Kim"'] }],
  ];

  test('a named key is found at any place of a message', async () => {
    const found = await loaded(
      workshopFor('hash', RULES),
      ...IN_MESSAGES.map(([, data]): Sent => [
        'webhook',
        { url: 'https://example.com', method: 'POST', data },
      ]),
    );
    const stored = values(await found('data', 'webhook_messages'));
    for (const [i, [title, , expected]] of IN_MESSAGES.entries())
      expect(JSON.parse(String(stored[i])), title).toEqual(expected);
  });

  long('a named key that has a column is stored by its rule, and members without a column too', async () => {
    const found = await loaded(
      workshopFor('hash', { sendNo: 'hash', title: 'drop', nick: 'drop', user_id: 'drop' }),
      [
        'text-message',
        { title: 'Dear Kim', body: 'x', sendNo: '15440000', nick: 'Kim' },
        { nick: 'Kim', user_id: { id: 'user-1' } },
      ],
    );
    const [extra] = values(await found('extra', 'events'));
    expect(JSON.parse(String(extra))).toMatchObject({ user_id: null, nick: null, channel: 'text-message' });
    expect(values(await found('user_id', 'events'))).toEqual([null]);
    expect(values(await found('title, body, send_no, extra', 'text_messages'))).toEqual([
      ...[null, 'x', digest('sendNo', '15440000'), '{"nick":null}'],
    ]);
  });

  extended('people are counted by hashed ids, and not at all where an id is dropped', async () => {
    const sent = [1, 2, 2].map((n): Sent => {
      return ['push-notification', null, { user_id: `user-${n}`, device_id: `device-${n}` }];
    });
    const counts = async (rules: Rules): Promise<string[]> => {
      const workshop = workshopFor('hash', rules);
      await loaded(workshop, ...sent);
      expect(await workshop.findings()).toEqual([]);
      return workshop.lines(
        'select sum(people), (select count(*) from marts.daily_people) from marts.daily_events',
      );
    };
    expect(await counts({ user_id: 'hash', device_id: 'hash' })).toEqual(['2 | 2']);
    expect(await counts({ device_id: 'drop' })).toEqual(['- | 0']);
  });
});

describe('a change of the setting', () => {
  const reopened = async (workshop: Workshop, privacy: Privacy): Promise<void> => {
    await workshop.close();
    Object.assign(workshop.options, { privacy });
    await workshop.open();
  };

  test('is refused by a file that holds rows of the old one, and says how to go on', async () => {
    const workshop = workshopFor('keep');
    await loaded(workshop, ['push-notification', null]);
    await expect(reopened(workshop, { recipients: 'hash', key: KEY })).rejects.toThrow(
      'The warehouse was made with privacy.recipients keep; the setting is now hash.',
    );
    await reopened(workshop, { recipients: 'keep', key: Buffer.alloc(32, 9) });
  });

  test('of the key is refused too, since one number would have two hashes', async () => {
    const workshop = workshopFor('hash');
    await loaded(workshop, ['push-notification', null]);
    const other = { recipients: 'hash', key: Buffer.alloc(32, 9) } as const;
    await expect(reopened(workshop, other)).rejects.toThrow(/another key/);
  });

  test('of the columns is refused, and they are on record', async () => {
    const workshop = workshopFor('hash', { user_id: 'hash' });
    await loaded(workshop, ['push-notification', null]);
    const columns = [{ name: 'user_id', rule: 'hash' }] as const;
    const more = [{ name: 'device_id', rule: 'drop' }, ...columns] as const;
    await expect(reopened(workshop, { recipients: 'hash', key: KEY, columns: more })).rejects.toThrow(
      'The warehouse was made with privacy.columns { user_id: hash }; the setting is now { device_id: drop, user_id: hash }.',
    );
    await expect(reopened(workshop, { recipients: 'hash', key: KEY })).rejects.toThrow(
      'with privacy.columns { user_id: hash }; the setting is now {}.',
    );
    await reopened(workshop, { recipients: 'hash', key: KEY, columns });
    expect(await workshop.lines('select recipients, columns from ops.privacy')).toEqual([
      'hash | user_id: hash',
    ]);
  });

  test('is taken by a file without rows', async () => {
    const workshop = workshopFor('keep');
    await workshop.open();
    await reopened(workshop, { recipients: 'drop', key: KEY });
    expect(await workshop.lines('select recipients, key_fingerprint from ops.privacy')).toEqual(['drop | -']);
  });
});

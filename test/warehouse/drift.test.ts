import { describe, expect, test } from 'vitest';
import { record, statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

const drift = (workshop: Workshop): Promise<Row[]> =>
  workshop.look(`select place, field, kind, example_type, first_date, last_date, records::integer as records
                 from ops.schema_drift order by place, field, kind`);
const found = (place: string, field: string, kind: string, example_type: string, records = 1): Row => ({
  place,
  field,
  kind,
  example_type,
  first_date: DAY,
  last_date: DAY,
  records,
});

describe('fields that the specification does not know are kept, and told', () => {
  test('in records and their metadata', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.events(DAY, [
        [
          record({ id: 'a', novelty: { deep: [1, '둘'] } }),
          record({
            id: 'b',
            channel_metadata: { channel_subtype: 'x', brand_message_target: null, mood: '🙂' },
          }),
          record({ id: 'c' }),
        ],
      ]),
    );
    expect(
      await workshop.look('select event_id, channel_subtype, extra from events order by event_id'),
    ).toEqual([
      { event_id: 'a', channel_subtype: null, extra: '{"novelty":{"deep":[1,"둘"]}}' },
      { event_id: 'b', channel_subtype: 'x', extra: '{"channel_metadata":{"mood":"🙂"}}' },
      { event_id: 'c', channel_subtype: null, extra: null },
    ]);
    expect(await drift(workshop)).toEqual([
      found('channel_metadata', 'mood', 'unknown', 'VARCHAR'),
      found('record', 'novelty', 'unknown', 'OBJECT'),
    ]);
  });

  const cases: [string, Row, string, string, Row][] = [
    [
      'push-notification',
      { title: 't', badge: 3 },
      'push_messages',
      '{"badge":3}',
      found('message_data:push-notification', 'badge', 'unknown', 'UBIGINT'),
    ],
    [
      'email',
      { title: 't', body: { html: 'h', amp: '<amp>' } },
      'emails',
      '{"body":{"amp":"<amp>"}}',
      found('message_data:email.body', 'amp', 'unknown', 'VARCHAR'),
    ],
    [
      'in-app-message',
      { commerce: { title: 't', stock: 4 }, mood: null },
      'in_app_messages',
      '{"commerce":{"stock":4},"mood":null}',
      found('message_data:in-app-message', 'mood', 'unknown', 'NULL'),
    ],
    [
      'web-push-notification',
      { service: { ti: 't', zz: 1 } },
      'web_push_messages',
      '{"service":{"zz":1}}',
      found('message_data:web-push-notification.service', 'zz', 'unknown', 'UBIGINT'),
    ],
    [
      'web-push-notification',
      { elsewhere: { ti: 't' } },
      'web_push_messages',
      '{"elsewhere":{"ti":"t"}}',
      found('message_data:web-push-notification', 'elsewhere', 'unknown', 'OBJECT'),
    ],
    [
      'chatapp-alimtalk',
      { content: 'c', buttons: [{ name: 'b', chat: { x: 1 } }] },
      'message_buttons',
      '{"chat":{"x":1}}',
      found('button', 'chat', 'unknown', 'OBJECT'),
    ],
    [
      'text-message',
      { body: 'b', attachFileList: [{ fileId: 'f', size: 9 }] },
      'text_message_attachments',
      '{"size":9}',
      found('attachment', 'size', 'unknown', 'UBIGINT'),
    ],
    [
      'webhook',
      { url: 'u', 'a/b~"c': 1 },
      'webhook_messages',
      '{"a/b~\\"c":1}',
      found('message_data:webhook', 'a/b~"c', 'unknown', 'UBIGINT'),
    ],
  ];
  test.each(cases)('in messages: %s %o', async (channel, message_data, table, extra, row) => {
    const workshop = new Workshop();
    await workshop.load(workshop.events(DAY, [[record({ channel, message_data })]]));
    expect(await workshop.look(`select extra from ${table}`)).toEqual([{ extra }]);
    expect(await drift(workshop)).toContainEqual(row);
  });

  test('channels', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.events(DAY, [[record({ channel: 'telepathy' }), record({ id: 'b', channel: null })]]),
    );
    expect(await drift(workshop)).toEqual([
      found('channel', 'none', 'missing', 'VARCHAR'),
      found('channel', 'telepathy', 'unknown', 'VARCHAR'),
    ]);
  });
});

describe('values that do not fit their column are kept, and told', () => {
  const cases: [string, Row, string, Row, string][] = [
    [
      'push-notification',
      { title: { ko: '제목' }, body: ['a'], link: 5 },
      'push_messages',
      { title: null, body: null, link: '5', extra: '{"title":{"ko":"제목"},"body":["a"]}' },
      'message_data:push-notification.title (type)',
    ],
    [
      'text-message',
      { requestDate: 'soon', body: 'b' },
      'text_messages',
      { request_date: null, body: 'b', extra: '{"requestDate":"soon"}' },
      'message_data:text-message.requestDate (type)',
    ],
    [
      'text-message',
      { requestDate: '2026-11-20T01:00:00Z', attachFileList: 'none' },
      'text_messages',
      { request_date: '2026-11-20 10:00:00', extra: '{"attachFileList":"none"}' },
      'message_data:text-message.attachFileList (type)',
    ],
    [
      'email',
      { title: 't', body: 'only text' },
      'emails',
      { title: 't', body_text: null, extra: '{"body":"only text"}' },
      'message_data:email.body (type)',
    ],
    [
      'email',
      { body: { html: ['<p>'], text: 'x' } },
      'emails',
      { body_html: null, body_text: 'x', extra: '{"body":{"html":["<p>"]}}' },
      'message_data:email.body.html (type)',
    ],
    [
      'chatapp-friendtalk',
      { content: 'c', isAd: 'perhaps' },
      'friendtalk_messages',
      { content: 'c', is_ad: null, extra: '{"isAd":"perhaps"}' },
      'message_data:chatapp-friendtalk.isAd (type)',
    ],
    [
      'in-web-message',
      { commerce: { regularPrice: 'free', discountPrice: '9.5' } },
      'in_web_messages',
      {
        commerce_regular_price: null,
        commerce_discount_price: '9.5000',
        extra: '{"commerce":{"regularPrice":"free"}}',
      },
      'message_data:in-web-message.commerce.regularPrice (type)',
    ],
    [
      'chatapp-alimtalk',
      { buttons: [{ ordering: 'first', name: 'n' }] },
      'message_buttons',
      { ordering: null, name: 'n', extra: '{"ordering":"first"}' },
      'button.ordering (type)',
    ],
    [
      'chatapp-alimtalk',
      { buttons: [{ ordering: 3_000_000_000, name: ['n'], color: 'red' }] },
      'message_buttons',
      { ordering: null, name: null, extra: '{"ordering":3000000000,"name":["n"],"color":"red"}' },
      'button.ordering (type)',
    ],
    [
      'chatapp-alimtalk',
      { buttons: ['odd'] },
      'message_buttons',
      { name: null, extra: '{"value":"odd"}' },
      'button.value (unknown)',
    ],
  ];
  test.each(cases)('%s %o', async (channel, message_data, table, row, told) => {
    const workshop = new Workshop();
    const [report] = await workshop.load(workshop.events(DAY, [[record({ channel, message_data })]]));
    expect(await workshop.look(`from ${table}`)).toEqual([expect.objectContaining(row)]);
    expect(report?.drift).toContain(told);
  });

  test('a message that is no object goes to the others', async () => {
    const workshop = new Workshop();
    const [report] = await workshop.load(
      workshop.events(DAY, [
        [record({ message_data: ['a'] }), record({ id: 'e2', message_data: 'plain words' })],
      ]),
    );
    expect(await workshop.look('select message_data from other_messages order by 1')).toEqual([
      { message_data: '"plain words"' },
      { message_data: '["a"]' },
    ]);
    expect(report?.drift).toEqual(['record.message_data (type)']);
  });

  test('in records', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.events(DAY, [
        [record({ user_id: { a: 1 }, campaign_id: 42, failure_reason: true, channel_metadata: 'x' })],
      ]),
    );
    expect(await workshop.look('select user_id, campaign_id, failure_reason, extra from events')).toEqual([
      {
        user_id: null,
        campaign_id: '42',
        failure_reason: 'true',
        extra: '{"user_id":{"a":1},"channel_metadata":"x"}',
      },
    ]);
    expect(await drift(workshop)).toEqual([
      found('record', 'channel_metadata', 'type', 'VARCHAR'),
      found('record', 'user_id', 'type', 'OBJECT'),
    ]);
  });

  test('in statistics', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.statistics(DAY, [
        statistic({
          message_sent: 'many',
          message_failed: 1.5,
          click: '7',
          novelty: 1,
          tags: 'none',
          channel: undefined,
        }),
      ]),
    );
    expect(
      await workshop.look('select message_sent, message_failed, click, tags, extra from daily_statistics'),
    ).toEqual([
      {
        message_sent: null,
        message_failed: null,
        click: '7',
        tags: null,
        extra: '{"tags":"none","message_sent":"many","message_failed":1.5,"novelty":1}',
      },
    ]);
    expect(await drift(workshop)).toEqual([
      { ...found('record', 'channel', 'missing', ''), example_type: null },
      found('record', 'message_failed', 'type', 'DOUBLE'),
      found('record', 'message_sent', 'type', 'VARCHAR'),
      found('record', 'novelty', 'unknown', 'UBIGINT'),
      found('record', 'tags', 'type', 'VARCHAR'),
    ]);
  });
});

test('drift is forgotten with the day that had it', async () => {
  const workshop = new Workshop();
  await workshop.load(workshop.events(DAY, [[record({ novelty: 1 })]]), workshop.events(DAY, [[record()]]));
  expect(await drift(workshop)).toEqual([]);
});

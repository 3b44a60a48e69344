/**
 * Message documents as rows of each channel, with their parts and contents.
 *
 * @module-tag long
 */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { KEY, record, without, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
/** Contents are told apart by a hash of them. */
const ID: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);
const KEYS = { event_id: 'e1', date: DAY, export_date: DAY };

/** Loads one record with that message and gives the row of its table. */
async function loaded(
  table: string,
  channel: string,
  message_data: unknown,
  workshop = new Workshop(),
): Promise<Row> {
  await workshop.load(workshop.events(DAY, [[record({ channel, message_data })]]));
  const rows = await workshop.look(`from ${table}`);
  expect(rows).toHaveLength(1);
  return rows[0] ?? {};
}

describe('each channel has a table with the keys of its messages', () => {
  const inApp = {
    messageType: 'COMMERCE',
    content: '오늘만 이 가격',
    imageUrl: 'https://example.com/i.png',
    commerce: { title: '겨울 코트', regularPrice: 129000, discountPrice: 99000.5, discountRate: 23 },
    buttons: [{ name: '보러 가기', linkMo: 'app://coat' }],
  };
  const inAppRow = {
    ...KEYS,
    message_type: 'COMMERCE',
    chat_bubble_type: null,
    title: null,
    content: '오늘만 이 가격',
    image_url: 'https://example.com/i.png',
    header: null,
    commerce_title: '겨울 코트',
    commerce_regular_price: '129000.0000',
    commerce_discount_price: '99000.5000',
    commerce_discount_rate: '23.0000',
    attachment: null,
    extra: null,
  };
  const cases: [string, string, unknown, Row][] = [
    [
      'text-message',
      'text_messages',
      {
        requestId: 'r1',
        requestDate: '2026-11-20 09:30:00',
        templateId: 't1',
        title: '안내',
        body: '[광고] 첫 구매 쿠폰',
        sendNo: '15881234',
        recipientNo: '01012345678',
        messageType: 'LMS',
        countryCode: '82',
        adYn: 'Y',
        attachFileList: [],
      },
      {
        ...KEYS,
        request_id: 'r1',
        request_date: '2026-11-20 09:30:00',
        template_id: 't1',
        title: '안내',
        body: '[광고] 첫 구매 쿠폰',
        send_no: '15881234',
        recipient_no: '01012345678',
        message_type: 'LMS',
        country_code: '82',
        ad_yn: 'Y',
        extra: null,
      },
    ],
    [
      'email',
      'emails',
      { title: '소식', body: { html: '<p>안녕하세요</p>', text: '안녕하세요' } },
      {
        ...KEYS,
        title: '소식',
        body_html: '<p>안녕하세요</p>',
        body_text: '안녕하세요',
        extra: null,
        content_id: ID,
      },
    ],
    [
      'email',
      'emails',
      { title: '소식', 'body.html': '<p>', 'body.text': '글' },
      { ...KEYS, title: '소식', body_html: '<p>', body_text: '글', extra: null, content_id: ID },
    ],
    [
      'chatapp-friendtalk',
      'friendtalk_messages',
      { plusFriendId: '@dawn', senderKey: 'k', recipientNo: '010', content: '안녕', buttons: [], isAd: true },
      {
        ...KEYS,
        plus_friend_id: '@dawn',
        sender_key: 'k',
        recipient_no: '010',
        content: '안녕',
        is_ad: true,
        extra: null,
      },
    ],
    [
      'chatapp-alimtalk',
      'alimtalk_messages',
      {
        plusFriendId: '@dawn',
        senderKey: 'k',
        recipientNo: '010',
        templateCode: 'ORD_1',
        content: '주문하신 상품',
        templateExtra: '정보성 메시지',
        buttons: [],
      },
      {
        ...KEYS,
        plus_friend_id: '@dawn',
        sender_key: 'k',
        recipient_no: '010',
        template_code: 'ORD_1',
        content: '주문하신 상품',
        template_extra: '정보성 메시지',
        extra: null,
      },
    ],
    [
      'chatapp-brand-message',
      'brand_messages',
      { templateName: '겨울' },
      { ...KEYS, template_name: '겨울', extra: null },
    ],
    ['in-app-message', 'in_app_messages', inApp, inAppRow],
    ['in-web-message', 'in_web_messages', inApp, inAppRow],
    [
      'in-web-message',
      'in_web_messages',
      { chatBubbleType: 'WIDE_ITEM_LIST', header: '추천', attachment: { item: [1, 2] } },
      {
        ...inAppRow,
        message_type: null,
        chat_bubble_type: 'WIDE_ITEM_LIST',
        content: null,
        image_url: null,
        header: '추천',
        commerce_title: null,
        commerce_regular_price: null,
        commerce_discount_price: null,
        commerce_discount_rate: null,
        attachment: '{"item":[1,2]}',
      },
    ],
    [
      'push-notification',
      'push_messages',
      { title: '주말 특가', body: '지금', link: 'app://sale' },
      { ...KEYS, title: '주말 특가', body: '지금', link: 'app://sale', extra: null, content_id: ID },
    ],
    [
      'web-push-notification',
      'web_push_messages',
      {
        service: {
          ti: 't',
          bd: 'b',
          cid: 'c',
          mid: 7,
          u: 'https://example.com',
          ic: 'i',
          bg: 'g',
          im: 'm',
          sd: 's',
          tg: 'tag',
          vb: [200, 100],
          ri: true,
          data: { a: 1 },
          ac: [{ action: 'open' }],
        },
      },
      {
        ...KEYS,
        ti: 't',
        bd: 'b',
        cid: 'c',
        mid: '7',
        u: 'https://example.com',
        ic: 'i',
        bg: 'g',
        im: 'm',
        sd: 's',
        tg: 'tag',
        vb: '[200,100]',
        ri: 'true',
        data: '{"a":1}',
        ac: '[{"action":"open"}]',
        extra: null,
      },
    ],
    [
      'webhook',
      'webhook_messages',
      { url: 'https://example.com/hook', method: 'POST', headers: { a: 'b' }, data: 'text' },
      {
        ...KEYS,
        url: 'https://example.com/hook',
        method: 'POST',
        headers: '{"a":"b"}',
        data: '"text"',
        extra: null,
      },
    ],
    [
      'telepathy',
      'other_messages',
      { thought: ['생각'] },
      { ...KEYS, channel: 'telepathy', message_data: '{"thought":["생각"]}' },
    ],
  ];
  test.each(cases)('%s to %s', async (channel, table, message, row) => {
    expect(await loaded(table, channel, message)).toEqual(row);
  });
});

test('buttons and attachments keep their place', async () => {
  const workshop = new Workshop();
  const button = (name: string, ordering: number): Row => ({
    ordering,
    type: 'WL',
    name,
    linkMo: 'm',
    linkPc: 'p',
    schemeIos: 'i',
    schemeAndroid: 'a',
  });
  await workshop.load(
    workshop.events(DAY, [
      [
        record({
          id: 'e1',
          channel: 'chatapp-alimtalk',
          message_data: { content: 'x', buttons: [button('둘', 2), button('하나', 1)] },
        }),
        record({
          id: 'e2',
          channel: 'text-message',
          message_data: {
            body: 'x',
            attachFileList: [
              { fileId: 'f1', fileName: 'a.jpg', filePath: '/a', saveFileName: 's', uploadType: 'u' },
            ],
          },
        }),
      ],
    ]),
  );
  expect(await workshop.look('from message_buttons order by position')).toEqual([
    {
      ...KEYS,
      position: 1,
      ordering: 2,
      type: 'WL',
      name: '둘',
      link_mo: 'm',
      link_pc: 'p',
      scheme_ios: 'i',
      scheme_android: 'a',
      extra: null,
    },
    expect.objectContaining({ position: 2, ordering: 1, name: '하나' }),
  ]);
  expect(await workshop.look('from text_message_attachments')).toEqual([
    {
      ...KEYS,
      event_id: 'e2',
      position: 1,
      file_id: 'f1',
      file_name: 'a.jpg',
      file_path: '/a',
      save_file_name: 's',
      upload_type: 'u',
      extra: null,
    },
  ]);
});

test('an event without a message has no message row', async () => {
  const workshop = new Workshop();
  const nothing = [null, {}, '', '{}', 'null'];
  await workshop.load(
    workshop.events(DAY, [nothing.map((message_data, i) => record({ id: `e${i}`, message_data }))]),
  );
  expect(await workshop.lookOne('select count(*)::integer as n from events')).toEqual({ n: 5 });
  expect(await workshop.look('from push_messages union all by name from other_messages')).toEqual([]);
});

test('a message that is wrapped once more as text is unwrapped', async () => {
  const text = JSON.stringify({ title: '제목', body: '본문', link: 'l' }, null, 1);
  expect(await loaded('push_messages', 'push-notification', text)).toMatchObject({
    title: '제목',
    body: '본문',
  });
});

test('the words of brand and messenger become neutral', async () => {
  const workshop = new Workshop({ brand: 'acme', messenger: 'talky' });
  const rest = without(record(), 'service_user_id', 'service_device_id');
  const [report] = await workshop.load(
    workshop.events(DAY, [
      [
        { ...rest, id: 'e1', acme_user_id: 'au', acme_device_id: 'ad', channel: 'push_notification' },
        {
          ...rest,
          id: 'e2',
          acme_user_id: 'au',
          acme_device_id: 'ad',
          channel: 'talky_alimtalk',
          message_data: { content: 'x' },
        },
        { ...rest, id: 'e3', channel: 'web-push-notification', message_data: { acme: { ti: '제목' } } },
        { ...rest, id: 'e4', channel: 'talky-friendtalk' },
      ],
    ]),
  );
  expect(report?.drift).toEqual([]);
  expect(
    await workshop.look(
      'select event_id, channel, service_user_id, service_device_id from events order by event_id',
    ),
  ).toEqual([
    { event_id: 'e1', channel: 'push-notification', service_user_id: 'au', service_device_id: 'ad' },
    { event_id: 'e2', channel: 'chatapp-alimtalk', service_user_id: 'au', service_device_id: 'ad' },
    { event_id: 'e3', channel: 'web-push-notification', service_user_id: null, service_device_id: null },
    { event_id: 'e4', channel: 'chatapp-friendtalk', service_user_id: null, service_device_id: null },
  ]);
  expect(await workshop.look('select content from alimtalk_messages')).toEqual([{ content: 'x' }]);
  expect(await workshop.look('select ti from web_push_messages')).toEqual([{ ti: '제목' }]);
});

describe('recipients', () => {
  const numbers = ['01012345678', ' 010-1234-5678 ', '+82 10 1234 5678', '가나다', '0'.repeat(200)];
  // The same number has the same hash in any spelling.
  const plain = ['01012345678', '01012345678', '01012345678', '가나다', '0'.repeat(200)];
  const pull = (workshop: Workshop): ReturnType<Workshop['events']> =>
    workshop.events(DAY, [
      numbers.map((recipientNo, i) =>
        record({ id: `e${i}`, channel: 'chatapp-alimtalk', message_data: { content: 'x', recipientNo } }),
      ),
    ]);
  const kept = (workshop: Workshop): Promise<Row[]> =>
    workshop.look('select recipient_no from alimtalk_messages order by event_id');

  test.each([KEY, Buffer.alloc(64, 7), Buffer.alloc(100, 9)])(
    'are hashed as HMAC-SHA-256 hashes them elsewhere (key %#)',
    async (key) => {
      const workshop = new Workshop({ privacy: { recipients: 'hash', key } });
      await workshop.load(pull(workshop));
      expect(await kept(workshop)).toEqual(
        plain.map((number) => ({
          recipient_no: createHmac('sha256', key).update(number).digest('hex'),
        })),
      );
    },
  );

  test('are dropped', async () => {
    const workshop = new Workshop({ privacy: { recipients: 'drop', key: KEY } });
    await workshop.load(pull(workshop));
    expect(await kept(workshop)).toEqual(numbers.map(() => ({ recipient_no: null })));
  });

  test('are kept as given', async () => {
    const workshop = new Workshop();
    await workshop.load(pull(workshop));
    expect(await kept(workshop)).toEqual(numbers.map((recipient_no) => ({ recipient_no })));
  });

  test.each(['hash', 'drop'] as const)('do not slip through drift (%s)', async (recipients) => {
    const workshop = new Workshop({ privacy: { recipients, key: KEY } });
    const secret = '01099998888';
    const messages: [string, unknown][] = [
      ['telepathy', { recipientNo: secret, thought: 1 }],
      ['telepathy', [secret]],
      ['push-notification', { title: 't', recipient_no: secret, RecipientNumber: Number(secret.slice(1)) }],
      ['chatapp-alimtalk', { recipientNo: { number: secret } }],
      ['chatapp-alimtalk', secret],
    ];
    await workshop.load(
      workshop.events(DAY, [
        messages.map(([channel, message_data], i) => record({ id: `e${i}`, channel, message_data })),
      ]),
    );
    for (const table of [
      'events',
      'other_messages',
      'push_messages',
      'alimtalk_messages',
      'ops.schema_drift',
    ]) {
      const text = JSON.stringify(await workshop.look(`from ${table}`));
      expect(text).not.toContain(secret.slice(1));
    }
  });
});

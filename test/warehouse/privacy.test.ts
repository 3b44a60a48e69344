/**
 * What is personal stands in no byte of the file, as the setting says.
 *
 * @module-tag long
 */
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, describe, test } from 'vitest';
import type { Privacy } from '../../src/warehouse/privacy.js';
import { Warehouse } from '../../src/warehouse/warehouse.js';
import { KEY, micros, record, statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

/** HMAC-SHA-256 as it is made elsewhere. */
const hashOf = (plain: string, key: Buffer = KEY): string =>
  createHmac('sha256', key).update(plain).digest('hex');

const workshopFor = (recipients: 'keep' | 'hash' | 'drop'): Workshop =>
  new Workshop({ privacy: { recipients, key: KEY } });

type Sent = [channel: string, message: unknown, more?: Row];

/** Loads a day of those messages, with ids e0, e1, and so on. */
async function load(workshop: Workshop, ...sent: readonly Sent[]): Promise<void> {
  const records = sent.map(([channel, message_data, more], i) =>
    record({ id: `e${i}`, channel, message_data, ...more }),
  );
  await workshop.load(workshop.events(DAY, [records]));
}

/** One column of a table, by event. */
async function column(workshop: Workshop, table: string, name: string): Promise<unknown[]> {
  return (await workshop.look(`select ${name} as found from ${table} order by event_id`)).map(
    ({ found }) => found,
  );
}

const MOBILE = '01012345678';
const FOREIGN = '15551234567';
const ADDRESS = 'kim.dawn@example.com';

test('one number has one hash, however it is written', async () => {
  const spellings: [given: unknown, plain: string][] = [
    ['01012345678', MOBILE],
    [' 010-1234-5678 ', MOBILE],
    ['010 1234 5678', MOBILE],
    ['010.1234.5678', MOBILE],
    ['+82 10-1234-5678', MOBILE],
    ['+82 (0)10 1234 5678', MOBILE],
    ['821012345678', MOBILE],
    ['0082 10 1234 5678', MOBILE],
    [1012345678, MOBILE],
    ['011-123-4567', '0111234567'],
    ['02-123-4567', '021234567'],
    ['+82 2 123 4567', '021234567'],
    ['０１０-１２３４-５６７８', MOBILE],
    ['010_1234_5678', MOBILE],
    ['010\u200b1234\u200b5678', MOBILE],
    ['+1 (555) 123-4567', FOREIGN],
    ['＋１ （５５５） １２３-４５６７', FOREIGN],
    ['0015551234567', FOREIGN],
    [FOREIGN, FOREIGN],
    ['가나다', '가나다'],
    ['0'.repeat(200), '0'.repeat(200)],
  ];
  const workshop = workshopFor('hash');
  await workshop.load(
    workshop.events(DAY, [
      spellings.map(([recipientNo], i) =>
        record({ id: String(100 + i), channel: 'text-message', message_data: { body: 'x', recipientNo } }),
      ),
    ]),
  );
  expect(await column(workshop, 'text_messages', 'recipient_no')).toEqual(
    spellings.map(([, plain]) => hashOf(plain)),
  );
});

describe('texts', () => {
  const cases: [what: string, given: string, expected: string][] = [
    ['an address alone', ADDRESS, hashOf(ADDRESS)],
    ['in any case', 'Kim.Dawn@Example.COM', hashOf(ADDRESS)],
    ['an address in a text', `문의는${ADDRESS}으로`, `문의는${hashOf(ADDRESS)}으로`],
    ['several of them', `${ADDRESS},${ADDRESS}`, `${hashOf(ADDRESS)},${hashOf(ADDRESS)}`],
    ['a link to write to', `mailto:${ADDRESS}?subject=a`, `mailto:${hashOf(ADDRESS)}?subject=a`],
    [
      'an address in a query',
      'https://a.b/?x=1&e=kim.dawn%40example.com&y=2',
      `https://a.b/?x=1&e=${hashOf(ADDRESS)}&y=2`,
    ],
    ['HTML', `<a href="mailto:${ADDRESS}">`, `<a href="mailto:${hashOf(ADDRESS)}">`],
    ['HTML that hides it', 'kim.dawn&#64;example.com', hashOf(ADDRESS)],
    ['letters beyond ASCII', '김@회사.한국', hashOf('김@회사.한국')],
    ['a mobile number alone', MOBILE, hashOf(MOBILE)],
    ['with hyphens', '전화 010-1234-5678번', `전화 ${hashOf(MOBILE)}번`],
    ['with the country', '+82 10 1234 5678!', `${hashOf(MOBILE)}!`],
    ['two of them', '010 1234 5678 010 1234 5678', `${hashOf(MOBILE)} ${hashOf(MOBILE)}`],
    ['in a link', 'tel:+82-10-1234-5678', `tel:${hashOf(MOBILE)}`],
    ['with underscores', '010_1234_5678', hashOf(MOBILE)],
    ['with slashes', '전화 010/1234/5678번', `전화 ${hashOf(MOBILE)}번`],
    ['with commas', '010,1234, 5678', hashOf(MOBILE)],
    ['in full-width digits', '전화 ０１０－１２３４－５６７８번', `전화 ${hashOf(MOBILE)}번`],
    ['in some of them', '010-１234-5678', hashOf(MOBILE)],
    ['circled digits, which are no number', '⓪①⓪-①②③④-⑤⑥⑦⑧', '⓪①⓪-①②③④-⑤⑥⑦⑧'],
    ['with a footnote', '010-1234-5678²', `${hashOf(MOBILE)}²`],
    ['with zero-width blanks', '0\u200b1\u200b0\u200b1234\ufeff5678', hashOf(MOBILE)],
    ['with more of them', '010-\u200b\u200c\u200d\u20601234-\u00ad5678', hashOf(MOBILE)],
    ['with marks of direction', '\u202d010-1234\u202c-5678', hashOf(MOBILE)],
    ['with fillers', '010\u31641234\u034f5678', hashOf(MOBILE)],
    ['with a blank of full width', '010\u30001234\u30005678', hashOf(MOBILE)],
    ['beside a digit of another form', '010-1234-5678１', `${hashOf(MOBILE)}１`],
    ['an address in full width', 'ｋｉｍ.dawn＠ｅｘａｍｐｌｅ．ｃｏｍ 로', `${hashOf(ADDRESS)} 로`],
    ['an address with what is not seen', 'kim.\u200bdawn@exa\u00admple.com 로', `${hashOf(ADDRESS)} 로`],
    ['behind a letter', `u${MOBILE}`, `u${hashOf(MOBILE)}`],
    ['behind an escape of a link', `?q=%22${MOBILE}%22`, `?q=%22${hashOf(MOBILE)}%22`],
  ];
  test('lose the addresses and mobile numbers of people, and nothing else', async () => {
    const workshop = workshopFor('hash');
    await load(
      workshop,
      ...cases.map(([, body], i): Sent => [
        'push-notification',
        { title: 't', body, link: 'l' },
        { id: `e${100 + i}` },
      ]),
    );
    const found = await column(workshop, 'push_messages', 'body');
    for (const [i, [what, , expected]] of cases.entries()) expect(found[i], what).toBe(expected);
  });

  const kept = [
    '080-123-4567 무료 수신거부, 고객센터 1588-1234, 02-123-4567',
    '주문 20261120010123456789, 시각 1763600000 1763600000000 1763600000000000',
    'a8f01012345678bcdef0 550e8400-e29b-41d4-a716-010123456789',
    'https://cdn.example.com/banner@2x.png @media (min-width: 0) @dawn x@y',
    '가격 1,010,123원 2026-11-20 10:00:00 3.14',
    '１２월 ２０％ 세일！ 가족\u200b 👨\u200d👩\u200d👧 1️⃣ 2️⃣ ＡＢＣ \ufeff',
    '2026/11/20, 1,000,000원, 0, 10, 1000, 2000, 상품_010_12',
  ];
  test('keep what only looks like one', async () => {
    const workshop = workshopFor('hash');
    await load(workshop, ...kept.map((body): Sent => ['push-notification', { title: ADDRESS, body }]));
    expect(await column(workshop, 'push_messages', 'body')).toEqual(kept);
  });

  test('lose them without a trace where they are dropped', async () => {
    const workshop = workshopFor('drop');
    await load(workshop, [
      'text-message',
      { title: ADDRESS, body: `전화 010-1234-5678, ${ADDRESS}.`, recipientNo: MOBILE },
      { user_id: ADDRESS },
    ]);
    expect(await workshop.lookOne('select title, body, recipient_no from text_messages')).toEqual({
      title: null,
      body: '전화 , .',
      recipient_no: null,
    });
    expect(await column(workshop, 'events', 'user_id')).toEqual([null]);
  });

  test('stay as given where that is the setting', async () => {
    const workshop = workshopFor('keep');
    const body = `전화 010-1234-5678, ${ADDRESS}`;
    await load(workshop, ['text-message', { body, recipientNo: ' 010-1234-5678' }, { user_id: ADDRESS }]);
    expect(await workshop.lookOne('select body, recipient_no from text_messages')).toEqual({
      body,
      recipient_no: ' 010-1234-5678',
    });
    expect(await column(workshop, 'events', 'user_id')).toEqual([ADDRESS]);
  });
});

test('the number that a message went to is hidden in all of that message, whatever its country', async () => {
  const workshop = workshopFor('hash');
  await load(
    workshop,
    [
      'chatapp-alimtalk',
      {
        recipientNo: FOREIGN,
        content: '+1 555 123 4567 님, 15551234567',
        buttons: [{ name: 'x', linkMo: `https://a.b/?n=1-555-123-4567`, more: { of: [15551234567] } }],
        more: 'x15551234567x',
      },
    ],
    ['chatapp-alimtalk', { recipientNo: '01099998888', content: `${FOREIGN} 1099998888`, more: 1099998888 }],
  );
  const hash = hashOf(FOREIGN);
  expect(await column(workshop, 'alimtalk_messages', 'content')).toEqual([
    `+${hash} 님, ${hash}`,
    `${FOREIGN} ${hashOf('01099998888')}`,
  ]);
  expect(await column(workshop, 'alimtalk_messages', 'extra')).toEqual([
    JSON.stringify({ more: `x${hash}x` }),
    JSON.stringify({ more: hashOf('01099998888') }),
  ]);
  expect(await workshop.look('select link_mo, extra from message_buttons')).toEqual([
    { link_mo: `https://a.b/?n=${hash}`, extra: JSON.stringify({ more: { of: [hash] } }) },
  ]);
});

test("the sender's number is nobody's secret", async () => {
  const workshop = workshopFor('hash');
  await load(
    workshop,
    ['text-message', { sendNo: '01011112222', recipientNo: MOBILE, body: `01011112222 ${ADDRESS}` }],
    ['text-message', { sendNo: '15881234', recipientNo: MOBILE, body: '1588-1234' }],
    ['text-message', { sendNo: MOBILE, recipientNo: MOBILE, body: MOBILE }],
  );
  expect(await workshop.look('select send_no, body from text_messages order by event_id')).toEqual([
    { send_no: '01011112222', body: `01011112222 ${hashOf(ADDRESS)}` },
    { send_no: '15881234', body: '1588-1234' },
    { send_no: hashOf(MOBILE), body: hashOf(MOBILE) },
  ]);
});

test("where the sender's number is no text, the numbers in it are hidden like any others", async () => {
  const workshop = workshopFor('hash');
  const list = (number: string): object[] => [{ numbers: [number] }];
  await load(workshop, ['text-message', { sendNo: list('01011112222'), recipientNo: MOBILE, body: 'x' }]);
  expect(await workshop.look('select send_no, extra from text_messages')).toEqual([
    { send_no: null, extra: JSON.stringify({ sendNo: list(hashOf('01011112222')) }) },
  ]);
});

test('JSON that has no column is searched to its depth, and its keys are believed', async () => {
  const workshop = workshopFor('hash');
  const deep = (found: (plain: string) => unknown): Row => ({
    recipientNo: found('021234567'),
    recipient: { number: found('021234567'), name: '김' },
    to: [found(FOREIGN), '2026-11-20', 1763600000],
    a: [{ b: { c: [found(MOBILE), found(ADDRESS), '15881234', true, null, 1.5] } }],
    phone: '1588-1234',
    quoted: 'say "x"\\\n',
    within: JSON.stringify({ recipientNo: found('0312345678') }),
  });
  await load(workshop, [
    'webhook',
    {
      url: 'https://a.b/c',
      method: 'POST',
      headers: {},
      data: deep((plain) => (plain === MOBILE ? 821012345678 : plain)),
    },
  ]);
  const [data] = await column(workshop, 'webhook_messages', 'data');
  expect(JSON.parse(String(data))).toEqual(deep((plain) => hashOf(plain)));
});

test.each(['keep', 'hash', 'drop'] as const)('credentials are masked (%s)', async (recipients) => {
  const workshop = workshopFor(recipients);
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
  await load(
    workshop,
    [
      'webhook',
      {
        url: `https://user:${secret}@a.b/c?x=1&token=${secret}&API_KEY=${secret}#access_token=${secret}`,
        method: 'POST',
        headers,
        data: { request: { headers }, url: `https://:${secret}@a.b`, note: 'hello' },
        oddity: { headers },
      },
    ],
    ['telepathy', { headers }],
    ['push-notification', { title: 't', headers }],
  );
  const rows = [
    await workshop.look('from webhook_messages'),
    await workshop.look('from other_messages'),
    await workshop.look('from push_messages'),
  ];
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect(rows[0]?.[0]?.['url']).toBe('https://***@a.b/c?x=1&token=***&API_KEY=***#access_token=***');
  expect(JSON.parse(String(rows[0]?.[0]?.['headers']))).toMatchObject({
    Authorization: '***',
    'Content-Type': 'application/json',
    list: [
      ['Authorization', '***'],
      ['Accept', 'text/plain'],
    ],
    pairs: [{ name: 'X-Auth-Token', value: '***' }, { value: '***' }],
    raw: 'Host: a\r\nAuthorization: ***\r\nAccept: */*',
  });
  expect(JSON.parse(String(rows[0]?.[0]?.['data']))).toMatchObject({ note: 'hello', url: 'https://***@a.b' });
});

test('the working file, its log and the folder for spilled data are for the job alone', async () => {
  const workshop = workshopFor('hash');
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  await workshop.with(async (warehouse) => {
    await warehouse.loader.load(workshop.events(DAY, [[record()]]));
    const made = readdirSync(workshop.folder).filter((name) => name.startsWith('working.duckdb'));
    expect(made).toContain('working.duckdb.wal');
    for (const name of made) expect(modeOf(join(workshop.folder, name)), name).toBe('600');
    expect(modeOf(join(workshop.folder, 'tmp'))).toBe('700');
  });
});

/** Numbers and addresses in every place where a service may put them. */
function hostile(number: string, address: string): { records: Row[]; statistics: Row[]; answer: Row } {
  const hyphened = number.replace(/^(...)(....)/, '$1-$2-');
  const text = `${hyphened} ${number} ${address}`;
  const extra = { deep: [{ [address]: number, phone: hyphened, note: text }], [number]: 1, to: number };
  const button = { name: text, linkMo: `https://a.b/?e=${address}`, linkPc: `tel:${number}`, extra };
  const send: Sent[] = [
    [
      'text-message',
      { recipientNo: number, title: text, body: text, attachFileList: [{ fileName: text, extra }], extra },
    ],
    ['text-message', { recipientNo: number, sendNo: number, body: { text } }],
    ['email', { title: text, body: { html: `<a href="mailto:${address}">${text}</a>`, text, extra }, extra }],
    ['email', { title: address, 'body.html': text, 'body.text': text }],
    ['chatapp-friendtalk', { recipientNo: hyphened, content: text, buttons: [button], isAd: text }],
    [
      'chatapp-alimtalk',
      { recipientNo: number, content: text, templateExtra: extra, buttons: [button, text] },
    ],
    ['chatapp-alimtalk', { recipientNo: number, content: text, templateExtra: JSON.stringify(extra) }],
    ['chatapp-brand-message', { templateName: text, extra }],
    [
      'in-app-message',
      {
        title: text,
        content: text,
        imageUrl: `https://a.b/${number}`,
        header: text,
        attachment: extra,
        commerce: { title: text, regularPrice: text },
        buttons: [button],
      },
    ],
    ['in-web-message', { title: text, content: text, attachment: [extra], commerce: { title: text } }],
    ['push-notification', { title: text, body: text, link: `app://x?m=${address}`, extra }],
    ['push_notification', JSON.stringify({ title: text, body: text, link: text }, null, 2)],
    [
      'web-push-notification',
      {
        service: {
          ti: text,
          bd: text,
          u: text,
          sd: extra,
          tg: [text],
          vb: number,
          ri: text,
          data: extra,
          ac: [extra],
          more: extra,
        },
        extra,
      },
    ],
    ['webhook', { url: `https://a.b/${address}?n=${number}`, method: 'POST', headers: extra, data: extra }],
    ['webhook', { url: 'https://a.b', method: 'POST', headers: { a: text }, data: JSON.stringify(extra) }],
    ['telepathy', extra],
    ['telepathy', [text, extra]],
    ['telepathy', text],
    ['push-notification', text],
    [text, { title: 't' }],
  ];
  const records = send.map(([channel, message_data], i) =>
    record({
      id: `${address}/${i}`,
      user_id: i % 2 === 0 ? address : number,
      service_user_id: text,
      device_id: `${number}-d`,
      service_device_id: address,
      event_name: i === 3 ? text : 'send_success',
      failure_reason: text,
      resource_title: text,
      campaign_id: address,
      experiment_group_name: text,
      user_journey_node_id: number,
      channel,
      message_data,
      time: i === 4 ? text : micros(DAY),
      channel_metadata: { channel_subtype: text, brand_message_target: number },
      ...(i === 5 ? { [address]: number, extra } : {}),
      ...(i === 6 ? { resource_title: { text } } : {}),
    }),
  );
  const day = statistic({
    message: extra,
    campaign_name: text,
    tags: [text, address],
    variant_name: number,
    extra,
    conversion: [{ name: text, type: text, count: 1, extra }],
  });
  return {
    records,
    statistics: [
      day,
      { ...day, campaign_id: 'c2', message: { title: text, body: text }, message_sent: text },
    ],
    answer: {
      data: {
        lastCollectedAt: '2026-11-21 07:00:00',
        extra,
        stats: [
          {
            metricType: 't',
            metricName: text,
            conversionType: text,
            totalSum: 1,
            dailySums: [
              {
                date: DAY,
                sum: 1,
                extra,
                dimensionSums: [{ dimensionKey: text, dimensionValue: address, sum: 1 }],
              },
            ],
          },
        ],
      },
    },
  };
}

describe.each(['hash', 'drop'] as const)('a hostile day (%s)', (recipients) => {
  const number = '01087654321';
  const address = 'private.person@somewhere.example';

  test(
    'leaves no number and no address in any byte or any text of the file',
    { tags: recipients === 'drop' ? ['long'] : [] },
    async () => {
      const workshop = workshopFor(recipients);
      const { records, statistics, answer } = hostile(number, address);
      const plain = records.filter((_, i) => ![5, 6].includes(i));
      await workshop.with(async (warehouse) => {
        await warehouse.loader.load(workshop.events(DAY, [plain]));
        await warehouse.loader.load(
          workshop.events('2026-11-19', [records.map((row) => ({ ...row, id: `odd ${String(row['id'])}` }))]),
        );
        await warehouse.loader.load(workshop.statistics(DAY, statistics));
        await warehouse.loader.load(workshop.statistics(DAY, [statistic({ message_sent: 11 })]));
        await warehouse.loader.load(
          workshop.subchannels(
            DAY,
            statistics.map((row) => ({ ...row, resource_name: row['campaign_name'], node_name: number })),
          ),
        );
        await warehouse.loader.load(workshop.campaigns({ start: DAY, end: DAY }, { c1: answer }));
        await warehouse.model();
        await warehouse.check();
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
    },
  );
});

describe('a change of the setting', () => {
  const under = async (privacy: Privacy, workshop: Workshop): Promise<unknown> => {
    await workshop.close();
    return Warehouse.open({
      path: workshop.path,
      tempDirectory: join(workshop.folder, 'tmp'),
      brand: 'service',
      messenger: 'chatapp',
      effects: { now: () => new Date(), reach: () => undefined },
      privacy,
    }).then((warehouse) => warehouse.close());
  };

  test('is refused by a file that holds rows of the old one, and says how to go on', async () => {
    const workshop = new Workshop({ privacy: { recipients: 'keep', key: KEY } });
    await workshop.load(workshop.events(DAY, [[record()]]));
    await expect(under({ recipients: 'hash', key: KEY }, workshop)).rejects.toThrow(
      'The warehouse was made with privacy.recipients keep; the setting is now hash.',
    );
    await under({ recipients: 'keep', key: Buffer.alloc(32, 9) }, workshop);
  });

  test('of the key is refused too, since one number would have two hashes', async () => {
    const workshop = new Workshop({ privacy: { recipients: 'hash', key: KEY } });
    await workshop.load(workshop.events(DAY, [[record()]]));
    await expect(under({ recipients: 'hash', key: Buffer.alloc(32, 9) }, workshop)).rejects.toThrow(
      /another key/,
    );
  });

  test('is taken by a file without rows', async () => {
    const workshop = new Workshop({ privacy: { recipients: 'keep', key: KEY } });
    await workshop.with(() => Promise.resolve());
    await under({ recipients: 'drop', key: KEY }, workshop);
    Object.assign(workshop.options, { privacy: { recipients: 'drop', key: KEY } });
    expect(await workshop.look('select recipients, key_fingerprint from ops.privacy')).toEqual([
      { recipients: 'drop', key_fingerprint: null },
    ]);
  });
});

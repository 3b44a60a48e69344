/** Messages that are sent through the interface (E7 to E9), and the list of opt-outs (E12), rule by rule. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANY_TEXT,
  closeAll,
  each,
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

const TALK = 'POST /messages/chatapp-friendtalk';
const TEXT = 'POST /messages/text-message';
const ALIM = 'POST /messages/chatapp-alimtalk';
const SENT: Expected = [200, { success: true }];
const REFUSED: Expected = [400, { data: null, error: ANY_TEXT }];
const NOT_REGISTERED: Expected = [400, { data: null, error: 'Sender info is not registered.' }];
const NO_TEMPLATE: Expected = [404, { data: null, error: 'The template is not registered.' }];
const [NUMBER, OLD_NUMBER] = ['01012345678', '0191234567'];
/** Before the end of friendtalk. */
const MAY: Step = { now: '2026-05-20T01:00:00Z' };

const to = (recipientNo: string, rest: object = {}) => ({ recipientList: [{ recipientNo, ...rest }] });
const many = (count: number) => ({
  recipientList: Array.from({ length: count }, (_, i) => ({
    recipientNo: `0101${String(i).padStart(7, '0')}`,
  })),
});
const sms = {
  projectId: PROJECT,
  type: 'sms',
  body: '안녕하세요',
  recipientList: [{ recipientNo: NUMBER }, { recipientNo: OLD_NUMBER }],
};
const talk = {
  projectId: PROJECT,
  messageType: 'text',
  isAd: false,
  ...to(NUMBER, { content: { text: '반가워요' } }),
};
const ad = { ...talk, isAd: true, ...to(OLD_NUMBER, { content: { text: '특가' } }) };
const TEMPLATE = 'tpl-old-01';
const parameters = { templateParameter: { 고객명: '보라', 포인트: '500' } };
const alimtalk = {
  projectId: PROJECT,
  channelId: 'ch-1002',
  templateId: TEMPLATE,
  ...to(NUMBER, parameters),
};
/** What the state of the sandbox says of every message. */
const messages = (...some: object[]): Step => ['GET /_sandbox/state', undefined, { messages: some }];

const OPT_OUTS = `/projects/${PROJECT}/messages/text-message/blockservice/recipients`;
const optOut = { unsubscribeNo: '0801234567', recipientNoList: [NUMBER] };
const BAD: Expected = [400, { error: ANY_TEXT }];

const RULES: Record<string, Step[]> = {
  'E7.1 body: message type (N7), advertising or not, and a text for each recipient': [
    MAY,
    ...['text', 'image', 'wide'].map((messageType): Step => [TALK, { ...talk, messageType }, SENT]),
    ...[
      { messageType: 'video' },
      { isAd: 'no' },
      { isAd: undefined },
      { recipientList: [] },
      to(NUMBER),
      to(NUMBER, { content: { text: '' } }),
      { resendContent: '다시' },
    ].map((wrong): Step => [TALK, { ...talk, ...wrong }, REFUSED]),
  ],
  'E8.1 type: sms, lms and mms are accepted, others refused': [
    ...['sms', 'lms', 'mms'].map((type): Step => [TEXT, { ...sms, type }, SENT]),
    ...['SMS', '', undefined, 1].map((type): Step => [TEXT, { ...sms, type }, REFUSED]),
  ],
  'E8.2 body, recipients: a text, and at least one recipient with a number': [
    { body: '' },
    { body: undefined },
    { recipientList: [] },
    { recipientList: undefined },
    { recipientList: [{ recipientNo: 1_012_345_678 }] },
    { recipientList: [NUMBER] },
    { projectId: undefined },
  ].map((wrong): Step => [TEXT, { ...sms, ...wrong }, REFUSED]),
  'E8.3 title and attachments (N8): an LMS has a title, an MMS attachments, under the configured names': [
    [TEXT, { ...sms, title: '제목' }, REFUSED],
    [TEXT, { ...sms, type: 'lms', title: 7 }, REFUSED],
    [TEXT, { ...sms, type: 'lms', attachFileList: ['f-1'] }, REFUSED],
    [TEXT, { ...sms, type: 'mms', attachFileList: [1] }, REFUSED],
    { options: { fieldNames: { textTitle: 'subject', textAttachments: 'files' } } },
    [TEXT, { ...sms, ...to(NUMBER), type: 'mms', subject: '사진', files: ['f-1'] }, SENT],
    messages({
      content: {
        title: '사진',
        attachFileList: [
          {
            fileId: 'f-1',
            fileName: 'f-1.jpg',
            filePath: '/mms/f-1.jpg',
            saveFileName: 'f-1.jpg',
            uploadType: 'API',
          },
        ],
      },
    }),
  ],
  'E8.4 own sending setup: without one nothing is sent, and the answer has the words of the specification': [
    { options: { textSender: null } },
    [TEXT, sms, NOT_REGISTERED],
  ],
  'E8.6 opt-outs (E12): ads do not reach people who opted out, until their number is removed': [
    [`POST ${OPT_OUTS}`, optOut, SENT],
    [TEXT, { ...sms, ...to(NUMBER), body: '(광고) 특가' }, SENT],
    [TEXT, { ...sms, ...to(NUMBER) }, SENT],
    [`DELETE ${OPT_OUTS}/removes`, optOut, SENT],
    [TEXT, { ...sms, ...to(NUMBER), body: '(광고) 특가' }, SENT],
    messages({ failureReason: '수신 거부된 번호' }, { failureReason: null }, { failureReason: null }),
  ],
  'E9.1 recipients: 1 to 1,000': [
    [ALIM, { ...alimtalk, ...many(1000) }, SENT],
    [ALIM, { ...alimtalk, ...many(1001) }, REFUSED],
    [ALIM, { ...alimtalk, recipientList: [] }, REFUSED],
  ],
  'E9.2 grouping key (N9): 100 characters are accepted, 101 refused, under the configured name': [
    [ALIM, { ...alimtalk, senderGroupingKey: 'k'.repeat(100) }, SENT],
    [ALIM, { ...alimtalk, senderGroupingKey: 'k'.repeat(101) }, REFUSED],
    { options: { fieldNames: { groupingKey: 'group' } } },
    [ALIM, { ...alimtalk, group: 'k'.repeat(101) }, REFUSED],
    [ALIM, { ...alimtalk, senderGroupingKey: 'k'.repeat(101) }, SENT],
  ],
  'E9.3 failover sender (N9): read only on the legacy platform, where it must be your own number': [
    [ALIM, { ...alimtalk, failoverSendNo: '15990000' }, SENT],
    [ALIM, { ...alimtalk, failoverSendNo: 15_440_000 }, REFUSED],
    { options: { legacyPlatform: true } },
    [ALIM, { ...alimtalk, ...to(OLD_NUMBER, parameters), failoverSendNo: '15990000' }, NOT_REGISTERED],
    [ALIM, { ...alimtalk, ...to(OLD_NUMBER, parameters), failoverSendNo: '15440000' }, SENT],
    [ALIM, { ...alimtalk, ...to(OLD_NUMBER, parameters) }, SENT],
    messages(
      { events: ['send_failure', 'failover_text_message_send_success'] },
      { events: ['send_failure'] },
    ),
  ],
  'E9.4 template: registered for the channel, approved, and not deleted (E11)': [
    [ALIM, { ...alimtalk, templateId: 'none' }, NO_TEMPLATE],
    [ALIM, { ...alimtalk, channelId: 'ch-1001' }, NO_TEMPLATE],
    [ALIM, { ...alimtalk, templateId: 'tpl-promo-04' }, REFUSED],
    [`DELETE /projects/${PROJECT}/messages/chatapp-alimtalk/templates/${TEMPLATE}`],
    [ALIM, alimtalk, NO_TEMPLATE],
    ['GET /_sandbox/state', undefined, { deletedAlimtalkTemplates: [TEMPLATE] }],
  ],
  'E9.5 own sending setup: a registered channel, or nothing is sent': [
    [ALIM, { ...alimtalk, channelId: 'ch-9' }, NOT_REGISTERED],
    { options: { chatappSending: false } },
    [ALIM, alimtalk, NOT_REGISTERED],
  ],
  'E12.1 POST, DELETE: the body has an 080 number and recipients': [
    `POST ${OPT_OUTS}`,
    `DELETE ${OPT_OUTS}/removes`,
  ].flatMap((request) =>
    each(
      request,
      BAD,
      {},
      { ...optOut, unsubscribeNo: '15440000' },
      { ...optOut, recipientNoList: [] },
      { ...optOut, recipientNoList: [1] },
      'x',
    ),
  ),
  'E12.2 GET, limits: filter numbers of 25 characters, pages of 1000, one format for dates and times': [
    [`GET ${OPT_OUTS}?recipientNo=${'1'.repeat(25)}`, undefined, { data: [] }],
    ...[
      `unsubscribeNo=${'1'.repeat(26)}`,
      `recipientNo=${'1'.repeat(26)}`,
      'startRequestDate=2026-11-01',
      'endRequestDate=2026-11-31%2000:00:00',
      'startRequestDate=2026-11-02%2000:00:00&endRequestDate=2026-11-01%2000:00:00',
      'pageSize=1001',
      'pageSize=0',
      'pageNum=0',
    ].map((query): Step => [`GET ${OPT_OUTS}?${query}`, undefined, BAD]),
  ],
  'E12.3 POST: {success: true}; registers each recipient once, at the time of the request': [
    [`POST ${OPT_OUTS}`, optOut, SENT],
    { now: '2026-11-20T02:00:00Z' },
    [`POST ${OPT_OUTS}`, optOut, SENT],
    [
      `GET ${OPT_OUTS}?unsubscribeNo=0801234567`,
      undefined,
      {
        totalCount: 1,
        data: [{ unsubscribeNo: '0801234567', recipientNo: NUMBER, requestDate: '2026-11-20 10:00:00' }],
      },
    ],
  ],
};

test.each(Object.entries(RULES))('%s', (_, steps) => play(there, steps));

/** What a day says of a campaign of the interface. */
async function sentBy(campaign: string, day?: string, from = there) {
  const { records, e17, e18 } = await from.day(day);
  return {
    own: records.filter(({ campaign_id }) => campaign_id === campaign),
    rows: e17.filter((row) => row['campaign_id'] === campaign),
    parts: e18.filter((row) => row['resource_id'] === campaign),
    records,
  };
}

test('E7.4 end of support: sent on May 31 in Korea, refused from June 1, 2026', async () => {
  const error = 'Friendtalk is no longer supported: its support ended on 2026-05-31.';
  await play(there, [
    { now: '2026-05-31T14:59:59Z' },
    [TALK, talk, SENT],
    { now: '2026-05-31T15:00:00Z' },
    [TALK, talk, [410, { data: null, error }]],
  ]);
  const { own, rows } = await sentBy('api-friendtalk', '2026-05-31');
  const content = { recipientNo: NUMBER, content: '반가워요', buttons: [], isAd: false };
  expect(own).toMatchObject([
    {
      channel: 'chatapp-friendtalk',
      event_name: 'send_success',
      channel_metadata: { channel_subtype: 'text' },
      message_data: content,
    },
  ]);
  expect(rows).toMatchObject([{ message_sent: 1, message_failed: 0 }]);
});

test('E7.5 failover: a number without the chat app gets a text; an ad that of resendContent, or one with the 080 number', async () => {
  await play(there, [
    MAY,
    [TALK, { ...ad, resendContent: { body: '특가' } }, REFUSED],
    [TALK, { ...ad, isAd: false }, SENT],
    [TALK, ad, SENT],
    [TALK, { ...ad, resendContent: { body: '(광고) 다시' } }, SENT],
    messages(
      { failoverText: '특가' },
      { failoverText: '(광고) 특가\n무료수신거부 0800000000' },
      { failoverText: '(광고) 다시' },
    ),
  ]);
  const { own, rows } = await sentBy('api-friendtalk', '2026-05-20');
  expect(namesOf(own)).toEqual({ send_failure: 3, failover_text_message_send_success: 3 });
  expect(rows).toMatchObject([{ message_sent: 3, message_failed: 3 }]);
});

test('E8.7 effect: each recipient is a send_success of that day, in exports (E20, E21) and in E17, E18 and E19', async () => {
  const untouched = await start();
  const long = { ...sms, type: 'lms', title: '제목', ...to('01022223333') };
  await play(there, [
    [TEXT, { ...sms, recipientList: [{ recipientNo: '02-123' }, ...sms.recipientList] }, SENT],
    { now: '2026-11-20T03:00:00Z' },
    [TEXT, long, SENT],
  ]);
  for (const day of ['2026-11-19', '2026-11-20', '2026-11-21']) {
    const [{ own, records }, without] = [await sentBy('api-text-message', day), await untouched.day(day)];
    expect(own).toHaveLength(day === '2026-11-20' ? 4 : 0);
    expect(records.filter((record) => !own.includes(record))).toEqual(without.records);
  }
  const { own, rows, parts } = await sentBy('api-text-message');
  expect(namesOf(own)).toEqual({ send_failure: 1, send_success: 3 });
  expect(own[0]).toMatchObject({ event_name: 'send_failure', failure_reason: '수신번호 오류' });
  expect(own[1]).toMatchObject({
    channel: 'text-message',
    failure_reason: null,
    resource_title: '문자 API 발송',
    resource_type: 'campaign',
    user_journey_id: null,
    channel_metadata: { channel_subtype: 'SMS', brand_message_target: null },
    message_data: {
      ...{ requestDate: '2026-11-20 10:00:00', title: null, body: '안녕하세요', sendNo: '15440000' },
      ...{ recipientNo: NUMBER, messageType: 'SMS', adYn: 'N', attachFileList: [] },
    },
  });
  expect(own[3]?.message_data).toMatchObject({ title: '제목', messageType: 'LMS' });
  expect(rows).toMatchObject([
    { channel: 'text-message', message_sent: 4, message_failed: 1, delivered: null, tags: [] },
  ]);
  expect(parts).toMatchObject([
    { channel_sub: 'SMS', message_sent: 3 },
    { channel_sub: 'LMS', message_sent: 1 },
  ]);
  expect(await there.metric('api-text-message', 'send_success')).toBe(3);
  const hour = ['2026-11-20T03:00:00.000Z', '2026-11-20T04:00:00.000Z'] as const;
  expect(await there.metric('api-text-message', 'send_success', ...hour)).toBe(1);
});

test('E8.9 users: the record names the owner of the number, from the world or by $phone_number, otherwise a hash', async () => {
  const { records } = await there.day('2026-11-18');
  const known = records.find(({ message_data }) => typeof message_data?.['recipientNo'] === 'string')!;
  const numbers = [String(known.message_data?.['recipientNo']), '01077778888', '01012341234'];
  const userProperties = { $phone_number: '01077778888' };
  await play(there, [
    { now: '2026-11-24T01:00:00Z' },
    ['POST /set-user-properties', { userId: 'bora', projectId: PROJECT, userProperties }],
    [TEXT, { ...sms, recipientList: numbers.map((recipientNo) => ({ recipientNo })) }, SENT],
  ]);
  const { own } = await sentBy('api-text-message', '2026-11-24');
  const users = [known.user_id, 'bora', expect.stringMatching(/^recipient_[0-9a-f]{12}$/) as string];
  expect(own.map(({ user_id }) => user_id)).toEqual(users);
  const ids = ['service_user_id', 'device_id', 'service_device_id'] as const;
  for (const id of ids) expect(own[0]).toHaveProperty(id, (known as unknown as Record<string, string>)[id]);
  expect(new Set(own.map(({ id }) => id)).size).toBe(3);
});

test('E9.6 effect: a template with its parameters is a send_success; a variable without a value fails, and a text is sent in its place', async () => {
  const own = {
    templateParameter: { 고객명: '보라' },
    failoverTextMessageTemplateParameter: { 포인트: '0' },
  };
  const noMatch = '템플릿과 일치하지 않음';
  await play(there, [
    [ALIM, alimtalk, SENT],
    [ALIM, { ...alimtalk, ...to(NUMBER, { templateParameter: { 고객명: 1 } }) }, REFUSED],
    [ALIM, { ...alimtalk, ...to(NUMBER, { failoverTextMessageTemplateParameter: 'x' }) }, REFUSED],
    [ALIM, { ...alimtalk, ...to(NUMBER, own) }, SENT],
    [ALIM, { ...alimtalk, ...to('123', own) }, SENT],
    messages(
      { failureReason: null },
      { failureReason: noMatch, failoverText: '[예시상점] 보라님, 0점이 적립되었습니다.' },
      { failureReason: 'InvalidPhoneNumberException' },
    ),
  ]);
  const { own: records, rows } = await sentBy('api-alimtalk');
  const content = '[예시상점] 보라님, 500점이 적립되었습니다.';
  expect(records).toMatchObject([
    {
      channel: 'chatapp-alimtalk',
      event_name: 'send_success',
      message_data: { recipientNo: NUMBER, templateCode: TEMPLATE, content },
    },
    { event_name: 'send_failure', failure_reason: noMatch },
    { event_name: 'failover_text_message_send_success', failure_reason: null },
    { event_name: 'send_failure', failure_reason: 'InvalidPhoneNumberException' },
    { event_name: 'failover_text_message_send_failure', failure_reason: '수신번호 오류' },
  ]);
  expect(rows).toMatchObject([{ channel: 'chatapp-alimtalk', message_sent: 3, message_failed: 2 }]);
  expect(await there.metric('api-alimtalk', 'send_failure')).toBe(2);
});

interface OptOuts {
  pageNum: number;
  pageSize: number;
  totalCount: number;
  data: { unsubscribeNo: string; recipientNo: string; requestDate: string }[];
}

const NOVEMBER = { startRequestDate: '2026-11-01 00:00:00', endRequestDate: '2026-11-30 23:59:59' };

async function list(query: Record<string, string> = NOVEMBER, from = there): Promise<OptOuts> {
  const got = await from.call(
    'GET',
    `${OPT_OUTS}?${new URLSearchParams({ pageSize: '1000', ...query }).toString()}`,
  );
  expect(got.status, got.text).toBe(200);
  return got.json as unknown as OptOuts;
}

/** A sandbox whose days have enough messages for people to opt out. */
const busy = (eventsPerDay = 8_000) => start({ eventsPerDay, now: () => there.clock.now });

test('E12.4 GET: {pageNum, pageSize, totalCount, data}, filtered by time, number and recipient (N11), without future ones', async () => {
  const service = await busy();
  const all = await list(NOVEMBER, service);
  expect(all).toMatchObject({ pageNum: 1, pageSize: 1000, totalCount: all.data.length });
  expect(all.data.length).toBeGreaterThan(60);
  const second = await list({ ...NOVEMBER, pageNum: '2', pageSize: '30' }, service);
  expect(second).toEqual({
    pageNum: 2,
    pageSize: 30,
    totalCount: all.totalCount,
    data: all.data.slice(30, 60),
  });
  const [first, last] = [all.data[10]!, all.data[20]!];
  const between = await list(
    { startRequestDate: first.requestDate, endRequestDate: last.requestDate },
    service,
  );
  expect(between.data).toEqual(
    all.data.filter((one) => one.requestDate >= first.requestDate && one.requestDate <= last.requestDate),
  );
  expect(between.data).toContainEqual(last);
  const own = await list({ ...NOVEMBER, recipientNo: first.recipientNo }, service);
  expect(own.data).toEqual(all.data.filter(({ recipientNo }) => recipientNo === first.recipientNo));
  expect((await list({ ...NOVEMBER, unsubscribeNo: '0800000000' }, service)).totalCount).toBe(all.totalCount);
  expect((await list({ ...NOVEMBER, unsubscribeNo: '0801234567' }, service)).totalCount).toBe(0);
  expect(all.data.every(({ requestDate }) => requestDate < '2026-11-20 10:00:00')).toBe(true);
  there.clock.now = new Date('2026-11-21T01:00:00Z');
  const later = await list(NOVEMBER, service);
  expect(later.data.slice(0, all.totalCount)).toEqual(all.data);
  expect(later.totalCount).toBeGreaterThan(all.totalCount);
  // Whoever asked to opt out can be removed, and then ask again.
  const recipientNo = first.recipientNo;
  const one = { unsubscribeNo: '0800000000', recipientNoList: [recipientNo] };
  await play(service, [
    [`DELETE ${OPT_OUTS}/removes`, { ...one, recipientNoList: [recipientNo, '010none'] }, SENT],
  ]);
  expect((await list({ ...NOVEMBER, recipientNo }, service)).totalCount).toBe(0);
  await play(service, [[`POST ${OPT_OUTS}`, one, SENT]]);
  expect((await list({ ...NOVEMBER, recipientNo }, service)).totalCount).toBe(1);
});

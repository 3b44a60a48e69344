import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { PROJECT } from './http.js';
import { expectAccess, namesOf, withWritten, written, type Written } from './written.js';

let there: Written;
beforeEach(async () => {
  there = await written();
});
afterEach(() => there.sandbox.close());

const E7 = '/messages/chatapp-friendtalk';
const E8 = '/messages/text-message';
const E9 = '/messages/chatapp-alimtalk';
const DONE = { success: true };
const NOT_REGISTERED = { data: null, error: 'Sender info is not registered.' };
const REFUSED = { data: null, error: expect.any(String) as string };

const sms = {
  projectId: PROJECT,
  type: 'sms',
  body: '안녕하세요',
  recipientList: [{ recipientNo: '01012345678' }, { recipientNo: '0191234567' }],
};
const talk = {
  projectId: PROJECT,
  messageType: 'text',
  isAd: false,
  recipientList: [{ recipientNo: '01012345678', content: { text: '반가워요' } }],
};
const TEMPLATE = 'tpl-old-01';
const alimtalk = {
  projectId: PROJECT,
  channelId: 'ch-1002',
  templateId: TEMPLATE,
  recipientList: [{ recipientNo: '01012345678', templateParameter: { 고객명: '보라', 포인트: '500' } }],
};
/** Before the end of friendtalk. */
const MAY = new Date('2026-05-20T01:00:00Z');

async function refused(path: string, body: object, from = there): Promise<void> {
  const before = (await from.state()).messages.length;
  const got = await from.call('POST', path, body);
  expect([got.status, got.json], JSON.stringify(body).slice(0, 200)).toEqual([400, REFUSED]);
  expect((await from.state()).messages).toHaveLength(before);
}

function recipients(count: number): { recipientNo: string }[] {
  return Array.from({ length: count }, (_, i) => ({ recipientNo: `0101${String(i).padStart(7, '0')}` }));
}

/** The records of a day that belong to a campaign of the interface. */
async function sentBy(campaign: string, day?: string, from = there) {
  const { records, e17, e18 } = await from.day(day);
  const own = records.filter(({ campaign_id }) => campaign_id === campaign);
  const rows = e17.filter((row) => row['campaign_id'] === campaign);
  const parts = e18.filter((row) => row['resource_id'] === campaign);
  return { own, rows, parts, records };
}

describe('text messages (E8)', () => {
  it('effect: each recipient is a send_success of that day, in exports (E20, E21) and in E17, E18 and E19 alike', async () => {
    expect((await there.call('POST', E8, sms)).json).toEqual(DONE);
    const long = { ...sms, type: 'lms', title: '제목', recipientList: [{ recipientNo: '01022223333' }] };
    there.clock.now = new Date('2026-11-20T03:00:00Z');
    expect((await there.call('POST', E8, long)).json).toEqual(DONE);
    const { own, rows, parts } = await sentBy('api-text-message');
    expect(namesOf(own)).toEqual({ send_success: 3 });
    expect(own[0]).toMatchObject({
      channel: 'text-message',
      failure_reason: null,
      resource_title: '문자 API 발송',
      resource_type: 'campaign',
      user_journey_id: null,
      channel_metadata: { channel_subtype: 'SMS', brand_message_target: null },
      message_data: {
        requestDate: '2026-11-20 10:00:00',
        title: null,
        body: '안녕하세요',
        sendNo: '15440000',
        recipientNo: '01012345678',
        messageType: 'SMS',
        adYn: 'N',
        attachFileList: [],
      },
    });
    expect(own[2]?.message_data).toMatchObject({ title: '제목', messageType: 'LMS' });
    expect(rows).toMatchObject([
      { channel: 'text-message', message_sent: 3, message_failed: 0, delivered: null, tags: [] },
    ]);
    expect(parts.map((row) => [row['channel_sub'], row['message_sent']])).toEqual([
      ['SMS', 2],
      ['LMS', 1],
    ]);
    const [start, end] = ['2026-11-19T15:00:00.000Z', '2026-11-20T15:00:00.000Z'];
    expect(await there.metric('api-text-message', 'send_success', start, end)).toBe(3);
    const hour = ['2026-11-20T03:00:00.000Z', '2026-11-20T04:00:00.000Z'] as const;
    expect(await there.metric('api-text-message', 'send_success', ...hour)).toBe(1);
  });

  it('effect: the day before and the day after know nothing, and the world is as it was', async () => {
    const untouched = await written();
    await there.call('POST', E8, sms);
    for (const day of ['2026-11-19', '2026-11-20', '2026-11-21']) {
      const [with_, without] = [await sentBy('api-text-message', day), await sentBy('none', day, untouched)];
      expect(with_.own).toHaveLength(day === '2026-11-20' ? 2 : 0);
      expect(with_.records.filter((record) => !with_.own.includes(record))).toEqual(without.records);
    }
    await untouched.sandbox.close();
  });

  it('effect: an export that was asked for before does not grow', async () => {
    there.clock.now = new Date('2026-11-20T02:00:00Z');
    const window = {
      start: '2026-11-19T15:00:00Z',
      end: '2026-11-20T02:00:00Z',
      isMessageDataIncluded: true,
    };
    const before = (await there.e20(window)).json.export_id;
    const first = (await there.e21(before)).text;
    there.clock.now = new Date('2026-11-20T01:30:00Z');
    await there.call('POST', E8, sms);
    there.clock.now = new Date('2026-11-20T02:00:00Z');
    expect((await there.e21(before)).text).toBe(first);
    const after = (await there.e20(window)).json.export_id;
    expect((await there.e21(after)).json.data).toHaveLength((await there.e21(before)).json.data.length + 2);
    const [one, two] = there.sandbox.bills();
    expect(two!.records - one!.records).toBe(2);
  });

  it('state: the sandbox alone shows each message as it was sent', async () => {
    await there.call('POST', E8, sms);
    const { messages } = await there.state();
    expect(messages).toMatchObject([
      {
        endpoint: 'E8',
        at: '2026-11-20T01:00:00.000Z',
        events: ['send_success'],
        content: { body: '안녕하세요' },
      },
      { endpoint: 'E8', content: { recipientNo: '0191234567' }, failoverText: null },
    ]);
    expect(there.sandbox.state()).toEqual(await there.state());
  });

  it('users: the record names whom the number belongs to, of the world or by $phone_number, or a hash', async () => {
    const { records } = await there.day('2026-11-18');
    there.clock.now = new Date('2026-11-24T01:00:00Z');
    const known = records.find(({ message_data }) => typeof message_data?.['recipientNo'] === 'string')!;
    const properties = {
      userId: 'bora',
      projectId: PROJECT,
      userProperties: { $phone_number: '01077778888' },
    };
    await there.call('POST', '/set-user-properties', properties);
    const numbers = [String(known.message_data?.['recipientNo']), '01077778888', '01012341234'];
    await there.call('POST', E8, { ...sms, recipientList: numbers.map((recipientNo) => ({ recipientNo })) });
    const { own } = await sentBy('api-text-message', '2026-11-24');
    expect(own.map(({ user_id }) => user_id)).toEqual([
      known.user_id,
      'bora',
      expect.stringMatching(/^recipient_[0-9a-f]{12}$/) as string,
    ]);
    const ids = ['service_user_id', 'device_id', 'service_device_id'] as const;
    for (const id of ids) expect(own[0]).toHaveProperty(id, (known as unknown as Record<string, string>)[id]);
    expect(new Set(own.map(({ id }) => id)).size).toBe(3);
  });

  it('type: sms, lms and mms pass, anything else does not', async () => {
    for (const type of ['sms', 'lms', 'mms']) {
      expect((await there.call('POST', E8, { ...sms, type })).json).toEqual(DONE);
    }
    for (const type of ['SMS', '', undefined, 1]) await refused(E8, { ...sms, type });
  });

  it('body, recipients: a text, and at least one recipient with a number', async () => {
    for (const wrong of [
      { body: '' },
      { body: undefined },
      { recipientList: [] },
      { recipientList: undefined },
      { recipientList: [{ recipientNo: 1_012_345_678 }] },
      { recipientList: ['01012345678'] },
      { projectId: undefined },
    ]) {
      await refused(E8, { ...sms, ...wrong });
    }
  });

  it('title and attachments (N8): a long text has a title, an MMS attachments, under the names that are set', async () => {
    await refused(E8, { ...sms, title: '제목' });
    await refused(E8, { ...sms, type: 'lms', title: 7 });
    await refused(E8, { ...sms, type: 'lms', attachFileList: ['f-1'] });
    await refused(E8, { ...sms, type: 'mms', attachFileList: [1] });
    await withWritten({ fieldNames: { textTitle: 'subject', textAttachments: 'files' } }, async (other) => {
      const mms = { ...sms, type: 'mms', subject: '사진', files: ['f-1'] };
      expect((await other.call('POST', E8, mms)).json).toEqual(DONE);
      const [message] = (await other.state()).messages;
      expect(message?.content).toMatchObject({ title: '사진', attachFileList: [{ fileId: 'f-1' }] });
    });
  });

  it('own sending setup: without one nothing is sent, with the words of the specification', async () => {
    await withWritten({ textSender: null }, async (other) => {
      const got = await other.call('POST', E8, sms);
      expect([got.status, got.json]).toEqual([400, NOT_REGISTERED]);
      expect((await other.state()).messages).toEqual([]);
    });
  });

  it('failures: a number that is none fails, and is counted so', async () => {
    await there.call('POST', E8, {
      ...sms,
      recipientList: [{ recipientNo: '02-123' }, ...sms.recipientList],
    });
    const { own, rows } = await sentBy('api-text-message');
    expect(own[0]).toMatchObject({ event_name: 'send_failure', failure_reason: '수신번호 오류' });
    expect(rows).toMatchObject([{ message_sent: 3, message_failed: 1 }]);
  });

  it('opt-outs (E12): advertising does not reach who opted out, until the recipient is removed from the list', async () => {
    const list = `/projects/${PROJECT}/messages/text-message/blockservice/recipients`;
    const one = { unsubscribeNo: '0801234567', recipientNoList: ['01012345678'] };
    await there.call('POST', list, one);
    await there.call('POST', E8, { ...sms, body: '(광고) 특가' });
    await there.call('POST', E8, sms);
    await there.call('DELETE', `${list}/removes`, one);
    await there.call('POST', E8, { ...sms, body: '(광고) 특가' });
    const { messages, optOuts } = await there.state();
    expect(messages.map(({ failureReason }) => failureReason)).toEqual([
      '수신 거부된 번호',
      ...[null, null, null, null, null],
    ]);
    expect(optOuts).toEqual({
      registered: [],
      removed: [
        { unsubscribeNo: '0801234567', recipientNo: '01012345678', removedAt: '2026-11-20 10:00:00' },
      ],
    });
    const { own } = await sentBy('api-text-message');
    expect(own[0]?.message_data).toMatchObject({ adYn: 'Y' });
    expect(namesOf(own)).toEqual({ send_failure: 1, send_success: 5 });
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'POST', E8, sms);
  });
});

describe('friendtalk (E7)', () => {
  it('end of support: refused from 1 June 2026 in Korea on, and sent on 31 May', async () => {
    there.clock.now = new Date('2026-05-31T14:59:59Z');
    expect((await there.call('POST', E7, talk)).json).toEqual(DONE);
    there.clock.now = new Date('2026-05-31T15:00:00Z');
    const got = await there.call('POST', E7, talk);
    expect(got.status).toBe(410);
    expect(got.json).toEqual({
      data: null,
      error: 'Friendtalk is no longer supported: its support ended on 2026-05-31.',
    });
    const { own, rows } = await sentBy('api-friendtalk', '2026-05-31');
    expect(own).toMatchObject([
      {
        channel: 'chatapp-friendtalk',
        event_name: 'send_success',
        channel_metadata: { channel_subtype: 'text' },
        message_data: { recipientNo: '01012345678', content: '반가워요', buttons: [], isAd: false },
      },
    ]);
    expect(rows).toMatchObject([{ message_sent: 1, message_failed: 0 }]);
  });

  it('body: message type (N7), advertising or not, and a text for each recipient', async () => {
    there.clock.now = MAY;
    for (const messageType of ['text', 'image', 'wide']) {
      expect((await there.call('POST', E7, { ...talk, messageType })).json).toEqual(DONE);
    }
    for (const wrong of [
      { messageType: 'video' },
      { isAd: 'no' },
      { isAd: undefined },
      { recipientList: [] },
      { recipientList: [{ recipientNo: '01012345678' }] },
      { recipientList: [{ recipientNo: '01012345678', content: { text: '' } }] },
      { resendContent: '다시' },
    ]) {
      await refused(E7, { ...talk, ...wrong });
    }
  });

  it('own sending setup: without one nothing is sent', async () => {
    await withWritten({ chatappSending: false }, async (other) => {
      other.clock.now = MAY;
      expect((await other.call('POST', E7, talk)).json).toEqual(NOT_REGISTERED);
    });
  });

  it('failover: a number without the chat app gets a text, an ad the one of resendContent or one with the 080 number', async () => {
    there.clock.now = MAY;
    const old = [{ recipientNo: '0191234567', content: { text: '특가' } }];
    const ad = { ...talk, isAd: true, recipientList: old };
    await refused(E7, { ...ad, resendContent: { body: '특가' } });
    for (const body of [
      { ...talk, recipientList: old },
      ad,
      { ...ad, resendContent: { body: '(광고) 다시' } },
    ]) {
      expect((await there.call('POST', E7, body)).json).toEqual(DONE);
    }
    const { messages } = await there.state();
    expect(messages.map((one) => one['failoverText'])).toEqual([
      '특가',
      '(광고) 특가\n무료수신거부 0800000000',
      '(광고) 다시',
    ]);
    const { own, rows } = await sentBy('api-friendtalk', '2026-05-20');
    expect(namesOf(own)).toEqual({ send_failure: 3, failover_text_message_send_success: 3 });
    expect(rows).toMatchObject([{ message_sent: 3, message_failed: 3 }]);
  });

  it('failover of an ad: needs a registered 080 number', async () => {
    await withWritten({ unsubscribeNumbers: [] }, async (other) => {
      other.clock.now = MAY;
      const ad = {
        ...talk,
        isAd: true,
        recipientList: [{ recipientNo: '0191234567', content: { text: '특가' } }],
      };
      await refused(E7, { ...ad, resendContent: { body: '(광고) 다시' } }, other);
      expect((await other.call('POST', E7, ad)).json).toEqual(DONE);
      expect((await other.state()).messages).toMatchObject([
        { events: ['send_failure'], failoverText: null },
      ]);
    });
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    there.clock.now = MAY;
    await expectAccess(there, 'POST', E7, talk);
  });
});

describe('alimtalk (E9)', () => {
  it('effect: the template with its parameters is a send_success of that day', async () => {
    expect((await there.call('POST', E9, alimtalk)).json).toEqual(DONE);
    const { own, rows } = await sentBy('api-alimtalk');
    expect(own).toMatchObject([
      {
        channel: 'chatapp-alimtalk',
        event_name: 'send_success',
        message_data: {
          recipientNo: '01012345678',
          templateCode: TEMPLATE,
          content: '[예시상점] 보라님, 500점이 적립되었습니다.',
        },
      },
    ]);
    expect(rows).toMatchObject([{ channel: 'chatapp-alimtalk', message_sent: 1, message_failed: 0 }]);
  });

  it('recipients: 1,000 pass, 1,001 and none do not', async () => {
    expect((await there.call('POST', E9, { ...alimtalk, recipientList: recipients(1000) })).json).toEqual(
      DONE,
    );
    expect((await there.state()).messages).toHaveLength(1000);
    await refused(E9, { ...alimtalk, recipientList: recipients(1001) });
    await refused(E9, { ...alimtalk, recipientList: [] });
  });

  it('grouping key (N9): 100 characters pass, 101 do not, under the name that is set', async () => {
    expect((await there.call('POST', E9, { ...alimtalk, senderGroupingKey: 'k'.repeat(100) })).json).toEqual(
      DONE,
    );
    await refused(E9, { ...alimtalk, senderGroupingKey: 'k'.repeat(101) });
    await withWritten({ fieldNames: { groupingKey: 'group' } }, async (other) => {
      await refused(E9, { ...alimtalk, group: 'k'.repeat(101) }, other);
      const ignored = { ...alimtalk, senderGroupingKey: 'k'.repeat(101) };
      expect((await other.call('POST', E9, ignored)).json).toEqual(DONE);
    });
  });

  it('failover sender (N9): read on the legacy platform alone, where it must be the own number', async () => {
    expect((await there.call('POST', E9, { ...alimtalk, failoverSendNo: '15990000' })).json).toEqual(DONE);
    await refused(E9, { ...alimtalk, failoverSendNo: 15_440_000 });
    await withWritten({ legacyPlatform: true }, async (other) => {
      const old = {
        ...alimtalk,
        recipientList: [{ ...alimtalk.recipientList[0], recipientNo: '0191234567' }],
      };
      expect((await other.call('POST', E9, { ...old, failoverSendNo: '15990000' })).json).toEqual(
        NOT_REGISTERED,
      );
      await other.call('POST', E9, { ...old, failoverSendNo: '15440000' });
      await other.call('POST', E9, old);
      const events = (await other.state()).messages.map((one) => one.events);
      expect(events).toEqual([['send_failure', 'failover_text_message_send_success'], ['send_failure']]);
    });
  });

  it('template: registered for the channel and approved', async () => {
    for (const wrong of [{ templateId: 'none' }, { channelId: 'ch-1001' }]) {
      const got = await there.call('POST', E9, { ...alimtalk, ...wrong });
      expect([got.status, got.json]).toEqual([404, { data: null, error: 'The template is not registered.' }]);
    }
    await refused(E9, { ...alimtalk, templateId: 'tpl-promo-04' });
    await there.call('DELETE', `/projects/${PROJECT}${E9}/templates/${TEMPLATE}`);
    expect((await there.call('POST', E9, alimtalk)).status).toBe(404);
    expect((await there.state()).deletedAlimtalkTemplates).toEqual([TEMPLATE]);
  });

  it('own sending setup: a registered channel, or nothing is sent', async () => {
    expect((await there.call('POST', E9, { ...alimtalk, channelId: 'ch-9' })).json).toEqual(NOT_REGISTERED);
    await withWritten({ chatappSending: false }, async (other) => {
      expect((await other.call('POST', E9, alimtalk)).json).toEqual(NOT_REGISTERED);
    });
  });

  it('parameters: texts alone; a variable without one fails and goes out as a text with its own parameters', async () => {
    const to = (rest: object) => ({ ...alimtalk, recipientList: [{ recipientNo: '01012345678', ...rest }] });
    await refused(E9, to({ templateParameter: { 고객명: 1 } }));
    await refused(E9, to({ failoverTextMessageTemplateParameter: 'x' }));
    const own = {
      templateParameter: { 고객명: '보라' },
      failoverTextMessageTemplateParameter: { 포인트: '0' },
    };
    await there.call('POST', E9, to(own));
    await there.call('POST', E9, to({ ...own, recipientNo: '123' }));
    expect((await there.state()).messages).toMatchObject([
      { failureReason: '템플릿과 일치하지 않음', failoverText: '[예시상점] 보라님, 0점이 적립되었습니다.' },
      { failureReason: 'InvalidPhoneNumberException' },
    ]);
    const { own: records } = await sentBy('api-alimtalk');
    expect(records.map(({ event_name, failure_reason }) => [event_name, failure_reason])).toEqual([
      ['send_failure', '템플릿과 일치하지 않음'],
      ['failover_text_message_send_success', null],
      ['send_failure', 'InvalidPhoneNumberException'],
      ['failover_text_message_send_failure', '수신번호 오류'],
    ]);
    const day = ['2026-11-19T15:00:00.000Z', '2026-11-20T15:00:00.000Z'] as const;
    expect(await there.metric('api-alimtalk', 'send_failure', ...day)).toBe(2);
  });

  it('access: a token, the own project, JSON of at most 4 MiB', async () => {
    await expectAccess(there, 'POST', E9, alimtalk);
  });
});

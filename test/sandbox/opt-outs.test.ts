import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { ask, client, exportAll, logIn, PROJECT } from './http.js';
import { reference, type Reference } from './reference.js';

let now = new Date();
let sandbox: Sandbox;
let service: Reference;

beforeEach(async () => {
  now = new Date('2026-11-21T01:00:00Z');
  sandbox = await startSandbox({
    now: () => now,
    exportSeconds: 0,
    eventsPerDay: 8_000,
    tokenLifetimeSeconds: 86_400 * 30,
  });
  service = await reference(sandbox);
});
afterEach(() => sandbox.close());

const PATH = `/projects/${PROJECT}/messages/text-message/blockservice/recipients`;

interface OptOut {
  unsubscribeNo: string;
  recipientNo: string;
  requestDate: string;
}

async function list(query: Record<string, string> = {}) {
  const got = await service.call(
    'GET',
    `${PATH}?${new URLSearchParams({ pageSize: '1000', ...query }).toString()}`,
  );
  expect(got.status, got.text).toBe(200);
  return got.json as unknown as { pageNum: number; pageSize: number; totalCount: number; data: OptOut[] };
}

const NOVEMBER = { startRequestDate: '2026-11-01 00:00:00', endRequestDate: '2026-11-30 23:59:59' };

describe('the list of opt-outs (E12)', () => {
  it('comes in pages whose first is 1', async () => {
    const all = await list(NOVEMBER);
    expect(all).toMatchObject({ pageNum: 1, pageSize: 1000, totalCount: all.data.length });
    expect(all.data.length).toBeGreaterThan(60);
    const pages = [];
    for (let pageNum = 1; pageNum <= 1 + all.totalCount / 30; pageNum += 1) {
      pages.push(await list({ ...NOVEMBER, pageNum: String(pageNum), pageSize: '30' }));
    }
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data);
    expect(pages.at(-1)).toMatchObject({ pageNum: pages.length, pageSize: 30, totalCount: all.totalCount });
  });

  it('is filtered by request time, both ends included, by number and by recipient', async () => {
    const all = (await list(NOVEMBER)).data;
    const [first, last] = [all[10]!, all[20]!];
    const between = await list({ startRequestDate: first.requestDate, endRequestDate: last.requestDate });
    expect(between.data).toEqual(
      all.filter(({ requestDate }) => requestDate >= first.requestDate && requestDate <= last.requestDate),
    );
    expect(between.data).toContainEqual(last);
    const own = all.filter(({ recipientNo }) => recipientNo === first.recipientNo);
    expect((await list({ ...NOVEMBER, recipientNo: first.recipientNo })).data).toEqual(own);
    expect((await list({ ...NOVEMBER, unsubscribeNo: '0800000000' })).totalCount).toBe(all.length);
    expect((await list({ ...NOVEMBER, unsubscribeNo: '0801234567' })).totalCount).toBe(0);
  });

  it('refuses numbers over 25 characters, dates of another form and pages out of bounds', async () => {
    expect((await list({ recipientNo: '1'.repeat(25) })).data).toEqual([]);
    const wrong: Record<string, string>[] = [
      { unsubscribeNo: '1'.repeat(26) },
      { recipientNo: '1'.repeat(26) },
      { startRequestDate: '2026-11-01' },
      { endRequestDate: '2026-11-31 00:00:00' },
      { startRequestDate: '2026-11-02 00:00:00', endRequestDate: '2026-11-01 00:00:00' },
      { pageSize: '1001' },
      { pageSize: '0' },
      { pageNum: '0' },
    ];
    for (const query of wrong) {
      const got = await service.call('GET', `${PATH}?${new URLSearchParams(query).toString()}`);
      expect(got.status, JSON.stringify(query)).toBe(400);
      expect(got.json).toEqual({ error: expect.any(String) as string });
    }
  });

  it('grows with the clock and never tells of the future', async () => {
    const before = await list(NOVEMBER);
    now = new Date('2026-11-22T01:00:00Z');
    const after = await list(NOVEMBER);
    expect(before.data.every(({ requestDate }) => requestDate < '2026-11-21 10:00:00')).toBe(true);
    expect(after.data.slice(0, before.totalCount)).toEqual(before.data);
    expect(after.totalCount).toBeGreaterThan(before.totalCount);
  });
});

describe('opt-outs and messages', () => {
  it('belong together: each follows a message to its recipient, by a minute to three days', async () => {
    const records = await exportAll(await client(sandbox), '2026-11-14T15:00:00Z', '2026-11-20T15:00:00Z');
    const times = new Map<string, number[]>();
    for (const { channel, event_name, message_data, time } of records) {
      const to = message_data?.['recipientNo'];
      if (event_name !== 'send_success' || typeof to !== 'string' || channel === 'email') continue;
      times.set(to, [...(times.get(to) ?? []), Number(time) / 1000]);
    }
    const asked = (
      await list({ startRequestDate: '2026-11-18 00:00:00', endRequestDate: '2026-11-20 23:59:59' })
    ).data;
    expect(asked.length).toBeGreaterThan(10);
    for (const { recipientNo, requestDate } of asked) {
      const at = Date.parse(`${requestDate.replace(' ', 'T')}+09:00`);
      const passed = (times.get(recipientNo) ?? []).map((sent) => (at - sent) / 1000);
      expect(passed.some((seconds) => seconds >= 60 && seconds <= 72 * 3600)).toBe(true);
    }
  });

  it(
    'are a few of a thousand, and more after one campaign and one template',
    { tags: ['long'] },
    async () => {
      const large = await startSandbox({ now: () => now, exportSeconds: 0, eventsPerDay: 60_000 });
      const there = await client(large);
      const asked = new Set(
        (
          (
            await ask(large, {
              path: `${PATH}?startRequestDate=2026-11-13%2000:00:00&pageSize=1000`,
              token: there.token,
            })
          ).json.data as unknown as OptOut[]
        ).map(({ recipientNo }) => recipientNo),
      );
      const sent = { F2gQe9: [0, 0], 'tpl-n2p7': [0, 0], other: [0, 0] };
      for (const record of await exportAll(there, '2026-11-12T15:00:00Z', '2026-11-14T15:00:00Z')) {
        const { message_data: data, campaign_id: campaign, event_name: event } = record;
        if (event !== 'send_success' || typeof data?.['recipientNo'] !== 'string') continue;
        if (record.channel === 'text-message' && data['adYn'] !== 'Y') continue;
        const key =
          campaign === 'F2gQe9' ? 'F2gQe9' : data['templateCode'] === 'tpl-n2p7' ? 'tpl-n2p7' : 'other';
        sent[key][0]! += 1;
        if (asked.has(data['recipientNo'])) sent[key][1]! += 1;
      }
      // Some recipients ask because of another message of these days, so that the rates are seen from above.
      const rate = ([all, out]: number[]) => out! / all!;
      expect(rate(sent.F2gQe9)).toBeGreaterThan(0.01);
      expect(rate(sent['tpl-n2p7'])).toBeGreaterThan(0.008);
      expect(rate(sent.other)).toBeGreaterThan(0.0005);
      await large.close();
    },
  );

  it('of a month of large days are there quickly', async () => {
    const large = await startSandbox({ now: () => now, eventsPerDay: 20_000 });
    const there = await reference(large);
    const begun = performance.now();
    expect((await there.call('GET', `${PATH}?startRequestDate=2026-10-21%2000:00:00`)).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(2_000);
    await large.close();
  });
});

describe('registering and removing (E12)', () => {
  const change = (method: string, body: unknown) =>
    service.call(method, method === 'POST' ? PATH : `${PATH}/removes`, body);
  const two = { unsubscribeNo: '0801234567', recipientNoList: ['01011112222', '01033334444'] };

  it('registers recipients at the time of the request, each once', async () => {
    expect((await change('POST', two)).json).toEqual({ success: true });
    now = new Date('2026-11-21T02:00:00Z');
    await change('POST', two);
    const { data } = await list({ unsubscribeNo: '0801234567' });
    expect(data).toEqual(
      two.recipientNoList.map((recipientNo) => ({
        unsubscribeNo: '0801234567',
        recipientNo,
        requestDate: '2026-11-21 10:00:00',
      })),
    );
  });

  it('removes recipients, those who asked themselves as well, until they ask again', async () => {
    const [someone] = (await list(NOVEMBER)).data;
    const recipientNo = someone!.recipientNo;
    await change('POST', two);
    expect((await change('DELETE', { ...two, recipientNoList: ['01011112222', '010none'] })).json).toEqual({
      success: true,
    });
    await change('DELETE', { unsubscribeNo: '0800000000', recipientNoList: [recipientNo] });
    expect((await list({ unsubscribeNo: '0801234567' })).totalCount).toBe(1);
    expect((await list({ ...NOVEMBER, recipientNo })).totalCount).toBe(0);
    await change('POST', { unsubscribeNo: '0800000000', recipientNoList: [recipientNo] });
    expect((await list({ ...NOVEMBER, recipientNo })).totalCount).toBe(1);
  });

  it('refuses what names no 080 number or no recipients', async () => {
    for (const method of ['POST', 'DELETE']) {
      for (const body of [
        {},
        { ...two, unsubscribeNo: '15440000' },
        { ...two, recipientNoList: [] },
        { ...two, recipientNoList: [1] },
        'x',
      ]) {
        const got = await change(method, body);
        expect(got.status).toBe(400);
        expect(got.json).toEqual({ error: expect.any(String) as string });
      }
    }
  });

  it('is refused without a token and for another project', async () => {
    const token = await logIn(sandbox);
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['DELETE', `${PATH}/removes`],
    ] as const) {
      expect((await ask(sandbox, { method, path })).json).toEqual({ error: 'Invalid Authorization Token' });
      const other = await ask(sandbox, { method, path: path.replace(PROJECT, 'f'.repeat(32)), token });
      expect([other.status, other.json]).toEqual([403, { error: 'Project access denied' }]);
    }
  });
});

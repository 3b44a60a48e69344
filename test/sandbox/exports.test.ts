// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { type Client, client, type EventRecord, exportAll } from './http.js';

const now = () => new Date('2026-11-24T01:00:00Z');
const DAY = ['2026-11-18T15:00:00Z', '2026-11-19T15:00:00Z'] as const;
const FRIDAY = ['2026-11-19T15:00:00Z', '2026-11-20T15:00:00Z'] as const;
let sandbox: Sandbox;
let service: Client;

beforeAll(async () => {
  sandbox = await startSandbox({ now, exportSeconds: 0, eventsPerDay: 8_000 });
  service = await client(sandbox);
});
afterAll(() => sandbox.close());

const body = (start: string, end: string, isMessageDataIncluded: unknown = true) => ({
  start,
  end,
  isMessageDataIncluded,
});

describe('an export', () => {
  it('is processing at first, then a success whose pages end where it says', async () => {
    let passed = 0;
    const clock = (): Date => new Date(now().getTime() + passed);
    const slow = await startSandbox({ now: clock, exportSeconds: 600, eventsPerDay: 3_000 });
    const there = await client(slow);
    const id = (await there.e20(body(...DAY))).json.export_id;
    const early = await there.e21(id);
    expect(early.json.status).toBe('processing');
    expect(early.json.message).toBeTypeOf('string');
    passed = 600_000;
    const first = (await there.e21(id)).json;
    expect(first.status).toBe('success');
    const last = (await there.e21(id, first.total_page_count - 1)).json;
    const records = slow.bills()[0]!.records;
    expect(first.data).toHaveLength(1000);
    expect(last.data).toHaveLength(records - 1000 * (first.total_page_count - 1));
    for (const page of [first.total_page_count, -1, 'x', '1.5', '']) {
      expect((await there.e21(id, page)).json.status).toBe('invalid_page');
    }
    expect((await there.e21('0'.repeat(24))).json.status).toBe('not_found');
    await slow.close();
  });

  it('is billed per record when it is accepted, in memory and in the journal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const journal = join(folder, 'bills.jsonl');
    const billed = await startSandbox({
      now,
      exportSeconds: 60,
      eventsPerDay: 3_000,
      billingJournal: journal,
    });
    const there = await client(billed);
    const { json } = await there.e20(body(...DAY, false));
    const written = readFileSync(journal, 'utf8').trim().split('\n');
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(billed.bills());
    expect(billed.bills()).toMatchObject([
      { export_id: json.export_id, start: DAY[0], end: DAY[1], message_data: false },
    ]);
    expect(billed.bills()[0]!.records).toBeGreaterThan(1000);
    await billed.close();
    rmSync(folder, { recursive: true });
  });

  it('is refused, and not billed, when it is badly asked for', async () => {
    const before = sandbox.bills().length;
    for (const bad of [
      body('2026-11-18', '2026-11-19'),
      body('2026-11-18T15:00:00', '2026-11-19T15:00:00'),
      body('2026-11-31T15:00:00Z', '2026-12-19T15:00:00Z'),
      body(DAY[1], DAY[0]),
      body(DAY[0], DAY[0]),
      body(DAY[0], '2026-11-24T01:00:01Z'),
      body(...DAY, 'yes'),
      { start: DAY[0], end: DAY[1] },
      'no json',
    ]) {
      const { status, json } = await service.e20(bad);
      expect(status).toBe(400);
      expect(json.status).toBe('error');
      expect(json.message).toBeTypeOf('string');
    }
    expect(sandbox.bills()).toHaveLength(before);
  });

  it('without records is a success without pages, or page 0 is invalid', async () => {
    const moment = ['2026-11-18T15:00:00.000Z', '2026-11-18T15:00:00.001Z'] as const;
    const id = (await service.e20(body(...moment))).json.export_id;
    expect((await service.e21(id)).json).toEqual({ status: 'success', data: [], total_page_count: 0 });
    const other = await startSandbox({ now, exportSeconds: 0, emptyExport: 'invalid_page' });
    const there = await client(other);
    const otherId = (await there.e20(body(...moment))).json.export_id;
    expect((await there.e21(otherId)).json.status).toBe('invalid_page');
    await other.close();
  });

  it('reads its page number from the parameter that is set, and page 0 without it', async () => {
    const other = await startSandbox({
      now,
      exportSeconds: 0,
      eventsPerDay: 8_000,
      pageParameter: 'pageNumber',
    });
    const there = await client(other);
    const id = (await there.e20(body(...DAY))).json.export_id;
    const first = await there.e21(id, 0, 'pageNumber');
    expect((await there.e21(id, 1, 'page')).text).toBe(first.text);
    expect((await there.e21(id, 1, 'pageNumber')).text).not.toBe(first.text);
    await other.close();
  });

  it('is the same each time, whatever sandbox serves it', async () => {
    const twin = await startSandbox({ now, exportSeconds: 0, eventsPerDay: 8_000 });
    const there = await client(twin);
    expect(await exportAll(there, ...DAY)).toEqual(await exportAll(service, ...DAY));
    await twin.close();
  });

  it('of several days is the days one after the other', async () => {
    const both = await exportAll(service, DAY[0], FRIDAY[1]);
    expect(both).toEqual([...(await exportAll(service, ...DAY)), ...(await exportAll(service, ...FRIDAY))]);
  });

  it('of a part of a day has the records whose time falls in it', async () => {
    const [start, end] = ['2026-11-19T01:30:00.250Z', '2026-11-19T04:00:00Z'];
    const within = ({ time }: EventRecord) =>
      Number(time) >= Date.parse(start) * 1000 && Number(time) < Date.parse(end) * 1000;
    const part = await exportAll(service, start, end);
    expect(part.length).toBeGreaterThan(50);
    expect(part).toEqual((await exportAll(service, ...DAY)).filter(within));
  });
});

describe('the records', () => {
  it('have ids of their own, over days as well, and times inside their day', { tags: ['long'] }, async () => {
    const records = await exportAll(service, DAY[0], FRIDAY[1], false);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    for (const { id, time, message_data } of records) {
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(time).toMatch(/^\d{16}$/);
      expect(Number(time)).toBeGreaterThanOrEqual(Date.parse(DAY[0]) * 1000);
      expect(Number(time)).toBeLessThan(Date.parse(FRIDAY[1]) * 1000);
      expect(message_data).toBeNull();
    }
    expect(records.filter(({ time }) => !time.endsWith('000')).length / records.length).toBeGreaterThan(0.99);
  });

  it('mix channels and events on every page', async () => {
    const records = (await exportAll(service, ...DAY)).slice(0, 100);
    expect(new Set(records.map(({ channel }) => channel)).size).toBeGreaterThan(5);
    expect(new Set(records.map(({ event_name }) => event_name)).size).toBeGreaterThan(4);
  });

  it('keep a user in one arm of a test, and give each click its send', async () => {
    const records = await exportAll(service, '2026-11-15T15:00:00Z', FRIDAY[1], false);
    const arms = new Map<string, Set<string | null>>();
    for (const { user_id, campaign_id, experiment_group_name } of records) {
      if (campaign_id !== 'Qh3vT8') continue;
      arms.set(user_id, (arms.get(user_id) ?? new Set()).add(experiment_group_name));
    }
    expect(arms.size).toBeGreaterThan(100);
    expect([...arms.values()].every((set) => set.size === 1)).toBe(true);

    const key = (r: EventRecord) => `${r.campaign_id}|${r.user_journey_node_id}|${r.channel}|${r.user_id}`;
    const sends = new Map<string, number[]>();
    for (const record of records.filter(({ event_name }) => event_name === 'send_success')) {
      sends.set(key(record), [...(sends.get(key(record)) ?? []), Number(record.time)]);
    }
    // The first day's late clicks belong to sends of the day before the window.
    const clicks = records.filter(
      ({ event_name, time }) =>
        event_name.endsWith('_click') && Number(time) >= Date.parse('2026-11-16T15:00:00Z') * 1000,
    );
    expect(clicks.length).toBeGreaterThan(300);
    for (const click of clicks) {
      expect((sends.get(key(click)) ?? []).some((sent) => sent <= Number(click.time))).toBe(true);
    }
    const midnight = Date.parse(DAY[0]) * 1000;
    const late = clicks.filter(
      (click) =>
        Number(click.time) >= midnight &&
        (sends.get(key(click)) ?? []).every((sent) => sent < midnight || sent > Number(click.time)),
    );
    expect(late.length).toBeGreaterThan(0);
  });

  it('have each channel in the shape that the specification gives it', async () => {
    const records = [...(await exportAll(service, ...DAY)), ...(await exportAll(service, ...FRIDAY))];
    const shapes = new Map<string, Set<string>>();
    for (const { channel, channel_metadata, message_data } of records) {
      const key = `${channel} ${channel_metadata.channel_subtype ?? ''}`.trim();
      shapes.set(key, (shapes.get(key) ?? new Set()).add(Object.keys(message_data ?? {}).join()));
    }
    const text =
      'requestId,requestDate,templateId,title,body,sendNo,recipientNo,messageType,countryCode,adYn,attachFileList';
    const friendtalk = 'plusFriendId,senderKey,recipientNo,content,buttons,isAd';
    const commerce = 'messageType,content,imageUrl,commerce,buttons';
    const wide = 'chatBubbleType,header,attachment';
    expect(Object.fromEntries([...shapes].map(([key, set]) => [key, [...set]]))).toEqual({
      push_notification: ['title,body,link'],
      'text-message SMS': [text],
      'text-message LMS': [text],
      'text-message MMS': [text],
      email: ['title,body'],
      'chatapp-friendtalk text': [friendtalk],
      'chatapp-friendtalk image': [friendtalk],
      'chatapp-alimtalk': ['plusFriendId,senderKey,recipientNo,templateCode,content,templateExtra,buttons'],
      'chatapp-brand-message basic': ['templateName'],
      'chatapp-brand-message free-form': ['templateName'],
      'in-app-message COMMERCE': [commerce],
      'in-app-message WIDE_ITEM_LIST': [wide],
      'in-web-message COMMERCE': [commerce],
      'in-web-message WIDE_ITEM_LIST': [wide],
      'web-push-notification': ['service'],
      webhook: ['url,method,headers,data'],
    });

    const dataOf = (channel: string, sub: string | null = null) =>
      records.find(
        (r) =>
          r.channel === channel &&
          (sub ?? r.channel_metadata.channel_subtype) === r.channel_metadata.channel_subtype,
      )!.message_data!;
    const keys = (value: unknown) => Object.keys(value as object).join();
    expect(keys(dataOf('web-push-notification')['service'])).toBe(
      'ti,bd,cid,mid,u,ic,bg,im,sd,tg,vb,ri,data,ac',
    );
    expect(keys(dataOf('email')['body'])).toBe('html,text');
    expect(keys(dataOf('in-app-message', 'COMMERCE')['commerce'])).toBe(
      'title,regularPrice,discountPrice,discountRate',
    );
    expect(keys((dataOf('text-message', 'MMS')['attachFileList'] as unknown[])[0])).toBe(
      'fileId,fileName,filePath,saveFileName,uploadType',
    );
    expect(keys((dataOf('chatapp-friendtalk')['buttons'] as unknown[])[0])).toBe(
      'ordering,type,name,linkMo,linkPc,schemeIos,schemeAndroid',
    );
    expect(dataOf('text-message')['requestDate']).toMatch(/^2026-11-(19|20) \d\d:\d\d:\d\d$/);
    expect(dataOf('text-message')['recipientNo']).toMatch(/^0100\d{7}$/);
  });

  it('say why sends failed, and of alimtalk whether the text message instead got through', async () => {
    const records = await exportAll(service, ...DAY, false);
    for (const { event_name, failure_reason } of records) {
      expect(failure_reason === null).toBe(!event_name.endsWith('_failure'));
    }
    const names = new Set(records.map(({ event_name }) => event_name));
    for (const name of [
      'send_success',
      'send_failure',
      'push_delivered',
      'push_click',
      'in_app_message_show',
      'in_web_message_show',
      'main_button_click',
      'close_button_click',
      'failover_text_message_send_success',
      'failover_text_message_send_failure',
    ]) {
      expect(names).toContain(name);
    }
  });

  it('use the words of the deployment', async () => {
    const other = await startSandbox({
      now,
      exportSeconds: 0,
      eventsPerDay: 3_000,
      brand: 'acme',
      messenger: 'talky',
      pushChannelSpelling: 'push-notification',
    });
    const records = await exportAll(await client(other), ...DAY);
    await other.close();
    const channels = new Set(records.map(({ channel }) => channel));
    expect(channels).toContain('talky-alimtalk');
    expect(channels).toContain('push-notification');
    expect(Object.keys(records[0]!)).toContain('acme_user_id');
    expect(Object.keys(records[0]!)).toContain('acme_device_id');
    const webPush = records.find(({ channel }) => channel === 'web-push-notification')!;
    expect(Object.keys(webPush.message_data!)).toEqual(['acme']);
  });

  it('of before 18 July 2025 have message data for push only', async () => {
    const old = await exportAll(service, '2025-07-16T15:00:00Z', '2025-07-17T15:00:00Z');
    for (const { channel, message_data } of old)
      expect(message_data === null).toBe(channel !== 'push_notification');
    const later = await exportAll(service, '2025-07-17T15:00:00Z', '2025-07-18T15:00:00Z');
    expect(later.every(({ message_data }) => message_data !== null)).toBe(true);
  });
});

it('serves the first and last pages of a day with more than a million records from little memory', async () => {
  const large = await startSandbox({ now, exportSeconds: 0, eventsPerDay: 1_200_000 });
  const there = await client(large);
  const before = process.memoryUsage().rss;
  const id = (await there.e20(body(...DAY))).json.export_id;
  const first = (await there.e21(id)).json;
  const last = (await there.e21(id, first.total_page_count - 1)).json;
  expect(large.bills()[0]!.records).toBeGreaterThan(1_000_000);
  expect(first.total_page_count).toBe(Math.ceil(large.bills()[0]!.records / 1000));
  expect(first.data).toHaveLength(1000);
  expect(last.data.length).toBeGreaterThan(0);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  await large.close();
});

// @module-tag long
/** Exports (E20, E21), rule by rule. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxOptions } from '../../sandbox/index.js';
import {
  ANY_TEXT,
  closeAll,
  each,
  type EventRecord,
  exportAll,
  play,
  PROJECT,
  type Row,
  type Service,
  start,
} from './support.js';

const now = () => new Date('2026-11-24T01:00:00Z');
const DAY = ['2026-11-18T15:00:00Z', '2026-11-19T15:00:00Z'] as const;
const FRIDAY = ['2026-11-19T15:00:00Z', '2026-11-20T15:00:00Z'] as const;
const another = (options: SandboxOptions) => start({ now, eventsPerDay: 3_000, ...options });
const micros = (instant: string) => Date.parse(instant) * 1000;

let service: Service;
let records: EventRecord[];
/** The same without message data, from Monday on. */
let week: EventRecord[];
beforeAll(async () => {
  service = await start({ now, eventsPerDay: 8_000 });
  records = await exportAll(service, DAY[0], FRIDAY[1]);
  week = await exportAll(service, '2026-11-15T15:00:00Z', FRIDAY[1], false);
});
afterAll(closeAll);

const within = (start: string, end: string, of = records) =>
  of.filter(({ time }) => Number(time) >= micros(start) && Number(time) < micros(end));
const body = (start: string, end: string, isMessageDataIncluded: unknown = true) => ({
  start,
  end,
  isMessageDataIncluded,
});
const request = async (there: Service, start: string, end: string) =>
  (await there.e20(body(start, end))).json.export_id;

test('E21.1 processing, then success with data and total_page_count; invalid_page; not_found', async () => {
  let passed = 0;
  const slow = await another({ now: () => new Date(now().getTime() + passed), exportSeconds: 600 });
  const id = await request(slow, ...DAY);
  expect((await slow.e21(id)).json).toMatchObject({ status: 'processing', message: ANY_TEXT });
  passed = 600_000;
  const { status, data, total_page_count: pages } = (await slow.e21(id)).json;
  expect([status, data.length]).toEqual(['success', 1000]);
  const left = slow.sandbox.bills()[0]!.records - 1000 * (pages - 1);
  expect((await slow.e21(id, pages - 1)).json.data).toHaveLength(left);
  for (const page of [pages, -1, 'x', '1.5', ''])
    expect((await slow.e21(id, page)).json.status).toBe('invalid_page');
  expect((await slow.e21('0'.repeat(24))).json.status).toBe('not_found');
});

test('E20.1 response {export_id}; billed by records when accepted, in memory and in the journal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const billingJournal = join(folder, 'bills.jsonl');
  const billed = await another({ billingJournal });
  const { json } = await billed.e20(body(...DAY, false));
  const [bill] = billed.sandbox.bills();
  expect(bill).toMatchObject({ export_id: json.export_id, start: DAY[0], end: DAY[1], message_data: false });
  expect(bill!.records).toBeGreaterThan(1000);
  expect(JSON.parse(readFileSync(billingJournal, 'utf8'))).toEqual(bill);
  rmSync(folder, { recursive: true });
});

test('E20.2 start and end are ISO 8601 UTC, isMessageDataIncluded a boolean; a refused request is not billed', async () => {
  const before = service.sandbox.bills();
  const refused = [400, { status: 'error', message: ANY_TEXT }] as const;
  const steps = each(
    `POST /projects/${PROJECT}/campaign-event-data/exports`,
    refused,
    body('2026-11-18', '2026-11-19'),
    body('2026-11-18T15:00:00', '2026-11-19T15:00:00'),
    body('2026-02-30T15:00:00Z', '2026-03-04T15:00:00Z'),
    body('2026-02-27T15:00:00Z', '2026-02-29T15:00:00.5Z'),
    body('2026-11-18T24:00:00Z', '2026-11-19T15:00:00Z'),
    body(DAY[1], DAY[0]),
    body(DAY[0], DAY[0]),
    body(DAY[0], '2026-11-24T01:00:01Z'),
    body(...DAY, 'yes'),
    { start: DAY[0], end: DAY[1] },
    'no json',
  );
  await play(service, steps);
  expect(service.sandbox.bills()).toEqual(before);
});

test('E20.3 a window of several days has the days in order; one within a day has the records inside it', async () => {
  expect(await exportAll(service, ...DAY)).toEqual(within(...DAY));
  const part = ['2026-11-19T01:30:00.250Z', '2026-11-19T04:00:00Z'] as const;
  expect(within(...part).length).toBeGreaterThan(50);
  expect(await exportAll(service, ...part)).toEqual(within(...part));
});

test('E21.2 an export without records is a success without pages, or page 0 is invalid', async () => {
  const moment = ['2026-11-18T15:00:00.000Z', '2026-11-18T15:00:00.001Z'] as const;
  const empty = await service.e21(await request(service, ...moment));
  expect(empty.json).toEqual({ status: 'success', data: [], total_page_count: 0 });
  const other = await another({ emptyExport: 'invalid_page' });
  expect((await other.e21(await request(other, ...moment))).json.status).toBe('invalid_page');
});

test('E21.3 the name of the page parameter is a setting (N18); without it, page 0 is returned', async () => {
  const other = await another({ pageParameter: 'pageNumber' });
  const id = await request(other, ...DAY);
  const first = await other.e21(id, 0, 'pageNumber');
  expect((await other.e21(id, 1, 'page')).text).toBe(first.text);
  expect((await other.e21(id, 1, 'pageNumber')).text).not.toBe(first.text);
});

test('E21.13 a result may time out or fail before it is ready (option)', async () => {
  const other = await another({ beforeResults: ['timeout', 'error'], timeoutStatus: 200, exportSeconds: 0 });
  const id = await request(other, ...DAY);
  const answers = [await other.e21(id), await other.e21(id), await other.e21(id)];
  expect(answers[0]).toMatchObject({ status: 200, json: { error: 'Timeout' } });
  expect(answers[1]?.json).toMatchObject({ status: 'error', message: ANY_TEXT });
  expect(answers[2]?.json.status).toBe('success');
});

test('E21.4 every process gives the same answers', async () => {
  const twin = await another({ eventsPerDay: 8_000 });
  expect(await exportAll(twin, ...DAY)).toEqual(within(...DAY));
});

test('E21.5 limit: 1,000 records per page, even for a day with more than a million, with little memory', async () => {
  const large = await another({ eventsPerDay: 1_200_000 });
  const before = process.memoryUsage().rss;
  const id = await request(large, ...DAY);
  const { data, total_page_count: pages } = (await large.e21(id)).json;
  const { records: all } = large.sandbox.bills()[0]!;
  expect(all).toBeGreaterThan(1_000_000);
  expect([data.length, pages]).toEqual([1000, Math.ceil(all / 1000)]);
  expect((await large.e21(id, pages - 1)).json.data.length).toBeGreaterThan(0);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

test('E21.6 ids of records are unique, over days too; times are inside their day, in microseconds', () => {
  expect(new Set(week.map(({ id }) => id)).size).toBe(week.length);
  for (const { id, time, message_data } of week) {
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(time).toMatch(/^\d{16}$/);
    expect(message_data).toBeNull();
  }
  expect(within('2026-11-15T15:00:00Z', FRIDAY[1], week)).toEqual(week);
  expect(week.filter(({ time }) => !time.endsWith('000')).length / week.length).toBeGreaterThan(0.99);
});

test('E21.8 experiment_group_name: a user stays in one variant of a test; every click has its send', () => {
  const arms = new Map<string, Set<string | null>>();
  for (const { user_id, campaign_id, experiment_group_name } of week) {
    if (campaign_id !== 'Qh3vT8') continue;
    arms.set(user_id, (arms.get(user_id) ?? new Set()).add(experiment_group_name));
  }
  expect(arms.size).toBeGreaterThan(100);
  expect([...arms.values()].every((set) => set.size === 1)).toBe(true);

  const key = (r: EventRecord) => `${r.campaign_id}|${r.user_journey_node_id}|${r.channel}|${r.user_id}`;
  const sends = new Map<string, number[]>();
  for (const record of week.filter(({ event_name }) => event_name === 'send_success')) {
    sends.set(key(record), [...(sends.get(key(record)) ?? []), Number(record.time)]);
  }
  const sendsOf = (click: EventRecord) =>
    (sends.get(key(click)) ?? []).filter((sent) => sent <= Number(click.time));
  // The first day's late clicks belong to sends of the day before the window.
  const clicks = within('2026-11-16T15:00:00Z', FRIDAY[1], week).filter(({ event_name }) =>
    event_name.endsWith('_click'),
  );
  expect(clicks.length).toBeGreaterThan(300);
  for (const click of clicks) expect(sendsOf(click)).not.toEqual([]);
  const late = within(DAY[0], FRIDAY[1], clicks).filter((click) =>
    sendsOf(click).every((sent) => sent < micros(DAY[0])),
  );
  expect(late.length).toBeGreaterThan(0);
});

test('E21.9 message_data by channel', () => {
  const text =
    'requestId,requestDate,templateId,title,body,sendNo,recipientNo,messageType,countryCode,adYn,attachFileList';
  const friendtalk = 'plusFriendId,senderKey,recipientNo,content,buttons,isAd';
  const commerce = 'messageType,content,imageUrl,commerce,buttons';
  const wide = 'chatBubbleType,header,attachment';
  const shapes: Record<string, string> = {
    push_notification: 'title,body,link',
    'text-message SMS': text,
    'text-message LMS': text,
    'text-message MMS': text,
    email: 'title,body',
    'chatapp-friendtalk text': friendtalk,
    'chatapp-friendtalk image': friendtalk,
    'chatapp-alimtalk': 'plusFriendId,senderKey,recipientNo,templateCode,content,templateExtra,buttons',
    'chatapp-brand-message basic': 'templateName',
    'chatapp-brand-message free-form': 'templateName',
    'in-app-message COMMERCE': commerce,
    'in-app-message WIDE_ITEM_LIST': wide,
    'in-web-message COMMERCE': commerce,
    'in-web-message WIDE_ITEM_LIST': wide,
    'web-push-notification': 'service',
    webhook: 'url,method,headers,data',
  };
  const keys = (value: unknown) => Object.keys(value as object).join();
  const found = new Map<string, Row>();
  for (const { channel, channel_metadata, message_data } of records) {
    const kind = `${channel} ${channel_metadata.channel_subtype ?? ''}`.trim();
    expect(keys(message_data), kind).toBe(shapes[kind]);
    found.set(kind, message_data ?? {});
  }
  expect([...found.keys()].sort()).toEqual(Object.keys(shapes).sort());
  const part = (kind: string, key: string): unknown => found.get(kind)?.[key];
  const first = (kind: string, key: string) => (part(kind, key) as unknown[])[0];
  expect(keys(part('web-push-notification', 'service'))).toBe('ti,bd,cid,mid,u,ic,bg,im,sd,tg,vb,ri,data,ac');
  expect(keys(part('email', 'body'))).toBe('html,text');
  expect(keys(part('in-app-message COMMERCE', 'commerce'))).toBe(
    'title,regularPrice,discountPrice,discountRate',
  );
  expect(keys(first('text-message MMS', 'attachFileList'))).toBe(
    'fileId,fileName,filePath,saveFileName,uploadType',
  );
  expect(keys(first('chatapp-friendtalk text', 'buttons'))).toBe(
    'ordering,type,name,linkMo,linkPc,schemeIos,schemeAndroid',
  );
  expect(part('text-message SMS', 'requestDate')).toMatch(/^2026-11-(19|20) \d\d:\d\d:\d\d$/);
  expect(part('text-message SMS', 'recipientNo')).toMatch(/^0100\d{7}$/);
});

test('E21.10 failure_reason gives the reason of a failure, and for alimtalk whether the text was sent', () => {
  for (const { event_name, failure_reason } of records) {
    expect(failure_reason === null).toBe(!event_name.endsWith('_failure'));
  }
  expect([...new Set(records.map(({ event_name }) => event_name))]).toEqual(
    expect.arrayContaining([
      ...['send_success', 'send_failure', 'push_delivered', 'push_click', 'in_app_message_show'],
      ...['in_web_message_show', 'main_button_click', 'close_button_click'],
      ...['failover_text_message_send_success', 'failover_text_message_send_failure'],
    ]),
  );
});

test('E21.11 service_ and chatapp are the brand', async () => {
  const words = { brand: 'acme', messenger: 'talky', pushChannelSpelling: 'push-notification' } as const;
  const own = await exportAll(await another(words), ...DAY);
  const channels = [...new Set(own.map(({ channel }) => channel))];
  expect(channels).toEqual(expect.arrayContaining(['talky-alimtalk', 'push-notification']));
  expect(Object.keys(own[0]!)).toEqual(expect.arrayContaining(['acme_user_id', 'acme_device_id']));
  const webPush = own.find(({ channel }) => channel === 'web-push-notification');
  expect(Object.keys(webPush?.message_data ?? {})).toEqual(['acme']);
});

test('E21.12 message_data exists from 2025-07-18, for push always', async () => {
  const old = await exportAll(service, '2025-07-16T15:00:00Z', '2025-07-17T15:00:00Z');
  expect(old.filter((one) => (one.message_data === null) === (one.channel === 'push_notification'))).toEqual(
    [],
  );
  const later = await exportAll(service, '2025-07-17T15:00:00Z', '2025-07-18T15:00:00Z');
  expect(later.every(({ message_data }) => message_data !== null)).toBe(true);
});

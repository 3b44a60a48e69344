/** Times that are none: of every answer that has them, kept beside their column. */
import { expect, test } from 'vitest';
import type { ReferenceStream } from '../../src/storage/pull.js';
import { landed, record, statistic, Workshop } from './support.js';

const DAY = '2026-11-20';

test.each([
  '294247-01-10 04:00:54Z',
  '294247-01-10 04:00:54',
  'infinity',
  '-infinity',
  '9999-12-31 23:59:59',
])('the time %j costs no other value of its answer', async (time) => {
  const workshop = new Workshop();
  const reference = (stream: ReferenceStream, list: string, body: unknown) => ({
    stream,
    id: `${stream}/${DAY}`,
    day: DAY,
    pulledAt: new Date('2026-11-19T22:30:00Z'),
    complete: true,
    lists: [{ list, files: [landed(workshop.folder, body)], rows: 1, announced: 1 }],
    short: [],
    templates: [],
    largestPage: 10_000,
  });
  const template = { id: 't1', templateName: 'n', template: {}, createdAt: time, updatedAt: time };
  const optOut = { unsubscribeNo: '0801234567', recipientNo: '01012345678', requestDate: time };
  const message = {
    title: 't',
    body: 'b',
    sendNo: '15770000',
    recipientNo: '01012345678',
    requestDate: time,
  };
  const [, , , , day] = await workshop.load(
    workshop.campaigns({ start: DAY, end: DAY }, { c1: { data: { lastCollectedAt: time, stats: [] } } }),
    reference('brand_templates', 'sender', { data: { templates: [template], totalCount: 1 } }),
    reference('opt_outs', '*', { data: [optOut], totalCount: 1 }),
    workshop.events(DAY, [[record({ channel: 'text-message', message_data: message, time })]]),
    workshop.statistics(DAY, [statistic({ date: time })]),
  );
  expect(day).toMatchObject({ days: [DAY] });
  const kept = { at: null, kept: time };
  const look = (table: string, column: string, key: string) =>
    workshop.look(`select ${column} as at, extra ->> '${key}' as kept from ${table}`);
  expect(await look('campaign_collections', 'last_collected_at', 'lastCollectedAt')).toEqual([kept]);
  expect(await look('brand_templates_history', 'created_at', 'createdAt')).toEqual([kept]);
  expect(await look('brand_templates_history', 'updated_at', 'updatedAt')).toEqual([kept]);
  expect(await look('opt_outs_history', 'requested_at', 'requestDate')).toEqual([kept]);
  expect(await look('text_messages', 'request_date', 'requestDate')).toEqual([kept]);
  expect(await look('events', 'occurred_at', 'time')).toEqual([kept]);
});

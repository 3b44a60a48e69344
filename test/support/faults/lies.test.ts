// @module-tag long
/** Answers of the sandbox that are well formed and not true. */
import { afterEach, beforeEach, expect, it } from 'vitest';

import { startFaultySandbox, type Fault, type FaultySandbox } from './index.js';
import { type Client, client, type EventRecord } from '../../sandbox/http.js';

const now = () => new Date('2026-11-24T01:00:00Z');
const WINDOW = { start: '2026-11-18T15:00:00Z', end: '2026-11-19T15:00:00Z' };

let sandbox: FaultySandbox;
let service: Client;
let id: string;

beforeEach(async () => {
  sandbox = await startFaultySandbox({ now, exportSeconds: 0, eventsPerDay: 4_000 });
  service = await client(sandbox);
  id = (await service.e20({ ...WINDOW, isMessageDataIncluded: true })).json.export_id;
});
afterEach(() => sandbox.close());

/** An export's fault without its endpoint. */
type Told = Fault extends infer F ? (F extends Fault ? Omit<F, 'endpoint'> : never) : never;

function lie(told: Told): void {
  sandbox.setFaults([{ endpoint: 'E21', ...told }]);
}

async function page(number: number): Promise<EventRecord[]> {
  return (await service.e21(id, number)).json.data;
}

it('an export is never ready', async () => {
  lie({ kind: 'processing-forever' });
  expect((await service.e21(id)).json.status).toBe('processing');
  expect((await service.e21(id)).json.status).toBe('processing');
});

it('an export is gone after some pages', async () => {
  lie({ kind: 'success-then-not-found', after: 2 });
  const seen = [];
  for (const number of [0, 1, 2, 0]) seen.push((await service.e21(id, number)).json.status);
  expect(seen).toEqual(['success', 'success', 'not_found', 'not_found']);
});

it('an export fails', async () => {
  lie({ kind: 'export-error' });
  const got = await service.e21(id);
  expect(got.status).toBe(200);
  expect(got.json.status).toBe('error');
  lie({ kind: 'export-error', status: 500 });
  expect((await service.e21(id)).status).toBe(500);
});

it('the number of pages changes from one page to the next', async () => {
  lie({ kind: 'changing-page-count' });
  const first = (await service.e21(id)).json.total_page_count;
  expect((await service.e21(id, 1)).json.total_page_count).toBe(first + 1);
});

it('a page repeats page 0', async () => {
  const [first, third] = [await page(0), await page(2)];
  lie({ kind: 'repeated-page', page: 1 });
  expect(await page(1)).toEqual(first);
  expect(await page(2)).toEqual(third);
});

it('the page parameter is ignored', async () => {
  const first = await page(0);
  lie({ kind: 'ignores-page-parameter' });
  for (const number of [0, 1, 2, 99]) expect(await page(number)).toEqual(first);
});

it('a page in the middle lacks records', async () => {
  const truth = await page(1);
  lie({ kind: 'short-page', missing: 3 });
  expect(await page(1)).toEqual(truth.slice(0, -3));
  expect(await page(0)).toHaveLength(1000);
});

it('a record comes twice', async () => {
  const truth = await page(0);
  lie({ kind: 'duplicate-record', page: 0 });
  expect(await page(0)).toEqual([truth[0], ...truth]);
  lie({ kind: 'duplicate-record', page: 0, how: 'replaced' });
  expect(await page(0)).toEqual([truth[0], truth[0], ...truth.slice(2)]);
  expect(new Set((await page(1)).map((record) => record.id)).size).toBe(1000);
});

it('a record is timed outside the window', async () => {
  lie({ kind: 'outside-window', times: 1 });
  const records = await page(0);
  const outside = records.filter(({ time }) => Number(time) < Date.parse(WINDOW.start) * 1000);
  expect(outside).toEqual([records[0]]);
  expect(records[0]!.time).toMatch(/^\d{16}$/);
});

it('a field changes its type, in one record or in all, also inside message data', async () => {
  const truth = await page(0);
  lie({ kind: 'other-type', field: 'time' });
  expect((await page(0)).map(({ time }) => time as unknown)).toEqual(
    truth.map(({ time }) => ({ text: time })),
  );
  lie({ kind: 'other-type', field: 'id', value: 7, records: 'one' });
  expect((await page(0)).slice(0, 2).map((record) => record.id)).toEqual([7, truth[1]!.id]);
  lie({ kind: 'other-type', field: 'message_data.title' });
  const titles = (await page(0)).flatMap(({ message_data }) =>
    message_data?.['title'] ? [message_data['title']] : [],
  );
  expect(titles.length).toBeGreaterThan(100);
  expect(titles.every((title) => typeof title === 'object')).toBe(true);
  sandbox.setFaults([{ endpoint: 'E17', kind: 'other-type', field: 'message_sent' }]);
  const rows = (await service.e17({ start: '2026-11-19', end: '2026-11-19' })).json as unknown as {
    message_sent: unknown;
  }[];
  expect(rows.every(({ message_sent }) => typeof message_sent === 'string')).toBe(true);
});

it('a field is gone', async () => {
  lie({ kind: 'field-gone', field: 'event_name' });
  expect((await page(0)).some((record) => 'event_name' in record)).toBe(false);
  sandbox.setFaults([{ endpoint: 'E20', kind: 'field-gone', field: 'export_id' }]);
  expect((await service.e20({ ...WINDOW, isMessageDataIncluded: true })).json).toEqual({});
});

it('an unknown field is there, also in message data', async () => {
  lie({ kind: 'extra-field', field: 'campaign_owner', value: { name: 'kim' } });
  for (const record of await page(0)) {
    expect(record).toHaveProperty('campaign_owner.name', 'kim');
    expect(record.message_data).toHaveProperty('campaign_owner.name', 'kim');
  }
});

it('a past day is restated on later pulls, alike in both daily statistics', async () => {
  const days = { start: '2026-11-18', end: '2026-11-19' };
  const sentOn = async (ask: Client['e17']) => {
    const rows = (await ask(days)).json as unknown as { date: string; message_sent: number }[];
    const sums: Record<string, number> = {};
    for (const { date, message_sent } of rows) sums[date] = (sums[date] ?? 0) + message_sent;
    return sums;
  };
  const truth = await sentOn(service.e17);
  const raised = (by: number) => ({ ...truth, '2026-11-19': truth['2026-11-19']! + by });
  sandbox.setFaults([
    { endpoint: 'E17', kind: 'restate', date: '2026-11-19', by: 5 },
    { endpoint: 'E18', kind: 'restate', date: '2026-11-19', by: 5 },
  ]);
  for (const pull of [service.e17, service.e18]) {
    expect(await sentOn(pull)).toEqual(truth);
    expect(await sentOn(pull)).toEqual(raised(5));
    expect(await sentOn(pull)).toEqual(raised(10));
  }
});

it('a lie is counted only when there was occasion to tell it', async () => {
  lie({ kind: 'short-page', page: 2, times: 1 });
  expect(await page(0)).toHaveLength(1000);
  const told = await page(2);
  const truth = await page(2);
  expect(told).toHaveLength(truth.length - 1);
});

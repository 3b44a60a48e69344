/** A small sandbox that is written to, and what its statistics and exports say of it afterwards. */
import { expect } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.js';
import { ask, client, type EventRecord, exportAll, type Got, PROJECT } from './http.js';

type Row = Readonly<Record<string, unknown>>;

interface State {
  users: { userId: string; properties: Row }[];
  deletedUsers: Row[];
  events: Row[];
  journeys: Row[];
  messages: (Row & { userId: string; events: string[]; failureReason: string | null; content: Row })[];
  optOuts: { registered: Row[]; removed: Row[] };
  catalogs: { changed: Row[]; deleted: string[] };
  brandTemplates: Row[];
  deletedAlimtalkTemplates: string[];
  images: string[];
}

/** The day on which everything is written. */
const DAY = '2026-11-20';

export async function written(options: SandboxOptions = {}) {
  const clock = { now: new Date(`${DAY}T01:00:00Z`) };
  const sandbox: Sandbox = await startSandbox({
    now: () => clock.now,
    exportSeconds: 0,
    eventsPerDay: 400,
    tokenLifetimeSeconds: 1e9,
    ...options,
  });
  const service = await client(sandbox);
  const { token } = service;
  return {
    ...service,
    clock,
    sandbox,
    call: (method: string, path: string, body?: unknown): Promise<Got> =>
      ask(sandbox, { method, path, body, token }),
    state: async () => (await ask(sandbox, { path: '/_sandbox/state' })).json as unknown as State,
    /** A KST day's records and daily statistics as they are from the second morning after it on. */
    async day(day = DAY): Promise<{ records: EventRecord[]; e17: Row[]; e18: Row[] }> {
      const start = Date.parse(`${day}T00:00:00+09:00`);
      const later = new Date(start + 3 * 86_400_000);
      if (clock.now < later) clock.now = later;
      const at = (ms: number) => new Date(ms).toISOString();
      const records = await exportAll(service, at(start), at(start + 86_400_000));
      const [e17, e18] = [
        await service.e17({ start: day, end: day }),
        await service.e18({ start: day, end: day }),
      ];
      expect([e17.status, e18.status]).toEqual([200, 200]);
      return { records, e17: e17.json as unknown as Row[], e18: e18.json as unknown as Row[] };
    },
    /** One metric of a campaign on a day (E19). */
    async metric(campaign: string, name: string, start: string, end: string): Promise<number> {
      const got = await service.e19(campaign, start, end);
      expect(got.status, got.text).toBe(200);
      const { stats } = (got.json as unknown as { data: { stats: Row[] } }).data;
      return Number(stats.find((stat) => stat['metricName'] === name)?.['totalCount'] ?? 0);
    },
  };
}

export type Written = Awaited<ReturnType<typeof written>>;

/** Runs a test against a sandbox of its own. */
export async function withWritten(
  options: SandboxOptions,
  run: (there: Written) => Promise<void>,
): Promise<void> {
  const there = await written(options);
  try {
    await run(there);
  } finally {
    await there.sandbox.close();
  }
}

/** Requests that the service takes from its own project alone, with a token. */
export async function expectAccess(
  there: Written,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const text = 'Invalid Authorization Token';
  const other = 'f'.repeat(32);
  const none = await ask(there.sandbox, { method, path, body });
  const isJourney = path.includes('/user-journeys/');
  const shape = (status: number, error: string) =>
    isJourney ? { code: status, success: false, error } : { data: null, error };
  expect([none.status, none.json]).toEqual([401, shape(401, text)]);
  const foreign = await there.call(method, path.replace(PROJECT, other), { ...body, projectId: other });
  expect([foreign.status, foreign.json]).toMatchObject([403, shape(403, 'Project access denied')]);
  for (const wrong of ['{', '', 'null', '[]', '7', `${'['.repeat(60)}${']'.repeat(60)}`]) {
    const got = await there.call(method, path, wrong);
    expect([got.status, got.json]).toMatchObject([400, shape(400, expect.any(String) as string)]);
  }
  const large = await there.call(method, path, `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}`);
  expect([large.status, large.json]).toEqual([413, shape(413, 'The request body is too large')]);
}

/** The number of events by name. */
export function namesOf(records: readonly EventRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event_name } of records) counts[event_name] = (counts[event_name] ?? 0) + 1;
  return counts;
}

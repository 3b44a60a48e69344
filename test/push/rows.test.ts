/** How a row becomes the text of a call, what values fit, and what answers state: without a service. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { realEffects } from '../../src/ground/effects.js';
import { callsIn, PushedRows } from '../../src/push/ledger.js';
import { type ServiceAnswer } from '../../src/service/client.js';
import { judge, withoutValuesOf } from '../../src/service/verdict.js';
import { outcomeOf, wantedOf, type Outcome } from '../../src/push/targets.js';
import { cellSql } from '../../src/readers/queries/rows.js';
import { answerOf } from '../../src/readers/queries/formats.js';
import { statement } from '../../src/warehouse/session.js';

let connection: DuckDBConnection;
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run("set TimeZone = 'Asia/Seoul'");
  await connection.run(statement('push/macros'));
});
afterAll(() => {
  connection.closeSync();
});

const value = async (sql: string, parameters: Record<string, string> = {}): Promise<unknown> =>
  (await connection.runAndReadAll(sql, parameters)).getRowsJson()[0]?.[0];

describe('the JSON text of a value', () => {
  const EXACT: [sql: string, json: string][] = [
    ["'가\n\"'", '"가\\n\\""'],
    ['12345678901234567890123::hugeint', '12345678901234567890123'],
    ['1.50::decimal(5, 2)', '1.50'],
    ['0.1::float', '0.1'],
    [
      '\'{"order": 12345678901234567890, "part": 0.12345678901234567890}\'::json',
      '{"order": 12345678901234567890, "part": 0.12345678901234567890}',
    ],
    ["'1e400'::json", '1e400'],
    ['[1, null, 3]', '[1,null,3]'],
    ["{a: 'x', b: [true]}", '{"a":"x","b":[true]}'],
    ["{'$add': ['a'], '$remove': null::varchar[]}", '{"$add":["a"]}'],
    ["map {'k': 1.5}", '{"k":1.5}'],
    ["timestamptz '2026-11-21 07:00:00.1+09'", '"2026-11-21T07:00:00.1+09:00"'],
    ["[timestamp '2026-11-21 07:00:00']", '["2026-11-21T07:00:00+09:00"]'],
    ["date '2026-11-21'", '"2026-11-21"'],
    ["'a'::enum('a', 'b')", '"a"'],
    ["{'a': '{\"n\": 1e400}'::json}", '{"a":{"n": 1e400}}'],
  ];
  /** The SQL of the JSON text of the only column of a select. */
  const jsonOf = async (sql: string): Promise<string> => {
    const [cell = ''] = answerOf(await connection.stream(`select ${sql}`)).columns.map(cellSql);
    return `(${cell})['json']`;
  };
  test.each(EXACT)('%s is %s', async (sql, json) => {
    await connection.run(`create or replace table one as select ${sql} as c0`);
    const written = await jsonOf(sql);
    expect(await value(`select ${written} from one`)).toBe(json);
    expect(await value(`select wrong_size(${written}) from one`)).toBeNull();
  });

  test.each([
    "'nan'::double",
    "'-inf'::float",
    "[1, 'inf'::double]",
    "'\\x41'::blob",
    "'[1,]'::json",
    '\'{"a":NaN}\'::json',
  ])('%s has none', async (sql) => {
    await connection.run(`create or replace table one as select ${sql} as c0`);
    expect(await value(`select wrong_size(${await jsonOf(sql)}) from one`)).toMatch(/no value of JSON/);
  });
});

describe('values', () => {
  const wrong = (json: unknown): Promise<unknown> =>
    value('select wrong_size($json)', { json: JSON.stringify(json) });
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const longest = '가'.repeat(5_000);

  test.each(
    [longest, -1.5e3, false, Array.from({ length: 100 }, () => longest), deep(49)].map((one) => [one]),
  )('within the limits fit', async (json) => {
    expect(await wrong(json)).toBeNull();
  });

  test.each([
    [`${longest}!`, 'must have at most 5000 characters'],
    [Array.from({ length: 101 }, String), 'must have at most 100 elements'],
    [[`${longest}!`], 'must have elements of at most 5000 characters'],
    [deep(50), 'must have at most 50 levels'],
  ])('beyond the limits do not fit, and the reason repeats no value', async (json, why) => {
    expect(await wrong(json)).toBe(why);
  });

  test('a digest is known in any text', async () => {
    const digest = 'aB'.repeat(32);
    expect(await value(`select is_hash('"${digest}"') and is_hash('{"a":"x${digest}"}')`)).toBe(true);
    expect(await value(`select is_hash('"${digest.slice(1)}"')`)).toBe(false);
  });
});

test('the calls of a file are read back by the hashes of their lines, also beside torn and foreign ones', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pushed-'));
  const call = { target: 'events a\u2028b', push: '2026-11-21.1', call: 1, made_with: 'm' };
  const { path } = await PushedRows.open(dataDir, call.target, realEffects({}));
  await appendFile(path, '{"target":"events');
  const pushed = await PushedRows.open(dataDir, call.target, realEffects({}));
  const line = await pushed.append({ ...call, columns: '', rows: [{ k: '#1', r: '2' }] });
  await pushed.append({ push: call.push, call: 1, taken: true });
  await appendFile(path, `null\n[]\n{"k":5}\n${JSON.stringify({ ...call, k: [] }).slice(0, -3)}`);
  const found = await callsIn(path);
  await rm(dataDir, { recursive: true });
  expect(found).toMatchObject([{ ...call, rows: 1, line }]);
  expect(found).toHaveLength(1);
});

describe('answers', () => {
  const answer = (json: unknown, status = 200): ServiceAnswer => {
    const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
    const nothing = { contentType: '', retryAfter: undefined, location: undefined };
    return { body, status, verdict: judge({ status, body, ...nothing }, new Date()) };
  };
  const TARGETS = {
    E2: wantedOf({ target: 'catalog-items products', mode: 'patch' }),
    E12: wantedOf({ target: 'opt-outs 0801234567' }),
    E13: wantedOf({ target: 'events viewed', key: 'user_id' }),
    E14: wantedOf({ target: 'user-properties' }),
    E16: wantedOf({ target: 'journey uj-1' }),
  };
  type Endpoint = keyof typeof TARGETS;
  const told = (endpoint: Endpoint, json: unknown, status?: number, rows = 7): Outcome =>
    outcomeOf(TARGETS[endpoint], answer(json, status), rows, { acknowledgements: [], refusals: [] });

  const TAKEN: [endpoint: Endpoint, json: unknown, taken: number | undefined][] = [
    ['E2', { data: null, error: null }, 7],
    ['E2', { data: null, error: { code: 'X', message: 'x' } }, undefined],
    ['E12', { success: true }, 7],
    ['E14', { data: 7 }, 7],
    ['E14', { data: 4 }, 4],
    ...[8, null, '5', true, 4.5].map((data): [Endpoint, unknown, undefined] => ['E14', { data }, undefined]),
  ];
  test.each(TAKEN)('%s: %j', (endpoint, json, taken) => {
    const outcome = told(endpoint, json);
    expect(outcome.outcome === 'acknowledged' ? outcome.taken : undefined).toBe(taken);
  });

  const ONCE: [endpoint: Endpoint, status: number, json: unknown, outcome: string][] = [
    ['E13', 200, { message: '7 events were tracked.' }, 'acknowledged'],
    ['E13', 200, { message: 'Tracked 7 events' }, 'acknowledged'],
    ['E13', 200, { message: 'Tracked 7 event(s)' }, 'acknowledged'],
    ['E13', 200, { message: '7 event(s) were tracked.' }, 'acknowledged'],
    ['E13', 200, { message: 'Tracked 6 event(s)' }, 'ambiguous'],
    ['E13', 200, { message: '7 events tracked', error: null }, 'acknowledged'],
    ['E13', 200, { message: '6 of 7 events were tracked.' }, 'ambiguous'],
    ['E13', 200, { message: '7 events could not be tracked' }, 'ambiguous'],
    ['E13', 200, { message: '7건의 이벤트를 수집했습니다.' }, 'ambiguous'],
    ['E13', 200, { message: '7 events were received, 3 were ignored.' }, 'ambiguous'],
    ['E13', 202, { message: '7 events were tracked.' }, 'ambiguous'],
    ['E13', 200, '{"message":"0 events","message":"Tracked 7 events"}', 'ambiguous'],
    ['E13', 200, { code: 200, success: true, error: null }, 'ambiguous'],
    ['E16', 200, { code: 200, success: true, error: null }, 'acknowledged'],
    ['E16', 200, { success: true }, 'ambiguous'],
    ['E16', 200, { message: 'Tracked 7 events' }, 'ambiguous'],
    ['E16', 500, { code: 200, success: true, error: null }, 'ambiguous'],
    ['E16', 200, { code: 200, success: true, error: null, failed: 1 }, 'ambiguous'],
    ['E16', 200, {}, 'ambiguous'],
    ['E16', 422, { code: 422, success: false, error: 'Invalid' }, 'ambiguous'],
    ['E16', 400, { error: '4 users entered, 3 are invalid' }, 'ambiguous'],
    ['E16', 401, { data: null, error: 'Unauthorized' }, 'refused'],
    ['E16', 403, { code: 403, success: false, error: 'Forbidden' }, 'refused'],
    ['E16', 403, { code: 403, success: true, error: 'Forbidden' }, 'ambiguous'],
    ['E16', 429, { code: 429, success: false, error: 'Too many requests' }, 'refused'],
    ['E16', 404, '<html>Not Found</html>', 'ambiguous'],
    ['E13', 400, { data: null, error: 'InvalidRequest', tracked: 6 }, 'ambiguous'],
  ];
  test.each(ONCE)('%s %i %j is %s', (endpoint, status, json, outcome) => {
    expect(told(endpoint, json, status).outcome).toBe(outcome);
  });

  test('of a catalog say that an item is missing in their own shape alone', () => {
    const error = { code: 'NOT_FOUND', message: 'An item does not exist.' };
    expect(told('E2', { data: null, error }, 404).isOfRow).toBe(true);
    expect(told('E14', { data: null, error }, 404).isOfRow).toBe(false);
    const ofCatalog = [
      { code: 'NOT_FOUND', message: 'The catalog does not exist.' },
      { code: 'CATALOG_NOT_FOUND', message: 'catalog items not found' },
      { code: 'NOT_FOUND', message: 'not found' },
    ].map((said) => ({ data: null, error: said }));
    for (const other of [
      '<html>404</html>',
      { error: 'item not found' },
      { data: null, error: 'gone' },
      ...ofCatalog,
    ])
      expect(told('E2', other, 404).isOfRow).toBe(false);
    for (const said of [
      { code: 'ITEM_NOT_FOUND', message: '' },
      { code: 'NOT_FOUND', message: "Item 'a' was not found in catalog products" },
    ])
      expect(told('E2', { data: null, error: said }, 404).isOfRow).toBe(true);
    const gone = { ...TARGETS.E2, mode: 'delete' as const };
    const none = { acknowledgements: [], refusals: [] };
    expect(outcomeOf(gone, answer({ data: null, error }, 404), 1, none)).toMatchObject({ isGone: true });
    expect(outcomeOf(gone, answer({ data: null, error }, 400), 1, none).isOfRow).toBe(true);
  });

  test('give a reason by their status and code, never by a message or a value', () => {
    const reason = (code: string) => told('E2', { data: null, error: { code, message: 'secret' } }, 400);
    expect(reason('INVALID_ARGUMENT')).toMatchObject({ reason: 'HTTP 400, INVALID_ARGUMENT' });
    expect(reason('a secret value')).toMatchObject({ reason: 'HTTP 400' });
  });

  test('are shown without the values of the call', () => {
    const items = ['{"userId":"u-1","name":"Kim"}'];
    expect(withoutValuesOf('Kim may not enter, u-1', items)).toBe('… may not enter, …');
    expect(withoutValuesOf('name is missing', items)).toBe('name is missing');
    const short = ['{"userId":"u1","name":"K","grade":2}', '{"userId":"u2","name":"L","grade":3}'];
    expect(withoutValuesOf('2 rows: K of grade 3 and u1', short)).toBe('2 rows: … of grade … and …');
  });
});

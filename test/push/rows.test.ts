/** What is remembered of rows, what values fit, and what answers state: without a service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceAnswer } from '../../src/api/client.js';
import { wrongValue } from '../../src/api/limits.js';
import { namedIn, refusalOf, takenBy, wordsOf } from '../../src/api/written.js';
import { judge } from '../../src/api/answer.js';
import { itemOf } from '../../src/push/targets.js';
import { GONE, RowHashes, type CallState } from '../../src/storage/row-hashes.js';

const effects = { reach: () => undefined };
const row = (k: string, r = k) => ({ k, r });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('remembered rows', () => {
  const states = new Map<number, Partial<CallState>>();
  const stateOf = (_: string, call: number): CallState => ({
    ...{ acknowledged: false, doubt: false, unfinished: false },
    ...states.get(call),
  });
  const open = (target: string) => RowHashes.open(folder, target, stateOf, effects);

  test('count as acknowledged if the ledger says so of their call', async () => {
    const before = await open('one');
    await before.intend('p', 1, 'c', [row('a')]);
    await before.intend('p', 2, 'c', [row('b')]);
    await before.intend('p', 3, 'c', [row('d')]);
    states.set(1, { acknowledged: true }).set(2, {}).set(3, { doubt: true });
    const after = await open('one');
    expect(['a', 'b', 'd'].map((k) => after.compare(row(k), 'c', false))).toEqual([
      'same',
      'different',
      'in_doubt',
    ]);
    expect(after.compare(row('a', 'other'), 'c', false)).toBe('different');
    // Other columns say nothing of these.
    expect(after.compare(row('a'), 'other columns', false)).toBe('different');
    expect([after.knows('a'), after.knows('b'), after.knows('a', 'other columns')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('that must not arrive twice are known by their key while a push is unfinished or an outcome unknown', async () => {
    const before = await open('once');
    await before.intend('p', 11, 'c', [row('a')]);
    await before.intend('p', 12, 'c', [row('b')]);
    await before.intend('p', 13, 'c', [row('d')]);
    states.set(11, { acknowledged: true }).set(12, { doubt: true });
    states.set(13, { acknowledged: true, unfinished: true });
    const after = await open('once');
    const changed = (once: boolean) => ['a', 'b', 'd'].map((k) => after.compare(row(k, 'other'), 'c', once));
    expect(changed(true)).toEqual(['different', 'in_doubt', 'same']);
    expect(changed(false)).toEqual(['different', 'different', 'different']);
    expect([after.has('p', 11), after.has('p', 14)]).toEqual([true, false]);
  });

  test('of a call that was noted twice are those of the second time', async () => {
    const before = await open('two');
    await before.intend('p', 1, 'c', [row('never sent')]);
    await before.intend('p', 1, 'c', [row('sent')]);
    const after = await open('two');
    expect(after.compare(row('sent'), 'c', false)).toBe('same');
    expect(after.compare(row('never sent'), 'c', false)).toBe('different');
  });

  test('that were taken away are forgotten', async () => {
    const before = await open('three');
    await before.intend('p', 1, 'c', [row('a'), row('b')]);
    await before.intend('p', 4, GONE, [row('a')]);
    states.set(4, { acknowledged: true });
    expect([...(await open('three')).keys]).toEqual(['b']);
  });

  test('are counted as rejected once a push, until their content changes', async () => {
    const rows = await open('four');
    for (const push of ['p1', 'p1', 'p2']) await rows.reject(push, 'why', 'c', [row('a', '1')]);
    const after = await open('four');
    expect(after.rejectionOf(row('a', '1'))?.pushes.size).toBe(2);
    expect(after.rejectionOf(row('a', '2'))).toBeUndefined();
    await after.reject('p3', 'why', 'c', [row('a', '2')]);
    expect(after.rejectionOf(row('a', '2'))?.pushes.size).toBe(1);
    after.acknowledged('c', [row('a', '3')]);
    expect([...after.rejections]).toEqual([]);
  });
});

describe('values', () => {
  const fields = new Map(
    ['string', 'number', 'boolean', 'time', 'array', 'object', 'geo'].map((type) => [type, type]),
  );
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const FITS: [type: string, value: unknown][] = [
    ['string', '가'.repeat(5_000)],
    ['time', '2026-11-21T07:00:00.123456+09:00'],
    ['array', Array.from({ length: 100 }, String)],
    ['object', { a: [{ b: 1 }] }],
    ['object', deep(49)],
    ['geo', [126.97, 37.56]],
  ];
  test.each(FITS)('%s takes it', (type, value) => {
    expect(wrongValue([[type, value]], fields, false)).toBeUndefined();
  });

  const WRONG: [type: string, value: unknown, why: RegExp][] = [
    ['string', '가'.repeat(5_001), /5000 characters/],
    ['string', 5, /a text/],
    ['time', '2026-02-30', /ISO 8601/],
    ['array', Array.from({ length: 101 }, String), /100 elements/],
    ['array', [1], /array of strings/],
    ['object', { a: [{ $b: 1 }] }, /keys without/],
    ['object', deep(50), /50 levels/],
    ['geo', [37.56, 126.97], /longitude/],
  ];
  test.each(WRONG)('%s does not take it, and the reason repeats no value', (type, value, why) => {
    const reason = wrongValue([[type, value]], fields, false);
    expect(reason).toMatch(why);
    expect(reason).not.toContain('2026-02');
  });

  test('a patch of an array takes $add and $remove, and leaves an operator without a list out', () => {
    const patch = (value: unknown) => wrongValue([['array', value]], fields, true);
    expect(patch({ $add: ['a'], $remove: null })).toBeUndefined();
    expect(patch({ $add: null, $remove: null })).toMatch(/\$add/);
    expect(patch({ $add: [1] })).toMatch(/\$add/);
    expect(patch({ $push: ['a'] })).toMatch(/\$add/);
    const target = { kind: 'catalog-items', name: 'c', mode: 'patch', removes: false } as const;
    const names = { propertiesField: 'p', eventField: undefined, journeyField: undefined };
    const item = itemOf(
      target,
      { id: 'x', tags: { $add: ['a'], $remove: null }, note: null },
      { projectId: '', names },
    );
    expect(item).toEqual({ id: 'x', tags: { $add: ['a'] }, note: null });
  });
});

describe('answers', () => {
  const answer = (json: unknown, status = 200): ServiceAnswer => {
    const body = Buffer.from(JSON.stringify(json));
    const raw = {
      status,
      contentType: '',
      retryAfter: undefined,
      location: undefined,
      date: undefined,
      body,
    };
    return { body, status, verdict: judge(raw, new Date()) };
  };
  const TAKEN: [endpoint: string, json: unknown, taken: number | undefined][] = [
    ['E2', { data: null, error: null }, 7],
    ['E2', { data: null, error: { code: 'X', message: 'x' } }, undefined],
    ['E12', { success: true }, 7],
    ['E13', { message: '7 events were tracked.' }, 7],
    ['E13', { message: '6 of 7 events were tracked.' }, 6],
    ['E13', { message: '7 events could not be tracked' }, undefined],
    ['E13', { message: '8 events' }, undefined],
    ['E13', { message: '7건의 이벤트를 수집했습니다.' }, 7],
    ['E13', { message: '7 events were received, 3 were ignored.' }, undefined],
    ['E14', { data: 7 }, 7],
    ...[8, null, '5', true, 4.5].map((data): [string, unknown, undefined] => ['E14', { data }, undefined]),
    ['E16', { code: 200, success: true, error: null }, 7],
    ['E16', { code: 500, success: true, error: null }, undefined],
  ];
  test.each(TAKEN)('%s: %j', (endpoint, json, taken) => {
    expect(takenBy(endpoint, answer(json), 7)).toBe(taken);
  });

  test('name the items of E2 by position and code, never by a message', () => {
    const details = [
      { field: 'items[2].price', path: ['items', 2, 'price'], code: 'invalid-type', message: 'secret' },
      { field: 'items[9]', path: ['items', '4'], code: 'too-long', message: '' },
      { field: 'catalogName', path: ['catalogName'], code: 'x', message: '' },
      { field: 'items[0]', path: ['items', 0], code: 'a secret value', message: '' },
    ];
    const refused = answer(
      { data: null, error: { code: 'INVALID_ARGUMENT', message: 'secret', details } },
      400,
    );
    expect([...namedIn(refused, 5)]).toEqual([
      [2, 'price: invalid-type'],
      [4, 'too-long'],
      [0, 'refused'],
    ]);
    expect(refusalOf(refused)).toBe('HTTP 400, INVALID_ARGUMENT');
  });

  test('are repeated only if they repeat no value of the rows', () => {
    const refused = answer({ code: 403, success: false, error: 'Kim may not enter' }, 403);
    expect(wordsOf(refused, [{ userId: 'u-1', name: 'Kim' }])).toBe('HTTP 403');
    expect(wordsOf(refused, [{ userId: 'u-1', name: 'Lee' }])).toContain('may not enter');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { expectRefused, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z') });
  service = await reference(sandbox);
  await service.make('values', {
    ...{ text: 'string', number: 'number', flag: 'boolean', at: 'time' },
    ...{ list: 'array', more: 'object', place: 'geo' },
  });
});
afterAll(() => sandbox.close());

const put = (item: unknown) => service.catalogs('PUT', '/values/items/v', { items: [item] });

/** The value that is stored, as the answer and a read have it. */
async function stored(field: string, value: unknown): Promise<unknown> {
  const got = await put({ [field]: value });
  expect(got.status, got.text.slice(0, 300)).toBe(200);
  const read = await service.catalogs('GET', '/values/items/v');
  expect(read.text).toBe(got.text);
  return (read.json as unknown as { data: Record<string, unknown> }).data[field];
}

describe('Catalog item', () => {
  it('string: 5,000 characters pass, 5,001 do not', async () => {
    for (const text of ['', 'a'.repeat(5000), '가'.repeat(5000), '😀'.repeat(5000), '"\\\n\u0000']) {
      expect(await stored('text', text)).toBe(text);
    }
    expectRefused(await put({ text: 'a'.repeat(5001) }), 'items[0].text too-long');
    expectRefused(await put({ text: 1 }), 'items[0].text invalid-type');
  });

  it('number and boolean: of their type, and finite', async () => {
    for (const number of [0, -1.5, 1e300, Number.MAX_SAFE_INTEGER]) {
      expect(await stored('number', number)).toBe(number);
    }
    expect(await stored('flag', false)).toBe(false);
    for (const number of ['1', true, [1], {}]) {
      expectRefused(await put({ number }), 'items[0].number invalid-type');
    }
    expectRefused(
      await service.catalogs('PUT', '/values/items/v', '{"items":[{"number":1e999}]}'),
      'items[0].number invalid-type',
    );
    for (const flag of [0, 'true', []]) expectRefused(await put({ flag }), 'items[0].flag invalid-type');
  });

  it('array, elements: 100 strings pass, 101 and other things do not', async () => {
    const strings = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`);
    expect(await stored('list', strings(100))).toEqual(strings(100));
    expect(await stored('list', [])).toEqual([]);
    expectRefused(await put({ list: strings(101) }), 'items[0].list too-many');
    expectRefused(await put({ list: ['a', 1] }), 'items[0].list[1] invalid-type');
    expectRefused(await put({ list: ['a', null] }), 'items[0].list[1] invalid-type');
    expectRefused(await put({ list: 'a' }), 'items[0].list invalid-type');
    expectRefused(await put({ list: ['a'.repeat(5001)] }), 'items[0].list[0] too-long');
  });

  it('array: operators are for patches alone', async () => {
    expectRefused(await put({ list: { $add: ['a'] } }), 'items[0].list invalid-type');
  });

  it('geo: longitude, then latitude, both in their bounds', async () => {
    expect(await stored('place', [127.0276, 37.4979])).toEqual([127.0276, 37.4979]);
    expect(await stored('place', [-180, 90])).toEqual([-180, 90]);
    expectRefused(await put({ place: [37.4979, 127.0276] }), 'items[0].place[1] out-of-range');
    expectRefused(await put({ place: [180.1, 0] }), 'items[0].place[0] out-of-range');
    for (const place of [[1], [1, 2, 3], ['1', '2'], { longitude: 1, latitude: 2 }, '1,2']) {
      expectRefused(await put({ place }), 'items[0].place invalid-type');
    }
  });

  it('time: ISO 8601 or Unix seconds, stored and returned in UTC', async () => {
    const cases: [unknown, string][] = [
      ['2026-11-21T10:00:00+09:00', '2026-11-21T01:00:00.000Z'],
      ['2026-11-21T10:00:00.5+0900', '2026-11-21T01:00:00.500Z'],
      ['2026-11-21T10:00+09', '2026-11-21T01:00:00.000Z'],
      ['2026-11-21T01:00:00Z', '2026-11-21T01:00:00.000Z'],
      ['2026-11-21T01:00:00', '2026-11-21T01:00:00.000Z'],
      ['2026-11-21', '2026-11-21T00:00:00.000Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      [1_795_226_400, '2026-11-21T02:00:00.000Z'],
      [0, '1970-01-01T00:00:00.000Z'],
      [-1.5, '1969-12-31T23:59:58.500Z'],
    ];
    for (const [given, kept] of cases) expect(await stored('at', given)).toBe(kept);
    const wrong = ['2026-02-30', '2026-11-21T24:00:00Z', '2026-11-21T10:60:00Z', '21.11.2026', 'now', ''];
    for (const at of [...wrong, '1795226400', '2026-11-21T10:00:00+25:00', 1e18, true, {}]) {
      expectRefused(await put({ at }), 'items[0].at invalid-time');
    }
  });

  it('object: keys hold no . and no $, at any depth', async () => {
    const fine = { a: 1, '가 나': [{ b: null }], '': {}, __typename: 'x' };
    expect(await stored('more', fine)).toEqual(fine);
    expectRefused(await put({ more: { 'a.b': 1 } }), 'items[0].more["a.b"] invalid-key');
    expectRefused(await put({ more: { $a: 1 } }), 'items[0].more.$a invalid-key');
    expectRefused(await put({ more: { a: [{ c$: 1 }] } }), 'items[0].more.a[0].c$ invalid-key');
    for (const more of [[], 'x', 1]) expectRefused(await put({ more }), 'items[0].more invalid-type');
  });

  it('object: a key __proto__ is data like any other', async () => {
    const got = await service.catalogs(
      'PUT',
      '/values/items/v',
      '{"items":[{"more":{"__proto__":{"polluted":1}}}]}',
    );
    expect(got.text).toContain('"__proto__":{"polluted":1}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('nesting: 50 levels pass, 51 and a hundred thousand do not', async () => {
    // The item is the first level, the object in the field the second.
    const nested = (levels: number) => `{"a":`.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    const at = (levels: number) =>
      service.catalogs('PUT', '/values/items/v', `{"items":[{"more":${nested(levels - 1)}}]}`);
    expect((await at(50)).status).toBe(200);
    expectRefused(await at(51), 'items[0] too-deep');
    expectRefused(await at(100_000), 'items[0] too-deep');
  });

  it('size: an item of 1 MiB passes, one byte more does not', async () => {
    const most = 1024 * 1024;
    const empty = {
      id: 'v',
      text: null,
      number: null,
      flag: null,
      at: null,
      list: null,
      more: { a: '' },
      place: null,
    };
    const room = most - JSON.stringify(empty).length;
    expect((await put({ more: { a: 'x'.repeat(room) } })).status).toBe(200);
    expectRefused(await put({ more: { a: 'x'.repeat(room + 1) } }), 'items[0] too-large');
  });

  it('values: those that are left out or null are null, unknown ones are refused', async () => {
    const nothing = {
      id: 'v',
      text: null,
      number: null,
      flag: null,
      at: null,
      list: null,
      more: null,
      place: null,
    };
    expect((await put({})).json).toEqual({ data: nothing, error: null });
    expect((await put({ text: null })).json).toEqual({ data: nothing, error: null });
    expectRefused(await put({ colour: 'red' }), 'items[0].colour invalid-fields');
    expectRefused(
      await service.catalogs('PUT', '/values/items/v', '{"items":[{"__proto__":1,"toString":2}]}'),
      'items[0].__proto__ invalid-fields',
      'items[0].toString invalid-fields',
    );
  });
});

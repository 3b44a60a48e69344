import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { DONE, expectError, expectRefused, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;
/** A catalog for each test. */
let name = '';
let made = 0;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z') });
  service = await reference(sandbox);
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  made += 1;
  name = `items-${made}`;
  await service.make(name, { text: 'string', price: 'number', list: 'array' });
});

const one = (method: string, id: string, ...items: unknown[]) =>
  service.catalogs(method, `/${name}/items/${id}`, method === 'GET' ? undefined : { items });
const many = (method: string, ...items: unknown[]) => service.catalogs(method, `/${name}/items`, { items });
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `i${i}`, price: i }));
const LONGEST = 'i'.repeat(250);

describe('One item', () => {
  it('create: 201, and the item with its id in data', async () => {
    const got = await one('POST', 'a', { text: 'A', price: 1 });
    expect(got.status).toBe(201);
    expect(got.json).toEqual({ data: { id: 'a', text: 'A', price: 1, list: null }, error: null });
    expect((await one('GET', 'a')).json).toEqual(got.json);
  });

  it('create: an id that exists is a conflict, and the item stays', async () => {
    await one('POST', 'a', { text: 'A' });
    expectError(await one('POST', 'a', { text: 'B' }), 409, 'ALREADY_EXISTS');
    expect((await one('GET', 'a')).json).toMatchObject({ data: { text: 'A' } });
  });

  it('get: 404 where there is none', async () => {
    expectError(await one('GET', 'none'), 404, 'NOT_FOUND');
  });

  it('replace: the whole item, so that what is left out is gone', async () => {
    await one('PUT', 'a', { text: 'A', price: 1 });
    const got = await one('PUT', 'a', { list: ['x'] });
    expect(got.status).toBe(200);
    expect(got.json).toEqual({ data: { id: 'a', text: null, price: null, list: ['x'] }, error: null });
  });

  it('replace: creates the item when there is none, with 200', async () => {
    expect((await one('PUT', 'new', { price: 2 })).status).toBe(200);
    expect((await one('GET', 'new')).json).toMatchObject({ data: { id: 'new', price: 2 } });
  });

  it('patch: only what is passed changes', async () => {
    await one('PUT', 'a', { text: 'A', price: 1, list: ['x'] });
    const got = await one('PATCH', 'a', { price: 2 });
    expect(got.status).toBe(200);
    expect(got.json).toEqual({ data: { id: 'a', text: 'A', price: 2, list: ['x'] }, error: null });
    expect((await one('PATCH', 'a', { text: null })).json).toMatchObject({ data: { text: null, price: 2 } });
  });

  it('patch: 404 when there is no such item, and none is made', async () => {
    expectError(await one('PATCH', 'none', { price: 2 }), 404, 'NOT_FOUND');
    expect(await service.all(name)).toEqual([]);
  });

  it('delete: 200 and no data, then 404', async () => {
    await one('PUT', 'a', {});
    expect((await one('DELETE', 'a')).json).toEqual(DONE);
    expectError(await one('DELETE', 'a'), 404, 'NOT_FOUND');
    expectError(await one('GET', 'a'), 404, 'NOT_FOUND');
  });

  it('items: exactly one in create, replace and patch', async () => {
    await one('PUT', 'b', {});
    for (const method of ['POST', 'PUT', 'PATCH']) {
      expectRefused(await one(method, 'b'), 'items too-few');
      expectRefused(await one(method, 'b', {}, {}), 'items too-many');
      expectRefused(await one(method, 'b', 'text'), 'items[0] invalid-type');
      expectRefused(await service.catalogs(method, `/${name}/items/b`, {}), 'items required');
      expectRefused(await service.catalogs(method, `/${name}/items/b`, []), 'items required');
    }
  });

  it('id: pattern and 250 characters, in the path', async () => {
    expect((await one('POST', LONGEST, {})).status).toBe(201);
    for (const method of ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']) {
      expectRefused(await one(method, `${LONGEST}i`, {}), 'itemId too-long');
      expectRefused(await one(method, 'a.b', {}), 'itemId invalid-pattern');
      expectRefused(await one(method, '%EA%B0%80', {}), 'itemId invalid-pattern');
      expectRefused(await one(method, '%zz', {}), 'itemId invalid-pattern');
    }
  });

  it('id: in the body the same as in the path, or none', async () => {
    expect((await one('PUT', 'a', { id: 'a' })).status).toBe(200);
    expectRefused(await one('PUT', 'a', { id: 'b' }), 'items[0].id mismatch');
  });

  it('id: names that objects know are ids like any other', async () => {
    for (const id of ['__proto__', 'constructor', 'toString']) {
      expectError(await one('GET', id), 404, 'NOT_FOUND');
      expect((await one('PUT', id, { price: 1 })).status).toBe(200);
    }
    expect(await service.all(name)).toHaveLength(3);
  });
});

describe('Patching arrays', () => {
  it('$add and $remove: what is new is added once, what is named is taken away', async () => {
    await one('PUT', 'a', { list: ['x', 'y'] });
    const got = await one('PATCH', 'a', { list: { $add: ['z', 'x', 'z'], $remove: ['y', 'none'] } });
    expect(got.json).toMatchObject({ data: { list: ['x', 'z'] } });
    expect((await one('PATCH', 'a', { list: { $add: ['w'] } })).json).toMatchObject({
      data: { list: ['x', 'z', 'w'] },
    });
    expect((await one('PATCH', 'a', { list: { $remove: ['x', 'z', 'w'] } })).json).toMatchObject({
      data: { list: [] },
    });
  });

  it('$add: to an array that has no value yet, and a plain array takes the place of all', async () => {
    await one('PUT', 'a', {});
    expect((await one('PATCH', 'a', { list: { $add: ['x'] } })).json).toMatchObject({
      data: { list: ['x'] },
    });
    expect((await one('PATCH', 'a', { list: ['y'] })).json).toMatchObject({ data: { list: ['y'] } });
  });

  it('$add: not past 100 elements, and nothing changes', async () => {
    const full = Array.from({ length: 100 }, (_, i) => `s${i}`);
    await one('PUT', 'a', { list: full, price: 1 });
    expectRefused(await one('PATCH', 'a', { list: { $add: ['more'] }, price: 2 }), 'items[0].list too-many');
    expect((await one('GET', 'a')).json).toMatchObject({ data: { list: full, price: 1 } });
    const swapped = await one('PATCH', 'a', { list: { $add: ['more'], $remove: ['s0'] } });
    expect(swapped.json).toMatchObject({ data: { list: [...full.slice(1), 'more'] } });
  });

  it('operators: of array fields only, and no others', async () => {
    await one('PUT', 'a', { list: [] });
    expectRefused(await one('PATCH', 'a', { text: { $add: ['x'] } }), 'items[0].text invalid-type');
    expectRefused(await one('PATCH', 'a', { list: { $set: [] } }), 'items[0].list.$set invalid-operator');
    expectRefused(await one('PATCH', 'a', { list: {} }), 'items[0].list required');
    expectRefused(await one('PATCH', 'a', { list: { $add: 'x' } }), 'items[0].list.$add invalid-type');
    expectRefused(
      await one('PATCH', 'a', { list: { $remove: [1] } }),
      'items[0].list.$remove[0] invalid-type',
    );
  });
});

describe('Many items', () => {
  it('create, replace, patch, delete: 200 and no data', async () => {
    expect((await many('POST', ...numbered(3))).json).toEqual(DONE);
    expect((await many('PUT', { id: 'i0', text: 'new' }, { id: 'x' })).json).toEqual(DONE);
    expect(
      (await many('PATCH', { id: 'i1', text: 'patched' }, { id: 'x', list: { $add: ['a'] } })).json,
    ).toEqual(DONE);
    expect((await many('DELETE', { id: 'i2' })).json).toEqual(DONE);
    expect(await service.all(name)).toEqual([
      { id: 'i0', text: 'new', price: null, list: null },
      { id: 'i1', text: 'patched', price: 1, list: null },
      { id: 'x', text: null, price: null, list: ['a'] },
    ]);
  });

  it('number: 50 pass, 51 and none do not', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectRefused(await many(method, ...numbered(51)), 'items too-many');
      expectRefused(await many(method), 'items too-few');
      expect((await many(method, ...numbered(50))).status).toBe(200);
    }
    expect(await service.all(name)).toEqual([]);
  });

  it('ids: wanted, of the pattern, and unique in the request', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectRefused(await many(method, { price: 1 }), 'items[0].id required');
      expectRefused(await many(method, { id: 'a b' }), 'items[0].id invalid-pattern');
      expectRefused(await many(method, { id: 1 }), 'items[0].id invalid-type');
      expectRefused(await many(method, { id: `${LONGEST}i` }), 'items[0].id too-long');
      expectRefused(await many(method, { id: 'a' }, { id: 'b' }, { id: 'a' }), 'items[2].id not-unique');
    }
  });

  it('create, as one transaction: one that exists is a conflict and none is created', async () => {
    await one('PUT', 'i3', { text: 'first' });
    expectError(await many('POST', ...numbered(5)), 409, 'ALREADY_EXISTS');
    expect(await service.all(name)).toEqual([{ id: 'i3', text: 'first', price: null, list: null }]);
  });

  it('replace, as one transaction: one that is wrong and none is replaced', async () => {
    await many('POST', ...numbered(2));
    expectRefused(
      await many('PUT', { id: 'i0', price: 9 }, { id: 'i1', price: 'x' }),
      'items[1].price invalid-type',
    );
    expect((await service.all(name)).map(({ price }) => price)).toEqual([0, 1]);
  });

  it('patch, as one transaction: one that does not exist is a 404 and none is changed', async () => {
    await many('POST', ...numbered(2));
    expectError(await many('PATCH', { id: 'i0', price: 9 }, { id: 'none', price: 9 }), 404, 'NOT_FOUND');
    const full = Array.from({ length: 101 }, (_, i) => `s${i}`);
    await one('PATCH', 'i1', { list: full.slice(0, 100) });
    expectRefused(
      await many('PATCH', { id: 'i0', price: 9 }, { id: 'i1', list: { $add: full.slice(100) } }),
      'items[1].list too-many',
    );
    expect((await service.all(name)).map(({ price }) => price)).toEqual([0, 1]);
  });

  it('delete, as one transaction: one that does not exist is a 404 and none is deleted', async () => {
    await many('POST', ...numbered(2));
    expectError(await many('DELETE', { id: 'i0' }, { id: 'none' }), 404, 'NOT_FOUND');
    expect(await service.all(name)).toHaveLength(2);
  });
});

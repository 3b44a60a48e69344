import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Endpoint } from '../../../sandbox/endpoint.js';
import { type Sandbox, startSandbox, answerTo } from '../../../sandbox/index.js';
import { settle } from '../../../sandbox/options.js';
import { ask, logIn, PROJECT } from '../http.js';
import { CATALOGS, catalogOf, expectError, expectRefused, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z') });
  service = await reference(sandbox);
  await service.make('shop', { price: 'number', text: 'string', list: 'array' });
});
afterAll(() => sandbox.close());

/** Every operation, on a catalog: method and the rest of the path. */
const OPERATIONS = [
  ['GET', ''],
  ['POST', ''],
  ['DELETE', '/none'],
  ['GET', '/none/items'],
  ['GET', '/none/items/i'],
  ['POST', '/none/items/i'],
  ['PUT', '/none/items/i'],
  ['PATCH', '/none/items/i'],
  ['DELETE', '/none/items/i'],
  ['POST', '/none/items'],
  ['PUT', '/none/items'],
  ['PATCH', '/none/items'],
  ['DELETE', '/none/items'],
  ['POST', '/none/fields'],
  ['DELETE', '/none/fields/f'],
  ['POST', '/none/selections'],
  ['DELETE', '/none/selections/s'],
] as const;

describe('Catalog API error', () => {
  it('details: exactly field, path, code and message, the field being the path in dots and brackets', async () => {
    const items = [{ id: 'a' }, { id: 'b', price: 'x', list: ['y', 1] }];
    const got = await service.catalogs('POST', '/shop/items', { items });
    const details = expectRefused(got, 'items[1].price invalid-type', 'items[1].list[1] invalid-type');
    for (const detail of details) {
      expect(Object.keys(detail).sort()).toEqual(['code', 'field', 'message', 'path']);
      expect(detail.message).toBeTypeOf('string');
    }
    expect(details.map(({ path }) => path)).toEqual([
      ['items', 1, 'price'],
      ['items', 1, 'list', 1],
    ]);
  });

  it('details: all that is wrong at once, though never more than a hundred', async () => {
    const items = Array.from({ length: 50 }, (_, i) => ({ id: `i${i}`, price: 'x', text: 1, no: 0 }));
    const got = await service.catalogs('PUT', '/shop/items', { items });
    expect((got.json as unknown as { error: { details: unknown[] } }).error.details).toHaveLength(100);
  });
});

describe('Catalog status codes', () => {
  it('400: a body that is no JSON, or none where one is wanted', async () => {
    for (const body of ['{', 'no json', '']) {
      expectError(await service.catalogs('POST', '', body), 400, 'INVALID_ARGUMENT');
    }
    for (const body of ['null', '[]', '"x"', '1']) {
      expectRefused(await service.catalogs('POST', '', body), ' invalid-type');
    }
  });

  it('400: a project id of the wrong form', async () => {
    const token = await logIn(sandbox);
    for (const project of ['x', PROJECT.toUpperCase(), `${PROJECT}0`]) {
      const got = await ask(sandbox, { path: `/v1/projects/${project}/catalogs`, token });
      expectError(got, 400, 'INVALID_ARGUMENT');
    }
  });

  it('401: every operation without a token', async () => {
    for (const [method, rest] of OPERATIONS) {
      const got = await ask(sandbox, {
        method,
        path: `${CATALOGS}${rest}`,
        body: method === 'GET' ? undefined : {},
      });
      expectError(got, 401, 'UNAUTHORIZED');
    }
  });

  it("403: every operation on another's project", async () => {
    const token = await logIn(sandbox);
    for (const [method, rest] of OPERATIONS) {
      const path = `/v1/projects/${'f'.repeat(32)}/catalogs${rest}`;
      const got = await ask(sandbox, { method, path, token, body: method === 'GET' ? undefined : {} });
      expectError(got, 403, 'FORBIDDEN');
    }
  });

  it('404: every operation on a catalog that is not there', async () => {
    for (const [method, rest] of OPERATIONS.slice(2)) {
      expectError(await service.catalogs(method, rest, {}), 404, 'NOT_FOUND');
    }
  });

  it('400: a catalog name in the path that breaks the rule for names', async () => {
    for (const name of ['a.b', '%20', '%EA%B0%80', 'n'.repeat(251)]) {
      const code = name.length > 250 ? 'too-long' : 'invalid-pattern';
      expectRefused(await service.catalogs('GET', `/${name}/items`), `catalogName ${code}`);
    }
  });

  it('413: a body over 4 MiB, one of just 4 MiB is read', async () => {
    const most = 4 * 1024 * 1024;
    const start = JSON.stringify({ ...catalogOf('large'), pad: '' }).slice(0, -2);
    const sized = (size: number) => `${start}${'x'.repeat(size - start.length - 2)}"}`;
    expectError(await service.catalogs('POST', '', sized(most + 1)), 413, 'PAYLOAD_TOO_LARGE');
    expect(await service.listed('large')).toBeUndefined();
    expect((await service.catalogs('POST', '', sized(most))).status).toBe(201);
  });

  it('500: what goes wrong inside is an internal error of the family', () => {
    const endpoint: Endpoint = {
      name: 'E2',
      method: 'GET',
      path: /x/,
      family: 'catalog',
      hasBody: false,
      answer: () => {
        throw new Error('broken');
      },
    };
    const asked = {
      query: new URLSearchParams(),
      headers: { authorization: 'Bearer x' },
      body: Buffer.alloc(0),
    };
    const tokens = { issue: () => 'x', isValid: () => true };
    const reply = answerTo(endpoint, [PROJECT], asked, settle({}), tokens);
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.body.toString())).toEqual({
      data: null,
      error: { code: 'INTERNAL', message: 'Internal Server Error (broken)' },
    });
  });
});

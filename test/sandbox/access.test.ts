// @module-tag long
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { endpoint } from '../../sandbox/endpoint.js';
import { refuse } from '../../sandbox/family.js';
import { answerTo, type Sandbox, startSandbox } from '../../sandbox/index.js';
import { settle } from '../../sandbox/options.js';
import { ask, client, KEYS, logIn, PROJECT } from './http.js';

let now = new Date('2026-11-21T01:00:00Z');
let sandbox: Sandbox;

beforeEach(async () => {
  now = new Date('2026-11-21T01:00:00Z');
  sandbox = await startSandbox({ now: () => now, exportSeconds: 0, eventsPerDay: 2_000 });
});
afterEach(() => sandbox.close());

const DAY = { start: '2026-11-19', end: '2026-11-19' };
const NEW_EXPORT = {
  start: '2026-11-18T15:00:00Z',
  end: '2026-11-19T15:00:00Z',
  isMessageDataIncluded: true,
};

describe('logging in', () => {
  it('gives a token that looks like a JWT', async () => {
    expect((await logIn(sandbox)).split('.')).toHaveLength(3);
  });

  it('refuses wrong keys in its own shape', async () => {
    const body = { ...KEYS, secretKey: 'wrong' };
    const { status, json } = await ask(sandbox, { method: 'POST', path: '/authenticate', body });
    expect(status).toBe(401);
    expect(json).toEqual({ data: null, error: 'Invalid access key or secret key' });
  });

  it('refuses missing keys and what is no JSON', async () => {
    for (const body of [{ accessKey: 'a' }, 'not json']) {
      const { status, json } = await ask(sandbox, { method: 'POST', path: '/authenticate', body });
      expect(status).toBe(400);
      expect(json.data).toBeNull();
    }
  });

  it('lets a token expire by the clock of the service', async () => {
    const service = await client(sandbox);
    now = new Date('2026-11-21T01:59:59Z');
    expect((await service.e17(DAY)).status).toBe(200);
    now = new Date('2026-11-21T02:00:00Z');
    expect((await service.e17(DAY)).status).toBe(401);
  });

  it('refuses a missing, a foreign and a spoiled token in the shape of each family', async () => {
    const other = await startSandbox({ now: () => now });
    const foreign = await logIn(other);
    await other.close();
    const text = 'Invalid Authorization Token';
    for (const token of [undefined, foreign, `${await logIn(sandbox)}x`, 'a.b.c']) {
      const at = (method: string, path: string, body?: unknown) =>
        ask(sandbox, { method, path, body, ...(token === undefined ? {} : { token }) });
      const e17 = await at('POST', `/v1/projects/${PROJECT}/statistics`, DAY);
      const e18 = await at('GET', `/v1/projects/${PROJECT}/statistics.csv`, DAY);
      const e19 = await at('GET', `/projects/${PROJECT}/campaigns/a8LmZ2/stats`);
      const e20 = await at('POST', `/projects/${PROJECT}/campaign-event-data/exports`, NEW_EXPORT);
      const e21 = await at('GET', `/projects/${PROJECT}/campaign-event-data/exports/x/result`);
      expect([e17, e18, e19, e20, e21].map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
      expect(e17.json).toEqual({ error: 'Unauthorized', message: text });
      expect(e18.json).toEqual({ error: `Unauthorized: ${text}` });
      expect(e19.json).toEqual({ data: null, error: text });
      expect(e20.json).toEqual({ status: 'error', message: text });
      expect(e21.json).toEqual({ status: 'error', message: text });
    }
    expect(sandbox.bills()).toEqual([]);
  });
});

describe('other projects and paths', () => {
  it('refuses a project id of the wrong form', async () => {
    const service = await client(sandbox, 'NOT-A-PROJECT');
    expect((await service.e17(DAY)).status).toBe(400);
    expect((await service.e19('a8LmZ2', 'x', 'y')).json).toEqual({ data: null, error: 'Invalid project id' });
  });

  it("refuses somebody else's project", async () => {
    const service = await client(sandbox, 'f'.repeat(32));
    expect((await service.e17(DAY)).status).toBe(403);
    expect((await service.e18(DAY)).status).toBe(403);
    expect((await service.e20(NEW_EXPORT)).status).toBe(403);
    expect((await service.e21('x')).json.status).toBe('not_found');
    expect(sandbox.bills()).toEqual([]);
  });

  it('answers unknown paths and methods with 404 and JSON', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/authenticate'],
      ['PUT', `/v1/projects/${PROJECT}/statistics`],
      ['GET', `/v1/projects/${PROJECT}/campaigns`],
    ] as const) {
      const { status, json } = await ask(sandbox, { method, path });
      expect(status).toBe(404);
      expect(json).toEqual({ error: 'Not Found' });
    }
    expect(sandbox.requests().other).toBe(4);
  });

  it('refuses a body that is too large and stays usable', async () => {
    const service = await client(sandbox);
    const { status, json } = await service.e17({ ...DAY, tags: ['x'.repeat(2_000_000)] });
    expect(status).toBe(413);
    expect(json.error).toBe('InvalidRequest');
    expect((await service.e17(DAY)).status).toBe(200);
  });

  it('dates its answers by its own clock', async () => {
    const { headers } = await ask(sandbox, { path: '/' });
    expect(headers.date).toBe('Sat, 21 Nov 2026 01:00:00 GMT');
  });

  it('counts requests and shows them, and the bills, to other processes', async () => {
    const service = await client(sandbox);
    await service.e17(DAY);
    await service.e20(NEW_EXPORT);
    const { json: requests } = await ask(sandbox, { path: '/_sandbox/requests' });
    expect(requests).toEqual({
      ...{ E1: 1, E2: 0, E3: 0, E4: 0, E5: 0, E6: 0, E7: 0, E8: 0, E9: 0, E10: 0, E11: 0, E12: 0 },
      ...{ E13: 0, E14: 0, E15: 0, E16: 0, E17: 1, E18: 0, E19: 0, E20: 1, E21: 0, other: 0 },
    });
    expect(requests).toEqual(sandbox.requests());
    expect((await ask(sandbox, { path: '/_sandbox/bills' })).json).toEqual(sandbox.bills());
  });
});

describe('errors', () => {
  const CODED = (code: string) => (message: string) => ({ data: null, error: { code, message } });
  const TEXT = (error: string) => ({ data: null, error });

  it('have the shape of their family when the service fails', () => {
    const shapes = {
      catalog: CODED('INTERNAL'),
      'brand-message': CODED('INTERNAL'),
      users: TEXT,
      campaign: TEXT,
      sending: () => ({ success: false, error: 'Internal Server Error' }),
      journey: (error: string) => ({ code: 500, success: false, error }),
      alimtalk: (error: string) => ({ error }),
      'opt-out': (error: string) => ({ error }),
      statistics: (message: string) => ({ error: 'InternalServerError', message }),
      'statistics-csv': (message: string) => ({ error: 'InternalServerError', message }),
      export: (message: string) => ({ status: 'error', message }),
    } as const;
    const settings = settle({});
    const tokens = { issue: () => 'x', isValid: () => true };
    const asked = {
      query: new URLSearchParams(),
      headers: { authorization: 'Bearer x' },
      body: Buffer.alloc(0),
    };
    for (const [family, shapeOf] of Object.entries(shapes) as [
      keyof typeof shapes,
      (text: string) => object,
    ][]) {
      const broken = endpoint('E2', family, 'GET /', () => {
        throw new Error('a cause');
      });
      const { status, body } = answerTo(broken, [PROJECT], asked, settings, tokens);
      const wanted = shapeOf('Internal Server Error (a cause)');
      expect([status, JSON.parse(body.toString())], family).toEqual([500, wanted]);
    }
  });

  it('of a timeout advise a shorter range in E18 alone', () => {
    const bodyOf = (family: 'statistics' | 'statistics-csv') =>
      JSON.parse(refuse(family, 'timeout', '').body.toString()) as unknown;
    expect(bodyOf('statistics')).toEqual({ error: 'Timeout' });
    expect(bodyOf('statistics-csv')).toEqual({
      error: 'Timeout: please try again with a shorter date range.',
    });
  });
});

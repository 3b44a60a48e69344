import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { CredentialsError, ServiceError } from '../../src/ground/errors.js';
import { type ServiceClient } from '../../src/service/client.js';
import { Exchanger } from '../../src/service/exchange.js';
import {
  campaignStatistics,
  dailyStatistics,
  exportRequest,
  exportResult,
  subchannelStatistics,
} from '../../src/service/endpoints.js';
import {
  clientFor,
  json,
  PROJECT,
  quickEffects,
  startDouble,
  type Double,
  type Handler,
} from '../support/service-double.js';

const RANGE = { start: '2026-11-14', end: '2026-11-20' };
const E17 = dailyStatistics(PROJECT, RANGE);
const E20 = exportRequest(
  PROJECT,
  { start: new Date('2026-11-19T15:00:00Z'), end: new Date('2026-11-20T15:00:00Z') },
  true,
);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function setUp(
  handler: Handler,
  ...rest: Parameters<typeof clientFor> extends [string, ...infer R] ? R : never
): Promise<{ client: ServiceClient; double: Double }> {
  const double = await startDouble(handler);
  const client = clientFor(double.url, ...rest);
  open.push(double, client);
  return { client, double };
}

const asked = (double: Double): Double['received'] =>
  double.received.filter(({ url }) => url !== '/authenticate');
const logins = (double: Double): number => double.received.length - asked(double).length;

describe('requests', () => {
  test('an id with half of a surrogate pair has a path', () => {
    expect(exportResult(PROJECT, 'a\ud83d/b', 'page', 0).path).toContain(
      '/exports/a%EF%BF%BD%2Fb/result?page=0',
    );
  });

  test('E17 posts the range, E18 sends the same as the body of a GET, E19 asks in UTC hours', async () => {
    const { client, double } = await setUp((_, response) => {
      json(response, []);
    });
    await client.ask(E17);
    await client.ask(subchannelStatistics(PROJECT, RANGE));
    await client.ask(campaignStatistics(PROJECT, 'c/1', RANGE));
    const [e17, e18, e19] = asked(double);
    expect(e17).toMatchObject({ method: 'POST', url: `/v1/projects/${PROJECT}/statistics` });
    expect(JSON.parse(e17?.body ?? '')).toEqual(RANGE);
    expect(e18).toMatchObject({ method: 'GET', url: `/v1/projects/${PROJECT}/statistics.csv` });
    expect(JSON.parse(e18?.body ?? '')).toEqual(RANGE);
    expect(e19?.url).toBe(
      `/projects/${PROJECT}/campaigns/c%2F1/stats?start=2026-11-13T15%3A00%3A00.000Z&end=2026-11-20T15%3A00%3A00.000Z`,
    );
    expect(e19?.headers.authorization).toBe('Bearer token-1');
  });

  test('a compressed answer is decoded', async () => {
    const { client } = await setUp((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync('[{"campaign_name":"가을"}]'));
    });
    const { verdict, body } = await client.ask(E17);
    expect(verdict.kind).toBe('ok');
    expect(body.toString()).toBe('[{"campaign_name":"가을"}]');
  });

  test('a redirect is not followed', async () => {
    const { client, double } = await setUp((_, response) => {
      response.writeHead(307, { location: 'http://elsewhere.example/' });
      response.end();
    });
    expect((await client.ask(E17)).verdict).toMatchObject({
      kind: 'redirected',
      reason: expect.stringContaining('http://elsewhere.example') as string,
    });
    expect(asked(double)).toHaveLength(1);
  });

  test('an answer that drips for ever ends at the deadline', async () => {
    const { client } = await setUp(
      (_, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => {
          clearInterval(drip);
        });
      },
      quickEffects(),
      { requestTimeoutSeconds: 0.3, retries: 0 },
    );
    expect((await client.ask(E17)).verdict).toMatchObject({ kind: 'unreachable', sent: true });
  });
});

describe('the token', () => {
  test('is fetched once, even when many need it at the same time', async () => {
    const { client, double } = await setUp((_, response) => {
      json(response, []);
    });
    await Promise.all(Array.from({ length: 20 }, () => client.ask(E17)));
    expect(logins(double)).toBe(1);
  });

  test('is renewed once after a 401, for all who were refused together', async () => {
    const { client, double } = await setUp(({ headers }, response) => {
      if (headers.authorization === 'Bearer token-1') json(response, { error: 'Unauthorized' }, 401);
      else json(response, []);
    });
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.ask(E17)));
    expect(answers.map(({ verdict }) => verdict.kind)).toEqual(Array(6).fill('ok'));
    expect(logins(double)).toBe(2);
  });

  test('that the answer to E1 does not hold is told of as another address', async () => {
    const double = await startDouble((_, response) => {
      json(response, { data: { token: '' }, error: null });
    }, true);
    const client = clientFor(double.url);
    open.push(double, client);
    await expect(client.ask(E17)).rejects.toThrow('The service answers E1 (authenticate) without a token.');
    expect(asked(double)).toEqual([]);
  });

  test('that is refused again is a matter of credentials', async () => {
    const { client, double } = await setUp((_, response) => {
      json(response, { data: null, error: 'Invalid Authorization Token' });
    });
    await expect(client.ask(E17)).rejects.toThrow(CredentialsError);
    expect(logins(double)).toBe(2);
    expect(asked(double)).toHaveLength(2);
  });

  test('is refreshed before its hour ends', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z');
    const effects = { ...quickEffects(), now: () => new Date(now) };
    const { client, double } = await setUp((_, response) => {
      json(response, []);
    }, effects);
    await client.ask(E17);
    now += 50 * 60_000;
    await client.ask(E17);
    expect(logins(double)).toBe(1);
    now += 6 * 60_000;
    await client.ask(E17);
    expect(logins(double)).toBe(2);
  });

  test('keys that are refused are reported as such, and never printed', async () => {
    const double = await startDouble((_, response) => {
      json(response, { data: null, error: 'Invalid key' });
    }, true);
    const client = clientFor(double.url);
    open.push(double, client);
    const error = await client.ask(E17).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CredentialsError);
    expect(String(error)).not.toContain('secret');
  });
});

describe('asking again', () => {
  test('a passing failure is asked again, with a pause', async () => {
    const effects = quickEffects();
    const { client, double } = await setUp((_, response, nth) => {
      if (nth < 2) json(response, { error: 'InternalServerError', message: 'x' }, 500);
      else json(response, []);
    }, effects);
    expect((await client.ask(E17)).verdict.kind).toBe('ok');
    expect(asked(double)).toHaveLength(3);
    expect(effects.slept).toHaveLength(2);
  });

  test('Retry-After is honoured', async () => {
    const effects = quickEffects();
    const { client } = await setUp((_, response, nth) => {
      if (nth === 0) json(response, {}, 429, { 'retry-after': '3' });
      else json(response, []);
    }, effects);
    expect((await client.ask(E17)).verdict.kind).toBe('ok');
    expect(effects.slept).toEqual([3000]);
  });

  test('what the service repeats of the keys and of the token is in no verdict, also of a text that is cut', async () => {
    const filler = ' '.repeat(3) + '.'.repeat(150);
    const double = await startDouble(({ url, headers }, response) => {
      const text = `${filler}${headers.authorization ?? ''}`;
      if (url === '/authenticate') json(response, { data: 'a-token/of-the-run'.repeat(20), error: null });
      else if (url.endsWith('.csv')) response.writeHead(400).end(`Bad request${text}`);
      else json(response, { error: 'InvalidRequest', message: text }, 400);
    }, true);
    const client = clientFor(double.url);
    open.push(double, client);
    for (const question of [E17, subchannelStatistics(PROJECT, RANGE)]) {
      const { verdict } = await client.ask(question);
      expect(verdict).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('Bearer …') as string,
      });
    }
  });

  test('E20 that is reset after it was read is sent once, and counts as sent', async () => {
    const { client, double } = await setUp((_, response) => {
      response.socket?.destroy();
    });
    expect((await (await client.authorize()).sendOnce(E20)).verdict).toMatchObject({
      kind: 'unreachable',
      sent: true,
    });
    expect(asked(double)).toHaveLength(1);
  });

  test('a request that found no one listening was not sent', async () => {
    const double = await startDouble(() => undefined);
    const client = clientFor(double.url);
    open.push(client);
    await client.authorize();
    await double.close();
    expect((await (await client.authorize()).sendOnce(E20)).verdict).toMatchObject({
      kind: 'unreachable',
      sent: false,
      reason: 'ECONNREFUSED',
    });
  });

  test.each(['a\nb', 'a\r\nX-Other: 1', 'a\u0000', '토큰', 'a\u{1F600}'])(
    'a token that no header can carry is no token, and nothing is sent with it: %j',
    async (token) => {
      const double = await startDouble((_, response) => {
        json(response, { data: token, error: null });
      }, true);
      const client = clientFor(double.url);
      open.push(double, client);
      await expect(client.authorize()).rejects.toThrow(ServiceError);
      await expect(client.authorize()).rejects.toThrow(
        /E1 \(authenticate\) with a token that no header can carry/,
      );
      expect(asked(double)).toEqual([]);
    },
  );

  describe('a request that is billed counts as sent once its connection stands', () => {
    const exchange = async (url: string, token = 'token'): Promise<unknown> => {
      const transport = new Exchanger(url, 1, 200, 'test');
      open.push(transport);
      const request = { endpoint: 'E20', method: 'POST', path: '/exports', body: {}, once: true } as const;
      return transport.exchange(request, token, new AbortController().signal);
    };
    const silent = async (): Promise<number> => {
      const server = createServer(() => undefined);
      open.push({
        close: () =>
          new Promise((resolve) => {
            server.close();
            resolve();
          }),
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    };

    test.each([
      ['not when a header cannot be written', 'http', 'a\nb', false],
      ['not while TLS is being agreed on', 'https', 'token', false],
      ['but when no answer comes', 'http', 'token', true],
    ])('%s', async (_, scheme, token, sent) => {
      const url = `${scheme}://127.0.0.1:${await silent()}`;
      expect(await exchange(url, token)).toMatchObject({ kind: 'unreachable', sent });
    });
  });

  test('an unreachable host is named', async () => {
    const double = await startDouble(() => undefined);
    await double.close();
    const client = clientFor(double.url);
    open.push(client);
    await expect(client.ask(E17)).rejects.toThrow(ServiceError);
    await expect(client.ask(E17)).rejects.toThrow(/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/);
  });
});

describe("the service's clock", () => {
  const NOW = Date.parse('2026-11-21T00:00:00Z');
  const skewOf = async (date: string): Promise<number | undefined> => {
    const double = await startDouble(({ url }, response) => {
      json(response, url === '/authenticate' ? { data: 'token', error: null } : [], 200, { date });
    }, true);
    const client = clientFor(double.url, { ...quickEffects(), now: () => new Date(NOW) });
    open.push(double, client);
    await client.ask(E17);
    return client.clocks.skewMs;
  };

  test('is told by Date, to the second', async () => {
    expect(await skewOf('Sat, 21 Nov 2026 00:10:00 GMT')).toBe(600_000);
  });

  test('is compared when the answer begins, however slowly its body comes', async () => {
    let now = NOW;
    const double = await startDouble(({ url }, response) => {
      if (url === '/authenticate') {
        json(response, { data: 'token', error: null });
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', date: new Date(NOW).toUTCString() });
      response.flushHeaders();
      setTimeout(() => {
        now += 600_000;
        response.end('[]');
      }, 200);
    }, true);
    const client = clientFor(double.url, { ...quickEffects(), now: () => new Date(now) });
    open.push(double, client);
    await client.ask(E17);
    expect(client.clocks.skewMs).toBe(0);
    client.clocks.assertAgree('No paid request was sent.');
  });

  test.each([
    ['an empty one', ''],
    ['a word', 'tomorrow'],
    ['a number, which JavaScript takes for a year', '0'],
    ['a day that does not exist', 'Foo, 99 Bar 2026 99:99:99 GMT'],
    ['a form that HTTP does not prescribe', '2030-01-01T00:00:00Z'],
  ])('is not known where Date is %s', async (_, date) => {
    expect(await skewOf(date)).toBeUndefined();
  });
});

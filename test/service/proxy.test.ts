/** Requests go through the proxy of the environment, and a request that it never passed on is known as not sent. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { requestWebhook } from '../../src/service/webhook.js';
import { Exchanger } from '../../src/service/exchange.js';

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service that answers, or one that hangs up once it has read the request. */
const service = (answers: boolean): Promise<string> =>
  listening(
    createServer((incoming, response) => {
      if (answers) response.setHeader('content-type', 'application/json').end('{}');
      else incoming.socket.destroy();
    }),
  );

/** A proxy that opens tunnels, or refuses them; `opened` has the hosts that were asked for. */
async function proxy(opens: boolean): Promise<{ url: string; opened: string[] }> {
  const opened: string[] = [];
  const server = createServer().on('connect', ({ url = '' }, socket) => {
    opened.push(url);
    if (!opens) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream])
      end.on('error', () => void upstream.destroy()).on('close', () => void socket.destroy());
  });
  return { url: await listening(server), opened };
}

async function asked(url: string, fresh: boolean) {
  const transport = new Exchanger(url, 1, 2_000, 'test');
  const request = { endpoint: 'E20', method: 'POST', path: '/x', body: {}, once: fresh } as const;
  try {
    return await transport.exchange(request, undefined, new AbortController().signal);
  } finally {
    await transport.close();
  }
}

test.each([true, false])(
  'a request goes through the proxy, and past it where NO_PROXY says so (fresh: %s)',
  async (fresh) => {
    const url = await service(true);
    const { url: through, opened } = await proxy(true);
    vi.stubEnv('HTTP_PROXY', through);
    expect(await asked(url, fresh)).toMatchObject({ status: 200 });
    expect(opened).toEqual([new URL(url).host]);
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    expect(await asked(url, fresh)).toMatchObject({ status: 200 });
    expect(opened).toHaveLength(1);
  },
);

test('a paid request that the proxy did not pass on is not sent; one that the service read may be', async () => {
  const { url: refusing } = await proxy(false);
  vi.stubEnv('HTTP_PROXY', refusing);
  expect(await asked(await service(true), true)).toMatchObject({ kind: 'unreachable', sent: false });
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  expect(await asked(await service(true), true)).toMatchObject({ kind: 'unreachable', sent: false });
  vi.stubEnv('HTTP_PROXY', (await proxy(true)).url);
  expect(await asked(await service(false), true)).toMatchObject({ kind: 'unreachable', sent: true });
});

test('a proxy that is no address is an error of the environment, and an alert that is not taken', async () => {
  vi.stubEnv('HTTP_PROXY', 'proxy.example:3128');
  await expect(asked(await service(true), true)).rejects.toThrow(
    /HTTPS_PROXY or HTTP_PROXY is not an address/,
  );
  vi.stubEnv('HTTP_PROXY', 'proxy');
  expect(await requestWebhook('http://127.0.0.1:1/x', '{}', 1_000)).toMatch(/HTTP_PROXY is not an address/);
});

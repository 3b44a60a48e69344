/** A handshake over IPv4 that takes half a second or more, beside an IPv6 address that leads nowhere. */
import { spawn, type ChildProcess } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Exchanger } from '../../src/service/exchange.js';
import { requestWebhook } from '../../src/service/webhook.js';

let service: ChildProcess | undefined;
const waiting: Socket[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  service?.kill('SIGKILL');
  for (const socket of waiting.splice(0)) socket.destroy();
});

/** A service whose queue of connections is full: the kernel drops the next handshake, and completes its repetition. */
async function busyService(): Promise<{ port: number; resume: () => void }> {
  const child = spawn(process.execPath, [
    '-e',
    `require('node:http').createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}'))
      .listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`,
  ]);
  service = child;
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  await wait(50);
  for (let i = 0; i < 4; i++) waiting.push(connect(Number(text), '127.0.0.1').on('error', () => undefined));
  await wait(50);
  return { port: Number(text), resume: () => void child.kill('SIGCONT') };
}

/** Both addresses of the host, the dead one last: the last attempt alone has no limit of time. */
function nameBoth(): void {
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '100::1', family: 6 },
  ];
  vi.spyOn(dns, 'lookup').mockImplementation(((
    _: string,
    __: object,
    done: (e: null, all: object) => void,
  ) => {
    process.nextTick(done, null, both);
  }) as unknown as typeof dns.lookup);
}

test.each(['E17', 'E20'] as const)('a request waits for a slow handshake (%s)', async (endpoint) => {
  const { port, resume } = await busyService();
  nameBoth();
  const transport = new Exchanger(`http://both.test:${port}`, 1, 10_000, 'test');
  const how = endpoint === 'E20' ? ({ endpoint, once: true } as const) : ({ endpoint, once: false } as const);
  setTimeout(resume, 500);
  const answer = await transport.exchange(
    { ...how, method: 'POST', path: '/x', body: {} },
    undefined,
    new AbortController().signal,
  );
  expect(answer).toMatchObject({ status: 200 });
  await transport.close();
});

test('a webhook waits for a slow handshake', async () => {
  const { port, resume } = await busyService();
  nameBoth();
  setTimeout(resume, 500);
  expect(await requestWebhook(`http://both.test:${port}/hook`, '{}', 10_000)).toBeUndefined();
});

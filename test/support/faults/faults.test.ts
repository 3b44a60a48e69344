// @module-tag long
/** What comes over the wire when the sandbox is told to misbehave, and what is billed for it. */
import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startFaultySandbox, type Fault, type FaultySandbox } from './index.js';
import { type Client, client, PROJECT } from '../../sandbox/http.js';

const now = () => new Date('2026-11-24T01:00:00Z');
const DAY = { start: '2026-11-19', end: '2026-11-19' };
const EXPORT = { start: '2026-11-18T15:00:00Z', end: '2026-11-19T15:00:00Z', isMessageDataIncluded: true };

let sandbox: FaultySandbox;
let service: Client;

beforeEach(async () => {
  sandbox = await startFaultySandbox({ now, exportSeconds: 0, eventsPerDay: 4_000 });
  service = await client(sandbox);
});
afterEach(() => sandbox.close());

/** How a request ends that is given up after a while: its answer, the error's code, or 'silence'. */
async function outcome(answer: Promise<{ status: number }>, milliseconds = 400): Promise<number | string> {
  const silence = new Promise<string>((resolve) =>
    setTimeout(() => {
      resolve('silence');
    }, milliseconds),
  );
  const ended = answer.then(
    ({ status }) => status,
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error),
  );
  return Promise.race([ended, silence]);
}

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The error that ended the body; null when it ended as it should. */
  error: string | null;
}

/** A request whose body is kept however it ends. */
function raw(path: string, agent: Agent | false = false, body?: unknown): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent = send(
      `${sandbox.url}${path}`,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-length': Buffer.byteLength(text) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        const finish = (error: string | null) => {
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
            error,
          });
        };
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          finish(null);
        });
        answer.on('error', (error: NodeJS.ErrnoException) => {
          finish(error.code ?? error.message);
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

/** What comes over a bare socket, until so many bytes and some more are there. */
function overSocket(path: string, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`);
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const received = Buffer.concat(chunks);
      if (received.length - received.indexOf('\r\n\r\n') - 4 >= bytes) socket.destroy();
    });
  });
}

const exportPath = `/projects/${PROJECT}/campaign-event-data/exports`;
const pagePath = (id: string, page = 0) => `${exportPath}/${id}/result?page=${page}`;

async function newExport(): Promise<string> {
  return (await service.e20(EXPORT)).json.export_id;
}

describe('a connection', () => {
  it('is reset before the request is handled: nothing is billed', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-before' }]);
    expect(await outcome(service.e20(EXPORT))).toBe('ECONNRESET');
    expect(sandbox.bills()).toHaveLength(0);
    expect(sandbox.requests().E20).toBe(1);
  });

  it('is reset after the request is handled: billed, and nobody is told', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'reset-after' }]);
    expect(await outcome(service.e20(EXPORT))).toBe('ECONNRESET');
    expect(sandbox.bills()).toHaveLength(1);
  });

  it('stays silent for ever, billed or not', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'no-answer', billed: false }]);
    expect(await outcome(service.e20(EXPORT))).toBe('silence');
    expect(sandbox.bills()).toHaveLength(0);
    sandbox.setFaults([{ endpoint: 'E20', kind: 'no-answer', billed: true }]);
    expect(await outcome(service.e20(EXPORT))).toBe('silence');
    expect(sandbox.bills()).toHaveLength(1);
  });

  it('drips', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'slow-drip', intervalMs: 10 }]);
    const start = performance.now();
    const { status, json } = await service.e20(EXPORT);
    expect(status).toBe(200);
    expect(json.export_id).toHaveLength(24);
    expect(performance.now() - start).toBeGreaterThan(300);
    sandbox.setFaults([{ endpoint: 'E17', kind: 'slow-drip' }]);
    expect(await outcome(service.e17(DAY))).toBe('silence');
  });

  it('is cut short of its content-length', { tags: ['long'] }, async () => {
    const id = await newExport();
    const whole = await raw(pagePath(id));
    sandbox.setFaults([{ endpoint: 'E21', kind: 'cut-with-length' }]);
    const cut = await raw(pagePath(id));
    expect(cut.headers['content-length']).toBe(String(whole.body.length));
    expect(cut.error).toBe('ECONNRESET');
    expect(cut.body).toEqual(whole.body.subarray(0, Math.floor(whole.body.length / 2)));
  });

  it('is cut without a content-length, so that nothing shows it', async () => {
    const id = await newExport();
    const whole = await raw(pagePath(id));
    for (const framing of ['chunked', 'close'] as const) {
      sandbox.setFaults([{ endpoint: 'E21', kind: 'cut-without-length', framing, bytes: 1234 }]);
      const cut = await raw(pagePath(id));
      expect(cut.headers['content-length']).toBeUndefined();
      expect(cut.error).toBeNull();
      expect(cut.body).toEqual(whole.body.subarray(0, 1234));
    }
  });

  it('states a content-length that is too small or too large', { tags: ['long'] }, async () => {
    const id = await newExport();
    const whole = await raw(pagePath(id));
    sandbox.setFaults([{ endpoint: 'E21', kind: 'wrong-length', by: -10 }]);
    const [head = '', body] = (await overSocket(pagePath(id), whole.body.length)).split('\r\n\r\n');
    expect(head).toContain(`content-length: ${whole.body.length - 10}`);
    expect(body).toBe(whole.body.toString());
    sandbox.setFaults([{ endpoint: 'E21', kind: 'wrong-length', by: 10 }]);
    const long = await raw(pagePath(id));
    expect(long.error).toBe('ECONNRESET');
    expect(long.body).toEqual(whole.body);
  });

  it('carries a gzip bomb', { tags: ['long'] }, async () => {
    const id = await newExport();
    const whole = await raw(pagePath(id));
    sandbox.setFaults([{ endpoint: 'E21', kind: 'gzip-bomb', mib: 70 }]);
    const bomb = await raw(pagePath(id));
    expect(bomb.headers['content-encoding']).toBe('gzip');
    expect(bomb.body.length).toBeLessThan(2 * 1024 * 1024);
    const inflated = gunzipSync(bomb.body);
    expect(inflated.length).toBe(70 * 1024 * 1024);
    expect(inflated.subarray(0, whole.body.length)).toEqual(whole.body);
  });

  it('carries a plain body of more than 64 MiB', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'oversized' }]);
    const large = await raw(exportPath, false, EXPORT);
    expect(large.headers['content-length']).toBe(String(65 * 1024 * 1024));
    expect(large.body.length).toBe(65 * 1024 * 1024);
    expect(JSON.parse(large.body.toString())).toHaveProperty('export_id');
  });

  it('that is kept alive is dead when it is used again', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const id = await newExport();
    sandbox.setFaults([{ endpoint: 'E21', kind: 'close-keep-alive', times: 1 }]);
    expect((await raw(pagePath(id), agent)).status).toBe(200);
    await expect(raw(exportPath, agent, EXPORT)).rejects.toThrow(/hang up|ECONNRESET/);
    expect(sandbox.bills()).toHaveLength(1);
    expect((await raw(pagePath(id), agent)).status).toBe(200);
    agent.destroy();
  });

  it('that is kept alive is closed while idle', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const id = await newExport();
    sandbox.setFaults([{ endpoint: 'E21', kind: 'close-keep-alive', when: 'idle' }]);
    const first = await raw(pagePath(id), agent);
    expect(first.headers['connection']).toBe('keep-alive');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(Object.keys(agent.freeSockets)).toHaveLength(0);
    agent.destroy();
  });
});

describe('something else is answered:', () => {
  it('a redirect, by default to the same address', async () => {
    for (const status of [301, 302, 303, 307, 308] as const) {
      sandbox.setFaults([{ endpoint: 'E20', kind: 'redirect', status }]);
      const got = await service.e20(EXPORT);
      expect(got.status).toBe(status);
      expect(got.headers.location).toBe(exportPath);
    }
    sandbox.setFaults([{ endpoint: 'E20', kind: 'redirect', location: 'http://elsewhere.invalid/' }]);
    expect((await service.e20(EXPORT)).headers.location).toBe('http://elsewhere.invalid/');
    expect(sandbox.bills()).toHaveLength(0);
  });

  it('any status, with headers and body', async () => {
    sandbox.setFaults([
      { endpoint: 'E17', kind: 'status', status: 429, headers: { 'retry-after': '2' }, times: 1 },
      { endpoint: 'E17', kind: 'status', status: 502, body: '<html>Bad Gateway</html>', times: 1 },
      { endpoint: 'E17', kind: 'status', status: 503, body: { error: 'busy' }, times: 1 },
    ]);
    const limited = await service.e17(DAY);
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('2');
    expect(limited.json.error).toBe('InternalServerError');
    const gateway = await service.e17(DAY);
    expect(gateway.status).toBe(502);
    expect(gateway.headers['content-type']).toBe('text/html');
    expect(gateway.text).toBe('<html>Bad Gateway</html>');
    expect((await service.e17(DAY)).json).toEqual({ error: 'busy' });
    expect((await service.e17(DAY)).status).toBe(200);
    expect(sandbox.requests().E17).toBe(4);
  });

  it('an error for what was billed all the same, or not', async () => {
    for (const [handled, bills] of [
      [false, 0],
      [true, 1],
    ] as const) {
      sandbox.setFaults([{ endpoint: 'E20', kind: 'status', status: 500, handled }]);
      expect((await service.e20(EXPORT)).status).toBe(500);
      expect(sandbox.bills()).toHaveLength(bills);
    }
  });

  it("an error in each family's shape with status 200", async () => {
    sandbox.setFaults([{ endpoint: '*', kind: 'error-body-200', refusal: 'unauthorized' }]);
    const got = [
      await service.e17(DAY),
      await service.e18(DAY),
      await service.e19('x', 'a', 'b'),
      await service.e20(EXPORT),
    ];
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(got.map(({ json }) => Object.keys(json))).toEqual([
      ['error', 'message'],
      ['error'],
      ['data', 'error'],
      ['status', 'message'],
    ]);
  });

  it('JSON of another shape', async () => {
    sandbox.setFaults([{ endpoint: 'E20', kind: 'other-shape-200', handled: true }]);
    expect((await service.e20(EXPORT)).json).toEqual({ result: { items: [] }, ok: true });
    expect(sandbox.bills()).toHaveLength(1);
    sandbox.setFaults([{ endpoint: 'E17', kind: 'other-shape-200', body: [[]] }]);
    expect((await service.e17(DAY)).json).toEqual([[]]);
  });
});

describe('faults', () => {
  it('let requests through first, strike so many times, and only where they should', async () => {
    const fault: Fault = { endpoint: 'E17', kind: 'status', status: 500, skip: 1, times: 2 };
    const there = await startFaultySandbox({ now, faults: [fault] });
    const other = await client(there);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await other.e17(DAY)).status);
    expect(statuses).toEqual([200, 500, 500, 200, 200]);
    expect((await other.e18(DAY)).status).toBe(200);
    await there.close();
  });

  it('are counted, and refused where there is no such fault', async () => {
    const fault: Fault = { endpoint: '*', kind: 'reset-before', times: 3 };
    sandbox.setFaults([fault]);
    expect(sandbox.faults()).toEqual([{ ...fault, struck: 0 }]);
    expect(await outcome(service.e17(DAY))).toBe('ECONNRESET');
    expect(sandbox.faults()).toEqual([{ ...fault, struck: 1 }]);
    sandbox.setFaults([]);
    expect((await service.e17(DAY)).status).toBe(200);
    for (const wrong of [
      { endpoint: 'E7', kind: 'reset-before' },
      { endpoint: '*', kind: 'x' },
      { ...fault, time: 1 },
    ]) {
      expect(() => {
        sandbox.setFaults([wrong as Fault]);
      }).toThrow();
    }
  });
});

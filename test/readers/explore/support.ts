/** The server of `explore` in this process, on a file that a test makes, and requests as browsers and others send them. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { realEffects } from '../../../src/ground/effects.js';
import { Guard } from '../../../src/readers/explore/guard.js';
import { startServer, type Serving } from '../../../src/readers/explore/server.js';

export const TOKEN = 'the-token-of-the-first-address';

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class Served {
  cookies = '';

  private constructor(
    readonly port: number,
    readonly close: () => Promise<void>,
  ) {}

  /** Starts a server; the browser that asks it has the token already. */
  static async start(file: string, given: Partial<Serving> = {}): Promise<Served> {
    const control = new AbortController();
    const effects = realEffects({});
    const { port, close } = await startServer({
      file,
      queries: undefined,
      host: '127.0.0.1',
      port: 0,
      guard: new Guard('127.0.0.1', TOKEN, false, Date.now),
      language: 'en',
      limits: { seconds: 30, megabytes: 1024 },
      now: () => new Date('2026-11-04T00:00:00Z'),
      runs: () => Promise.resolve([]),
      sleep: (ms, signal) => effects.sleep(ms, signal),
      signal: control.signal,
      ...given,
    });
    const served = new Served(port, async () => {
      control.abort(new Error('The test has ended.'));
      await close();
    });
    const { headers } = await served.get(`/?token=${TOKEN}`);
    served.cookies = String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
    return served;
  }

  /** The same server, for one test. */
  static async forTest(file: string, given: Partial<Serving> = {}): Promise<Served> {
    const served = await Served.start(file, given);
    onTestFinished(() => served.close());
    return served;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** What a browser opens first. */
  get address(): string {
    return `http://${this.host}/?token=${TOKEN}`;
  }

  /** Requests a path as it is written, which `fetch` would tidy. An empty header is not sent. */
  get(path: string, headers: Record<string, string> = {}, form?: Record<string, string>): Promise<Got> {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const all = {
      cookie: this.cookies,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${this.host}` }),
      ...headers,
    };
    return new Promise((done, fail) => {
      const sent = request({
        host: '127.0.0.1',
        port: this.port,
        path,
        // A connection that is kept may end just when it is used again.
        agent: false,
        method: form === undefined ? 'GET' : 'POST',
        headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      });
      sent.on('error', fail);
      sent.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('error', fail);
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces).toString(),
          });
        });
      });
      sent.end(body);
    });
  }

  post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Got> {
    return this.get(path, headers, form);
  }
}

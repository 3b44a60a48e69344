/** A data folder with its service, the lake that it pushes to, and Spark that reads it. */
import { rmSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { ended, type Ended, type Environment } from '../support/dawnload.js';
import { DAY_MS, Trial } from '../torture/trial.js';
import { compare, type Compared } from './compare.js';
import type { Parts } from './parts.js';
import { Spark } from './spark.js';
import { REGION, Stack, STORAGE_KEYS, WAREHOUSE } from './stack.js';

export const NAMESPACE = 'dawnload';
const NAMESPACES = ['', '_ops', '_marts'].map((suffix) => `${NAMESPACE}${suffix}`);

export const LAKE_KEYS: Environment = {
  DAWNLOAD_LAKE_ACCESS_KEY_ID: STORAGE_KEYS.accessKey,
  DAWNLOAD_LAKE_SECRET_ACCESS_KEY: STORAGE_KEYS.secretKey,
};

/** The day of which the service gives other counts when it is asked again. */
export const RESTATED = '2026-11-20';

const SETTINGS = `start_date: 2026-11-18
lookback_days: 2
exports:
  budget: { records_per_run: 100000000, records_per_month: 1000000000 }
reference:
  catalogs: true
  brand_templates:
    sender_keys: [9f2c4e6a8b0d1f3e5a7c, 4b7d9e1a2c5f80361d9e, c0ffee5e11e70000beef]
  alimtalk_templates: true
  opt_outs: true
`;

export class LakeTrial {
  #copies = 0;

  private constructor(
    readonly trial: Trial,
    readonly stack: Stack,
    readonly spark: Spark,
    readonly proxy: Proxy,
    readonly parts: Parts,
  ) {}

  /** All that it starts and writes is gone when this process is. */
  static async start(parts: Parts): Promise<LakeTrial> {
    const stack = await Stack.start(parts);
    const proxy = await Proxy.start(stack.catalogUrl);
    const trial = await Trial.make(SETTINGS, {
      eventsPerDay: 400,
      exportSeconds: 0,
      // Sends are left as they are: an export that holds fewer of them than the statistics is read again each night.
      faults: [{ kind: 'restate', endpoint: '*', date: RESTATED, counters: ['click'] }],
    });
    process.once('exit', () => {
      for (const folder of [trial.place.folder, trial.notes])
        rmSync(folder, { recursive: true, force: true });
    });
    return new LakeTrial(trial, stack, new Spark(parts, stack), proxy, parts);
  }

  /** Settings with a lake, or without: then a run does not push. */
  configure(lake?: { readonly namespace?: string; readonly retention?: number }): Promise<void> {
    const { trial, proxy, stack, parts } = this;
    return trial.place.configure(
      lake === undefined
        ? SETTINGS
        : `${SETTINGS}lake:
  catalog: { uri: ${proxy.url}, warehouse: ${WAREHOUSE}, auth: none }
  storage: { endpoint: ${stack.storageUrl}, region: ${REGION}, path_style: true }
  namespace: ${lake.namespace ?? NAMESPACE}
  extensions: ${parts.extensions}
${lake.retention === undefined ? '' : `retention: { events: ${lake.retention} days }\n`}`,
    );
  }

  /** Runs the built command, as a process. */
  run(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    return this.trial.run(args, { ...LAKE_KEYS, ...environment });
  }

  /** The same, killed after so many milliseconds. */
  async runUntil(ms: number, args: readonly string[]): Promise<Ended> {
    const { place, clock } = this.trial;
    const child = place.start(args, { ...LAKE_KEYS, DAWNLOAD_NOW: clock.now().toISOString() });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    const result = await ended(child);
    clearTimeout(timer);
    this.trial.tell(
      `${args.join(' ')} -> ${result.signal ?? result.code}, killed after ${ms} ms at the latest`,
    );
    return result;
  }

  assert(holds: boolean, what: string, result?: Ended): void {
    this.trial.assert(holds, what, result);
  }

  async expect(code: number, args: readonly string[], environment: Environment = {}): Promise<Ended> {
    const result = await this.run(args, environment);
    this.trial.assert(
      result.code === code,
      `${args.join(' ')} ended with ${result.code}, not ${code}`,
      result,
    );
    return result;
  }

  /** What `doctor` says of the lake. */
  async examine(says: RegExp): Promise<void> {
    const result = await this.run(['doctor']);
    this.assert(says.test(result.stdout), `doctor does not say ${says.source}`, result);
  }

  /** The next night comes home, in the file alone. */
  async night(): Promise<void> {
    await this.configure();
    this.trial.clock.shift(DAY_MS);
    await this.expect(0, ['run']);
    await this.configure({});
  }

  /** The ids of the commits that the lake tells of, each of which must be there once. */
  async commits(): Promise<string[]> {
    const rows = await this.spark.ask(`select commit_id from lake.${NAMESPACE}_ops.lake_commits`);
    const ids = rows.map((row) => String(row['commit_id']));
    this.assert(new Set(ids).size === ids.length, `a commit is in the lake twice: ${ids.join(', ')}`);
    return ids;
  }

  /** Allows that files of tables are removed. */
  async collectGarbage(): Promise<void> {
    for (const namespace of NAMESPACES) {
      for (const { tableName } of await this.spark.ask(`show tables in lake.${namespace}`)) {
        const table = `lake.${namespace}.${String(tableName)}`;
        await this.spark.ask(`alter table ${table} set tblproperties ('gc.enabled' = 'true')`);
      }
    }
  }

  /** Makes every file in the bucket five days older. */
  async backdate(): Promise<void> {
    const entries = await readdir(join(this.stack.folder, 's3'), { recursive: true, withFileTypes: true });
    const then = new Date(Date.now() - 5 * DAY_MS);
    for (const one of entries) if (one.isFile()) await utimes(join(one.parentPath, one.name), then, then);
  }

  /** Every table of the lake as Spark reads it, beside the published file. */
  async compare(): Promise<Compared[]> {
    const folder = join(this.stack.folder, `copy-${this.#copies++}`);
    const tables = await this.spark.copy(NAMESPACES, folder);
    const read = tables.map((table): [string, string] => [
      table.replace('lake.', ''),
      `read_parquet('${folder}/${table}/*.parquet')`,
    ]);
    return compare(this.trial.place.published, { tables: new Map(read) }, NAMESPACE);
  }
}

// An HTTP proxy before the catalog, which can do something between a request and its answer.

interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What is answered, given what passes the request on to the catalog; undefined hangs up without a word. */
type Interfere = (request: Request, pass: () => Promise<Answer>) => Promise<Answer | undefined>;

export const isCommit = ({ method, path }: Request): boolean =>
  method === 'POST' && path.includes('/transactions/commit');

class Proxy {
  interfere: Interfere | undefined;

  private constructor(readonly url: string) {}

  /** @param target the address of the catalog */
  static async start(target: string): Promise<Proxy> {
    const { hostname, port, pathname } = new URL(target);
    const server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = 'GET', url: path = '/', headers } = incoming;
        const request = { method, path, headers, body: Buffer.concat(chunks) };
        const pass = (): Promise<Answer> => passOn({ hostname, port }, request);
        (proxy.interfere?.(request, pass) ?? pass()).then(
          (answer) => {
            if (answer === undefined) incoming.socket.destroy();
            else {
              const headers = { ...answer.headers, 'content-length': String(answer.body.length) };
              delete headers['transfer-encoding'];
              outgoing.writeHead(answer.status, headers).end(answer.body);
            }
          },
          () => incoming.socket.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = new Proxy(`http://127.0.0.1:${own}${pathname}`);
    return proxy;
  }
}

/** The header `host` stays what the client wrote, so that the catalog names the proxy as its own address. */
function passOn(
  target: { readonly hostname: string; readonly port: string },
  request: Request,
): Promise<Answer> {
  const { method, path, headers, body } = request;
  return new Promise((done, fail) => {
    const outgoing = send({ ...target, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () => {
        done({
          status: incoming.statusCode ?? 502,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

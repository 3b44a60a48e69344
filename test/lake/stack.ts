/** The S3 server and the catalog, each a process on a free port of this machine, with all they keep in one folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Parts } from './parts.js';

export const STORAGE_KEYS = { accessKey: 'lake-test-key', secretKey: 'lake-test-secret' };
export const WAREHOUSE = 'wh';
export const REGION = 'us-east-1';
const PATIENCE_MS = 90_000;

/** Ends the server when standard input closes, and so when this process is gone, however that ended: even when killed. */
const WATCHED = '"$@" & child=$!; trap "" INT TERM; read -r _; kill -KILL "$child"';

export class Stack {
  readonly #children: ChildProcess[] = [];

  private constructor(
    /** What else is of this trial may lie here too. */
    readonly folder: string,
    readonly storageUrl: string,
    readonly catalogUrl: string,
  ) {}

  /** Starts both; they end, and the folder goes, with this process. */
  static async start(parts: Parts): Promise<Stack> {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-lake-'));
    const [storagePort, catalogPort, managementPort] = await freePorts(3);
    const storageUrl = `http://127.0.0.1:${storagePort}`;
    const stack = new Stack(folder, storageUrl, `http://127.0.0.1:${catalogPort}/iceberg`);
    process.once('exit', () => {
      stack.stop();
    });
    const buckets = join(folder, 's3');
    await mkdir(join(buckets, 'lake'), { recursive: true });
    const keys = { ROOT_ACCESS_KEY: STORAGE_KEYS.accessKey, ROOT_SECRET_KEY: STORAGE_KEYS.secretKey };
    const args = ['--port', `127.0.0.1:${storagePort}`, '--quiet', 'posix', buckets];
    stack.#spawn('storage', parts.versitygw, args, keys);
    const s3 = 'nessie.catalog.service.s3.default-options';
    const settings = {
      'quarkus.http.host': '127.0.0.1',
      'quarkus.http.port': catalogPort,
      'quarkus.management.host': '127.0.0.1',
      'quarkus.management.port': managementPort,
      'nessie.version.store.type': 'IN_MEMORY',
      'nessie.catalog.default-warehouse': WAREHOUSE,
      [`nessie.catalog.warehouses.${WAREHOUSE}.location`]: 's3://lake/',
      [`${s3}.region`]: REGION,
      [`${s3}.endpoint`]: storageUrl,
      [`${s3}.path-style-access`]: true,
      [`${s3}.access-key`]: 'urn:nessie-secret:quarkus:keys',
      'keys.name': STORAGE_KEYS.accessKey,
      'keys.secret': STORAGE_KEYS.secretKey,
    };
    stack.#spawn('catalog', parts.java, [
      ...['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
      ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
      ...['-jar', parts.nessie],
    ]);
    await stack.#answers('storage', stack.storageUrl);
    await stack.#answers('catalog', `${stack.catalogUrl}/v1/config`);
    return stack;
  }

  /** Ends both and removes the folder. */
  stop(): void {
    for (const child of this.#children) child.stdin?.destroy();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #spawn(name: string, program: string, args: readonly string[], environment = {}): void {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawn('sh', ['-c', WATCHED, 'sh', program, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    this.#children.push(child);
  }

  /** Waits until a server answers anything at all. */
  async #answers(name: string, url: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const answered = await fetch(url).then(
        ({ status }) => status < 500,
        () => false,
      );
      if (answered) return;
      await wait(100);
    }
    const log = await readFile(join(this.folder, `${name}.log`), 'utf8');
    throw new Error(`The ${name} did not start:\n${log.slice(-2_000)}`);
  }
}

/** Ports that nobody has now. All are held until all are known, so that none is given twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')));
  return ports;
}

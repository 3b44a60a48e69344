/** Runs whole commands over real sockets and files, against a sandbox in this process. Commands run in this process or as a child. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Effects } from '../../src/ground/effects.js';
import type { LakeCatalog } from '../../src/lake/lake.js';
import { adopt } from './copies.js';
import { performCommand } from './in-process.js';
import { beginWithTemplate } from './template.js';
import { startFaultySandbox, type FaultySandbox, type FaultySandboxOptions } from './faults/index.js';

export const CLI = resolve('dist/src/cli.js');

export const KEYS = { accessKey: 'test-access-key', secretKey: 'test-secret-key' };
export const PROJECT = '0123456789abcdef0123456789abcdef';

/** A morning in Korea, half an hour after yesterday became complete. */
export const NOW = '2026-11-20T22:30:00Z';

export interface Ended {
  /** The exit code; null when the process was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

/** Starts the command in a child process, which can be killed. */
export function start(args: readonly string[], cwd: string, environment: Environment = {}): ChildProcess {
  if (!existsSync(CLI)) throw new Error('not built: npm run build');
  return spawnNode([CLI, ...args], cwd, environment);
}

function spawnNode(args: readonly string[], cwd: string, environment: Environment): ChildProcess {
  return spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      TZ: process.env['TZ'] ?? 'UTC',
      DAWNLOAD_NOW: NOW,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function ended(child: ChildProcess): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => err.push(text));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      done({ code, signal, stdout: out.join(''), stderr: err.join('') });
    });
  });
}

/** Separates the outputs of several commands; no command writes it. */
const END = '\u0000end of command\u0000';

/** Runs several built commands in one child process, to start it only once. Returns the output and exit code of each. */
export async function executeEach(
  commands: readonly (readonly string[])[],
  cwd: string,
  environment: Environment = {},
): Promise<Ended[]> {
  const script = `
    const { main } = await import(${JSON.stringify(resolve('dist/src/main.js'))});
    for (const args of ${JSON.stringify(commands)}) {
      const code = await main(['node', 'dawnload', ...args]);
      process.stdout.write(code + ${JSON.stringify(END)});
      process.stderr.write(${JSON.stringify(END)});
    }
    process.exit();`;
  const all = await ended(spawnNode(['--input-type=module', '--eval', script], cwd, environment));
  const [out, err] = [all.stdout.split(END), all.stderr.split(END)];
  if (out.length !== commands.length + 1) throw new Error(`A command ended the process: ${all.stderr}`);
  return commands.map((_, nth) => {
    const [, stdout = '', code = ''] = /^([^]*?)(\d+)$/.exec(out[nth] ?? '') ?? [];
    return { code: Number(code), signal: null, stdout, stderr: err[nth] ?? '' };
  });
}

/** A folder with settings, keys in the environment, and its sandbox. */
export class Place {
  /** A replacement for the lake's catalog, for commands in this process. */
  lakeCatalog?: LakeCatalog;
  /** True if commands in this process write status.json, as child processes always do. */
  leavesStatus = false;
  /** True if a rebuild in this process creates its file without the template. */
  rebuildsFromNothing = false;

  private constructor(
    readonly folder: string,
    readonly sandbox: FaultySandbox,
    readonly environment: Environment,
    /** Total pauses of all commands and of the current one, which also move the service's clock. */
    private readonly service: { paused: number; pausedNow: number },
  ) {}

  /** @param yaml lines that follow base_url and project_id */
  static async make(yaml: string, options: FaultySandboxOptions = {}): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
    const started = Date.now();
    const service = { paused: 0, pausedNow: 0 };
    const sandbox = await startFaultySandbox({
      now: () => new Date(Date.parse(NOW) + Date.now() - started + service.paused),
      projectId: PROJECT,
      // One page per export; tests that need more set it.
      eventsPerDay: 300,
      exportSeconds: 0,
      // Each command starts at NOW, however long the test has taken.
      ...(options.now === undefined
        ? { date: () => new Date(Date.parse(NOW) + service.pausedNow).toUTCString() }
        : {}),
      ...KEYS,
      ...options,
    });
    const keys = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };
    const place = new Place(folder, sandbox, keys, service);
    await place.configure(yaml);
    return place;
  }

  configure(yaml: string): Promise<void> {
    // Writing the page takes longer than most tests here, and has its own tests.
    const report = /^report:/m.test(yaml) ? '' : 'report: false\n';
    return writeFile(
      join(this.folder, 'dawnload.yaml'),
      `base_url: ${this.sandbox.url}\nproject_id: ${PROJECT}\nrequests_per_second: 1000\n${report}${yaml}`,
    );
  }

  get published(): string {
    return join(this.folder, 'data', 'warehouse.duckdb');
  }

  start(args: readonly string[], environment: Environment = {}): ChildProcess {
    return start(args, this.folder, { ...this.environment, ...environment });
  }

  /** Runs the built command in a child process, for tests of kills, signals and the process itself. */
  execute(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    beginWithTemplate(args, this.folder);
    return ended(this.start(args, environment));
  }

  /**
   * Runs the command in this process until the crash point `DAWNLOAD_CRASH_AT`, and restores the data folder as it was there:
   * later changes by the code that still runs are discarded.
   */
  async dying(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    const [point = '', count = '1'] = (environment['DAWNLOAD_CRASH_AT'] ?? '').split(':');
    const data = join(this.folder, 'data');
    let left = Number(count);
    const dead = new Set<string>();
    const reach = (passed: string): void => {
      if (dead.size === 0 && passed === point && --left === 0) {
        // DuckDB's files too: a kill leaves them as written.
        cpSync(data, `${data}.left`, { recursive: true, preserveTimestamps: true });
        dead.add(passed);
      }
      if (dead.size > 0) throw new Error('This process is dead.');
    };
    const result = await this.run(args, environment, { reach });
    if (dead.size === 0) return result;
    await rm(data, { recursive: true });
    await rename(`${data}.left`, data);
    await adopt(data);
    return { ...result, code: null, signal: 'SIGKILL' };
  }

  /** Runs the command in this process; pauses take no time. */
  async run(
    args: readonly string[],
    environment: Environment = {},
    effects: Partial<Effects> = this.rebuildsFromNothing ? { reach: () => undefined } : {},
  ): Promise<Ended> {
    const began = Date.now();
    const start = Date.parse(environment['DAWNLOAD_NOW'] ?? NOW);
    const { service } = this;
    service.pausedNow = 0;
    const passed = (): number => Date.now() - began + service.pausedNow;
    const clock = {
      now: () => new Date(start + passed()),
      moveTo: (instant: Date) => {
        const ms = Math.max(0, instant.getTime() - start - passed());
        service.pausedNow += ms;
        service.paused += ms;
      },
    };
    const given = { ...this.environment, ...environment };
    const { folder, lakeCatalog, leavesStatus } = this;
    const result = await performCommand(
      args,
      folder,
      given,
      clock,
      undefined,
      lakeCatalog,
      effects,
      leavesStatus,
    );
    return { ...result, signal: null };
  }

  /** Rows of the published file, as JSON values. */
  rows(sql: string, file = this.published): Promise<Record<string, unknown>[]> {
    return rowsOf(file, sql);
  }

  async remove(): Promise<void> {
    await this.sandbox.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function rowsOf(file: string, sql: string): Promise<Record<string, unknown>[]> {
  return reading(file, (ask) => ask(sql));
}

/** Changes a file as another program would; creates it if missing. */
export async function change(file: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(sql);
  // An open connection would lock the file for later commands.
  connection.closeSync();
  instance.closeSync();
}

/** Runs several queries on one file. It is opened once, because opening takes longer than most queries. */
export async function reading<T>(
  file: string,
  work: (ask: (sql: string) => Promise<Record<string, unknown>[]>) => Promise<T>,
): Promise<T> {
  const mode: Record<string, string> = file === ':memory:' ? {} : { access_mode: 'READ_ONLY' };
  const instance = await DuckDBInstance.create(file, { ...mode, threads: '1' });
  try {
    const connection = await instance.connect();
    return await work(async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson());
  } finally {
    instance.closeSync();
  }
}

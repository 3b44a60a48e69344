/** Whole runs over real sockets and files, against a sandbox in this process: the command in it too, or as a child. */
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

/** Starts the command; it is not in this process, so that it can be killed. */
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

/** Ends what one of several commands wrote; no command writes it. */
const END = '\u0000end of command\u0000';

/** The built command, several times in one process, which starts once: what each wrote, and its exit code. */
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

/** A folder with settings, keys in the environment, and the sandbox that they point at. */
export class Place {
  /** What stands in for the lake's catalog, for commands in this process. */
  lakeCatalog?: LakeCatalog;
  /** Commands in this process leave the status for others, as those of their own always do. */
  leavesStatus = false;
  /** A rebuild in this process makes its file from nothing, and not from the template. */
  rebuildsFromNothing = false;

  private constructor(
    readonly folder: string,
    readonly sandbox: FaultySandbox,
    readonly environment: Environment,
    /** Pauses of the commands pass for the service too: of all of them, and of the one under way. */
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
      // One page: tests that need more of them say so.
      eventsPerDay: 300,
      exportSeconds: 0,
      // Each command begins at NOW, however long a test takes by then.
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
    // The page takes longer than most of what is tested here: it has tests of its own.
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

  /** The built command in a process of its own: for kills, signals, and what the process itself is asked. */
  execute(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    beginWithTemplate(args, this.folder);
    return ended(this.start(args, environment));
  }

  /**
   * The command in this process, which dies at the crash point `DAWNLOAD_CRASH_AT`: the data folder is then as it was there.
   * What the dying code still does reaches no folder.
   */
  async dying(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    const [point = '', count = '1'] = (environment['DAWNLOAD_CRASH_AT'] ?? '').split(':');
    const data = join(this.folder, 'data');
    let left = Number(count);
    const dead = new Set<string>();
    const reach = (passed: string): void => {
      if (dead.size === 0 && passed === point && --left === 0) {
        // DuckDB's files, too: after a kill they are as they were written.
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

  /** The command in this process, where pauses pass at once. */
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

/** Changes a file as a program other than the command would; makes it where there is none. */
export async function change(file: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(sql);
  // An open connection would keep the file locked for the commands that come next.
  connection.closeSync();
  instance.closeSync();
}

/** Several questions to one file, which is opened once: that takes longer than most answers. */
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

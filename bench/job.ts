/** Runs the built command as a child process with a sandbox, each in its own folder, for benchmarks. */
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import type { Day } from '../src/ground/calendar.js';
import { startFaultySandbox, type Fault, type FaultySandbox } from '../test/support/faults/index.js';

/** This build; benchmarks may run another one beside it. */
export const CLI = resolve('dist/src/cli.js');

/** The morning after that KST day, when the day is complete. */
export const morningAfter = (day: Day): string => `${day}T22:30:00Z`;

/** The part of a run's `--json` output that benchmarks use. */
const report = z.object({
  loaded: z.array(z.object({ stream: z.string(), rows: z.number() })),
  seconds: z.looseObject({ load: z.number(), model: z.number(), check: z.number() }),
});
export type Report = z.infer<typeof report>;

export interface Measured {
  readonly report: Report;
  /** Wall clock and processor seconds of the whole process. */
  readonly wall: number;
  readonly processor: number;
  /** Memory at its peak, in megabytes; NaN if it is not measured. */
  readonly peak: number;
  /** Seconds from the first request to the published file; 0 without a request. */
  readonly untilPublished: number;
}

export interface Circumstances {
  readonly eventsPerDay: number;
  readonly startDate: Day;
  readonly lastDay: Day;
  readonly requestsPerSecond?: number;
  readonly latencyMs?: number;
  /** Whether runs make the page. */
  readonly page?: boolean;
  /** The build that is measured; the sandbox is always this one's. */
  readonly cli?: string;
  /** Whether to measure memory, which slows each start by some milliseconds. */
  readonly peaks?: boolean;
  /** Whether runs may end incomplete, because the exports have other channels than the statistics. */
  readonly incomplete?: boolean;
}

const KEYS = { accessKey: 'bench-access-key', secretKey: 'bench-secret-key' };
const PROJECT = '0123456789abcdef0123456789abcdef';

/** Code that a measured process runs at its start; at its end it writes its peak memory in KiB. */
const NOTE_PEAK = `--import=data:text/javascript,${encodeURIComponent(
  `import { writeFileSync } from 'node:fs';` +
    `process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS)));`,
)}`;

/** Node's channel that reports each request to an HTTP server. */
const REQUEST = 'http.server.request.start';

export class Job {
  readonly folder: string;
  readonly #sandbox: FaultySandbox;
  readonly #cli: string;
  readonly #peaks: boolean;
  readonly #incomplete: boolean;

  private constructor(folder: string, sandbox: FaultySandbox, given: Circumstances) {
    this.folder = folder;
    this.#sandbox = sandbox;
    this.#cli = given.cli ?? CLI;
    this.#peaks = given.peaks ?? false;
    this.#incomplete = given.incomplete ?? false;
  }

  /**
   * Starts a sandbox in this process with that many events a day. Its clock starts on the morning after the last day. Because commands run
   * on other mornings, it sends no `Date` header.
   */
  static async start(folder: string, given: Circumstances): Promise<Job> {
    const { eventsPerDay, startDate, lastDay, requestsPerSecond = 1000, latencyMs = 0, page = true } = given;
    const offset = Date.parse(morningAfter(lastDay)) - Date.now();
    const sandbox = await startFaultySandbox({
      now: () => new Date(Date.now() + offset),
      date: () => null,
      projectId: PROJECT,
      exportSeconds: 0,
      eventsPerDay,
      latencyMs,
      ...KEYS,
    });
    await writeFile(
      join(folder, 'dawnload.yaml'),
      `base_url: ${sandbox.url}\nproject_id: ${PROJECT}\nstart_date: ${startDate}\n` +
        `report: ${page}\nrequests_per_second: ${requestsPerSecond}\nexports: { budget: { records_per_run: 1000000000 } }\n`,
    );
    return new Job(folder, sandbox, given);
  }

  /** Sets how the sandbox misbehaves from now on. */
  faults(faults: readonly Fault[]): void {
    this.#sandbox.setFaults(faults);
  }

  /** Runs a command to its end, with its clock at the morning after `day`. */
  async run(day: Day, ...args: readonly string[]): Promise<Measured> {
    // The sandbox runs in this process.
    let firstRequest = Infinity;
    const asked = (): void => {
      firstRequest = Math.min(firstRequest, Date.now());
    };
    subscribe(REQUEST, asked);
    const { out, ...cost } = await this.measure(day, ...args, '--json').finally(() =>
      unsubscribe(REQUEST, asked),
    );
    const untilPublished = Math.max(0, (await stat(this.published)).ctimeMs - firstRequest) / 1000;
    return { report: report.parse(JSON.parse(out)), ...cost, untilPublished };
  }

  /** Runs any command in a shell, which reports the processor time of children; Node does not. */
  async measure(
    day: Day,
    ...args: readonly string[]
  ): Promise<Omit<Measured, 'report' | 'untilPublished'> & { readonly out: string }> {
    const peak = join(this.folder, 'peak');
    const errors = join(this.folder, 'errors');
    const script = `TIMEFORMAT="%U %S"; { time "$@" 2>'${errors}'; } `;
    const began = performance.now();
    const child = spawn('bash', ['-c', script, 'bash', process.execPath, this.#cli, ...args], {
      cwd: this.folder,
      env: {
        ...process.env,
        DAWNLOAD_ACCESS_KEY: KEYS.accessKey,
        DAWNLOAD_SECRET_KEY: KEYS.secretKey,
        DAWNLOAD_NOW: morningAfter(day),
        ...(this.#peaks && { NODE_OPTIONS: NOTE_PEAK, BENCH_PEAK: peak }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const [code] = z.tuple([z.number().nullable(), z.unknown()]).parse(await once(child, 'close'));
    const wall = (performance.now() - began) / 1000;
    if (code !== 0 && !(code === 1 && (this.#incomplete || args[0] === 'status'))) {
      throw new Error(
        `dawnload ${args.join(' ')}: exit code ${code ?? 'none'}\n${await readFile(errors, 'utf8')}`,
      );
    }
    const [user = 0, system = 0] = err().trim().split(/\s+/).map(Number);
    const kibibytes = this.#peaks ? Number(await readFile(peak, 'utf8')) : NaN;
    return { out: out(), wall, processor: user + system, peak: (kibibytes * 1024) / 1e6 };
  }

  get published(): string {
    return join(this.folder, 'data', 'warehouse.duckdb');
  }

  /** The published file's size relative to a fresh copy. */
  async looseness(): Promise<number> {
    const copy = join(this.folder, 'copy.duckdb');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`attach '${this.published}' as old (read_only); attach '${copy}' as fresh`);
    await connection.run('copy from database old to fresh; detach fresh; detach old');
    connection.closeSync();
    instance.closeSync();
    const ratio = (await stat(this.published)).size / (await stat(copy)).size;
    await rm(copy);
    return ratio;
  }

  stop(): Promise<void> {
    return this.#sandbox.close();
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return () => chunks.join('');
}

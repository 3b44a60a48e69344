/** The built command as a child process, with a sandbox beside it, for benchmarks: each in a folder of its own. */
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Day } from '../src/ground/calendar.js';
import { startFaultySandbox, type Fault, type FaultySandbox } from '../test/support/faults/index.js';

/** This build; benchmarks may run another one beside it. */
export const CLI = resolve('dist/src/cli.js');

/** The morning of that KST day's morrow, when the day is complete. */
export const morningAfter = (day: Day): string => `${day}T22:30:00Z`;

/** What `--json` tells of a run, as far as benchmarks look at it. */
const report = z.object({
  loaded: z.array(z.object({ stream: z.string(), rows: z.number() })),
  seconds: z.looseObject({ load: z.number(), model: z.number(), check: z.number() }),
  peak_memory_bytes: z.number(),
});
export type Report = z.infer<typeof report>;

export interface Measured {
  readonly report: Report;
  /** Wall clock and processor seconds of the whole process. */
  readonly wall: number;
  readonly processor: number;
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
}

const KEYS = { accessKey: 'bench-access-key', secretKey: 'bench-secret-key' };
const PROJECT = '0123456789abcdef0123456789abcdef';

/** Node's channel on which an HTTP server tells of each request. */
const REQUEST = 'http.server.request.start';

export class Job {
  readonly folder: string;
  readonly #sandbox: FaultySandbox;
  readonly #cli: string;

  private constructor(folder: string, sandbox: FaultySandbox, cli: string) {
    this.folder = folder;
    this.#sandbox = sandbox;
    this.#cli = cli;
  }

  /**
   * Starts a sandbox in this process with so many events a day, whose clock shows the morning after the last day. Its clock
   * goes on from there while commands run at other mornings, so it does not tell its time.
   */
  static async start(folder: string, given: Circumstances): Promise<Job> {
    const {
      eventsPerDay,
      startDate,
      lastDay,
      requestsPerSecond = 1000,
      latencyMs = 0,
      page = true,
      cli = CLI,
    } = given;
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
    return new Job(folder, sandbox, cli);
  }

  /** How the sandbox misbehaves from now on. */
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
    const began = performance.now();
    const { out, processor } = await this.#timed(day, [...args, '--json']).finally(() =>
      unsubscribe(REQUEST, asked),
    );
    const wall = (performance.now() - began) / 1000;
    const published = (await stat(join(this.folder, 'data', 'warehouse.duckdb'))).ctimeMs;
    const untilPublished = Math.max(0, published - firstRequest) / 1000;
    return { report: report.parse(JSON.parse(out)), wall, processor, untilPublished };
  }

  /** The wall clock seconds that a command takes that reports nothing. */
  async time(day: Day, ...args: readonly string[]): Promise<number> {
    const began = performance.now();
    await this.#timed(day, args);
    return (performance.now() - began) / 1000;
  }

  /** The shell knows the processor time of its children, Node does not. */
  async #timed(day: Day, args: readonly string[]): Promise<{ out: string; processor: number }> {
    const script = 'TIMEFORMAT="%U %S"; { time "$@" 2>/dev/null; } ';
    const child = spawn('bash', ['-c', script, 'bash', process.execPath, this.#cli, ...args], {
      cwd: this.folder,
      env: {
        ...process.env,
        DAWNLOAD_ACCESS_KEY: KEYS.accessKey,
        DAWNLOAD_SECRET_KEY: KEYS.secretKey,
        DAWNLOAD_NOW: morningAfter(day),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const [code] = z.tuple([z.number().nullable(), z.unknown()]).parse(await once(child, 'close'));
    if (code !== 0 && !(code === 1 && args[0] === 'status')) {
      throw new Error(`dawnload ${args.join(' ')}: exit code ${code ?? 'none'}`);
    }
    const [user = 0, system = 0] = err().trim().split(/\s+/).map(Number);
    return { out: out(), processor: user + system };
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

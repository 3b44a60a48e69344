/** The built command and its sandbox as child processes, for benchmarks: each in a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Day } from '../src/calendar.js';

/** This build; benchmarks may run another one beside it. */
export const CLI = resolve('dist/src/cli.js');

/** The morning of that KST day's morrow, when the day is complete. */
export const morningAfter = (day: Day): string => `${day}T22:30:00Z`;

/** What `--json` tells of a run, as far as benchmarks look at it. */
const report = z.object({
  loaded: z.array(z.object({ stream: z.string(), rows: z.number() })),
  seconds: z.object({ pull: z.number(), model: z.number(), check: z.number() }),
  peak_memory_bytes: z.number(),
});
export type Report = z.infer<typeof report>;

export interface Measured {
  readonly report: Report;
  /** Wall clock and processor seconds of the whole process. */
  readonly wall: number;
  readonly processor: number;
}

export interface Circumstances {
  readonly eventsPerDay: number;
  readonly startDate: Day;
  readonly lastDay: Day;
  readonly requestsPerSecond?: number;
  readonly latencyMs?: number;
  /** The build that is measured; the sandbox is always this one's. */
  readonly cli?: string;
}

export class Job {
  readonly folder: string;
  readonly #sandbox: ChildProcess;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #cli: string;

  private constructor(
    folder: string,
    sandbox: ChildProcess,
    settings: Readonly<Record<string, string>>,
    cli: string,
  ) {
    this.folder = folder;
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#cli = cli;
  }

  /**
   * Starts a sandbox with so many events a day, whose clock shows the morning after the last day. Its clock stays there
   * while commands run at other mornings, so it does not tell its time.
   */
  static async start(folder: string, given: Circumstances): Promise<Job> {
    const { eventsPerDay, startDate, lastDay, requestsPerSecond = 1000, latencyMs = 0, cli = CLI } = given;
    const flags = [
      '--events-per-day',
      String(eventsPerDay),
      '--export-seconds',
      '0',
      '--latency',
      String(latencyMs),
      '--no-date',
    ];
    const sandbox = spawn(process.execPath, [CLI, 'sandbox', ...flags], {
      cwd: folder,
      env: { ...process.env, DAWNLOAD_NOW: morningAfter(lastDay) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const settings = await settingsOf(sandbox);
    await writeFile(
      join(folder, 'dawnload.yaml'),
      `start_date: ${startDate}\nrequests_per_second: ${requestsPerSecond}\nexports: { budget: { records_per_run: 1000000000 } }\n`,
    );
    return new Job(folder, sandbox, settings, cli);
  }

  /** How the sandbox misbehaves from now on. */
  async faults(faults: readonly object[]): Promise<void> {
    const url = `${this.#settings['DAWNLOAD_BASE_URL'] ?? ''}/_sandbox/faults`;
    await fetch(url, { method: 'POST', body: JSON.stringify(faults) });
  }

  /** Runs a command to its end, with its clock at the morning after `day`. */
  async run(day: Day, ...args: readonly string[]): Promise<Measured> {
    const began = performance.now();
    const { out, processor } = await this.#timed(day, [...args, '--json']);
    return { report: report.parse(JSON.parse(out)), wall: (performance.now() - began) / 1000, processor };
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
      env: { ...process.env, ...this.#settings, DAWNLOAD_NOW: morningAfter(day) },
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

  stop(): void {
    this.#sandbox.kill('SIGTERM');
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return () => chunks.join('');
}

/** The lines that the sandbox prints when it listens. */
async function settingsOf(sandbox: ChildProcess): Promise<Record<string, string>> {
  if (sandbox.stdout === null) throw new Error('no output');
  const settings: Record<string, string> = {};
  for await (const line of createInterface({ input: sandbox.stdout })) {
    const [name = '', value = ''] = line.split(/=(.*)/s);
    settings[name] = value;
    if (name === 'DAWNLOAD_SECRET_KEY') return settings;
  }
  throw new Error('the sandbox ended');
}

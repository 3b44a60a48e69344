/** The built command and its sandbox as child processes, for benchmarks: each in a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Day } from '../src/calendar.js';

const CLI = resolve('dist/src/cli.js');

/** The morning of that KST day's morrow, when the day is complete. */
export const morningAfter = (day: Day): string => `${day}T22:30:00Z`;

/** What `--json` tells of a run, as far as benchmarks look at it. */
export interface Report {
  readonly loaded: readonly { readonly stream: string; readonly rows: number }[];
  readonly seconds: Readonly<Record<'pull' | 'model' | 'check', number>>;
  readonly peak_memory_bytes: number;
}

export class Job {
  readonly #folder: string;
  readonly #sandbox: ChildProcess;
  readonly #settings: Readonly<Record<string, string>>;

  private constructor(folder: string, sandbox: ChildProcess, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#sandbox = sandbox;
    this.#settings = settings;
  }

  /** Its clock stays at one morning, and commands run at others: it does not tell its time. Starts a sandbox with so many events a day, whose clock shows the morning after `lastDay`. */
  static async start(folder: string, eventsPerDay: number, startDate: Day, lastDay: Day): Promise<Job> {
    const sandbox = spawned(
      folder,
      ['sandbox', '--events-per-day', String(eventsPerDay), '--export-seconds', '0', '--no-date'],
      { DAWNLOAD_NOW: morningAfter(lastDay) },
    );
    await writeFile(
      join(folder, 'dawnload.yaml'),
      `start_date: ${startDate}\nrequests_per_second: 1000\nexports: { budget: { records_per_run: 1000000000 } }\n`,
    );
    return new Job(folder, sandbox, await settingsOf(sandbox));
  }

  /** Runs a command to its end, with its clock at the morning after `day`. */
  async run(day: Day, ...args: readonly string[]): Promise<Report> {
    const environment = { ...this.#settings, DAWNLOAD_NOW: morningAfter(day) };
    const child = spawned(this.#folder, [...args, '--json'], environment);
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`dawnload ${args.join(' ')}: exit code ${code ?? 'none'}`);
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Report;
  }

  stop(): void {
    this.#sandbox.kill('SIGTERM');
  }
}

function spawned(cwd: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

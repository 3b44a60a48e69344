/**
 * How fast a large day comes home: `npm run bench`, with the number of events as an argument. The sandbox runs in a
 * process of its own and shares the processors with the job, as does everything else on the machine: compare ratios
 * within one run, not single numbers.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const events = Number(process.argv[2] ?? 1_000_000);
const runs = Number(process.argv[3] ?? 3);
const cli = resolve('dist/src/cli.js');
const DAY = '2026-11-19';
const CLOCK = { DAWNLOAD_NOW: '2026-11-20T22:30:00Z' };

interface Report {
  readonly loaded: readonly { readonly stream: string; readonly rows: number }[];
  readonly peak_memory_bytes: number;
}

const rates: number[] = [];
for (let i = 1; i <= runs; i++) {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  const sandbox = command(
    ['sandbox', '--events-per-day', String(events), '--export-seconds', '0'],
    folder,
    CLOCK,
  );
  try {
    const environment = await settingsOf(sandbox);
    await writeFile(
      join(folder, 'dawnload.yaml'),
      `start_date: ${DAY}\nrequests_per_second: 1000\nexports: { budget: { records_per_run: 100000000 } }\n`,
    );
    // The free statistics first, so that what is timed is the paid day alone.
    await report(
      command(
        ['backfill', '--start', DAY, '--end', DAY, '--streams', 'statistics', '--json'],
        folder,
        environment,
      ),
    );
    const began = performance.now();
    const { loaded, peak_memory_bytes: peak } = await report(
      command(
        ['backfill', '--start', DAY, '--end', DAY, '--streams', 'events', '--yes-paid', '--json'],
        folder,
        environment,
      ),
    );
    const seconds = (performance.now() - began) / 1000;
    const rows = loaded.find(({ stream }) => stream === 'events')?.rows ?? 0;
    rates.push(rows / seconds);
    console.log(
      `run ${i}: ${rows} events in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, peak ${Math.round(peak / 1e6)} MB`,
    );
  } finally {
    sandbox.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}
rates.sort((a, b) => a - b);
console.log(`median ${Math.round(rates[Math.floor(rates.length / 2)] ?? 0)} rows/s, end to end`);

function command(args: readonly string[], cwd: string, environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { ...process.env, ...CLOCK, ...environment },
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

async function report(child: ChildProcess): Promise<Report> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`exit code ${code ?? 'none'}`);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Report;
}

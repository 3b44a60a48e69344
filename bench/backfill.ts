/**
 * How fast a large day comes home: `npm run bench`, with the number of events as an argument. The sandbox runs in a
 * process of its own and shares the processors with the job, as does everything else on the machine: compare ratios
 * within one run, not single numbers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Job } from './job.js';

const events = Number(process.argv[2] ?? 1_000_000);
const runs = Number(process.argv[3] ?? 3);
const DAY = '2026-11-19';
const BACKFILL = ['backfill', '--start', DAY, '--end', DAY];

const rates: number[] = [];
for (let i = 1; i <= runs; i++) {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  const job = await Job.start(folder, events, DAY, '2026-11-20');
  try {
    // The free statistics first, so that what is timed is the paid day alone.
    await job.run('2026-11-20', ...BACKFILL, '--streams', 'statistics');
    const began = performance.now();
    const report = await job.run('2026-11-20', ...BACKFILL, '--streams', 'events', '--yes-paid');
    const seconds = (performance.now() - began) / 1000;
    const rows = report.loaded.find(({ stream }) => stream === 'events')?.rows ?? 0;
    rates.push(rows / seconds);
    const { pull, model, check } = report.seconds;
    console.log(
      `run ${i}: ${rows} events in ${seconds.toFixed(1)} s (pull ${pull.toFixed(1)}, model ${model.toFixed(1)}, ` +
        `check ${check.toFixed(1)}), ${Math.round(rows / seconds)} rows/s, ` +
        `peak ${Math.round(report.peak_memory_bytes / 1e6)} MB`,
    );
  } finally {
    job.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
rates.sort((a, b) => a - b);
console.log(`median ${Math.round(rates[Math.floor(rates.length / 2)] ?? 0)} rows/s, end to end`);

/**
 * Measures how age slows runs: `npm run bench:age -- [nights]`. It runs nights of 20 events each, and times the first ones, those after a
 * month (when the re-pulled days and the page are full), those after a hundred, and the last ones, also by stage; then `rebuild`, `status`
 * and `plan`. Each night it compares the published file's size with a fresh copy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shiftDay, type Day } from '../src/ground/calendar.js';
import { Job, type Measured } from './job.js';

const LAST: Day = '2026-11-20';
const nights = Number(process.argv[2] ?? 300);
const first = shiftDay(LAST, 1 - nights);
/** Several, so that one outlier does not decide. */
const SAMPLE = 5;

/** The first night with a whole month before it. */
const GROWN = 32;

let largest = 0;
const folder = await mkdtemp(join(tmpdir(), 'dawnload-age-'));
const job = await Job.start(folder, { eventsPerDay: 20, startDate: first, lastDay: LAST });
try {
  const measured: Measured[] = [];
  for (let night = 1; night <= nights; night++) {
    measured.push(await job.run(shiftDay(first, night - 1), 'run'));
    largest = Math.max(largest, await job.looseness());
  }
  const stages = Object.keys(measured[0]?.report.seconds ?? {});
  const ages = [1, GROWN, 100, nights + 1 - SAMPLE].filter((night) => night + SAMPLE - 1 <= nights);
  console.log(
    ['seconds'.padEnd(12), ...ages.map((night) => `night ${night}`.padStart(9)), 'last / grown'].join('  '),
  );
  for (const clock of ['wall', 'processor', ...stages]) {
    const from = (night: number): number => median(measured.slice(night - 1, night - 1 + SAMPLE), clock);
    const cells = ages.map((night) => from(night).toFixed(2).padStart(9));
    const ratio = from(nights + 1 - SAMPLE) / from(GROWN);
    console.log([clock.padEnd(12), ...cells, ratio.toFixed(2).padStart(12)].join('  '));
  }
  console.log(`the published file was at most ${largest.toFixed(2)} times as large as a fresh copy of it`);
  for (const command of ['status', 'plan']) {
    console.log(`${command} ${(await job.measure(LAST, command)).wall.toFixed(2)} s`);
  }
  const { wall, report } = await job.run(LAST, 'rebuild');
  console.log(
    `rebuild of ${nights} nights ${wall.toFixed(1)} s, of that the load ${report.seconds.load.toFixed(1)} s`,
  );
} finally {
  await job.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Median seconds of some nights: wall clock, processor, or a stage. Other work on the machine hardly affects processor time. */
function median(runs: readonly Measured[], clock: string): number {
  const all = runs.map(({ wall, processor, report }) => ({ ...report.seconds, wall, processor }));
  const seconds = all.map((one: Readonly<Record<string, unknown>>) => Number(one[clock] ?? 0));
  return seconds.sort((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? 0;
}

/**
 * What age costs: `npm run bench:age -- [nights]`. Tiny nights of 20 events each come home one by one, the first and the last
 * are timed, then `rebuild`, `status` and `plan`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shiftDay, type Day } from '../src/ground/calendar.js';
import { Job } from './job.js';

const LAST: Day = '2026-11-20';
const nights = Number(process.argv[2] ?? 300);
const first = shiftDay(LAST, 1 - nights);
/** Some, so that one odd second does not decide. */
const SAMPLE = 5;

const folder = await mkdtemp(join(tmpdir(), 'dawnload-age-'));
const job = await Job.start(folder, { eventsPerDay: 20, startDate: first, lastDay: LAST });
try {
  const young = await several(1);
  for (let night = SAMPLE + 1; night <= nights - SAMPLE; night++)
    await job.run(shiftDay(first, night - 1), 'run');
  const old = await several(nights - SAMPLE + 1);
  console.log(
    `the first nights ${young.toFixed(2)} s, the last of ${nights} ${old.toFixed(2)} s, ratio ${(old / young).toFixed(2)}`,
  );
  for (const command of ['status', 'plan']) {
    console.log(`${command} ${(await job.time(LAST, command)).toFixed(2)} s`);
  }
  const { wall, report } = await job.run(LAST, 'rebuild');
  console.log(
    `rebuild of ${nights} nights ${wall.toFixed(1)} s, of that the load ${report.seconds.pull.toFixed(1)} s`,
  );
} finally {
  await job.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The median of some nights, seconds. */
async function several(from: number): Promise<number> {
  const times: number[] = [];
  for (let night = from; night < from + SAMPLE; night++) {
    times.push((await job.run(shiftDay(first, night - 1), 'run')).wall);
  }
  return times.sort((a, b) => a - b)[Math.floor(SAMPLE / 2)] ?? 0;
}

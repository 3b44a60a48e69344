/**
 * What age costs: `npm run bench:age -- [nights]`. Tiny nights of 20 events each come home one by one, the first and the last
 * are timed, then `rebuild`, `status` and `plan`. On every night the published file is compared with a fresh copy of its data.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { shiftDay, type Day } from '../src/ground/calendar.js';
import { Job } from './job.js';

const LAST: Day = '2026-11-20';
const nights = Number(process.argv[2] ?? 300);
const first = shiftDay(LAST, 1 - nights);
/** Some, so that one odd second does not decide. */
const SAMPLE = 5;

let largest = 0;
const folder = await mkdtemp(join(tmpdir(), 'dawnload-age-'));
const job = await Job.start(folder, { eventsPerDay: 20, startDate: first, lastDay: LAST });
try {
  const young = await several(1);
  for (let night = SAMPLE + 1; night <= nights - SAMPLE; night++) {
    await job.run(shiftDay(first, night - 1), 'run');
    largest = Math.max(largest, await looseness());
  }
  const old = await several(nights - SAMPLE + 1);
  console.log(
    `the first nights ${young.toFixed(2)} s, the last of ${nights} ${old.toFixed(2)} s, ratio ${(old / young).toFixed(2)}`,
  );
  console.log(`the published file was at most ${largest.toFixed(2)} times as large as a fresh copy of it`);
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

/** The size of the published file, in sizes of a fresh copy. */
async function looseness(): Promise<number> {
  const [published, copy] = [join(folder, 'data/warehouse.duckdb'), join(folder, 'copy.duckdb')];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`attach '${published}' as old (read_only); attach '${copy}' as fresh`);
  await connection.run('copy from database old to fresh; detach fresh; detach old');
  connection.closeSync();
  instance.closeSync();
  const ratio = (await stat(published)).size / (await stat(copy)).size;
  await rm(copy);
  return ratio;
}

/** The median of some nights, seconds. */
async function several(from: number): Promise<number> {
  const times: number[] = [];
  for (let night = from; night < from + SAMPLE; night++) {
    times.push((await job.run(shiftDay(first, night - 1), 'run')).wall);
  }
  return times.sort((a, b) => a - b)[Math.floor(SAMPLE / 2)] ?? 0;
}

/**
 * Measures a year: `npm run bench:warehouse -- [days] [events per day] [folder]`. It loads a year of statistics and events from the
 * sandbox, and times a new night in a young warehouse (18 days, about a million events by default) and in the old one, then each bundled
 * query on the published file.
 */
import { mkdtemp, mkdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shiftDay, type Day } from '../src/ground/calendar.js';
import { loadCatalogue } from '../src/readers/queries/catalogue.js';
import { Reader } from '../src/warehouse/reader.js';
import { Job, type Report } from './job.js';

const LAST: Day = '2026-11-20';
const YOUNG = 18;
const days = Number(process.argv[2] ?? 365);
const eventsPerDay = Number(process.argv[3] ?? 55_000);
const given = process.argv[4];

const first = shiftDay(LAST, 1 - days);
const folder = given ?? (await mkdtemp(join(tmpdir(), 'dawnload-year-')));
await mkdir(folder, { recursive: true });
const job = await Job.start(folder, { eventsPerDay, startDate: first, lastDay: LAST });
try {
  await backfill(first, shiftDay(first, YOUNG - 1));
  const young = await night(shiftDay(first, YOUNG));
  await backfill(shiftDay(first, YOUNG + 1), shiftDay(LAST, -1));
  const old = await night(LAST);
  console.log(`one new night          ${YOUNG} days   ${days} days   ratio`);
  for (const stage of ['load', 'model', 'check'] as const) {
    const [then, now] = [young.seconds[stage], old.seconds[stage]];
    console.log(
      `  ${stage.padEnd(20)} ${then.toFixed(2)} s   ${now.toFixed(2)} s   ${(now / then).toFixed(2)}`,
    );
  }
  await ask(join(folder, 'data', 'warehouse.duckdb'));
} finally {
  await job.stop();
  if (given === undefined) await rm(folder, { recursive: true, force: true });
}

async function backfill(start: Day, end: Day): Promise<Report> {
  return (await job.run(LAST, 'backfill', '--start', start, '--end', end, '--yes-paid')).report;
}

/** The nightly job on the morning after that day, with one missing day. */
async function night(day: Day): Promise<Report> {
  return (await job.run(day, 'run')).report;
}

/** Every bundled query with its defaults: the median of three, on the published file. */
async function ask(path: string): Promise<void> {
  const reader = await Reader.open(path);
  const [facts] = await reader.objects(
    "select (select count(*) from events) as events, (select count(*) from ops.coverage where stream = 'statistics') as days",
  );
  const megabytes = Math.round((await stat(path)).size / 1e6);
  console.log(
    `${String(facts?.['events'])} events, ${String(facts?.['days'])} days of statistics, ${megabytes} MB`,
  );
  for (const { name, sql } of loadCatalogue()) {
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      const began = performance.now();
      await reader.connection.runAndReadAll(sql);
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    console.log(`  ${name.padEnd(28)} ${Math.round(times[1] ?? 0)} ms`);
  }
  await reader.close();
}

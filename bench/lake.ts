/**
 * Measures the lake: `npm run bench:lake -- [pace|year] [rounds] [events of a large day] [days of the year] [events of each]`. It compares
 * a push into an empty lake with DuckDB's own copy of the same relations to Parquet, at 5 and 20 million events; and one new night in a
 * year-old lake (one commit per day) with the same night in an empty one, before and after the weekly upkeep. The S3 server, the catalog
 * and Spark are real and run on this machine.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parts } from '../test/lake/parts.js';
import { Stack } from '../test/lake/stack.js';
import { upkeep } from '../test/lake/spark.js';
import { bareCopy } from './bare-copy.js';
import { grow, type Extent } from './grown.js';
import { Job } from './job.js';
import { LakeFolder } from './lake-folder.js';

const DAY = '2026-01-05';

const [which, ...numbers] = process.argv.slice(2);
const [rounds = 3, largeDay = 5_000_000, days = 365, eventsPerDay = 55_000] = numbers.map(Number);

const had = await parts((line) => {
  console.log(line);
});
const stack = await Stack.start(had);
try {
  const base = await realDay();
  const inBase = await eventsOf(base);
  if (which !== 'year') for (const large of [1, 4]) await pace(base, large, Math.round(largeDay / inBase));
  if (which !== 'pace') await nights(base, Math.round(eventsPerDay / inBase));
} finally {
  stack.stop();
}

/** The published file of one day, as a run made it. */
async function realDay(): Promise<string> {
  const folder = join(stack.folder, 'real');
  await mkdir(folder);
  const job = await Job.start(folder, { eventsPerDay: 20_000, startDate: DAY, lastDay: DAY });
  await job.run(DAY, 'run');
  await job.stop();
  return join(folder, 'data', 'warehouse.duckdb');
}

async function eventsOf(file: string): Promise<number> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const [counted] = (await connection.runAndReadAll('select count(*) from events')).getRows();
  connection.closeSync();
  instance.closeSync();
  return Number(counted?.[0]);
}

/** A copy of the real day's file, with those days added. */
async function grown(name: string, base: string, extent: Extent): Promise<string> {
  const began = performance.now();
  const file = join(stack.folder, `${name}.duckdb`);
  await copyFile(base, file);
  await grow(file, base, extent);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${name}: ${await eventsOf(file)} events in ${extent.to + 1} days, made in ${seconds} s`);
  return file;
}

/** So many large days, each a commit. */
async function pace(base: string, large: number, copies: number): Promise<void> {
  const file = await grown(`large${large}`, base, { from: 0, to: large - 1, copies });
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = await LakeFolder.make(stack, had, `pace${large}_${round}`, file);
    const { seconds: push, rows, commits, peakMegabytes } = await folder.push();
    const copy = await bareCopy(file, join(stack.folder, 'bare'));
    ratios.push(push / copy);
    console.log(
      `  ${rows} rows: push ${push.toFixed(1)} s in ${commits} commits (${pacePer(rows, push)}, ` +
        `${peakMegabytes?.toFixed(0) ?? '?'} MB), COPY to Parquet ${copy.toFixed(1)} s (${pacePer(rows, copy)})`,
    );
  }
  console.log(`  push / COPY ${median(ratios).toFixed(2)}`);
}

function pacePer(rows: number, seconds: number): string {
  return `${Math.round(rows / seconds)} rows/s`;
}

/** The same new night in a lake of many nights, before and after its upkeep, and in an empty one. */
async function nights(base: string, copies: number): Promise<void> {
  const file = await grown('year', base, { from: 0, to: days - 1, copies });
  const night = await grown('night', base, { from: 0, to: 0, copies });
  const year = await LakeFolder.make(stack, had, 'year', file);
  const { seconds, commits, rows } = await year.push();
  console.log(`  the year: ${rows} rows in ${commits} commits, ${seconds.toFixed(1)} s`);
  let next = days;
  for (const isKeptUp of [false, true]) {
    if (isKeptUp) await keepUp('year');
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++, next++) {
      await grow(year.published, base, { from: next, to: next, copies });
      const old = await year.push();
      const young = await (await LakeFolder.make(stack, had, `night${next}`, night)).push();
      ratios.push(old.seconds / young.seconds);
      console.log(
        `  a new night: ${old.rows} rows ${old.seconds.toFixed(2)} s into ${next} days, ` +
          `${young.rows} rows ${young.seconds.toFixed(2)} s into an empty lake`,
      );
    }
    console.log(`  old / empty ${median(ratios).toFixed(2)}${isKeptUp ? '' : ' without upkeep'}`);
  }
}

async function keepUp(namespace: string): Promise<void> {
  const began = performance.now();
  const said = await upkeep(had, stack, namespace);
  console.log(`  upkeep: ${said}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

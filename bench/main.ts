/**
 * What large days cost: `npm run bench -- [events] [options]`. In one run on the same pages: DuckDB's bare load of them, the
 * load of `rebuild`, the ratio of the two, the same with an unknown field in each record, and the day end to end; before that,
 * what small runs cost, in times of `dawnload --version`. The
 * sandbox shares the processors with the job, as does everything else on the machine: compare ratios within one run.
 *
 * --against COMMIT  builds that commit beside this one and measures both in turn
 * --fixed           only what small runs cost
 * --days N          instead: one day, then N days of so many events in one backfill
 * --pace N          instead: a day at N requests a second, from the first one to the published file, against the time that N
 *                   pages a second need; with --latency MS each answer takes so long
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shiftDay, type Day } from '../src/ground/calendar.js';
import { messageOf } from '../src/ground/errors.js';
import type { Fault } from '../test/support/faults/index.js';
import { bareLoad } from './bare.js';
import { CLI, Job, type Measured } from './job.js';

const DAY = '2026-11-19';
const DAYS = ['--start', DAY, '--end', DAY];
const UNKNOWN: readonly Fault[] = [{ endpoint: 'E21', kind: 'extra-field', field: 'novelty', value: 'x1' }];

const { values, positionals } = parseArgs({
  options: {
    against: { type: 'string' },
    days: { type: 'string' },
    fixed: { type: 'boolean', default: false },
    pace: { type: 'string' },
    latency: { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
const events = Number(positionals[0] ?? 500_000);

/** Records on a page (E21). */
const PAGE = 1000;
/** Small runs of each kind; the median counts. */
const SAMPLE = 3;

const temporary: string[] = [];
try {
  if (values.days !== undefined) await oneAndMany(Number(values.days));
  else if (values.pace !== undefined) await paced(Number(values.pace), Number(values.latency));
  else await loads();
} finally {
  for (const folder of temporary) await rm(folder, { recursive: true, force: true });
  execFileSync('git', ['worktree', 'prune']);
}

async function loads(): Promise<void> {
  const builds: [name: string, cli: string][] = [['this build', CLI]];
  if (values.against !== undefined) builds.unshift([values.against, await build(values.against)]);
  const rates = new Map<string, number>();
  for (const [name, cli] of builds) {
    console.log(`${name}:`);
    await smallRuns(cli);
    if (values.fixed) continue;
    rates.set(name, await day(cli, []));
    // Earlier commits may not get through it.
    await day(cli, UNKNOWN).catch((error: unknown) => {
      console.log(`  with an unknown field in each record: ${messageOf(error)}`);
    });
  }
  const [before, now] = builds.map(([name]) => rates.get(name) ?? 0);
  if (before !== undefined && now !== undefined && !values.fixed) {
    console.log(`end to end, this build is ${(now / before).toFixed(2)} times as fast`);
  }
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < SAMPLE; nth++) times.push(await measure());
  return times.sort((a, b) => a - b)[Math.floor(SAMPLE / 2)] ?? 0;
}

/** What runs cost that have little to do, and a night with one day of 20,000 events. */
async function smallRuns(cli: string): Promise<void> {
  const rows: [what: string, seconds: number, stages?: object][] = [];
  const folder = async (
    eventsPerDay: number,
    startDate: Day,
    work: (job: Job) => Promise<void>,
  ): Promise<void> => {
    const path = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
    temporary.push(path);
    const job = await Job.start(path, { eventsPerDay, startDate, lastDay: DAY, cli });
    try {
      await work(job);
    } finally {
      await job.stop();
    }
  };
  const timed = async (what: string, job: Job, command: string): Promise<void> => {
    let seconds = {};
    const wall = await median(async () => {
      const { wall, report } = await job.run(DAY, command);
      ({ seconds } = report);
      return wall;
    });
    rows.push([what, wall, seconds]);
  };
  let version = 0;
  await folder(200, DAY, async (job) => {
    version = await median(() => job.time(DAY, '--version'));
    const { wall, report } = await job.run(DAY, 'run');
    rows.push(['a first run of a tiny project', wall, report.seconds]);
    await timed('a night that finds nothing new', job, 'run');
    await timed('its rebuild', job, 'rebuild');
  });
  let alone = NaN;
  await folder(20_000, DAY, async (job) => {
    await job.run(DAY, 'run');
    alone = await median(async () => (await job.run(DAY, 'rebuild')).wall);
  });
  rows.push(['the load of a day of 20,000 events alone, by rebuild', alone]);
  let night = NaN;
  await folder(20_000, shiftDay(DAY, -1), async (job) => {
    await job.run(shiftDay(DAY, -1), 'run');
    const { wall, report } = await job.run(DAY, 'run');
    night = wall;
    rows.push(['a later night with such a day', wall, report.seconds]);
  });
  console.log(`  dawnload --version ${version.toFixed(2)} s`);
  for (const [what, wall, stages] of rows) {
    const parts = Object.entries(stages ?? {}).map(
      ([stage, seconds]) => `${stage} ${Number(seconds).toFixed(2)}`,
    );
    console.log(
      `  ${what} ${wall.toFixed(2)} s, ${(wall / version).toFixed(1)} times that${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`,
    );
  }
  console.log(`  that night is ${(night / alone).toFixed(2)} times the load of its day alone`);
}

interface Backfill extends Omit<Measured, 'report'> {
  readonly rows: number;
  readonly peakMegabytes: number;
}

/** The paid events of so many days, whose free statistics came before. */
async function backfill(howMany: number, circumstances: object = {}): Promise<Backfill> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  temporary.push(folder);
  const start = shiftDay(DAY, 1 - howMany);
  const range = ['backfill', '--start', start, '--end', DAY, '--streams'];
  const given = { eventsPerDay: events, startDate: start, lastDay: '2026-11-20', ...circumstances };
  const job = await Job.start(folder, given);
  try {
    await job.run('2026-11-20', ...range, 'statistics');
    const { report, ...times } = await job.run('2026-11-20', ...range, 'events', '--yes-paid');
    const rows = report.loaded
      .filter(({ stream }) => stream === 'events')
      .reduce((sum, loaded) => sum + loaded.rows, 0);
    return { rows, ...times, peakMegabytes: report.peak_memory_bytes / 1e6 };
  } finally {
    await job.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function oneAndMany(days: number): Promise<void> {
  for (const howMany of [1, days]) {
    const { rows, wall, peakMegabytes } = await backfill(howMany);
    console.log(
      `${howMany} days, ${rows} events: ${wall.toFixed(1)} s, ${Math.round(rows / wall)} events/s, peak ${Math.round(peakMegabytes)} MB`,
    );
  }
}

async function paced(pace: number, latencyMs: number): Promise<void> {
  const { rows, wall, untilPublished } = await backfill(1, { requestsPerSecond: pace, latencyMs });
  const least = Math.ceil(rows / PAGE) / pace;
  console.log(
    `${rows} events at ${pace} requests a second, ${latencyMs} ms each: from the first request to the published file ` +
      `${untilPublished.toFixed(1)} s, ${(untilPublished / least).toFixed(2)} times the ${least.toFixed(1)} s that so many ` +
      `pages need; the whole command ${wall.toFixed(1)} s`,
  );
}

/** Brings a day home and rebuilds it, without the page; gives events per second end to end. */
async function day(cli: string, faults: readonly Fault[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  temporary.push(folder);
  const job = await Job.start(folder, {
    eventsPerDay: events,
    startDate: DAY,
    lastDay: '2026-11-20',
    cli,
    page: false,
  });
  try {
    job.faults(faults);
    // The free statistics first, so that what is timed is the paid day alone.
    await job.run('2026-11-20', 'backfill', ...DAYS, '--streams', 'statistics');
    const home = await job.run('2026-11-20', 'backfill', ...DAYS, '--streams', 'events', '--yes-paid');
    const rows = home.report.loaded.find(({ stream }) => stream === 'events')?.rows ?? 0;
    const rate = rows / home.wall;
    const bare = await bareLoad(join(folder, 'data'));
    const again = await job.run('2026-11-20', 'rebuild');
    const { load, model, check } = again.report.seconds;
    console.log(
      `  ${rows} events${faults.length > 0 ? ', an unknown field in each' : ''}: bare load ${bare.toFixed(1)} s, ` +
        `load of the rebuild ${load.toFixed(1)} s, ratio ${(bare / load).toFixed(2)} ` +
        `(then models ${model.toFixed(1)} s, checks ${check.toFixed(1)} s)\n` +
        `    end to end ${home.wall.toFixed(1)} s, ${Math.round(rate)} events/s, ` +
        `peak ${Math.round(home.report.peak_memory_bytes / 1e6)} MB, ` +
        `${((home.processor / rows) * 1e6).toFixed(0)} s of processor per million events`,
    );
    return rate;
  } finally {
    await job.stop();
  }
}

/** Another commit's command, built in a worktree of its own. */
async function build(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-against-'));
  temporary.push(folder);
  execFileSync('git', ['worktree', 'add', '--detach', '--force', folder, commit], { stdio: 'ignore' });
  // That commit's packages may be others.
  execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'ignore',
  });
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  return join(folder, 'dist', 'src', 'cli.js');
}

/**
 * Measures runs and prints one table: `npm run bench -- [events] [options]`. It measures small runs as multiples of `dawnload --version`;
 * a night with 20,000 events as a multiple of loading its day in a rebuild; the published file after some nights as a multiple of a fresh
 * copy; and one large day, with usual and odd messages: DuckDB's bare load of its pages compared with `rebuild`, in total and per additional
 * event (the difference to a day with a fifth of the events); processor time and memory. The sandbox and other programs share the
 * processors with the job, so compare ratios within one run.
 *
 * --against COMMIT  also builds that commit, measures it first, and shows both side by side
 * --fixed           without the large day
 * --large           only the large day
 * --days N          instead: one day, then N days with that many events in one backfill
 * --pace N          instead: a day at N requests per second, from the first request to the published file, compared with the time that
 *                   N pages per second need; with --latency MS, each answer takes that long
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
/** Individual messages: each differs by recipient, and has an unknown field. */
const OWN: readonly Fault[] = [
  { endpoint: 'E21', kind: 'own-messages' },
  { endpoint: 'E21', kind: 'extra-field', field: 'novelty', value: 'x1' },
];
/** Individual messages on a channel that the specification does not have. */
const UNHEARD: readonly Fault[] = [
  ...OWN,
  { endpoint: 'E21', kind: 'other-type', field: 'channel', value: 'telepathy', records: 'all' },
];
const UNKNOWN: readonly Fault[] = [{ endpoint: 'E21', kind: 'extra-field', field: 'novelty', value: 'x1' }];

const { values, positionals } = parseArgs({
  options: {
    against: { type: 'string' },
    days: { type: 'string' },
    fixed: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
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
/** Nights whose published file is measured. */
const NIGHTS = 12;

/** The measurements, by their names in the table, with the wanted bounds. */
const FIGURES = {
  version: ['`dawnload --version`, seconds'],
  first: ['first run of a tiny project, as a multiple of `--version`', 'at most 25'],
  idle: ['night without new data, as a multiple of `--version`', 'at most 12'],
  rebuild: ['rebuild of the tiny project, as a multiple of `--version`', 'at most 25'],
  night: ['night with 20,000 events, as a multiple of loading its day', 'at most 1.5'],
  loose: ['largest published file, as a multiple of a fresh copy', 'at most 1.5'],
  load: ['large day: bare DuckDB load divided by the load of `rebuild`'],
  drift: ['… with an unknown field in each record', 'at least 0.2'],
  own: ['… with individual messages that have an unknown field', 'at least 0.25'],
  unheard: ['… and on an unknown channel', 'at least 0.25'],
  whole: ['processor time per additional event: bare load divided by `rebuild`'],
  wholeOwn: ['… with individual messages that have an unknown field', 'at least 0.25'],
  processor: ['download and load, seconds of processor time per million events', 'at most 45'],
  driftProcessor: ['… with an unknown field in each record', 'at most 55'],
  rate: ['download and load, events per second'],
  peak: ['download and load, peak memory in MB', 'at most 1000'],
  forget: ['`forget` of an unknown id, peak memory in MB', 'at most 600'],
} as const;
type Figures = Partial<Record<keyof typeof FIGURES, number>>;
type Stages = Readonly<Record<string, unknown>>;

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
  const measured: Figures[] = [];
  for (const [name, cli] of builds) {
    const { figures, stages } = values.large
      ? { figures: {}, stages: new Map<string, Stages>() }
      : await smallRuns(cli);
    if (!values.fixed) {
      Object.assign(figures, await day(cli, []));
      // Earlier commits may not get through the odd worlds.
      const odd = (what: string, faults: readonly Fault[]): Promise<Figures> =>
        day(cli, faults).catch((error: unknown) => {
          console.log(`${name}, ${what}: ${messageOf(error)}`);
          return {};
        });
      const { load: drift, processor: driftProcessor } = await odd(
        'an unknown field in each record',
        UNKNOWN,
      );
      const { load: own, whole: wholeOwn } = await odd('each message its recipient’s own', OWN);
      const { load: unheard } = await odd('an unknown channel', UNHEARD);
      Object.assign(figures, { drift, driftProcessor, own, wholeOwn, unheard });
    }
    measured.push(figures);
    if (values.large) continue;
    console.log(`Seconds of each stage, ${name}:`);
    showStages(stages);
  }
  const isAgainst = measured.length > 1;
  const head = ['', ...builds.map(([name]) => name.slice(0, 10)), ...(isAgainst ? ['ratio'] : []), 'wanted'];
  const number = (value: number | undefined): string =>
    value === undefined ? '' : value.toFixed(value < 100 ? 2 : 0);
  const rows = Object.entries(FIGURES).flatMap(([name, [what, wanted = '']]) => {
    const numbers = measured.map((figures) => figures[name as keyof Figures]);
    const [before, now] = numbers;
    if (numbers.every((one) => one === undefined)) return [];
    const ratio = before === undefined || now === undefined ? undefined : now / before;
    return [[what, ...numbers.map(number), ...(isAgainst ? [number(ratio)] : []), wanted]];
  });
  showRows([head, ...rows]);
}

/** Writes rows with columns of one width: the first to the left, the others to the right. */
function showRows(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, nth) => Math.max(...rows.map((row) => (row[nth] ?? '').length)));
  for (const row of rows)
    console.log(
      `  ${row.map((cell, nth) => (nth === 0 ? cell.padEnd(widths[nth] ?? 0) : cell.padStart(widths[nth] ?? 0))).join('  ')}`,
    );
}

/** Writes how long each stage of some runs took, in the order of a run. */
function showStages(stages: ReadonlyMap<string, Stages>): void {
  const names = ['open', 'migrate', 'pull', 'load', 'model', 'check', 'close', 'publish', 'page'];
  const rows = [...stages].map(([what, seconds]) => [
    what,
    ...names.map((stage) => (stage in seconds ? Number(seconds[stage]).toFixed(2) : '')),
  ]);
  showRows([['', ...names], ...rows]);
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < SAMPLE; nth++) times.push(await measure());
  return times.sort((a, b) => a - b)[Math.floor(SAMPLE / 2)] ?? 0;
}

/** Measures runs with little to do, a night with one day of 20,000 events, and the free space in files. */
async function smallRuns(cli: string): Promise<{ figures: Figures; stages: Map<string, Stages> }> {
  const figures: Figures = {};
  const stages = new Map<string, Stages>();
  const inFolder = async (
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
  const timed = async (job: Job, command: string, what: string): Promise<number> => {
    const { wall, report } = await job.run(DAY, command);
    stages.set(what, report.seconds);
    return wall;
  };
  await inFolder(200, DAY, async (job) => {
    const version = await median(async () => (await job.measure(DAY, '--version')).wall);
    figures.version = version;
    figures.first = (await timed(job, 'run', 'first run')) / version;
    figures.idle = (await median(() => timed(job, 'run', 'nothing new'))) / version;
    figures.rebuild = (await median(() => timed(job, 'rebuild', 'rebuild'))) / version;
  });
  let alone = NaN;
  await inFolder(20_000, DAY, async (job) => {
    await job.run(DAY, 'run');
    alone = await median(() => timed(job, 'rebuild', '20,000 events alone'));
  });
  await inFolder(20_000, shiftDay(DAY, -1), async (job) => {
    await job.run(shiftDay(DAY, -1), 'run');
    figures.night = (await timed(job, 'run', 'a night with 20,000')) / alone;
  });
  await inFolder(20, shiftDay(DAY, 1 - NIGHTS), async (job) => {
    for (let ago = NIGHTS - 1; ago >= 0; ago--) {
      await job.run(shiftDay(DAY, -ago), 'run');
      figures.loose = Math.max(figures.loose ?? 0, await job.looseness());
    }
  });
  return { figures, stages };
}

interface Backfill extends Omit<Measured, 'report'> {
  readonly rows: number;
}

/** The paid events of that many days, after their free statistics. */
async function backfill(howMany: number, circumstances: object = {}): Promise<Backfill> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  temporary.push(folder);
  const start = shiftDay(DAY, 1 - howMany);
  const range = ['backfill', '--start', start, '--end', DAY, '--streams'];
  const given = {
    eventsPerDay: events,
    startDate: start,
    lastDay: '2026-11-20',
    peaks: true,
    ...circumstances,
  };
  const job = await Job.start(folder, given);
  try {
    await job.run('2026-11-20', ...range, 'statistics');
    const { report, ...times } = await job.run('2026-11-20', ...range, 'events', '--yes-paid');
    const rows = report.loaded
      .filter(({ stream }) => stream === 'events')
      .reduce((sum, loaded) => sum + loaded.rows, 0);
    return { rows, ...times };
  } finally {
    await job.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function oneAndMany(days: number): Promise<void> {
  for (const howMany of [1, days]) {
    const { rows, wall, peak } = await backfill(howMany);
    console.log(
      `${howMany} days, ${rows} events: ${wall.toFixed(1)} s, ${Math.round(rows / wall)} events/s, peak ${Math.round(peak)} MB`,
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

/** Measures a large day, and each additional event: the difference from a day with a fifth of the events. */
async function day(cli: string, faults: readonly Fault[]): Promise<Figures> {
  const small = await dayOf(Math.ceil(events / 5), cli, faults);
  const large = await dayOf(events, cli, faults);
  return {
    load: large.bare.wall / large.again.report.seconds.load,
    // Processor time, because other work on the machine affects it less than wall clock.
    whole: (large.bare.processor - small.bare.processor) / (large.again.processor - small.again.processor),
    processor: (large.home.processor / large.rows) * 1e6,
    rate: large.rows / large.home.wall,
    peak: large.home.peak,
    forget: large.forget,
  };
}

interface Large {
  readonly rows: number;
  readonly home: Measured;
  readonly bare: Awaited<ReturnType<typeof bareLoad>>;
  readonly again: Measured;
  readonly forget: number;
}

/** Loads and rebuilds a day, without the page, and searches it for an unknown person. */
async function dayOf(eventsPerDay: number, cli: string, faults: readonly Fault[]): Promise<Large> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-bench-'));
  temporary.push(folder);
  const lastDay = '2026-11-20';
  const job = await Job.start(folder, {
    eventsPerDay,
    startDate: DAY,
    lastDay,
    cli,
    page: false,
    peaks: true,
    incomplete: faults.length > 0,
  });
  try {
    job.faults(faults);
    // The free statistics first, so that only the paid day is timed.
    await job.run(lastDay, 'backfill', ...DAYS, '--streams', 'statistics');
    const home = await job.run(lastDay, 'backfill', ...DAYS, '--streams', 'events', '--yes-paid');
    const rows = home.report.loaded.find(({ stream }) => stream === 'events')?.rows ?? 0;
    const bare = await bareLoad(join(folder, 'data'));
    const again = await job.run(lastDay, 'rebuild');
    const forget = await job.measure(lastDay, 'forget', '--user-id', 'nobody-at-all', '--dry-run');
    return { rows, home, bare, again, forget: forget.peak };
  } finally {
    await job.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Another commit's command, built in its own worktree. */
async function build(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-against-'));
  temporary.push(folder);
  execFileSync('git', ['worktree', 'add', '--detach', '--force', folder, commit], { stdio: 'ignore' });
  // That commit may have other packages.
  execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'ignore',
  });
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  return join(folder, 'dist', 'src', 'cli.js');
}

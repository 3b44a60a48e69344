/**
 * The long form: `npm run torture -- [--seed N] [--kills N] [--faults] [--fortnights N] [--odd N]
 * [--erasures N] [--pushes N] [--forgetful N] [--mutations]`. Without a word about which, it
 * kills. Everything is on loopback and ends by itself.
 */
import { parseArgs } from 'node:util';
import { ENDPOINTS, FAULTS, REFUSED, tryFault, type Row } from './faults.js';
import { eraseWithKills } from './erasures.js';
import { emptyForgetfulReport, forgetfulMonth } from './forgetful.js';
import { emptyFortnightReport, fortnight } from './fortnight.js';
import { emptyReport, killTorture } from './kill.js';
import { mutations } from './mutations.js';
import { oddNights } from './odd.js';
import { pushWithKills } from './pushes.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '500' },
    minutes: { type: 'string', default: '120' },
    /** Processes at a time. */
    workers: { type: 'string', default: '2' },
    faults: { type: 'boolean', default: false },
    /** So many fortnights of hostile nights. */
    fortnights: { type: 'string' },
    /** So many nights with one odd value each. */
    odd: { type: 'string' },
    /** So many persons erased, with kills. */
    erasures: { type: 'string' },
    /** So many pushes with kills and a hostile service, of so many rows each. */
    pushes: { type: 'string' },
    rows: { type: 'string', default: '10000' },
    /** Parts of the names of the faults, the odd values or the mutations to try; several may be given. */
    only: { type: 'string', multiple: true, default: [] },
    /** So many months of nights in a data folder that loses files. */
    forgetful: { type: 'string' },
    mutations: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const isWanted = (name: string): boolean =>
  values.only.length === 0 || values.only.some((part) => name.includes(part));

const workers = Number(values.workers);

/** So many at a time as there are workers: each is a process and its service. */
async function inTurn<T>(jobs: readonly (() => Promise<T>)[]): Promise<void> {
  const queue = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await job();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const firstSeed = Number(values.seed ?? Date.now() % 1_000_000);
const why = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Says counts, and how often each point or fault of a report was reached. */
function conclude(report: { readonly points: ReadonlyMap<string, number> }): void {
  const { points, ...counts } = report;
  say(JSON.stringify(counts));
  for (const [point, times] of [...points].sort()) say(`  ${point} ${times}`);
}

async function erasures(count: number): Promise<number> {
  say(`seed ${firstSeed}, ${count} erasures`);
  conclude(await eraseWithKills({ seed: firstSeed, erasures: count, say }));
  return 0;
}

async function pushes(count: number): Promise<number> {
  say(`seed ${firstSeed}, ${count} pushes of ${values.rows} rows`);
  const report = await pushWithKills({ seed: firstSeed, pushes: count, rows: Number(values.rows), say });
  conclude(report);
  return report.sentTwice + report.doneAndNotReceived + report.lost;
}

async function kill(): Promise<number> {
  const kills = Number(values.kills);
  const until = Date.now() + Number(values.minutes) * 60_000;
  say(`seed ${firstSeed}, ${kills} kills`);
  const report = emptyReport();
  let broken = 0;
  const worker = async (own: number): Promise<void> => {
    for (let turn = own; broken <= 5 && report.kills < kills && Date.now() < until; turn += workers) {
      await killTorture({ seed: turn, kills, until, say }, report).catch((error: unknown) => {
        broken++;
        say(`BROKEN with seed ${turn}: ${why(error)}`);
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, i) => worker(firstSeed + i)));
  conclude(report);
  return broken;
}

async function faults(): Promise<number> {
  const rows: Row[] = [];
  let broken = 0;
  const pairs = [REFUSED, ...Object.keys(FAULTS)].flatMap((fault) =>
    ENDPOINTS.map((endpoint) => ({ fault, endpoint })),
  );
  const chosen = pairs.filter(({ fault, endpoint }) => isWanted(`${fault} on ${endpoint}`));
  await inTurn(
    chosen.map(({ fault, endpoint }) => async () => {
      try {
        const row = await tryFault(fault, endpoint);
        rows.push(row);
        say(
          `${fault} on ${endpoint}: ${row.code ?? 'none'}, ${row.states || 'no export'}, ${row.bills} billed, ${row.seconds} s`,
        );
      } catch (error) {
        broken++;
        say(`BROKEN by ${fault} on ${endpoint}: ${why(error)}`);
      }
    }),
  );
  const longest = Math.max(...rows.map(({ seconds }) => seconds));
  say(
    `${rows.length} of ${chosen.length} as they should be, ${broken} broken; the longest took ${longest} s`,
  );
  return broken;
}

/** Tries each seed, `workers` at a time. */
async function seeds(count: number, trial: (seed: number) => Promise<void>): Promise<number> {
  let broken = 0;
  const jobs = Array.from({ length: count }, (_, nth) => async () => {
    const seed = firstSeed + nth;
    const begun = Date.now();
    try {
      await trial(seed);
      say(`seed ${seed}: held, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    } catch (error) {
      broken++;
      say(`BROKEN with seed ${seed}: ${why(error)}`);
    }
  });
  await inTurn(jobs);
  say(`${broken} broken`);
  return broken;
}

async function fortnights(count: number): Promise<number> {
  say(`${count} fortnights, seeds ${firstSeed} to ${firstSeed + count - 1}`);
  const report = emptyFortnightReport();
  const broken = await seeds(count, (seed) => fortnight(seed, report));
  conclude(report);
  return broken;
}

async function forgetful(count: number): Promise<number> {
  say(`${count} forgetful months of ten nights, seeds ${firstSeed} to ${firstSeed + count - 1}`);
  const report = emptyForgetfulReport();
  const broken = await seeds(count, (seed) => forgetfulMonth(seed, report));
  conclude(report);
  return broken;
}

async function odd(count: number): Promise<number> {
  say(`${count} odd nights from seed ${firstSeed}`);
  const begun = Date.now();
  const findings = await oddNights({ first: firstSeed, count, workers }, isWanted, say);
  say(`${count} odd nights in ${((Date.now() - begun) / 1000).toFixed(0)} s, ${findings.length} broken`);
  for (const { seed, what, why } of findings) say(`  ${seed}: ${what}: ${why.split('\n')[0] ?? ''}`);
  return findings.length;
}

async function chosen(): Promise<number> {
  const counted = { odd, fortnights, erasures, pushes, forgetful } as const;
  for (const [name, run] of Object.entries(counted)) {
    const count = values[name as keyof typeof counted];
    if (count !== undefined) return run(Number(count));
  }
  if (values.mutations) return mutations(say, isWanted);
  return values.faults ? faults() : kill();
}
process.exit((await chosen()) === 0 ? 0 : 1);

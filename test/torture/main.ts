/**
 * The long form: `npm run torture -- [--faults | --odd | --erasures | --mutations] [--seed N]
 * [--count N]`. Without a word about which, it kills. Everything is on loopback and ends by itself. With the
 * seeds and the count that a harness has by default, whatever never happened fails the run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { emptyErasureReport, eraseWithKills } from './erasures.js';
import type { Counters } from './counters.js';
import { faultCounters, PAIRS, tryFault } from './faults.js';
import { emptyReport, killTorture, WAYS, wayName } from './kill.js';
import { mutations } from './mutations.js';
import { oddCounters, oddNights } from './odd.js';
import { setup } from '../support/template.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    /** How many odd nights or erasures. */
    count: { type: 'string' },
    minutes: { type: 'string', default: '120' },
    /** Processes at a time. */
    workers: { type: 'string', default: '2' },
    faults: { type: 'boolean', default: false },
    /** Nights with one odd value each. */
    odd: { type: 'boolean', default: false },
    /** Persons erased, with kills. */
    erasures: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    /** Parts of the names of the faults, the odd values or the mutations to try; several may be given. */
    only: { type: 'string', multiple: true, default: [] },
    /** A file that adds up the counters of several runs. */
    counters: { type: 'string' },
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
    for (let job = queue.shift(); job !== undefined && Date.now() < until; job = queue.shift()) await job();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const firstSeed = Number(values.seed ?? 1);
const isDefault = values.seed === undefined && values.count === undefined && values.only.length === 0;
const countOr = (count: number): number => Number(values.count ?? count);
const until = Date.now() + Number(values.minutes) * 60_000;
const why = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Prints the figures and the counters; returns how many names never happened, in a run that should reach all. */
function conclude(figures: object, counters: Counters): number {
  const { counters: file } = values;
  if (file !== undefined) {
    if (existsSync(file)) counters.add(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
    writeFileSync(file, JSON.stringify(counters.all()));
  }
  say(JSON.stringify({ ...figures, counters: undefined }));
  return counters.conclude(say, isDefault);
}

async function erasures(): Promise<number> {
  const count = countOr(50);
  say(`seed ${firstSeed}, ${count} erasures`);
  const report = emptyErasureReport();
  const worker = async (seed: number): Promise<unknown> =>
    eraseWithKills({ seed, erasures: count, most: isDefault ? 2 * count : count, until, say }, report);
  await Promise.all(Array.from({ length: workers }, (_, i) => worker(firstSeed + i)));
  return conclude(report, report.counters);
}

async function kill(): Promise<number> {
  const ways = WAYS.filter((way) => isWanted(wayName(way)));
  say(`seed ${firstSeed}, ${ways.length} ways to a crash point`);
  const report = emptyReport();
  let broken = 0;
  const worker = async (own: number): Promise<void> => {
    for (let seed = own; broken <= 5 && ways.length > 0 && Date.now() < until; seed += workers) {
      await killTorture({ seed, ways, until, say }, report).catch((error: unknown) => {
        broken++;
        say(`BROKEN with seed ${seed}: ${why(error)}`);
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, i) => worker(firstSeed + i)));
  return broken + conclude(report, report.counters);
}

async function faults(): Promise<number> {
  let broken = 0;
  let longest = 0;
  const counters = faultCounters();
  const chosen = PAIRS.filter(({ name }) => isWanted(name));
  await inTurn(
    chosen.map(({ fault, endpoint, name }) => async () => {
      try {
        const row = await tryFault(fault, endpoint, counters);
        longest = Math.max(longest, row.seconds);
        say(
          `${name}: ${row.code ?? 'none'}, ${row.states || 'no export'}, ${row.bills} billed, ${row.seconds} s`,
        );
      } catch (error) {
        broken++;
        say(`BROKEN by ${name}: ${why(error)}`);
      }
    }),
  );
  return broken + conclude({ pairs: chosen.length, broken, longest }, counters);
}

async function odd(): Promise<number> {
  const count = countOr(300);
  say(`${count} odd nights from seed ${firstSeed}`);
  const counters = oddCounters();
  const findings = await oddNights(
    { first: firstSeed, count, most: isDefault ? 2 * count : count, workers },
    isWanted,
    say,
    counters,
  );
  for (const { seed, what, why } of findings) say(`  ${seed}: ${what}: ${why.split('\n')[0] ?? ''}`);
  return findings.length + conclude({ nights: count, broken: findings.length }, counters);
}

async function chosen(): Promise<number> {
  await setup();
  const harnesses = { faults, odd, erasures } as const;
  for (const [name, run] of Object.entries(harnesses))
    if (values[name as keyof typeof harnesses]) return run();
  return values.mutations ? mutations(say, isWanted, workers) : kill();
}
process.exit((await chosen()) === 0 ? 0 : 1);

/**
 * `npm run lives -- [--seeds N] [--first N] [--steps N] [--workers N]`: so many lives, each with its own seed. A life that
 * breaks a promise is shrunk to its shortest form. With the default seeds, whatever never happened fails the run.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setup } from '../support/template.js';
import { broken, play } from './seed.js';
import { counters, type Step } from './steps.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    /** The first seed. */
    first: { type: 'string', default: '1' },
    /** Over DuckDB rather than a warehouse that is one small file. */
    duckdb: { type: 'boolean', default: false },
    /** The steps of a life, on average. */
    steps: { type: 'string' },
    /** Processes at a time: one life each. */
    workers: { type: 'string', default: '2' },
    /** For how many seconds a broken life is shrunk. */
    shrinking: { type: 'string', default: '60' },
    /** A life to play once more, as a broken one is printed. */
    life: { type: 'string' },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const depth = values.duckdb ? 'duckdb' : 'file';
const seeds = Number(values.seeds ?? (values.duckdb ? 40 : 1000));
const steps = Number(values.steps ?? (values.duckdb ? 12 : 30));
const first = Number(values.first);
const counted = counters(depth);

/** The seeds of a worker, which tells its parent what came of each. */
async function work(own: number): Promise<void> {
  const step = Number(values.workers);
  for (let seed = first + own; seed < first + seeds; seed += step)
    await broken(seed, steps, counted, depth, 1_000 * Number(values.shrinking)).then((why) =>
      process.send?.({ seed, broken: why }),
    );
  process.send?.({ counters: counted.all() });
}

interface Said {
  readonly broken?: string;
  readonly counters?: Record<string, number>;
}

async function all(): Promise<number> {
  const begun = Date.now();
  say(`${seeds} lives of about ${steps} steps, from seed ${first}`);
  let failures = 0;
  let played = 0;
  const worker = (own: number) =>
    new Promise<void>((done) => {
      const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
        env: { ...process.env, LIVES_WORKER: String(own) },
      });
      child.on('message', (said: Said) => {
        if (said.counters !== undefined) counted.add(said.counters);
        else if (++played % 100 === 0) say(`${played} lives, ${failures} broken`);
        if (said.broken === undefined) return;
        failures++;
        say(said.broken);
      });
      child.on('exit', (code) => {
        if (code !== 0) {
          failures++;
          say(`a worker ended with ${code}`);
        }
        done();
      });
    });
  await Promise.all(Array.from({ length: Number(values.workers) }, (_, own) => worker(own)));
  const minutes = (Date.now() - begun) / 60_000;
  const missing = counted.conclude(say, values.seeds === undefined);
  say(`${played} lives in ${minutes.toFixed(1)} minutes, ${failures} broken`);
  return failures + missing;
}

const own = process.env['LIVES_WORKER'];
if (own !== undefined) {
  await work(Number(own));
  process.exit(0);
}
if (values.duckdb) await setup();
if (values.life !== undefined) {
  await play(JSON.parse(values.life) as Step[], counted, depth);
  process.exit(0);
}
process.exit((await all()) === 0 ? 0 : 1);

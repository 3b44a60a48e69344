/**
 * The lake with real parts: `npm run test:lake -- [--short] [--seed N]`. An S3 server, a catalog and Spark run on this
 * machine, the built command fills the lake and is killed at it, and Spark reads everything. `--fetch` only fetches the
 * parts; with `--where-possible` their lack is no failure.
 */
import { parseArgs } from 'node:util';
import { Missing, parts, type Parts } from './parts.js';
import { questions, STEPS, type Extent } from './steps.js';
import { LakeTrial } from './trial.js';

const { values } = parseArgs({
  options: {
    /** Fewer days and kills. */
    short: { type: 'boolean', default: false },
    fetch: { type: 'boolean', default: false },
    'where-possible': { type: 'boolean', default: false },
    /** Says each command and its time in the end. */
    story: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const extent: Extent = values.short ? { seed, days: 10, kills: 2 } : { seed, days: 30, kills: 5 };

async function fetched(): Promise<Parts> {
  try {
    return await parts(say);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    say(`The lake is not tried with real parts. ${error.message}`);
    if (values['where-possible']) say('skipped');
    return process.exit(values['where-possible'] ? 0 : 1);
  }
}

async function trial(found: Parts): Promise<boolean> {
  const begun = Date.now();
  say(`seed ${seed}`);
  const lake = await LakeTrial.start(found);
  const stopAtOnce = (): void => {
    lake.stack.stop();
    process.exit(130);
  };
  process.once('SIGINT', stopAtOnce).once('SIGTERM', stopAtOnce);
  say(`versitygw and Nessie answer after ${seconds(begun)}`);
  try {
    for (const [what, step] of STEPS) {
      const since = Date.now();
      say(`${what}: ${await step(lake, extent)} (${seconds(since)})`);
    }
    const since = Date.now();
    const asked = await questions(lake);
    for (const { name, columns, spark, duckdb, isEqual } of asked) {
      say(
        `\n${name}: ${spark.length} rows on Spark, ${duckdb.length} on DuckDB, ${isEqual ? 'equal' : 'NOT EQUAL'}`,
      );
      say(`         ${columns.join(' | ')}`);
      const first = spark.findIndex((row, i) => row !== duckdb[i]);
      for (const i of first === -1 ? [0, 1] : [first]) {
        say(`  Spark  ${spark[i] ?? ''}`);
        say(`  DuckDB ${duckdb[i] ?? ''}`);
      }
    }
    const equal = asked.filter(({ isEqual }) => isEqual).length;
    say(`\n${equal} of ${asked.length} bundled questions have the same answer on both (${seconds(since)})`);
    say(`${STEPS.length} steps held, ${seconds(begun)} in all`);
    return equal === asked.length;
  } catch (error) {
    say(
      `BROKEN with seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return false;
  } finally {
    if (values.story) say(lake.trial.story.join('\n'));
    await lake.stop();
  }
}

const found = await fetched();
const isWell = values.fetch || (await trial(found));
process.exit(isWell ? 0 : 1);

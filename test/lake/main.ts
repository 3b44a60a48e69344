/**
 * The lake with real parts: `npm run test:lake -- [--short] [--for SECONDS] [--seed N]`. An S3 server, a catalog and Spark run on this
 * machine, the built command fills the lake and is killed at it, and Spark reads everything. `--fetch` fetches the parts
 * and does nothing else. Without Python, Go, Maven and Java it says what is missing, with exit code 1.
 */
import { parseArgs } from 'node:util';
import { Missing, parts, type Parts } from './parts.js';
import { STEPS, type Extent } from './steps.js';
import { LakeTrial } from './trial.js';

const { values } = parseArgs({
  options: {
    /** Fewer days, kills and comparisons. */
    short: { type: 'boolean', default: false },
    /** No step begins that would hardly end within so many seconds. */
    for: { type: 'string', default: 'Infinity' },
    fetch: { type: 'boolean', default: false },
    /** Says each command and its time in the end. */
    story: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** What the longest step of the short form takes. */
const STEP_SECONDS = 40;

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const extent: Extent = values.short
  ? { seed, days: 5, kills: 1, thorough: false }
  : { seed, days: 30, kills: 5, thorough: true };

async function trial(found: Parts): Promise<boolean> {
  const begun = Date.now();
  say(`seed ${seed}`);
  const lake = await LakeTrial.start(found);
  say(`versitygw and Nessie answer after ${seconds(begun)}`);
  try {
    for (const [i, [what, step]] of STEPS.entries()) {
      const since = Date.now();
      if ((since - begun) / 1000 + STEP_SECONDS > Number(values.for)) {
        say(`${i} of ${STEPS.length} steps held, ${seconds(begun)} in all; no time is left for the others`);
        return true;
      }
      say(`${what}: ${await step(lake, extent)} (${seconds(since)})`);
    }
    say(`${STEPS.length} steps held, ${seconds(begun)} in all`);
    return true;
  } catch (error) {
    say(
      `BROKEN with seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return false;
  } finally {
    if (values.story) say(lake.trial.story.join('\n'));
  }
}

// What is under way ends with this process, as its handlers of `exit` say.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const found = await parts(say);
  process.exit(values.fetch || (await trial(found)) ? 0 : 1);
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  say(`The lake is not tried with real parts. ${error.message}`);
  process.exit(1);
}

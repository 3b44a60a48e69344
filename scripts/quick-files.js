// The quick suite stays quick: reads the figures of vitest's JSON reporter, and fails for each test file that takes more than a
// quarter of the time of all files together, on a fast machine and on a slow one.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LARGEST_SHARE = 0.25;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const timed = testResults.map(({ name, startTime, endTime }) => ({
  file: relative('.', name),
  ms: endTime - startTime,
}));
const all = timed.reduce((sum, { ms }) => sum + ms, 0);
const slow = timed.filter(({ ms }) => ms > all * LARGEST_SHARE);
for (const { file, ms } of slow) {
  const share = Math.round((100 * ms) / all);
  console.error(`${file} takes ${share} % of the quick suite: tag its longest tests as long.`);
}
process.exitCode = slow.length === 0 ? 0 : 1;

// The quick suite stays quick: reads the figures of vitest's JSON reporter, and fails for each test file that took far longer
// than the five seconds that a quick file may take alone. The margin allows for a busy machine, and for the fixed world,
// which a fresh clone makes once.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LIMIT_SECONDS = 40;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const slow = testResults
  .map(({ name, startTime, endTime }) => ({
    file: relative('.', name),
    seconds: (endTime - startTime) / 1000,
  }))
  .filter(({ seconds }) => seconds > LIMIT_SECONDS);
for (const { file, seconds } of slow) {
  console.error(
    `${file} took ${seconds.toFixed(1)} s. A file of the quick suite may take 5 s alone: tag its longest tests as long.`,
  );
}
process.exitCode = slow.length === 0 ? 0 : 1;

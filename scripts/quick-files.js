// The quick suite stays quick: reads the figures of vitest's JSON reporter, and fails for each test file whose tests without the
// tag `long` took far longer than the five seconds that they may take alone. The margin allows for a busy machine, and for the
// fixed world, which a fresh clone makes once.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LIMIT_SECONDS = 40;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const isQuick = ({ tags }) => !tags.includes('long') && !tags.includes('extended');
const slow = testResults
  .map(({ name, assertionResults }) => ({
    file: relative('.', name),
    seconds: assertionResults.filter(isQuick).reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000,
  }))
  .filter(({ seconds }) => seconds > LIMIT_SECONDS);
for (const { file, seconds } of slow) {
  console.error(
    `${file} took ${seconds.toFixed(1)} s. A file of the quick suite may take 5 s alone: tag its longest tests as long.`,
  );
}
process.exitCode = slow.length === 0 ? 0 : 1;

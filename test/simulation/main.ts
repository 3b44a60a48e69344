/**
 * What verdicts are worth: `npm run simulate -- [tests]`. The shipped SQL judges simulated A/B tests every morning of 90
 * days. Without a difference between variants, every winner is a false one.
 */
import { ALIKE, BETTER } from './cells.js';
import { simulate } from './simulate.js';

const tests = Number(process.argv[2] ?? 2000);
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`.padStart(9);
const say = (...cells: string[]): void => {
  process.stdout.write(`${cells.join('  ')}\n`);
};

let failed = false;
say('no difference'.padEnd(42), 'false winner', 'do not trust', 'one look at the end');
for (const [index, cell] of ALIKE.entries()) {
  const { judged, distrusted, fixed } = await simulate({ ...cell, tests }, index + 1);
  const wrong = judged > 0.05 || distrusted > 0.005;
  failed ||= wrong;
  say(
    cell.name.padEnd(42),
    percent(judged).padStart(12),
    percent(distrusted).padStart(12),
    percent(fixed),
    wrong ? 'TOO OFTEN' : '',
  );
}
say();
say('a lift of 20 %'.padEnd(42), '  found', 'median days', 'one look at the end');
for (const [index, cell] of BETTER.entries()) {
  const { judged, medianDays, fixed } = await simulate({ ...cell, tests: Math.min(tests, 500) }, 100 + index);
  say(cell.name.padEnd(42), percent(judged), String(medianDays ?? '-').padStart(11), percent(fixed));
}
process.exitCode = failed ? 1 : 0;

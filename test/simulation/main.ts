/**
 * What verdicts are worth: `npm run simulate -- [tests]`. The shipped SQL judges simulated A/B tests every morning of 90
 * days. Without a difference between variants, every winner is a false one.
 */
import { ALIKE, BETTER } from './cells.js';
import { falseAlarms, OPT_OUT_CELLS } from './opt-outs.js';
import { falseWinners, REVENUE_CELLS } from './revenue.js';
import { simulate } from './simulate.js';
import { namedMornings, WATCH_BETTER, WATCH_CELLS } from './watch.js';

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
say();
say('no more opt-outs than others'.padEnd(50), 'false alarm');
for (const [index, cell] of OPT_OUT_CELLS.entries()) {
  const share = await falseAlarms(cell, Math.min(tests, 300), 200 + index);
  const wrong = share > 0.05;
  failed ||= wrong;
  say(cell.name.padEnd(50), percent(share), wrong ? 'TOO OFTEN' : '');
}
say();
say('equal campaigns to watch'.padEnd(50), 'mornings on which one is named');
for (const [index, cell] of WATCH_CELLS.entries()) {
  const share = await namedMornings(cell, Math.min(tests, 300), 300 + index);
  const wrong = share > 0.05;
  failed ||= wrong;
  say(cell.name.padEnd(50), percent(share), wrong ? 'TOO OFTEN' : '');
}
say();
say('one campaign to watch'.padEnd(62), 'found');
for (const [index, cell] of WATCH_BETTER.entries()) {
  say(cell.name.padEnd(62), percent(await namedMornings(cell, Math.min(tests, 100), 350 + index)));
}
say();
say('equal variants, by revenue'.padEnd(50), 'ever a winner in a year of mornings');
for (const [index, cell] of REVENUE_CELLS.entries()) {
  const share = await falseWinners(cell, { tests: Math.min(tests, 200), mornings: 365 }, 400 + index);
  const wrong = share > 0.05;
  failed ||= wrong;
  say(cell.name.padEnd(50), percent(share), wrong ? 'TOO OFTEN' : '');
}
process.exitCode = failed ? 1 : 0;

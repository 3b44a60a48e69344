/**
 * What verdicts are worth: `npm run simulate -- [tests] [part of the name of A/B cells]`. The shipped SQL judges simulated tests on
 * every day. Without a difference between variants, every winner is a false one. `npm run simulate:holdouts` does the same for holdouts.
 */
import { ALIKE, BETTER, simulate } from './experiments.js';
import { falseAlarms, OPT_OUT_CELLS } from './opt-outs.js';
import { namedMornings, WATCH_BETTER, WATCH_CELLS } from './watch.js';

const tests = Number(process.argv[2] ?? 500);
const part = process.argv[3] ?? '';
const percent = (share: number): string => `${(100 * share).toFixed(2)}%`.padStart(9);
const say = (...cells: string[]): void => {
  process.stdout.write(`${cells.join('  ')}\n`);
};

let failed = false;
const NAME = 66;
say('no difference'.padEnd(NAME), 'false winner', '      alarm');
for (const [index, cell] of ALIKE.entries()) {
  if (!cell.name.includes(part)) continue;
  const { judged, alarmed } = await simulate({ ...cell, tests }, index + 1);
  failed ||= judged > 0.05;
  say(
    cell.name.padEnd(NAME),
    percent(judged).padStart(12),
    percent(alarmed).padStart(11),
    judged > 0.05 ? 'TOO OFTEN' : '',
  );
}
say();
say('a lift of 30%'.padEnd(NAME), '       found', 'median days');
for (const [index, cell] of BETTER.entries()) {
  if (!cell.name.includes(part)) continue;
  const { judged, medianDays } = await simulate({ ...cell, tests: Math.min(tests, 150) }, 100 + index);
  say(cell.name.padEnd(NAME), percent(judged).padStart(12), String(medianDays ?? '-').padStart(11));
}
// A part of a name asks for A/B tests alone.
if (part !== '') process.exit(failed ? 1 : 0);
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
process.exitCode = failed ? 1 : 0;

/** `dawnload doctor`: checks everything that the nightly run needs. Sends E1, and E17 for one day, which are free. */
import { styleText } from 'node:util';
import { EXIT } from '../ground/errors.js';
import { examine, type Check, type Extent } from '../operations/doctor.js';
import type { Terminal } from '../terminal/terminal.js';
import { listed, visible } from '../terminal/text.js';
import type { Command, JsonOptions } from './shared.js';

export const doctorCommand: Command<Extent & JsonOptions> = async (options, invocation) => {
  const { terminal, signal } = invocation;
  const checks: Check[] = [];
  for await (const check of examine(options, invocation)) {
    checks.push(check);
    if (options.json !== true) terminal.draw(linesOf(check, terminal));
    signal.throwIfAborted();
  }
  const count = (wanted: Check['verdict']): number =>
    checks.filter(({ verdict }) => verdict === wanted).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  if (options.json === true) terminal.out(JSON.stringify({ checks, ok: failures === 0 }));
  else if (failures > 0)
    terminal.note(`${failures} of ${checks.length} checks failed; ${warnings} gave a warning.`);
  else if (warnings > 0) terminal.note(`No check failed; ${warnings} of ${checks.length} gave a warning.`);
  else terminal.note(`All ${checks.length} checks passed.`);
  return failures === 0 ? EXIT.done : EXIT.incomplete;
};

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const NAME_WIDTH = 14;

function linesOf({ name, verdict, reason, remedy }: Check, terminal: Terminal): string {
  const { color, width, complete = String } = terminal;
  const mark = verdict.padEnd(4);
  const rows = [[mark, name.padEnd(NAME_WIDTH), visible(complete(reason))]];
  if (remedy !== null) rows.push(['', '', visible(complete(remedy))]);
  const lines = listed(rows, width ?? Infinity);
  return color ? styleText(COLORS[verdict], mark) + lines.slice(mark.length) : lines;
}

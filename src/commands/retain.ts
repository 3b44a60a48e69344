/** `dawnload retain`: lists what `retention` would delete; `--yes` deletes it, however much that is. */
import { requireService } from '../config/config.js';
import { deletions } from '../erasure/retention.js';
import { listDays } from '../ground/calendar.js';
import { EXIT } from '../ground/errors.js';
import { dueNow, retainNow } from '../night/run.js';
import { plural } from '../terminal/terminal.js';
import { summarise } from './run.js';
import { showTable, type Command, type Options } from './shared.js';

export const retainCommand: Command<Options<never, 'yes' | 'json'>> = async ({ yes, json }, invocation) => {
  const { terminal } = invocation;
  const config = invocation.loadConfig();
  if (yes === true) {
    const service = requireService(config);
    return summarise('retain', await retainNow(service, invocation), json, config, invocation);
  }
  const { due, limit } = await dueNow(config, invocation);
  const found = [...deletions(due)].map(([what, days]) => ({
    what,
    days: days.length,
    which: listDays([...days]),
  }));
  const leaving = {
    what: 'events, whose landed pages stay',
    days: due.rows.length,
    which: listDays([...due.rows]),
  };
  if (json === true)
    terminal.out(
      JSON.stringify({ leaving_the_file: due.rows, deletions: Object.fromEntries(deletions(due)), limit }),
    );
  else showTable(terminal, [...(due.rows.length > 0 ? [leaving] : []), ...found]);
  if (found.length === 0)
    terminal.note(due.rows.length === 0 ? 'Nothing is past its retention.' : 'Nothing would be deleted.');
  else
    terminal.note(
      `One run deletes at most ${plural(limit, 'day')} of each kind. \`dawnload retain --yes\` deletes all of these.`,
    );
  return EXIT.done;
};

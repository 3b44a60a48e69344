/** `dawnload retain`: lists what `retention` would delete. With `--yes`, deletes it, however much it is. */
import { requireService, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { deletions } from '../erasure/retention.js';
import { listDays } from '../ground/calendar.js';
import { EXIT } from '../ground/errors.js';
import { page, prune } from '../night/after-publishing.js';
import { DataFolder } from '../night/data-folder.js';
import { check, dueNow, limitNow, model, note, publish, retaining } from '../night/deliver.js';
import { compareClocks, loadLanded, pulling } from '../night/pull.js';
import { RunReport } from '../night/report.js';
import { runNight, type Step } from '../night/step.js';
import { plural } from '../terminal/terminal.js';
import { showTable, type Command, type Options } from './shared.js';
import { summarise } from './summary.js';

const agree = pulling(
  async ({ folder, report }) => {
    const { ledger, service } = folder;
    if (ledger.doubt !== undefined) throw ledger.doubt;
    await service.authorize();
    compareClocks(service, report);
    service.clocks.assertAgree('Nothing was deleted.');
  },
  ({ report }) => report.failure === undefined,
);

/** The steps with `--yes`: you agree to delete everything that is due. */
const RETAIN: readonly Step[] = [
  loadLanded,
  agree,
  note,
  model,
  check,
  retaining('agreed'),
  publish,
  prune,
  page,
];

export const retainCommand: Command<Options<never, 'yes' | 'json'>> = async ({ yes, json }, invocation) => {
  const { terminal } = invocation;
  const config = invocation.loadConfig();
  const report = new RunReport(() => invocation.effects.now());
  if (json !== true && Object.values(config.retention).every((days) => days === undefined)) {
    terminal.note('Nothing is deleted, because `retention` is not set: docs/privacy.md, Retention.');
    return EXIT.done;
  }
  if (yes === true) {
    requireService(config);
    await runNight({ command: 'retain', steps: RETAIN, config, invocation, report });
    return summarise('retain', report, json, config, invocation);
  }
  const { due, limit } = await look(config, invocation, report);
  const deleted = [...deletions(due)].map(([what, days]) => ({
    what,
    days: days.length,
    which: listDays([...days]),
  }));
  const leaving = {
    what: 'events (their landed pages stay)',
    days: due.rows.length,
    which: listDays([...due.rows]),
  };
  if (json === true)
    terminal.out(
      JSON.stringify({ leaving_the_file: due.rows, deletions: Object.fromEntries(deletions(due)), limit }),
    );
  else showTable(terminal, [...(due.rows.length > 0 ? [leaving] : []), ...deleted]);
  if (deleted.length === 0)
    terminal.note(due.rows.length === 0 ? 'Nothing is past its retention.' : 'Nothing would be deleted.');
  else
    terminal.note(
      `One run deletes at most ${plural(limit, 'day')} of each kind. \`dawnload retain --yes\` deletes all of these.`,
    );
  return EXIT.done;
};

async function look(config: Config, invocation: Invocation, report: RunReport) {
  await using folder = await DataFolder.open(config, invocation, { command: 'retain', needs: 'erasures' });
  await using warehouse = await folder.warehouse('working', report);
  const night = { config, invocation, folder, warehouse, job: undefined, report };
  return { due: await dueNow(night), limit: limitNow(night) };
}

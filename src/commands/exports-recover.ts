/** `dawnload exports recover`: shows the paid exports that the ledger has lost, and enters them once a person agrees. */
import { EXIT, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/data-files.js';
import { adviceIfRestored } from '../exports/needs-action.js';
import type { Ledger } from '../exports/ledger.js';
import type { Untracked } from '../exports/untracked.js';
import { withLedger } from '../run.js';
import { formatCount, plural } from '../terminal/terminal.js';
import type { Invocation } from '../run/invocation.js';
import { drawTable } from '../terminal/table.js';

export interface RecoverOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const COLUMNS = ['key', 'day', 'state', 'records', 'export id', 'known by'].map((name) => ({
  name,
  numeric: name === 'records',
}));

export async function exportsRecoverCommand(
  options: RecoverOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, signal, effects } = invocation;
  const config = invocation.loadConfig();
  return withLedger(config, invocation, 'exports recover', async (ledger) => {
    if (options.json === true) terminal.out(JSON.stringify(ledger.untracked.map(asJson)));
    const advice = await adviceIfRestored(config, ledger, effects.now());
    if (advice !== undefined) terminal.warn(advice);
    if (ledger.doubt === undefined && ledger.restored === undefined) {
      terminal.note('The ledger lists every paid export that is known in this data folder.');
      return EXIT.done;
    }
    if (options.json !== true) await show(ledger, invocation);
    terminal.note(
      'Exports that left no trace in this data folder cannot be shown. Compare with the bills of the service before the next run.',
    );
    const enter =
      ledger.doubt === undefined ? '' : `Enter ${plural(ledger.untracked.length, 'export')} into the ledger`;
    const pay = ledger.restored === undefined ? '' : 'Let runs request the days that it does not list';
    const question = `${[enter, pay].filter((part) => part !== '').join('. ')}?`;
    const agreed = options.yes === true || (await terminal.confirm(question, signal));
    if (!agreed) {
      terminal.note('Nothing was changed. `dawnload exports recover --yes` does it.');
      return EXIT.incomplete;
    }
    const entered = await ledger.recover();
    terminal.note(
      `Entered ${plural(entered, 'export')} into the ledger in ${dataFiles(config.dataDir).ledger}. \`dawnload run\` continues from here.`,
    );
    return EXIT.done;
  });
}

async function show(ledger: Ledger, { terminal }: Invocation): Promise<void> {
  const { lost, untracked } = ledger;
  if (lost.length > 0)
    terminal.note(`The ledger lacks ${plural(lost.length, 'line')} that its second copy holds.`);
  const rows = untracked.map(({ key, day, state, records, estimate, exportId, knownBy }) => [
    key,
    day,
    state,
    records === undefined
      ? estimate === undefined
        ? ''
        : `~${formatCount(estimate)}`
      : formatCount(records),
    exportId ?? '',
    knownBy,
  ]);
  if (rows.length > 0) {
    terminal.draw(await drawTable(COLUMNS, rows, { color: terminal.color, width: process.stdout.columns }));
  }
}

function asJson({ key, day, window, state, exportId, records, estimate, knownBy }: Untracked): object {
  return {
    key,
    date: day,
    window_start: window.start,
    window_end: window.end,
    state,
    export_id: exportId ?? null,
    records: records ?? null,
    estimated_records: estimate ?? null,
    known_by: knownBy,
  };
}

/** `dawnload exports`: shows the ledger of paid exports and records the user's decisions about an export. */
import { formatKst } from '../calendar.js';
import { requireService, type Config } from '../config.js';
import { EXIT, RefusedError, UsageError, type ExitCode } from '../errors.js';
import { adviceFor, ledgerState, type LedgerState, adviceIfRestored } from '../exports/advice.js';
import { type Export, isResumable } from '../exports/export.js';
import type { Ledger } from '../exports/ledger.js';
import { resumeExport, withLedger, type ResumeOptions } from '../run.js';
import { assertSameProject } from '../storage/project.js';
import { formatCount, type Terminal, plural } from '../terminal/terminal.js';
import { visibleLines } from '../terminal/text.js';
import { drawTable } from '../terminal/table.js';
import type { Invocation } from '../invocation.js';
import { summarise } from './summary.js';
import { remembered } from '../warehouse/remembered-exports.js';
import { dataFiles } from '../storage/paths.js';
import type { Untracked } from '../exports/recovery.js';

export interface ExportsOptions {
  readonly json?: boolean;
}

const COLUMNS = ['key', 'state', 'records', 'requested', 'export id', 'note'].map((name) => ({
  name,
  numeric: name === 'records',
}));

/** Lists the exports. The exit code is 1 while an export needs action, so that a monitor notices. */
export async function exportsListCommand(options: ExportsOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const { ledger, lock, doubt, needed } = await ledgerOf(invocation.loadConfig(), invocation.effects.now());
  const entries = ledger.entries();
  if (options.json === true) terminal.out(JSON.stringify(entries.map((entry) => asJson(entry, lock.held))));
  else if (entries.length > 0) {
    const rows = entries.map((entry) => [
      entry.key,
      entry.state,
      sizeOf(entry),
      formatKst(entry.requestedAt ?? entry.intendedAt),
      entry.exportId ?? '',
      entry.note ?? '',
    ]);
    terminal.draw(drawTable(COLUMNS, rows, terminal));
  } else if (doubt === undefined) terminal.note('No paid export has been requested yet.');
  for (const { advice } of needed) terminal.warn(advice);
  return needed.length > 0 ? EXIT.incomplete : EXIT.done;
}

export async function exportsShowCommand(_: object, invocation: Invocation, key: string): Promise<ExitCode> {
  const { terminal } = invocation;
  const state = await ledgerOf(invocation.loadConfig(), invocation.effects.now());
  const entry = entryIn(state, key);
  // All line breaks in the JSON text come from the formatter: those in values are escaped.
  terminal.draw(visibleLines(JSON.stringify(asJson(entry, state.lock.held), null, 2)));
  const needed = state.needed.filter((attention) => [key, 'ledger'].includes(attention.key));
  for (const { advice } of needed) terminal.warn(advice);
  return needed.length > 0 ? EXIT.incomplete : EXIT.done;
}

export interface AttachOptions {
  readonly yes?: boolean;
}

export async function exportsAttachCommand(
  options: AttachOptions,
  invocation: Invocation,
  key: string,
  exportId: string,
): Promise<ExitCode> {
  const { terminal, signal } = invocation;
  if (exportId.trim() === '') throw new UsageError('The export id is empty.');
  const { entry, isNew } = await withLedger(
    invocation.loadConfig(),
    invocation,
    'exports attach',
    async (ledger) => {
      const isNew = ledger.find(key) === undefined;
      const entry = await ledger.attach(key, exportId, (change) =>
        options.yes === true ? Promise.resolve(true) : terminal.confirm(`${change} Go on?`, signal),
      );
      warnDoubt(ledger, terminal);
      return { isNew, entry };
    },
  );
  if (isNew) {
    terminal.warn(
      `The ledger did not list ${key}, so it was entered as a paid export of ${entry.day}. If the key was mistyped: \`dawnload exports abandon ${key}\`.`,
    );
  }
  terminal.note(
    `Export ${entry.key} is ${entry.state} as ${exportId}. The next run, or \`dawnload exports resume ${key}\`, downloads it at no cost.`,
  );
  return EXIT.done;
}

export async function exportsAbandonCommand(
  _: object,
  invocation: Invocation,
  key: string,
): Promise<ExitCode> {
  const config = invocation.loadConfig();
  const entry = await withLedger(config, invocation, 'exports abandon', async (ledger) => {
    const abandoned = await ledger.abandon(key);
    warnDoubt(ledger, invocation.terminal);
    return abandoned;
  });
  invocation.terminal.note(
    `Export ${entry.key} is abandoned. No run requests ${entry.day} again; only \`dawnload exports resume ${key} --pay-again\` does.`,
  );
  return EXIT.done;
}

/** Resumes one export: at no cost if it has an id; billed again only with the user's consent. */
export async function exportsResumeCommand(
  options: ResumeOptions,
  invocation: Invocation,
  key: string,
): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = requireService(invocation.loadConfig());
  const entry = entryIn(await ledgerOf(config, effects.now()), key);
  const payAgain = options.payAgain === true;
  if (payAgain && options.acceptIncomplete === true) {
    throw new UsageError('--pay-again and --accept-incomplete cannot be combined.', { hint: 'Choose one.' });
  }
  if (!payAgain && !isResumable(entry.state) && entry.state !== 'loaded') {
    throw new RefusedError(`Export ${key} is ${entry.state}, so it cannot be resumed at no cost.`, {
      hint:
        adviceFor(entry) ??
        (entry.exportId === undefined
          ? undefined
          : `To take it up again at no cost: \`dawnload exports attach ${key} ${entry.exportId}\`.`) ??
        `To request the day again, billed again: \`dawnload exports resume ${key} --pay-again\`.`,
    });
  }
  const outcome = await resumeExport(key, options, config, invocation);
  return summarise(outcome, terminal, dataFiles(config.dataDir).published, effects.now());
}

/** Reads the ledger on disk for the project in the settings. */
async function ledgerOf(config: Config, now: Date): Promise<LedgerState> {
  await assertSameProject(config);
  const { exports } = await remembered(dataFiles(config.dataDir).published);
  return ledgerState(config, exports, now);
}

/**
 * Returns the export with this key.
 *
 * @throws UsageError if there is none
 * @throws DamageError if there is none and the ledger is incomplete
 */
function entryIn({ ledger, doubt }: LedgerState, key: string): Export {
  if (doubt !== undefined && ledger.find(key) === undefined) throw doubt;
  return ledger.get(key);
}

/** Warns about an incomplete ledger after a decision was recorded in it. */
function warnDoubt({ doubt }: Ledger, terminal: Terminal): void {
  if (doubt !== undefined) terminal.warn(`${doubt.message} ${doubt.hint ?? ''}`);
}

/** The number of records, or the estimate. */
function sizeOf({
  records,
  estimate,
}: {
  readonly records?: number | undefined;
  readonly estimate?: number | undefined;
}): string {
  if (records !== undefined) return formatCount(records);
  return estimate === undefined ? '' : `~${formatCount(estimate)}`;
}

/** The columns of `ops.exports` and the additional fields of the ledger. */
function asJson(entry: Export, isRunning: boolean): Record<string, unknown> {
  return {
    key: entry.key,
    date: entry.day,
    window_start: entry.window.start,
    window_end: entry.window.end,
    state: entry.state,
    billed: entry.billed,
    export_id: entry.exportId ?? null,
    message_data: entry.messageData,
    records: entry.records ?? null,
    pages: entry.pages ?? null,
    estimated_records: entry.estimate ?? null,
    price_per_record: entry.pricePerRecord,
    intended_at: entry.intendedAt,
    requested_at: entry.requestedAt ?? null,
    landed_at: entry.landedAt ?? null,
    loaded_at: entry.loadedAt ?? null,
    updated_at: entry.updatedAt,
    attempts_without_delivery: entry.troubles,
    empty_in_doubt: entry.doubted,
    times_landed: entry.landings,
    pays_again_for: entry.again ?? null,
    run_id: entry.run ?? null,
    note: entry.note ?? null,
    answer: entry.answer ?? null,
    raw_answer: entry.rawAnswer ?? null,
    advice: adviceFor(entry, isRunning) ?? null,
  };
}

export interface RecoverOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const UNTRACKED_COLUMNS = ['key', 'day', 'state', 'records', 'export id', 'known by'].map((name) => ({
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
    if (options.json === true) terminal.out(JSON.stringify(ledger.untracked.map(untrackedJson)));
    const advice = await adviceIfRestored(config, ledger, effects.now());
    if (advice !== undefined) terminal.warn(advice);
    if (ledger.doubt === undefined && ledger.restored === undefined) {
      terminal.note('The ledger lists every paid export that is known in this data folder.');
      return EXIT.done;
    }
    if (options.json !== true) show(ledger, invocation);
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

function show(ledger: Ledger, { terminal }: Invocation): void {
  const { lost, untracked } = ledger;
  if (lost.length > 0)
    terminal.note(`The ledger lacks ${plural(lost.length, 'line')} that its second copy holds.`);
  const rows = untracked.map((one) => [
    one.key,
    one.day,
    one.state,
    sizeOf(one),
    one.exportId ?? '',
    one.knownBy,
  ]);
  if (rows.length > 0) {
    terminal.draw(drawTable(UNTRACKED_COLUMNS, rows, terminal));
  }
}

function untrackedJson({ key, day, window, state, exportId, records, estimate, knownBy }: Untracked): object {
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

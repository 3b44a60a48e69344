/** `dawnload exports`: the ledger of paid exports, and what a person decides about one. */
import { formatKst } from '../calendar.js';
import { requireService, type Config } from '../config.js';
import { EXIT, RefusedError, UsageError, type ExitCode } from '../errors.js';
import { adviceFor, needsPerson } from '../exports/advice.js';
import type { ExportEntry } from '../exports/entry.js';
import { isResumable } from '../exports/state.js';
import { Ledger } from '../exports/ledger.js';
import { resumeExport, withLedger, type ResumeOptions } from '../run.js';
import type { LedgerView } from '../exports/ledger-view.js';
import { assertSameProject } from '../storage/project.js';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import { visibleLines } from '../terminal/visible.js';
import type { Invocation } from '../run/invocation.js';
import { summarise } from './summary.js';
import { drawTable } from '../terminal/table.js';
import { dataFiles } from '../storage/data-files.js';

export interface ExportsOptions {
  readonly json?: boolean;
}

const COLUMNS = ['key', 'state', 'records', 'requested', 'export id', 'note'].map((name) => ({
  name,
  numeric: name === 'records',
}));

/** Exit code 1 while one needs action, so that a monitor notices. */
export async function exportsListCommand(options: ExportsOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const entries = (await ledgerOf(invocation.loadConfig())).entries();
  if (options.json === true) terminal.out(JSON.stringify(entries.map(asJson)));
  else if (entries.length === 0) terminal.note('No paid export has been requested yet.');
  else {
    const rows = entries.map((entry) => [
      entry.key,
      entry.state,
      sizeOf(entry),
      formatKst(entry.requestedAt ?? entry.intendedAt),
      entry.exportId ?? '',
      entry.note ?? '',
    ]);
    terminal.draw(await drawTable(COLUMNS, rows, { color: terminal.color, width: process.stdout.columns }));
  }
  warnWaiting(entries, terminal);
  return entries.some(needsPerson) ? EXIT.incomplete : EXIT.done;
}

export async function exportsShowCommand(key: string, invocation: Invocation): Promise<ExitCode> {
  const entry = (await ledgerOf(invocation.loadConfig())).get(key);
  // Within JSON every line break is ours: those of values are escaped already.
  invocation.terminal.draw(visibleLines(JSON.stringify(asJson(entry), null, 2)));
  warnWaiting([entry], invocation.terminal);
  return needsPerson(entry) ? EXIT.incomplete : EXIT.done;
}

export interface AttachOptions {
  readonly yes?: boolean;
}

export async function exportsAttachCommand(
  key: string,
  exportId: string,
  options: AttachOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, signal } = invocation;
  if (exportId.trim() === '') throw new UsageError('The export id is empty.');
  const { entry, isNew } = await withLedger(
    invocation.loadConfig(),
    invocation,
    'exports attach',
    async (ledger) => ({
      isNew: ledger.find(key) === undefined,
      entry: await ledger.attach(key, exportId, (change) =>
        options.yes === true ? Promise.resolve(true) : terminal.confirm(`${change} Go on?`, signal),
      ),
    }),
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

export async function exportsAbandonCommand(key: string, invocation: Invocation): Promise<ExitCode> {
  const entry = await withLedger(invocation.loadConfig(), invocation, 'exports abandon', (ledger) =>
    ledger.abandon(key),
  );
  invocation.terminal.note(
    `Export ${entry.key} is abandoned. No run requests ${entry.day} again; only \`dawnload exports resume ${key} --pay-again\` does.`,
  );
  return EXIT.done;
}

/** Resumes one export: at no cost where it has an id, billed again only with a person's consent. */
export async function exportsResumeCommand(
  key: string,
  options: ResumeOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = requireService(invocation.loadConfig());
  const entry = (await ledgerOf(config)).get(key);
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

/** The ledger as it is on disk, of the project in the settings. */
async function ledgerOf(config: Config): Promise<LedgerView> {
  await assertSameProject(config);
  return Ledger.read(config.dataDir);
}

/** Records, or about how many there will be. */
function sizeOf({ records, estimate }: ExportEntry): string {
  if (records !== undefined) return formatCount(records);
  return estimate === undefined ? '' : `~${formatCount(estimate)}`;
}

function warnWaiting(entries: readonly ExportEntry[], terminal: Terminal): void {
  for (const entry of entries) {
    const advice = adviceFor(entry);
    if (advice !== undefined) terminal.warn(advice);
  }
}

/** The columns of `ops.exports`, and what the ledger knows besides. */
function asJson(entry: ExportEntry): Record<string, unknown> {
  return {
    key: entry.key,
    date: entry.day,
    window_start: entry.window.start,
    window_end: entry.window.end,
    state: entry.state,
    billed: entry.billed,
    export_id: entry.exportId ?? null,
    earlier_export_ids: entry.earlierIds ?? [],
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
    short_pages: entry.shortPages,
    times_landed: entry.landings,
    pays_again_for: entry.again ?? null,
    run_id: entry.run ?? null,
    note: entry.note ?? null,
    raw_answer: entry.rawAnswer ?? null,
    advice: adviceFor(entry) ?? null,
  };
}

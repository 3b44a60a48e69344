/** `dawnload exports`: shows the ledger of paid exports and records the user's decisions about an export. */
import { requireService, type Config, type ServiceConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { wereRemoved } from '../erasure/retention.js';
import { recordsOf } from '../exports/budget.js';
import { downloaderOf, downloadExport } from '../streams/events/pull.js';
import { patienceOf } from '../streams/events/reading.js';
import * as exports from '../exports/export.js';
import type { Ledger, LedgerState } from '../exports/ledger.js';
import { askPage } from '../streams/events/answer.js';
import { requestAgain } from '../exports/paid-request.js';
import { formatKst, windowOf } from '../ground/calendar.js';
import {
  DawnloadError,
  EXIT,
  InterruptedError,
  messageOf,
  RefusedError,
  UsageError,
  type ExitCode,
} from '../ground/errors.js';
import { pricePart, priceOf, quoteShell } from '../ground/text.js';
import { Secrets } from '../ground/redaction.js';
import { keptFrom } from '../ground/streams.js';
import { page, prune } from '../night/after-publishing.js';
import { DataFolder } from '../night/data-folder.js';
import { check, model, note, publish, retaining } from '../night/deliver.js';
import { pulling } from '../night/pull.js';
import { RunReport } from '../night/report.js';
import { partsOf, runNight, type Step } from '../night/step.js';
import { ledgerNow } from '../night/days-now.js';
import { withLedger } from '../night/wanted-days.js';
import { dataFiles } from '../disk/paths.js';
import { ServiceClient } from '../service/client.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import { assertPublishable } from '../warehouse/publish.js';
import { removedKnownBy } from '../warehouse/reader.js';
import { exportColumns, showAll, warnAll, type Command, type JsonOptions, type Options } from './shared.js';
import { summarise } from './summary.js';

export const exportsListCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const { terminal, effects } = invocation;
  const { ledger, lock, doubt, needed } = await ledgerNow(invocation.loadConfig(), effects);
  const entries = ledger.entries().sort((a, b) => (a.key < b.key ? -1 : 1));
  const none = doubt === undefined ? 'No paid exports yet.' : undefined;
  const all = entries.map((entry) => asJson(entry, lock.taken));
  showAll(terminal, json, all, 'key state records estimated_records requested_at note', none);
  return warnAll(terminal, needed);
};

export const exportsShowCommand: Command<JsonOptions, [string]> = async ({ json }, invocation, key) => {
  const { terminal } = invocation;
  const config = invocation.loadConfig();
  const state = await ledgerNow(config, invocation.effects);
  const entry = entryIn(state, key);
  if (json === true) terminal.out(JSON.stringify(asJson(entry, state.lock.taken)));
  else {
    const ofFile = { removed: await removedKnownBy(dataFiles(config.dataDir).published) };
    const { removed } = withLedger(ofFile, state);
    const lines = inWords(entry, removed.includes(entry.day), config.exports.currency);
    for (const line of lines) terminal.out(line);
  }
  const needed = state.needed.filter((attention) => [key, 'ledger'].includes(attention.key));
  return warnAll(terminal, needed);
};

const BILLED: Readonly<Record<exports.Export['billed'], string>> = { yes: 'yes', no: 'no', maybe: 'perhaps' };

function inWords(entry: exports.Export, isRemoved: boolean, currency: string | undefined): string[] {
  const { billed, records, pages, landedAt, loadedAt, pricePerRecord, again, note, answerText } = entry;
  const charged = billed === 'no' ? undefined : recordsOf(entry);
  const price = charged && priceOf([{ records: charged, pricePerRecord }]);
  const isGone = entry.state === 'loaded' && isRemoved;
  const { start, end } = windowOf(entry.day);
  const size =
    records === undefined ? undefined : `${plural(records, 'record')} on ${plural(pages ?? 0, 'page')}`;
  const lines: readonly (readonly [what: string, value: string | undefined])[] = [
    ['export', `${entry.key}, of the KST day ${entry.day}`],
    [
      'state',
      `${entry.state}: ${isGone ? 'retention removed its records from the warehouse' : exports.STATES[entry.state]}`,
    ],
    // In UTC, as in the request, so that you can quote it to the service's support.
    ['window', `${start.toISOString()} to ${end.toISOString()} (UTC)`],
    ['requested', formatKst(entry.requestedAt)],
    ['export id', entry.exportId],
    ['messages', entry.messageData ? 'with message data' : 'without message data'],
    ['expected', entry.estimate === undefined ? undefined : `about ${plural(entry.estimate, 'record')}`],
    ['received', size],
    ['landed', landedAt && formatKst(landedAt)],
    ['loaded', loadedAt && formatKst(loadedAt)],
    ['billed', BILLED[billed] + pricePart(price, currency, records === charged ? '' : 'about ')],
    ['again for', again],
    ['tolerated', entry.tolerated === undefined ? undefined : plural(entry.tolerated, 'missing record')],
    ['note', note],
    ['answer', answerText],
  ];
  return lines.flatMap(([what, value]) => (value === undefined ? [] : [`${what.padEnd(10)}${value}`]));
}

type DecideOptions = Options<'attach', 'abandon' | 'payAgain' | 'acceptIncomplete' | 'yes'>;

export const exportsDecideCommand: Command<DecideOptions, [string]> = (options, invocation, key) => {
  const { attach, abandon, payAgain, acceptIncomplete } = options;
  const decisions = [attach !== undefined, abandon, payAgain, acceptIncomplete];
  if (decisions.filter((one) => one === true).length !== 1)
    throw new UsageError('Exactly one decision is needed.', {
      hint: 'Add --attach ID, --pay-again, --abandon or --accept-incomplete.',
    });
  if (attach !== undefined) return attachId(key, attach, options, invocation);
  return abandon === true ? giveUp(key, invocation) : decideOnline(key, payAgain === true, invocation);
};

/** A decision must be possible with a damaged warehouse, and while the journal may lack lines. */
const DECIDE = { command: 'exports decide', needs: 'nothing' } as const;

async function giveUp(key: string, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  await using folder = await DataFolder.open(invocation.loadConfig(), invocation, DECIDE);
  const { ledger } = folder;
  const entry = ledger.get(key);
  if (entry.state === 'landed' && !exports.isKeptBack(entry))
    throw new RefusedError(`Export ${key} has landed. The next run loads it at no cost.`);
  const { day } = await ledger.record({ event: 'abandoned', key, note: 'You gave up this export.' });
  terminal.note(
    `Export ${key} is abandoned. No run requests ${day} again; only \`dawnload exports decide ${key} --pay-again\` does.`,
  );
  warnDoubt(ledger, terminal);
  return EXIT.done;
}

/** Pays for the day again, or loads the pages that arrived as if they were complete. */
async function decideOnline(key: string, paysAgain: boolean, invocation: Invocation): Promise<ExitCode> {
  const config = invocation.loadConfig();
  const entry = presentEntry(await ledgerNow(config, invocation.effects), key);
  if (!paysAgain) assertResumable(entry);
  const step = paysAgain ? payingAgain(key) : downloading(key, true);
  return delivered('exports decide', step, requireService(config), invocation);
}

async function delivered(
  command: string,
  step: Step,
  config: ServiceConfig,
  invocation: Invocation,
): Promise<ExitCode> {
  const report = new RunReport(() => invocation.effects.now());
  const steps = [step, note, model, check, retaining('limited'), publish, prune, page];
  await runNight({ command, steps, config, invocation, report });
  return summarise(command, report, false, config, invocation);
}

const downloading = (key: string, acceptsIncomplete: boolean): Step =>
  pulling(async (night) => {
    const { ledger, service } = night.folder;
    const parts = partsOf(night);
    await downloadExport(ledger.get(key), service, parts, patienceOf(parts), acceptsIncomplete);
  });

/** Requests the day of an export again, with your consent to a second bill. */
const payingAgain = (key: string): Step =>
  pulling(async (night) => {
    const { config, folder, invocation } = night;
    const kept = keptFrom(config.retention, invocation.effects.now());
    if (kept !== undefined && folder.ledger.get(key).day < kept)
      throw new RefusedError(`The day of export ${key} is past its retention (retention.events).`, {
        hint: 'Nothing was requested. Raise retention.events first if you want the day.',
      });
    await assertPublishable(folder.files.published);
    const parts = partsOf(night);
    const download = downloaderOf(folder.service, parts, patienceOf(parts));
    await requestAgain(key, folder.service, parts, download);
  });

/** Enters the id of an export. Any text may be an id of the service (E20). */
async function attachId(
  key: string,
  exportId: string,
  { yes = false }: DecideOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, signal } = invocation;
  const config = invocation.loadConfig();
  const keys = Object.values(config.credentials?.reveal() ?? {});
  if (/^(\s*|\.\.?)$/.test(exportId) || new Secrets(...keys).holds(exportId))
    throw new UsageError('The export id is empty, a path, or an access key.', {
      hint: 'Copy it from the answer to the request, or ask the operator of the service for it.',
    });
  const agree = async (sentence: string): Promise<boolean> =>
    yes || terminal.confirm(`${sentence} Go on?`, signal);
  await using folder = await DataFolder.open(config, invocation, DECIDE);
  const { ledger, journal } = folder;
  const entry = ledger.find(key);
  // Results of the day cannot be computed again, because retention removed the pages of this export.
  if (entry !== undefined && wereRemoved(journal, entry))
    throw new RefusedError(`Retention removed the pages of export ${key}, so it keeps its id.`, {
      hint: `Nothing was changed. \`dawnload exports show ${key}\` shows it.`,
    });
  // A malformed key is refused below, so the service is not asked.
  const unknown =
    exports.partsOf(key) === undefined ? undefined : await doubtOf(exportId, config, invocation);
  const asLoaded = entry?.state === 'loaded' ? ` ${key} is loaded, as export ${entry.exportId}.` : '';
  const known = entry === undefined ? ` The ledger does not list ${key}.` : asLoaded;
  if (unknown !== undefined && !(await agree(unknown.why + known)))
    throw new RefusedError(`${unknown.why}${known} Nothing was changed.`, {
      hint: `${unknown.remedy} Add \`--yes\` to enter the id anyway.`,
    });
  const { day, state } = await ledger.attach(key, exportId, agree, config.exports.pricePerRecord);
  const isOver = state === 'abandoned';
  warnDoubt(ledger, terminal);
  if (entry === undefined && !isOver)
    terminal.warn(
      `The ledger did not list ${key}, so it was entered as a paid export of ${day}. If the key was mistyped: \`dawnload exports decide ${key} --abandon\`.`,
    );
  const free = `The next run, or \`dawnload exports resume ${key}\`, downloads it at no cost.`;
  terminal.note(`Export ${key} is ${state} as ${exportId}. ${isOver ? 'It counts as billed.' : free}`);
  return EXIT.done;
}

/** Asks the service for the export (E21), at no cost. Resolves with a sentence and a remedy if the service may not have it. */
async function doubtOf(exportId: string, config: Config, invocation: Invocation) {
  const { pageParameter } = config.exports;
  const remedy = 'Correct the id, or try again later.';
  const unknown = `It is unknown whether the service has export ${exportId}`;
  try {
    const settings = { ...requireService(config), retries: 0 };
    await using service = ServiceClient.open(settings, invocation);
    const result = await askPage(service, exportId, pageParameter, 0);
    const reason = 'reason' in result ? result.reason.replace(/[.]$/, '') : '';
    if (result.kind === 'not_found')
      return { why: `The service does not know export ${exportId} (${reason}).`, remedy };
    if (result.kind !== 'trouble' && result.kind !== 'strange') return undefined;
    return { why: `${unknown} (${reason}).`, remedy };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const hint = error instanceof DawnloadError ? error.hint : undefined;
    return {
      why: `${unknown}. ${messageOf(error).replace(/[.]?$/, '.')}`,
      remedy: hint ?? 'Try again later.',
    };
  }
}

export const exportsResumeCommand: Command<object, [string]> = async (_, invocation, key) => {
  const config = invocation.loadConfig();
  const state = await ledgerNow(config, invocation.effects);
  let entry = entryIn(state, key);
  if (entry.state === 'ambiguous') {
    // Opening the folder settles the export if its answer is now listed as a refusal.
    await using folder = await DataFolder.open(config, invocation, {
      command: 'exports resume',
      needs: 'nothing',
    });
    entry = folder.ledger.get(key);
  }
  assertResumable(presentEntry(state, key, entry));
  return delivered('exports resume', downloading(key, false), requireService(config), invocation);
};

/** @throws RefusedError if the export has no id, or is over */
function assertResumable(entry: exports.Export): void {
  const { key, day, state, exportId } = entry;
  if (exports.isResumable(state) || state === 'loaded') return;
  const otherwise =
    exportId === undefined
      ? `To request the day again, billed again: \`dawnload exports decide ${key} --pay-again\`.`
      : `To resume it at no cost: \`dawnload exports decide ${key} --attach=${quoteShell(exportId)}\`.`;
  const free = `Nothing is billed for it. The next run requests ${day}.`;
  throw new RefusedError(`Export ${key} is ${state}, so it cannot be resumed at no cost.`, {
    hint: exports.adviceFor(entry) ?? (exports.blocksRuns(state) ? otherwise : free),
  });
}

/**
 * Returns the export with this key.
 *
 * @throws UsageError for an unknown key
 * @throws DamageError for an unknown key if the ledger is incomplete
 */
function entryIn({ ledger, doubt }: LedgerState, key: string): exports.Export {
  if (doubt !== undefined && ledger.find(key) === undefined) throw doubt;
  return ledger.get(key);
}

function presentEntry(state: LedgerState, key: string, entry = entryIn(state, key)): exports.Export {
  if (!wereRemoved(state.journal, entry)) return entry;
  throw new RefusedError(`Retention removed the pages of export ${key}, so they are not downloaded again.`);
}

function warnDoubt({ doubt }: Ledger, terminal: Terminal): void {
  if (doubt !== undefined) terminal.warn(doubt.sentences);
}

function asJson(entry: exports.Export, isRunning: boolean) {
  return {
    ...exportColumns(entry),
    billed: entry.billed,
    message_data: entry.messageData,
    pages: entry.pages ?? null,
    price_per_record: entry.pricePerRecord,
    requested_at: entry.requestedAt,
    landed_at: entry.landedAt ?? null,
    loaded_at: entry.loadedAt ?? null,
    updated_at: entry.updatedAt,
    attempts_without_delivery: entry.troubles,
    empty_in_doubt: entry.doubted && !exports.isClosed(entry),
    kept_back: exports.isKeptBack(entry),
    short: entry.short ?? null,
    tolerated: entry.tolerated ?? null,
    complete_by: entry.proof ?? null,
    accepted: entry.accepted ?? false,
    pays_again_for: entry.again ?? null,
    run_id: entry.run ?? null,
    note: entry.note ?? null,
    answer: entry.answerText ?? null,
    advice: exports.adviceFor(entry, isRunning) ?? null,
  };
}

/** `dawnload exports`: shows the ledger of paid exports and records the user's decisions about an export. */
import { requireService, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { wereRemoved } from '../erasure/retention.js';
import { recordsOf } from '../exports/budget.js';
import * as ledgers from '../exports/ledger.js';
import { askPage } from '../exports/answer.js';
import { formatKst } from '../ground/calendar.js';
import { EXIT, InterruptedError, messageOf, RefusedError, UsageError } from '../ground/errors.js';
import { pricePart, priceOf } from '../ground/text.js';
import { Secrets } from '../ground/redaction.js';
import { withDataFolder } from '../job/data-folder.js';
import { ledgerNow, withLedger } from '../job/wanted-days.js';
import { dataFiles } from '../landing/paths.js';
import { resumeExport, type ResumeOptions } from '../job/run.js';
import { ServiceClient } from '../service/client.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import { removedKnownBy } from '../warehouse/reader.js';
import { summarise } from './run.js';
import { knownOf, showAll, warnAll, type Command, type JsonOptions, type Options } from './shared.js';

/** Lists the exports by day. The exit code is 1 while an export needs action, so that a monitor notices. */
export const exportsListCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const { terminal, effects } = invocation;
  const { ledger, lock, doubt, needed } = await ledgerNow(invocation.loadConfig(), effects);
  const entries = ledger.entries().sort((a, b) => (a.key < b.key ? -1 : 1));
  const none = doubt === undefined ? 'The ledger lists no paid export.' : undefined;
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

const BILLED: Readonly<Record<ledgers.Export['billed'], string>> = { yes: 'yes', no: 'no', maybe: 'perhaps' };

/** The export as lines of `what  value`. */
function inWords(entry: ledgers.Export, isRemoved: boolean, currency: string | undefined): string[] {
  const { billed, records, pages, landedAt, loadedAt, pricePerRecord, again, note, answerText } = entry;
  const known = billed === 'no' ? undefined : recordsOf(entry);
  const price = known && priceOf([{ records: known, pricePerRecord }]);
  const isGone = entry.state === 'loaded' && isRemoved;
  const size =
    records === undefined ? undefined : `${plural(records, 'record')} on ${plural(pages ?? 0, 'page')}`;
  const lines: readonly (readonly [what: string, value: string | undefined])[] = [
    ['export', `${entry.key}, of the KST day ${entry.day}`],
    [
      'state',
      `${entry.state}: ${isGone ? 'retention removed its records from the warehouse' : ledgers.STATES[entry.state]}`,
    ],
    ['requested', formatKst(entry.requestedAt)],
    ['export id', entry.exportId],
    ['messages', entry.messageData ? 'with message data' : 'without message data'],
    ['expected', entry.estimate === undefined ? undefined : `about ${plural(entry.estimate, 'record')}`],
    ['received', size],
    ['landed', landedAt && formatKst(landedAt)],
    ['loaded', loadedAt && formatKst(loadedAt)],
    ['billed', BILLED[billed] + pricePart(price, currency, records === known ? '' : 'about ')],
    ['again for', again],
    ['tolerated', entry.tolerated === undefined ? undefined : plural(entry.tolerated, 'missing record')],
    ['note', note],
    ['answer', answerText],
  ];
  return lines.flatMap(([what, value]) => (value === undefined ? [] : [`${what.padEnd(10)}${value}`]));
}

/** The ids that a person may enter. The service's own are texts of no stated form (E20); they become parts of paths. */
const EXPORT_ID = /^[A-Za-z0-9][A-Za-z0-9._~+=:@-]{0,199}$/;

export const exportsAttachCommand: Command<Options<never, 'yes'>, [string, string]> = async (
  { yes = false },
  invocation,
  key,
  exportId,
) => {
  const { terminal, signal } = invocation;
  const config = invocation.loadConfig();
  const keys = Object.values(config.credentials?.reveal() ?? {});
  if (!EXPORT_ID.test(exportId) || new Secrets(...keys).holds(exportId))
    throw new UsageError(
      'EXPORT_ID must be the id of an export: at most 200 letters, digits and . _ ~ + = : @ -, and no access key.',
      { hint: 'Copy it from the answer to the request, or ask the operator of the service for it.' },
    );
  const agree = async (sentence: string): Promise<boolean> =>
    yes || terminal.confirm(`${sentence} Go on?`, signal);
  return withDataFolder(config, invocation, 'exports attach', 'nothing', async ({ ledger }) => {
    // A key that is none is refused below.
    const unknown =
      ledgers.partsOf(key) === undefined ? undefined : await doubtOf(exportId, config, invocation);
    const held = ledger.find(key);
    const asLoaded = held?.state === 'loaded' ? ` ${key} is loaded, as export ${held.exportId}.` : '';
    const doubt = unknown && `${unknown}${asLoaded}`;
    if (doubt !== undefined && !(await agree(doubt)))
      throw new RefusedError(`${doubt} Nothing was changed.`, {
        hint: 'Correct EXPORT_ID, or try again later. `--yes` enters the id all the same.',
      });
    const { day, state } = await ledger.attach(key, exportId, agree, config.exports.pricePerRecord);
    const isOver = state === 'abandoned';
    warnDoubt(ledger, terminal);
    if (held === undefined && !isOver)
      terminal.warn(
        `The ledger did not list ${key}, so it was entered as a paid export of ${day}. If the key was mistyped: \`dawnload exports abandon ${key}\`.`,
      );
    const free = `The next run, or \`dawnload exports resume ${key}\`, downloads it at no cost.`;
    terminal.note(`Export ${key} is ${state} as ${exportId}. ${isOver ? 'It counts as billed.' : free}`);
    return EXIT.done;
  });
};

/**
 * Asks the service for the export (E21), which is free. Resolves with a sentence if it is not known whether the service has
 * it.
 */
async function doubtOf(exportId: string, config: Config, invocation: Invocation) {
  const { pageParameter } = config.exports;
  try {
    const settings = { ...requireService(config), retries: 0 };
    const result = await ServiceClient.using(settings, invocation, (service) =>
      askPage(service, exportId, pageParameter, 0),
    );
    const reason = 'reason' in result ? result.reason.replace(/[.]$/, '') : '';
    if (result.kind === 'not_found') return `The service does not know export ${exportId} (${reason}).`;
    if (result.kind !== 'trouble' && result.kind !== 'strange') return undefined;
    return `It is not known whether the service has export ${exportId} (${reason}).`;
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const why = messageOf(error).replace(/[.]$/, '');
    return `The service could not be asked for export ${exportId} (${why}).`;
  }
}

export const exportsAbandonCommand: Command<object, [string]> = async (_, invocation, key) => {
  const config = invocation.loadConfig();
  return withDataFolder(config, invocation, 'exports abandon', 'nothing', async ({ ledger }) => {
    const { terminal } = invocation;
    const entry = ledger.get(key);
    if (entry.state === 'landed' && !ledgers.isKeptBack(entry))
      throw new RefusedError(`Export ${key} has landed. The next run loads it at no cost.`);
    const { day } = await ledger.record({ event: 'abandoned', key, note: 'A person gave this export up.' });
    warnDoubt(ledger, terminal);
    terminal.note(
      `Export ${key} is abandoned. No run requests ${day} again; only \`dawnload exports resume ${key} --pay-again\` does.`,
    );
    return EXIT.done;
  });
};

/** Resumes one export: at no cost if it has an id; billed again only with the user's consent. */
export const exportsResumeCommand: Command<ResumeOptions, [string]> = async (options, invocation, key) => {
  const config = requireService(invocation.loadConfig());
  const state = await ledgerNow(config, invocation.effects);
  let entry = entryIn(state, key);
  if (entry.state === 'ambiguous')
    entry = await withDataFolder(config, invocation, 'exports resume', 'nothing', ({ ledger }) =>
      Promise.resolve(ledger.get(key)),
    );
  if (wereRemoved(state.journal, entry))
    throw new RefusedError(`Retention removed the pages of export ${key}, so they are not downloaded again.`);
  if (options.payAgain !== true && !ledgers.isResumable(entry.state) && entry.state !== 'loaded') {
    const { day, exportId } = entry;
    const otherwise =
      exportId === undefined
        ? `To request the day again, billed again: \`dawnload exports resume ${key} --pay-again\`.`
        : `To take it up again at no cost: \`dawnload exports attach ${key} ${exportId}\`.`;
    const free = `Nothing is billed for it. The next run requests ${day}.`;
    throw new RefusedError(`Export ${key} is ${entry.state}, so it cannot be resumed at no cost.`, {
      hint: ledgers.adviceFor(entry) ?? (ledgers.blocksRuns(entry.state) ? otherwise : free),
    });
  }
  const report = await resumeExport(key, options, config, invocation);
  return summarise('exports resume', report, false, config, invocation);
};

/**
 * Returns the export with this key.
 *
 * @throws UsageError if there is none
 * @throws DamageError if there is none and the ledger is incomplete
 */
function entryIn({ ledger, doubt }: ledgers.LedgerState, key: string): ledgers.Export {
  if (doubt !== undefined && ledger.find(key) === undefined) throw doubt;
  return ledger.get(key);
}

/** Warns about an incomplete ledger after a decision was recorded in it. */
function warnDoubt({ doubt }: ledgers.Ledger, terminal: Terminal): void {
  if (doubt !== undefined) terminal.warn(doubt.sentences);
}

/** The columns of `ops.exports` and the additional fields of the ledger. */
function asJson(entry: ledgers.Export, isRunning: boolean) {
  return {
    ...knownOf(entry),
    billed: entry.billed,
    message_data: entry.messageData,
    pages: entry.pages ?? null,
    price_per_record: entry.pricePerRecord,
    requested_at: entry.requestedAt,
    landed_at: entry.landedAt ?? null,
    loaded_at: entry.loadedAt ?? null,
    updated_at: entry.updatedAt,
    attempts_without_delivery: entry.troubles,
    empty_in_doubt: entry.doubted && !ledgers.isClosed(entry),
    kept_back: ledgers.isKeptBack(entry),
    short: entry.short ?? null,
    tolerated: entry.tolerated ?? null,
    complete_by: entry.proof ?? null,
    accepted: entry.accepted ?? false,
    pays_again_for: entry.again ?? null,
    run_id: entry.run ?? null,
    note: entry.note ?? null,
    answer: entry.answerText ?? null,
    advice: ledgers.adviceFor(entry, isRunning) ?? null,
  };
}

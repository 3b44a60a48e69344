/**
 * The ledger of paid exports, kept as lines of the journal. It is the only record of what was or may be billed: E20 has no idempotency key,
 * and no endpoint lists exports. Every intent is durable before its request is sent.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type Day, windowOf } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { DamageError, RefusedError, StorageError, UsageError } from '../ground/errors.js';
import { doubtIn, type Doubt, type KnownHead } from '../journal/doubt.js';
import { Journal, type JournalPlace, type Entry } from '../journal/journal.js';
import { withoutPeople } from '../documents/contacts.js';
import { streamFolders } from '../landing/landing-zone.js';
import { readWhole } from '../landing/page-file.js';
import { dataFiles, foldersOf } from '../disk/paths.js';
import { lockState, type RunLock } from '../disk/run-lock.js';
import { isListedRefusal } from '../service/verdict.js';
import { cut, didYouMean, quoteShell } from '../ground/text.js';
import { exportsKnownBy, type ExportRow } from '../warehouse/reader.js';
import {
  partsOf,
  EXPORT,
  type Line,
  type Export,
  type Outcome,
  type ExportState,
  isState,
  type Billed,
  blocksRuns,
  blocksPayingAgain,
  exportsOf,
  adviceFor,
  actionsNeeded,
  type Intent,
  applyLine,
} from './export.js';

/** Where an export may be recorded, the most reliable place first. */
export type Place = 'second copy' | 'private warehouse' | 'published warehouse' | 'landing zone';

export interface Untracked extends ExportRow {
  readonly state: ExportState;
  readonly knownBy: Place;
}

/** The state of all exports. Only the process with the folder's lock changes it; a change is durable when its promise resolves. */
export class Ledger {
  doubt: Doubt | undefined;
  readonly #book: Map<string, Export>;
  /** Runs one change at a time, because each depends on the lines written before it. */
  readonly #inTurn = pLimit(1);

  /**
   * @param lock the lock of the data folder; without it no export can be requested
   * @throws DamageError for an invalid line
   */
  constructor(
    private readonly place: Pick<Config, 'dataDir' | 'exports'>,
    private readonly journal: Journal,
    private readonly effects: Effects,
    private readonly lock?: Pick<RunLock, 'assertHeld'>,
  ) {
    this.#book = exportsOf(journal.of(EXPORT));
  }

  get settings(): Config['exports'] {
    return this.place.exports;
  }

  /** Adds exports listed in a warehouse file, for a reader without a journal. */
  show(rows: readonly ExportRow[]): void {
    for (const { exportId, pages, ...row } of rows) {
      const { key, state, billed, pricePerRecord = 0, requestedAt, updatedAt } = row;
      if (!isState(state) || requestedAt === undefined || updatedAt === undefined) continue;
      const optional = { ...(exportId !== undefined && { exportId }), ...(pages !== undefined && { pages }) };
      const billing: Billed = billed === 'yes' || billed === 'no' ? billed : 'maybe';
      const rest = {
        state,
        billed: billing,
        pricePerRecord,
        requestedAt,
        updatedAt,
        troubles: 0,
        doubted: false,
      };
      this.#book.set(key, { ...row, ...optional, ...rest });
    }
  }

  entries(): Export[] {
    return [...this.#book.values()];
  }

  find(key: string): Export | undefined {
    return this.#book.get(key);
  }

  /** Returns the export with this key. Throws `UsageError` for an unknown key. */
  get(key: string): Export {
    const entry = this.find(key);
    if (entry === undefined) throw this.#unknown(key);
    return entry;
  }

  /**
   * Settles the exports of a process that ended. An `intended` export becomes `ambiguous`, because its request may have been sent. An
   * ambiguous one becomes `failed` if its answer is listed under `exports.refusals`. Call it before any request.
   */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      const left = this.entries().filter(({ state }) => state === 'intended');
      const note = 'The process ended before it recorded the outcome of the request.';
      for (const { key } of left) await this.#record({ event: 'ambiguous', key, note });
      await this.readTexts();
      const judged = this.entries().filter(
        ({ answerText: text }) => text !== undefined && isListedRefusal(text, this.settings.refusals),
      );
      const why = 'exports.refusals lists this answer.';
      for (const { key } of judged) await this.#record({ event: 'failed', key, note: why });
    });
  }

  /**
   * Reads the stored answers of ambiguous exports. An export whose answer is in `refusals` is shown as failed, as `settle` will record it.
   */
  async readTexts(refusals: readonly string[] = []): Promise<void> {
    for (const entry of this.entries()) {
      const kept = await readKept(this.place.dataDir, entry);
      const settled =
        isListedRefusal(kept?.answerText ?? '', refusals) && ({ state: 'failed', billed: 'no' } as const);
      if (kept !== undefined) this.#book.set(entry.key, { ...entry, ...kept, ...settled });
    }
  }

  /**
   * Durably records the intent to request an export (E20). The request may be sent only after the promise has resolved.
   *
   * @throws RefusedError if the day is paid, may be paid, or was abandoned
   * @throws DamageError if the journal may lack lines
   * @throws StorageError if the line cannot be written, or the lock was lost
   */
  intend(intent: Intent): Promise<Export> {
    return this.#inTurn(async () => {
      await this.#assertMayPay();
      this.#assertNotCovered(intent.day, (entry) => blocksRuns(entry.state));
      return this.#intend(intent);
    });
  }

  /**
   * Pays for the day of an export again, with the user's consent: abandons that export and records the intent for a new one.
   *
   * @throws RefusedError if the data of the export has arrived or another export covers the day; other errors as for `intend`
   */
  payAgain(key: string, terms: Omit<Intent, 'day'>): Promise<Export> {
    return this.#inTurn(async () => {
      await this.#assertMayPay();
      this.assertPayableAgain(key);
      const { day, state } = this.get(key);
      this.#assertNotCovered(day, (entry) => entry.key !== key && blocksPayingAgain(entry.state));
      if (blocksPayingAgain(state)) {
        await this.#record({ event: 'abandoned', key, note: 'You chose to pay for this day again.' });
      }
      return this.#intend({ ...terms, day }, key);
    });
  }

  /** @throws RefusedError if the data of the export has arrived, or its request is being sent */
  assertPayableAgain(key: string): void {
    const { state } = this.get(key);
    if (state === 'intended' || state === 'landed' || state === 'loaded') {
      throw new RefusedError(`Export ${key} is ${state}, so it cannot be paid for again.`, {
        hint: `Nothing was sent. \`dawnload exports show ${key}\` shows the export and your choices.`,
      });
    }
  }

  /**
   * Records that the service answered E20 with an export id: the export is billed.
   *
   * @throws StorageError if the answer cannot be recorded; the message contains the id, so that the user can attach it
   *   later
   */
  async requested(key: string, exportId: string): Promise<Export> {
    try {
      return await this.#inTurn(() => this.#record({ event: 'requested', key, exportId }));
    } catch (cause) {
      if (!(cause instanceof StorageError || cause instanceof DamageError)) throw cause;
      throw new StorageError(
        `The service accepted the paid export ${key} as ${exportId}, but the ledger could not record it. ${cause.message}`,
        {
          hint: `Repair the disk, then run \`dawnload exports decide ${key} --attach=${quoteShell(exportId)}\`.`,
          cause,
        },
      );
    }
  }

  /**
   * Records an event of an export. An event that changes nothing, as in a rebuild, writes no line.
   *
   * - `failed`: the service clearly refused the request (E20); nothing is billed, and the day is free again
   * - `withdrawn`: the request provably never left this machine; nothing is billed, and the day is free again
   * - `ambiguous`: the request may have been sent and its outcome is unknown; the user must decide
   * - `processing`: the export is being generated (E21)
   * - `ready`: E21 gave the number of pages; a landed export with a damaged page is open again
   * - `landed`: every page is durable on disk; `landedAt` is later than that of an earlier landing
   * - `loaded`: every page is in the warehouse; ends a doubt
   * - `short`: the number of records that the loaded export may lack (0: unknown)
   * - `troubled`: the paid export was not delivered (E21 `error`, `not_found`, or not ready in time); the next run
   *   tries again, and after several failures the export needs action
   * - `doubted`: the service reports no records (E21) although the daily statistics count some, or many records of a landed
   *   export are outside its day, so it is kept back; the export needs action
   * - `abandoned`: the user gives the export up; no run requests its day again, only `payAgain` does
   *
   * The `note` is a sentence without secrets.
   */
  record(outcome: Outcome): Promise<Export> {
    const line =
      'note' in outcome
        ? { ...outcome, note: cut(outcome.note.replaceAll(/\s+/g, ' ').trim(), 500) }
        : outcome;
    return this.#inTurn(() => {
      const entry = this.get(line.key);
      return changesNothing(entry, line) ? Promise.resolve(entry) : this.#record(line);
    });
  }

  /**
   * Records the export id that the user supplies for an export whose answer was lost. If the ledger lacks the key, for example after the
   * ledger was lost, a new export is entered. Two changes require the user's agreement: replacing the id of an export whose data has
   * arrived, and using the id of another export, which then needs a different id.
   *
   * @param pricePerRecord of a new export
   * @throws UsageError
   * @throws RefusedError
   */
  attach(
    key: string,
    exportId: string,
    agree: (change: string) => Promise<boolean> = () => Promise.resolve(false),
    pricePerRecord = 0,
  ): Promise<Export> {
    return this.#inTurn(async () => {
      const current = this.find(key);
      const day = current?.day ?? partsOf(key)?.day;
      if (day === undefined) throw this.#unknown(key);
      const other = this.entries().find((entry) => entry.exportId === exportId && entry.key !== key);
      // A second billed export of the same day is recorded but not downloaded.
      const isOther = (entry: Export): boolean => entry.key !== key && blocksPayingAgain(entry.state);
      const twin = this.entries().find((entry) => entry.day === day && isOther(entry));
      const second = twin !== undefined && (current?.state ?? 'abandoned') === 'abandoned';
      if (second && current?.exportId === exportId) return current;
      if (second && other !== undefined)
        throw new RefusedError(
          `${exportId} is the id of export ${other.key}, so it cannot be a second export of ${day}.`,
          { hint: '`dawnload exports list` shows the exports. Nothing was changed.' },
        );
      const change = second
        ? `${day} is covered by export ${twin.key}; ${key} would be a second one, billed too.`
        : changeOfId(current, exportId, other);
      if (change !== undefined && !(await agree(change))) {
        throw new RefusedError(change, {
          hint: `Nothing was changed. To do it: \`dawnload exports decide ${key} --attach=${quoteShell(exportId)} --yes\`.`,
        });
      }
      if (current === undefined) await this.#enter(key, day, pricePerRecord);
      // The state left the day free, so a run may have requested it again in the meantime.
      else if (!blocksRuns(current.state)) this.#assertNotCovered(day, isOther);
      const attached = await this.#record({ event: 'attached', key, exportId });
      const note = 'A second export of the day, which is billed and not downloaded.';
      return second ? this.#record({ event: 'abandoned', key, note }) : attached;
    });
  }

  /** Throws unless this process still has the lock and the journal is complete. */
  async #assertMayPay(): Promise<void> {
    if (this.lock === undefined) throw new Error('Only the holder of the lock pays.');
    if (this.doubt !== undefined) throw this.doubt;
    await this.lock.assertHeld();
  }

  #intend(intent: Intent, again?: string): Promise<Export> {
    const { day } = intent;
    const attempts = this.entries().flatMap((entry) =>
      entry.day === day ? [partsOf(entry.key)?.attempt ?? 0] : [],
    );
    const key = `${day}.${Math.max(0, ...attempts) + 1}`;
    return this.#record({ event: 'intended', key, ...intent, again });
  }

  async #enter(key: string, day: Day, pricePerRecord: number): Promise<void> {
    if (windowOf(day).end > this.effects.now()) {
      throw new UsageError(`${day} is not over, so it cannot be exported yet.`, { hint: 'Check the key.' });
    }
    await this.#record({ event: 'intended', key, day, messageData: true, pricePerRecord });
    await this.#record({ event: 'ambiguous', key, note: 'You entered it; the ledger did not list it.' });
  }

  /**
   * Enters exports in the state that other files list (`recover`). The ledger may list them as not billed.
   *
   * @param price per record, for exports without a recorded price
   */
  async recover(untracked: readonly Untracked[], price = 0): Promise<void> {
    for (const one of untracked) await this.#inTurn(() => this.#enterUntracked(one, price));
  }

  async #enterUntracked({ key, day, exportId, state, ...rest }: Untracked, price: number): Promise<void> {
    const { messageData, estimate, pricePerRecord = price, requestedAt: sentAt } = rest;
    const { pages = 0, records, knownBy } = rest;
    const isNew = this.find(key) === undefined;
    const terms = { day, messageData, estimate, pricePerRecord, sentAt };
    if (isNew) await this.#record({ event: 'intended', key, ...terms });
    const note = `Recovered. Only the ${knownBy} listed it.`;
    if (exportId === undefined) await this.#record({ event: 'ambiguous', key, note });
    else await this.#record({ event: isNew ? 'requested' : 'attached', key, exportId });
    if (state === 'abandoned') await this.#record({ event: 'abandoned', key, note: 'Recovered.' });
    if (exportId === undefined || (state !== 'landed' && state !== 'loaded') || records === undefined) return;
    await this.#record({ event: 'ready', key, pages });
    await this.#record({ event: 'landed', key, pages, records, landedAt: this.effects.now() });
    if (state === 'loaded') await this.#record({ event: 'loaded', key });
  }

  #assertNotCovered(day: Day, blocks: (entry: Export) => boolean): void {
    const other = this.entries().find((entry) => entry.day === day && blocks(entry));
    if (other === undefined) return;
    throw new RefusedError(`${day} is covered by export ${other.key}, which is ${other.state}.`, {
      hint: adviceFor(other) ?? `See \`dawnload exports show ${other.key}\`.`,
    });
  }

  #unknown(key: string): UsageError {
    // Never a key of another day: `--pay-again` beside it would be billed.
    const near = this.entries().flatMap((one) => (key.startsWith(one.day) ? [one.key] : []));
    return new UsageError(`The ledger has no export ${key}.`, {
      hint: `${didYouMean(key, near)}\`dawnload exports list\` shows the exports and their keys.`,
    });
  }

  async #record(line: Entry<Line>): Promise<Export> {
    const before = this.find(line.key);
    // Check that the event is allowed before writing anything.
    applyLine(before, { ...line, seq: 0, at: this.effects.now() });
    const next = applyLine(before, await this.journal.append(EXPORT, line));
    this.#book.set(next.key, next);
    return next;
  }
}

function changesNothing(entry: Export, line: Outcome): boolean {
  const { state, pages, troubles, doubted, short, note } = entry;
  switch (line.event) {
    case 'ready':
      return state === 'ready' && pages === line.pages && troubles === 0;
    case 'loaded':
      return (
        state === 'loaded' &&
        !doubted &&
        short === undefined &&
        entry.proof === line.proof &&
        entry.tolerated === line.tolerated
      );
    case 'short':
      return short === line.records && note === line.note;
    default:
      return false;
  }
}

/** The longest answer that you are asked to judge, in characters. */
const LONGEST_TEXT = 500;

/** Returns the text of an error on one line without personal data; undefined if the text is too long to show completely. */
export function judgedText(text: string): string | undefined {
  const line = withoutPeople(text, 10 * LONGEST_TEXT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_TEXT ? undefined : line;
}

/** Reads the text of a stored answer; undefined if the file is missing or changed, or you have decided already. */
async function readKept(
  dataDir: string,
  { answer, state }: Pick<Export, 'answer' | 'state'>,
): Promise<Pick<Export, 'answerText'> | undefined> {
  if (answer === undefined || state !== 'ambiguous') return undefined;
  const body = await readWhole(join(foldersOf(dataDir).landing, answer.file)).catch(() => undefined);
  if (body === undefined || createHash('sha256').update(body).digest('hex') !== answer.sha256)
    return undefined;
  return { answerText: answer.isError ? judgedText(body.toString('utf8')) : undefined };
}

/** Describes the change that needs the user's agreement before an export gets another id; undefined if no data can be lost. */
function changeOfId(
  entry: Export | undefined,
  exportId: string,
  other: Export | undefined,
): string | undefined {
  if (entry?.exportId === exportId) return undefined;
  if (other !== undefined)
    return `The export id belongs to export ${other.key}, which needs another id then.`;
  if (entry?.exportId === undefined || (entry.state !== 'landed' && entry.state !== 'loaded'))
    return undefined;
  return `Export ${entry.key} is ${entry.state} as ${entry.exportId}, and another id would replace it.`;
}

/** The ledger, read by a command while a run may be active. */
export type LedgerState = Awaited<ReturnType<typeof ledgerState>>;

/**
 * Reads the ledger, and compares the journal with the heads in other files.
 *
 * @param published the head in the published warehouse file
 * @param earlier the journal, if it was read already
 * @throws DamageError if a line of the journal is invalid
 * @throws StorageError
 */
export async function ledgerState(
  place: JournalPlace & Pick<Config, 'credentials' | 'exports'>,
  published: readonly KnownHead[],
  effects: Effects,
  earlier?: Journal,
) {
  const before = await lockState(place.dataDir);
  const journal = earlier ?? (await Journal.read(place, effects));
  // A reader without keys may have only a copy of the published file. Then that file is the only source of exports.
  const folders = foldersOf(place.dataDir);
  const isOfReader =
    place.credentials === undefined && !Object.values(folders).some((folder) => existsSync(folder));
  const hasData = (await streamFolders(folders.landing)).length > 0;
  const doubt = isOfReader ? undefined : await doubtIn(place, journal, published, effects, hasData);
  const ledger = new Ledger(place, journal, effects);
  ledger.doubt = doubt;
  if (isOfReader) ledger.show(await exportsKnownBy(dataFiles(place.dataDir).published));
  await ledger.readTexts(place.exports.refusals);
  // The lock is read again because a run that started during the reading may have written its own intent.
  const lock = before.taken ? before : await lockState(place.dataDir);
  // A reader may not see every reason to doubt the journal, and cannot act on an export.
  const needed = isOfReader ? [] : actionsNeeded(ledger.entries(), doubt, lock.taken);
  return { journal, ledger, lock, doubt, needed };
}

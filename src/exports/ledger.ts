/**
 * The ledger of paid exports: the requests that are billed or may be billed, as lines of the journal. E20 has no idempotency key,
 * and no endpoint lists exports, so the ledger is the only record of them. First the lines, how each changes an export, and the
 * advice on one that no run can finish without a decision of the user, all of it pure; then the ledger of a data folder, whose
 * every intent is durable before its request is sent.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import { type Day, daysOf, type DayRange, isDay, windowOf } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { DamageError, messageOf, RefusedError, StorageError, UsageError } from '../ground/errors.js';
import { doubtIn, type Doubt, type KnownHead } from '../journal/doubt.js';
import {
  event,
  Journal,
  type JournalPlace,
  type Entry,
  Kind,
  type LineOf,
  when,
} from '../journal/journal.js';
import { withoutPeople } from '../ground/redaction.js';
import { STREAMS } from '../ground/streams.js';
import { instant, wholeNumber } from '../landing/landing-zone.js';
import { readWhole } from '../landing/page-file.js';
import { dataFiles, foldersOf } from '../landing/paths.js';
import { lockState, type RunLock } from '../landing/run-lock.js';
import { isJudged } from '../service/client.js';
import { plural } from '../terminal/text.js';
import { cut, didYouMean, quoted } from '../ground/text.js';
import { exportsKnownBy, type ExportRow } from '../warehouse/reader.js';

const text = z.string();
const KEY = /^(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$/;

/** The day and the attempt in the key of an export; `undefined` if the text is not a key. */
export function partsOf(key: string): { day: string; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(key) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

const key = text.refine((given) => partsOf(given) !== undefined, 'not a key');
const exportId = text.min(1);
/**
 * The unknown answer to E20: its file below `landing/`, and the SHA-256 of the text. `isError`: it is no more than an
 * error, which a person may judge.
 */
const answer = z.object({ file: text, sha256: text, isError: z.boolean() });

/** A paid export (E20, E21); `at` is the instant of the event. */
export const EXPORT = new Kind(
  'export',
  z.discriminatedUnion('event', [
    z.object({
      ...event('intended'),
      /** Day and attempt, such as `2026-11-20.1`; safe in a shell command and in a path. */
      key,
      /** The KST day that is exported, complete. */
      day: text.refine(isDay, 'not a day'),
      /** `isMessageDataIncluded` of the request. */
      messageData: z.boolean(),
      /** The records to expect; `undefined` if no statistics existed to estimate from. */
      estimate: wholeNumber.optional(),
      pricePerRecord: z.number().nonnegative(),
      /** The key of the export that a person chose to pay for again. */
      again: key.optional(),
      /** The id of the run that intended this export. */
      run: text.optional(),
      /** The instant of a request that was sent before it was entered here. */
      sentAt: instant.optional(),
    }),
    z.object({ ...event('requested'), key, exportId }),
    z.object({ ...event('attached'), key, exportId }),
    z.object({ ...event('processing'), key }),
    z.object({ ...event('ready'), key, pages: wholeNumber }),
    z.object({
      ...event('landed'),
      key,
      pages: wholeNumber,
      records: wholeNumber,
      landedAt: instant,
      unreadable: z.array(wholeNumber).readonly().optional(),
      accepted: z.boolean().optional(),
    }),
    z.object({
      ...event('loaded'),
      key,
      /** What shows that the export is complete although records came twice, or its end was odd. */
      proof: z.enum(['statistics', 'readings']).optional(),
      /** The number of missing records that the settings tolerate. */
      tolerated: wholeNumber.optional(),
    }),
    z.object({ ...event('short'), key, records: wholeNumber, note: text }),
    z.object({
      ...when,
      event: z.enum(['ambiguous', 'failed', 'withdrawn', 'abandoned', 'troubled', 'doubted']),
      key,
      note: text,
      answer: answer.optional(),
    }),
  ]),
);
export type Line = LineOf<typeof EXPORT>;

type Intended = Extract<Entry<Line>, { event: 'intended' }>;

/** One entry of the ledger: one E20 request that is billed, may be billed, or was intended. */
export interface Export extends Omit<Intended, 'event' | 'sentAt'> {
  readonly state: ExportState;
  readonly billed: Billed;
  /** Number of consecutive failed fetches; reset to zero after a success. */
  readonly troubles: number;
  /** The instant of the intent, after which the request leaves at once; its KST month is that of the fee. */
  readonly requestedAt: Date;
  readonly updatedAt: Date;
  readonly exportId?: string;
  readonly pages?: number;
  readonly records?: number | undefined;
  /** True if the last answer reported no records although the daily statistics count some, or a landed export is kept back. */
  readonly doubted: boolean;
  readonly landedAt?: Date;
  /** The numbers of pages that cannot be read; the other pages count. */
  readonly unreadable?: readonly number[] | undefined;
  readonly loadedAt?: Date;
  /** True if a person has accepted the pages that landed as the complete export. */
  readonly accepted?: boolean | undefined;
  /** The number of records that a loaded export may lack, 0 if it is not known; undefined if it lacks nothing. */
  readonly short?: number | undefined;
  readonly proof?: 'statistics' | 'readings' | undefined;
  readonly tolerated?: number | undefined;
  /** One sentence about the most recent problem; contains no secrets. */
  readonly note?: string | undefined;
  readonly answer?: z.output<typeof answer> | undefined;
  /** The text of that answer, once `readTexts` has read it; a person may judge it to be a refusal. */
  readonly answerText?: string | undefined;
  /** A word of that answer that may be an export id. */
  readonly quotedId?: string | undefined;
}

/** An event of an export after its intent. */
export type Outcome = Exclude<Entry<Line>, { event: 'intended' | 'requested' | 'attached' }>;

/** The day and the terms of a request for an export. */
type Intent = Omit<Intended, 'event' | 'key' | 'again'>;

/** Applies a line to an entry. Throws `UsageError` if the line cannot follow. */
function applyLine(entry: Export | undefined, line: Line): Export {
  if (entry === undefined && line.event === 'intended') return newEntry(line);
  const state = entry && MOVES[entry.state][line.event];
  if (entry === undefined || state === undefined)
    throw new UsageError(
      `Export ${line.key} is ${entry?.state ?? 'unknown'} and cannot become ${line.event}.`,
      { hint: '`dawnload exports list` shows the exports, and what can be decided about each.' },
    );
  const { seq: _, event: __, at: updatedAt, ...own } = line;
  const billed = billedAfter(state, entry.billed);
  return { ...entry, note: undefined, ...own, ...changesOf(entry, line), state, billed, updatedAt };
}

function newEntry(line: Line & { event: 'intended' }): Export {
  const { seq: _, event: __, at, sentAt = at, ...terms } = line;
  return {
    ...terms,
    state: 'intended',
    billed: 'maybe',
    troubles: 0,
    doubted: false,
    requestedAt: sentAt,
    updatedAt: at,
  };
}

/** The fields of an export that a line sets besides its own. */
function changesOf(entry: Export, line: Line): Partial<Export> {
  switch (line.event) {
    case 'attached':
    case 'ready':
      return { troubles: 0, doubted: false };
    case 'landed':
      return { unreadable: line.unreadable, accepted: line.accepted };
    case 'loaded':
      return {
        loadedAt: line.at,
        doubted: false,
        short: undefined,
        proof: line.proof,
        tolerated: line.tolerated,
      };
    case 'short':
      return { records: entry.records, short: line.records, proof: undefined, tolerated: undefined };
    case 'troubled':
      return { troubles: entry.troubles + 1 };
    case 'doubted':
      return { doubted: true };
    case 'ambiguous':
      return { answer: line.answer };
    default:
      return {};
  }
}

// The states of a paid export and the events allowed in each, as a pure table, which gives the next state. An event that
// the table does not list is damage when read from disk, and refused when requested by a caller.

/** The states of a paid export, in words for people. Only `failed` and `withdrawn` leave the day free for another request. */
export const STATES = {
  intended: 'a run was about to request it',
  requested: 'the service has accepted it',
  processing: 'the service is making it',
  ready: 'the service has made it, and its pages are downloaded next',
  landed: 'all pages are on disk, and are not loaded yet',
  loaded: 'its records are in the warehouse',
  ambiguous: 'it is not known whether the service has made it; your decision is needed',
  failed: 'the service refused it',
  withdrawn: 'the request was never sent',
  abandoned: 'you gave it up',
} as const;
export type ExportState = keyof typeof STATES;

export function isState(text: string): text is ExportState {
  return Object.hasOwn(STATES, text);
}

/** Billing state of an export: `maybe` until the answer to E20 is known. */
export type Billed = 'no' | 'maybe' | 'yes';

type Moves = Readonly<Partial<Record<Line['event'], ExportState>>>;

/** Until an export is loaded, the user may correct a mistyped export id or abandon the export. */
const CORRECTED = { attached: 'requested', abandoned: 'abandoned' } as const;

export const MOVES: Readonly<Record<ExportState, Moves>> = {
  intended: {
    requested: 'requested',
    ambiguous: 'ambiguous',
    failed: 'failed',
    withdrawn: 'withdrawn',
  },
  requested: {
    ...CORRECTED,
    processing: 'processing',
    ready: 'ready',
    troubled: 'requested',
    doubted: 'requested',
  },
  processing: {
    ...CORRECTED,
    ready: 'ready',
    troubled: 'processing',
    doubted: 'processing',
  },
  ready: {
    ...CORRECTED,
    ready: 'ready',
    landed: 'landed',
    troubled: 'ready',
    doubted: 'ready',
  },
  // Downloading a page again is not billed (E21), so a landed page that turns out damaged reopens the export. The user
  // may also find that the id belongs to another day, or find an id that was missing.
  landed: { ...CORRECTED, loaded: 'loaded', ready: 'ready', doubted: 'landed' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested', doubted: 'loaded', short: 'loaded' },
  // A person may judge the answer to have been a refusal (`exports.refusals`).
  ambiguous: { ...CORRECTED, failed: 'failed' },
  // The day of a failed export is free for the next run; `abandoned` makes the runs skip that day. A failed export
  // becomes ambiguous if the ledger was restored and another record shows it as billed.
  failed: { ...CORRECTED, ambiguous: 'ambiguous' },
  withdrawn: { ...CORRECTED, ambiguous: 'ambiguous' },
  abandoned: { attached: 'requested' },
};

/**
 * Billing state of an export after it entered `state`.
 *
 * @param before the billing state until then
 */
export function billedAfter(state: ExportState, before: Billed): Billed {
  if (state === 'abandoned') return before;
  if (state === 'intended' || state === 'ambiguous') return 'maybe';
  return blocksRuns(state) ? 'yes' : 'no';
}

/**
 * True if no run may request the day again on its own: the export is paid, may be paid, or was abandoned by the user.
 * Abandoning is not a consent to pay again.
 */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/**
 * True if even the user may not pay for the day again through another export. An abandoned export does not block this.
 */
export function blocksPayingAgain(state: ExportState): boolean {
  return blocksRuns(state) && state !== 'abandoned';
}

/** True if a run can resume the export at no cost: poll, land or load it. */
export function isResumable(state: ExportState): boolean {
  return state === 'requested' || state === 'processing' || state === 'ready' || state === 'landed';
}

/** True if an export is paid for and its records have not landed yet. */
export function isUnderWay({ state }: Export): boolean {
  return isResumable(state) && state !== 'landed';
}

/** True if all pages of the export were on disk at some time. */
export function isClosed({ state }: Export): boolean {
  return state === 'landed' || state === 'loaded';
}

/** True if the pages have landed and are not loaded until a person has decided, since many of the records are of other days. */
export function isKeptBack(entry: Export): boolean {
  return entry.doubted && isClosed(entry);
}

/** The keys of the exports that the next run resumes at no cost. */
export function keysUnderWay(entries: readonly Export[]): string[] {
  return entries.flatMap((entry) => (isResumable(entry.state) && !isKeptBack(entry) ? [entry.key] : []));
}

/** The exports whose pages have landed; they have an id. */
export function landedAmong(entries: Iterable<Export>): (Export & { readonly exportId: string })[] {
  return [...entries].flatMap((entry) => {
    const { exportId } = entry;
    return isClosed(entry) && exportId !== undefined ? [{ ...entry, exportId }] : [];
  });
}

/** The days of a range that a run may request, oldest first: neither paid, nor possibly paid, nor abandoned by the user. */
export function missingDays(range: DayRange, entries: Iterable<Export>): Day[] {
  const covered = new Set([...entries].flatMap(({ day, state }) => (blocksRuns(state) ? [day] : [])));
  return daysOf(range).filter((day) => !covered.has(day));
}

/** The exports that the lines of the journal tell of, by key, in the order of their intents. Throws `DamageError`. */
export function exportsOf(lines: readonly Line[]): Map<string, Export> {
  const book = new Map<string, Export>();
  for (const line of lines) {
    try {
      book.set(line.key, applyLine(book.get(line.key), line));
    } catch (error) {
      throw new DamageError(`Line ${line.seq} of the journal is invalid. ${messageOf(error)}`, {
        hint: 'No paid request is sent until the journal is intact. Restore data/ledger from a backup.',
      });
    }
  }
  return book;
}

/**
 * Number of consecutive failed fetches after which a paid export needs action. Runs keep asking for the export, at no
 * cost.
 */
const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * True if only a user's decision can finish this export. An export in the state `intended` belongs to the active run; if
 * no run is active, its run was killed before recording the outcome, and the next run records the export as ambiguous.
 */
export function needsPerson(entry: Export, isRunning = false): boolean {
  if (entry.state === 'ambiguous') return true;
  if (entry.state === 'intended') return !isRunning;
  if (entry.state === 'loaded')
    return entry.doubted || entry.unreadable !== undefined || entry.short !== undefined;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/**
 * Describes what happened and lists the exact commands to choose from; `undefined` if nothing needs a decision.
 *
 * @param twin another export with the same id
 */
export function adviceFor(entry: Export, isRunning = false, twin?: Export): string | undefined {
  if (!needsPerson(entry, isRunning)) return undefined;
  const { key, day, state, note, quotedId, unreadable, short } = entry;
  const reason = note === undefined ? '' : ` Reason: ${note.replace(/\.?$/, '.')}`;
  const command = (what: string): string => `\`dawnload exports ${what}\``;
  const resume = command(`resume ${key}`);
  const accept = command(`decide ${key} --accept-incomplete`);
  const giveUp = `To give the day up: ${command(`decide ${key} --abandon`)}.`;
  const told = (...sentences: readonly string[]): string => sentences.filter((one) => one !== '').join(' ');
  if (isKeptBack(entry))
    return told(
      `Export ${key} of ${day} is kept back and not loaded.${reason}`,
      twin === undefined
        ? 'Its times may have shifted, or its id may belong to another export.'
        : `Its id is that of export ${twin.key}, too.`,
      `To correct the id: ${command(`decide ${key} --attach EXPORT_ID --yes`)}. To load it as it is: ${accept}. ${giveUp}`,
    );
  if (entry.doubted)
    return told(
      `The service reports no records for the paid export ${key} of ${day}.${reason}`,
      `Check exports.page_parameter, then: ${resume}. If the day had no events: ${accept}. ${giveUp}`,
    );
  if (unreadable !== undefined && state === 'loaded')
    return told(
      `Export ${key} of ${day} is loaded without page ${unreadable.join(', ')}, which cannot be read.`,
      `To download it again at no cost: ${resume}. To do without it: ${accept}.`,
    );
  if (short !== undefined && state === 'loaded')
    return told(
      `Export ${key} of ${day} may ${short === 0 ? 'be incomplete' : `lack ${plural(short, 'record')}`}.${reason}`,
      `Each of the three nights after it landed reads it again at no cost. To read it again now: ${resume}. If it is complete: ${accept}.`,
    );
  const why = state === 'intended' ? ' The run was killed before it recorded the answer.' : reason;
  const what =
    state === 'ambiguous' || state === 'intended'
      ? `Export ${key} of ${day} may have been billed: the outcome of its request is unknown.${why} Ask the service's operator.`
      : `The service has not delivered the paid export ${key} of ${day} in ${entry.troubles} attempts.${reason}`;
  const judged =
    state === 'ambiguous' && entry.answerText !== undefined
      ? `If its answer, ${JSON.stringify(entry.answerText)}, means that nothing was made, add this text to exports.refusals: the next run requests the day again.`
      : '';
  const attach = command(`decide ${key} --attach ${quotedId ?? 'EXPORT_ID'}`);
  return told(
    what,
    ...(quotedId === undefined
      ? [judged, `If you have its export id: ${attach}.`]
      : [`If ${quotedId}, which its answer names, is its export id: ${attach}.`, judged]),
    state === 'ready' ? `To load the pages that were downloaded: ${accept}.` : '',
    `${giveUp} To request it again, billed again: ${command(`decide ${key} --pay-again`)}.`,
  );
}

/** The advice on each export that waits for a person, and on a journal in doubt (`ledger`). */
export function actionsNeeded(
  entries: readonly Export[],
  doubt: DamageError | undefined,
  isRunning = false,
): { readonly key: string; readonly advice: string }[] {
  const advised = entries.flatMap((entry) => {
    const { key, exportId } = entry;
    const twin = entries.find((other) => other.exportId === exportId && other.key !== key);
    const advice = adviceFor(entry, isRunning, twin);
    return advice === undefined ? [] : [{ key, advice }];
  });
  return doubt === undefined ? advised : [{ key: 'ledger', advice: doubt.sentences }, ...advised];
}

// The ledger of a data folder.

/** The places that may know an export, the most reliable one first. */
export type Place = 'second copy' | 'private warehouse' | 'published warehouse' | 'landing zone';

/** An export that another file knows, and the ledger lacks. */
export interface Untracked extends ExportRow {
  readonly state: ExportState;
  readonly knownBy: Place;
}

/**
 * The exports of a data folder. Only the holder of the folder's lock changes them; every change is durable when its
 * promise resolves.
 */
export class Ledger {
  /** The reason why no paid request may be sent; `undefined` if the journal lacks nothing. */
  doubt: Doubt | undefined;
  readonly #book: Map<string, Export>;
  /** Runs one change at a time, because each depends on the lines written before it. */
  readonly #inTurn = pLimit(1);

  /**
   * @param lock the lock of the data folder; without it nothing can be intended
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

  /** The settings under which exports are paid and downloaded. */
  get settings(): Config['exports'] {
    return this.place.exports;
  }

  /** Adds exports that only a warehouse file lists. */
  show(rows: readonly ExportRow[]): void {
    for (const { exportId, pages, ...row } of rows) {
      const { key, state, billed, pricePerRecord = 0, requestedAt, updatedAt } = row;
      if (!isState(state) || requestedAt === undefined || updatedAt === undefined) continue;
      const known = { ...(exportId !== undefined && { exportId }), ...(pages !== undefined && { pages }) };
      const told: Billed = billed === 'yes' || billed === 'no' ? billed : 'maybe';
      const rest = {
        state,
        billed: told,
        pricePerRecord,
        requestedAt,
        updatedAt,
        troubles: 0,
        doubted: false,
      };
      this.#book.set(key, { ...row, ...known, ...rest });
    }
  }

  /** All exports, in the order of their intents. */
  entries(): Export[] {
    return [...this.#book.values()];
  }

  find(key: string): Export | undefined {
    return this.#book.get(key);
  }

  /** Returns the export with this key. Throws `UsageError` if there is none. */
  get(key: string): Export {
    const entry = this.find(key);
    if (entry === undefined) throw this.#unknown(key);
    return entry;
  }

  /**
   * Marks exports that a dead process left `intended` as `ambiguous`, because it is unknown whether their requests were
   * sent, and ambiguous ones whose answer a person has judged to be a refusal (`exports.refusals`) as `failed`. Call it
   * before any request.
   */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      const left = this.entries().filter(({ state }) => state === 'intended');
      const note = 'The process ended before it recorded the outcome of the request.';
      for (const { key } of left) await this.#record({ event: 'ambiguous', key, note });
      await this.readTexts();
      const judged = this.entries().filter(
        ({ answerText: text }) => text !== undefined && isJudged(text, this.settings.refusals),
      );
      const why = 'A person has listed this answer under exports.refusals.';
      for (const { key } of judged) await this.#record({ event: 'failed', key, note: why });
    });
  }

  /** Reads the texts of the answers that persons may judge. Exports with one of `refusals` appear as `settle` will record them. */
  async readTexts(refusals: readonly string[] = []): Promise<void> {
    for (const entry of this.entries()) {
      const kept = await readKept(this.place.dataDir, entry);
      const settled =
        isJudged(kept?.answerText ?? '', refusals) && ({ state: 'failed', billed: 'no' } as const);
      if (kept !== undefined) this.#book.set(entry.key, { ...entry, ...kept, ...settled });
    }
  }

  /**
   * Durably records the intent to request an export (E20). The request may be sent only after the promise has resolved.
   *
   * @throws RefusedError if the day is paid, may be paid, or was abandoned
   * @throws DamageError if the journal may lack lines
   * @throws StorageError if the line cannot be written, or the lock is not held any more
   */
  intend(intent: Intent): Promise<Export> {
    return this.#inTurn(async () => {
      await this.#assertMayPay();
      this.#assertNotCovered(intent.day, (entry) => blocksRuns(entry.state));
      return this.#intend(intent);
    });
  }

  /**
   * The user consents to be billed again for the day of an export: abandons that export and intends a new one.
   *
   * @throws RefusedError if the data of the export has arrived or another export covers the day; other errors as for
   *   `intend`
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
      throw new RefusedError(`Export ${key} is ${state}, so there is nothing to pay for again.`);
    }
  }

  /**
   * Records that the service answered E20 with an export id: the export is billed.
   *
   * @throws StorageError if the answer cannot be recorded; the message contains the id, so that the user can attach it later
   */
  async requested(key: string, exportId: string): Promise<Export> {
    try {
      return await this.#inTurn(() => this.#record({ event: 'requested', key, exportId }));
    } catch (cause) {
      if (!(cause instanceof StorageError || cause instanceof DamageError)) throw cause;
      throw new StorageError(
        `The service accepted the paid export ${key} as ${exportId}, but the ledger could not record it. ${cause.message}`,
        {
          hint: `Repair the disk, then run \`dawnload exports decide ${key} --attach=${quoted(exportId)}\`.`,
          cause,
        },
      );
    }
  }

  /**
   * Records what became of an export; an event that changes nothing, as in a rebuild, writes no line.
   *
   * - `failed`: the service clearly refused the request (E20); nothing is billed, and the day is free again
   * - `withdrawn`: the request provably never left this machine; nothing is billed, and the day is free again
   * - `ambiguous`: the request may have been sent and its outcome is unknown; the user must decide
   * - `processing`: the export is being generated (E21)
   * - `ready`: E21 gave the number of pages; a landed export with a damaged page is open again
   * - `landed`: every page is durable on disk; `landedAt` is later than that of an earlier landing
   * - `loaded`: every page is in the warehouse; ends a doubt
   * - `short`: the loaded export may lack so many records (0: not known)
   * - `troubled`: the paid export was not delivered (E21 `error`, `not_found`, or not ready in time); the next run asks
   *   again, and after several failures the export needs action
   * - `doubted`: the service reports no records (E21) although the daily statistics count some, or much of a landed
   *   export lies outside its day, so that it is kept back; the export needs action
   * - `abandoned`: the user gives the export up; no run requests its day again, only `payAgain` does
   *
   * The `note` is a sentence without secrets.
   */
  record(given: Outcome): Promise<Export> {
    const entry =
      'note' in given ? { ...given, note: cut(given.note.replaceAll(/\s+/g, ' ').trim(), 500) } : given;
    return this.#inTurn(() => {
      const known = this.get(entry.key);
      return isKnown(known, entry) ? Promise.resolve(known) : this.#record(entry);
    });
  }

  /**
   * Records the export id that the user supplies for an export whose answer was lost. If the ledger lacks the key, for
   * example after the ledger was lost, a new export is entered. Two changes require the user's agreement: to replace the
   * id of an export whose data has arrived, and to give it the id of another export, which needs another one then.
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
      const known = this.find(key);
      const day = known?.day ?? partsOf(key)?.day;
      if (day === undefined) throw this.#unknown(key);
      const other = this.entries().find((entry) => entry.exportId === exportId && entry.key !== key);
      // A second export of a day, which was billed too, is entered and not downloaded.
      const isOther = (entry: Export): boolean => entry.key !== key && blocksPayingAgain(entry.state);
      const twin = this.entries().find((entry) => entry.day === day && isOther(entry));
      const second = twin !== undefined && (known?.state ?? 'abandoned') === 'abandoned';
      if (second && known?.exportId === exportId) return known;
      if (second && other !== undefined)
        throw new RefusedError(
          `${exportId} is the id of export ${other.key}, so it is no second one of ${day}.`,
          { hint: '`dawnload exports list` shows the exports. Nothing was changed.' },
        );
      const change = second
        ? `${day} is covered by export ${twin.key}; ${key} would be a second one, billed too.`
        : changeOfId(known, exportId, other);
      if (change !== undefined && !(await agree(change))) {
        throw new RefusedError(change, {
          hint: `Nothing was changed. To do it: \`dawnload exports decide ${key} --attach=${quoted(exportId)} --yes\`.`,
        });
      }
      if (known === undefined) await this.#enter(key, day, pricePerRecord);
      // A run may have requested this day again in the meantime, because the state left it free.
      else if (!blocksRuns(known.state)) this.#assertNotCovered(day, isOther);
      const attached = await this.#record({ event: 'attached', key, exportId });
      const note = 'A second export of the day, which is billed and not downloaded.';
      return second ? this.#record({ event: 'abandoned', key, note }) : attached;
    });
  }

  /** If the file of the lock was removed, another run may have started that pays for the same day. */
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

  /** Enters an export that is known only from the user. */
  async #enter(key: string, day: Day, pricePerRecord: number): Promise<void> {
    if (windowOf(day).end > this.effects.now()) {
      throw new UsageError(`${day} is not over, so no export can hold it.`, { hint: 'Check the key.' });
    }
    await this.#record({ event: 'intended', key, day, messageData: true, pricePerRecord });
    await this.#record({ event: 'ambiguous', key, note: 'You entered it; the ledger did not list it.' });
  }

  /**
   * Enters exports that other files know (`recover`) in their known state; the ledger may hold them as not billed.
   *
   * @param price of a record, for exports of which no price is known
   */
  async recover(untracked: readonly Untracked[], price = 0): Promise<void> {
    for (const one of untracked) await this.#inTurn(() => this.#enterUntracked(one, price));
  }

  async #enterUntracked({ key, day, exportId, state, ...known }: Untracked, price: number): Promise<void> {
    const { messageData, estimate, pricePerRecord = price, requestedAt: sentAt } = known;
    const { pages = 0, records, knownBy } = known;
    const isNew = this.find(key) === undefined;
    const terms = { day, messageData, estimate, pricePerRecord, sentAt };
    if (isNew) await this.#record({ event: 'intended', key, ...terms });
    const note = `Recovered; known by the ${knownBy} alone.`;
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

  /** The error for a key that belongs to no export. */
  #unknown(key: string): UsageError {
    return new UsageError(`There is no export ${key} in the ledger.`, {
      hint: `${didYouMean(key, [...this.#book.keys()])}\`dawnload exports list\` shows the exports and their keys.`,
    });
  }

  async #record(entry: Entry<Line>): Promise<Export> {
    const known = this.find(entry.key);
    // Whether the event may follow is decided before anything is written.
    applyLine(known, { ...entry, seq: 0, at: this.effects.now() });
    const next = applyLine(known, await this.journal.append(EXPORT, entry));
    this.#book.set(next.key, next);
    return next;
  }
}

/** True if an event would change nothing. */
function isKnown(known: Export, entry: Outcome): boolean {
  const { state, pages, troubles, doubted, short, note } = known;
  switch (entry.event) {
    case 'ready':
      return state === 'ready' && pages === entry.pages && troubles === 0;
    case 'loaded':
      return (
        state === 'loaded' &&
        !doubted &&
        short === undefined &&
        known.proof === entry.proof &&
        known.tolerated === entry.tolerated
      );
    case 'short':
      return short === entry.records && note === entry.note;
    default:
      return false;
  }
}

/** The longest text that is offered to a person to judge, in characters. */
const LONGEST_TEXT = 500;

/** The text of an error on one line without personal data; undefined if it is too long to be judged whole. */
export function judgedText(text: string): string | undefined {
  const line = withoutPeople(text, 10 * LONGEST_TEXT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_TEXT ? undefined : line;
}

/**
 * A word of letters and digits, or a long number, after the word for an export; no date, no code of an error, not the id of a
 * project, and not the last word of a JSON text that broke off, since its end may be missing.
 */
const QUOTED_ID =
  /(?:export|내보내기).*?(?<![\w-])(?<!(?:project|error|code|코드|오류)\W+)(?!\d{4}-\d\d)(?=[a-z_-]*\d)(?=\d*[a-z]|\d{9})([a-z\d][\w-]{3,199})(?![\w-])(?<!^\s*\{.*$)/is;

/**
 * Reads a kept answer (`landing/rejected`): the text for a person to judge, and a word that may be an export id. Undefined
 * if the answer is gone or was changed, or the export is no longer ambiguous.
 */
export async function readKept(
  dataDir: string,
  { answer, state }: Pick<Export, 'answer' | 'state'>,
): Promise<Pick<Export, 'answerText' | 'quotedId'> | undefined> {
  if (answer === undefined || state !== 'ambiguous') return undefined;
  const body = await readWhole(join(foldersOf(dataDir).landing, answer.file)).catch(() => undefined);
  if (body === undefined || createHash('sha256').update(body).digest('hex') !== answer.sha256)
    return undefined;
  const text = body.toString('utf8');
  return { answerText: answer.isError ? judgedText(text) : undefined, quotedId: QUOTED_ID.exec(text)?.[1] };
}

/** The change that the user must agree to before an export gets another id; undefined if no data can be lost. */
function changeOfId(
  known: Export | undefined,
  exportId: string,
  other: Export | undefined,
): string | undefined {
  if (known?.exportId === exportId) return undefined;
  if (other !== undefined)
    return `The export id belongs to export ${other.key}, which needs another id then.`;
  if (known?.exportId === undefined || (known.state !== 'landed' && known.state !== 'loaded'))
    return undefined;
  return `Export ${known.key} is ${known.state} as ${known.exportId}, and another id would replace it.`;
}

/** The ledger as read by a command that may be running at the same time as a run. */
export type LedgerState = Awaited<ReturnType<typeof ledgerState>>;

/**
 * Reads the ledger and compares the journal with the heads that other files carry.
 *
 * @param published the head in the published warehouse file
 * @throws DamageError if a line of the journal is invalid
 * @throws StorageError
 */
export async function ledgerState(
  place: JournalPlace & Pick<Config, 'credentials' | 'exports'>,
  published: readonly KnownHead[],
  effects: Effects,
) {
  const before = await lockState(place.dataDir);
  const journal = await Journal.read(place, effects);
  // A reader, who has no keys, may have a copy of the published file alone, which then says all that is known of exports.
  const folders = foldersOf(place.dataDir);
  const isOfReader =
    place.credentials === undefined && !Object.values(folders).some((folder) => existsSync(folder));
  const holds = STREAMS.some((stream) => existsSync(join(folders.landing, stream)));
  const found = isOfReader ? undefined : await doubtIn(place, journal, published, effects, holds);
  const ledger = new Ledger(place, journal, effects);
  ledger.doubt = found;
  if (isOfReader) ledger.show(await exportsKnownBy(dataFiles(place.dataDir).published));
  await ledger.readTexts(place.exports.refusals);
  // The lock is read again because a run that started during the reading may have written its own intent.
  const lock = before.taken ? before : await lockState(place.dataDir);
  // A reader of the files may not see every reason for a doubt, and cannot act on an export.
  const { doubt } = ledger;
  const needed = isOfReader ? [] : actionsNeeded(ledger.entries(), doubt, lock.taken);
  return { journal, ledger, lock, doubt, needed };
}

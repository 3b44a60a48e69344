/** Defines a paid export: its journal lines, its states, and the advice when you must decide. Pure. */
import { z } from 'zod';
import { type Day, daysOf, type DayRange, isDay } from '../ground/calendar.js';
import { DamageError, messageOf, UsageError } from '../ground/errors.js';
import { event, type Entry, Kind, type LineOf, when } from '../journal/journal.js';
import { instant, wholeNumber } from '../landing/landing-zone.js';
import { plural } from '../terminal/text.js';

const text = z.string();
const KEY = /^(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$/;

/** The day and the attempt in the key of an export; `undefined` if the text is not a key. */
export function partsOf(key: string): { day: string; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(key) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

const key = text.refine((one) => partsOf(one) !== undefined, 'not a key');
const exportId = text.min(1);
/**
 * The unknown answer to E20: its file below `landing/`, and the SHA-256 of the text. `isError`: it is only an error,
 * which you may list under `exports.refusals`.
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
      /** The key of the export that you chose to pay for again. */
      again: key.optional(),
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
      /** The evidence that the export is complete although records came twice or its end was odd. */
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

/** An entry of the ledger: a request (E20) that is billed, may be billed, or was intended. */
export interface Export extends Omit<Intended, 'event' | 'sentAt'> {
  readonly state: ExportState;
  readonly billed: Billed;
  /** Number of consecutive failed fetches; reset to zero after a success. */
  readonly troubles: number;
  /** The instant of the intent, after which the request leaves immediately; its KST month is that of the fee. */
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
  /** True if you have accepted the pages that landed as the complete export. */
  readonly accepted?: boolean | undefined;
  /**
   * The number of records that a loaded export may lack, 0 if the number is unknown; undefined if the export is
   * complete.
   */
  readonly short?: number | undefined;
  readonly proof?: 'statistics' | 'readings' | undefined;
  readonly tolerated?: number | undefined;
  /** One sentence about the most recent problem; contains no secrets. */
  readonly note?: string | undefined;
  readonly answer?: z.output<typeof answer> | undefined;
  /** The text of that answer, once `readTexts` has read it; you may declare it a refusal. */
  readonly answerText?: string | undefined;
}

export type Outcome = Exclude<Entry<Line>, { event: 'intended' | 'requested' | 'attached' }>;

/** The day and the terms of a request for an export. */
export type Intent = Omit<Intended, 'event' | 'key' | 'again'>;

/** Applies a line to an entry. Throws `UsageError` if the line cannot follow. */
export function applyLine(entry: Export | undefined, line: Line): Export {
  if (entry === undefined && line.event === 'intended') return newEntry(line);
  const state = entry && MOVES[entry.state][line.event];
  if (entry === undefined || state === undefined)
    throw new UsageError(
      `Export ${line.key} is ${entry?.state ?? 'unknown'}, so it cannot change to ${line.event}.`,
      { hint: `\`dawnload exports show ${line.key}\` shows it with your choices.` },
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
  ambiguous: 'it is unknown whether the service made it; your decision is needed',
  failed: 'the service refused it',
  withdrawn: 'the request was never sent',
  abandoned: 'you gave it up',
} as const;
export type ExportState = keyof typeof STATES;

export function isState(text: string): text is ExportState {
  return Object.hasOwn(STATES, text);
}

/** Billing state of an export: `maybe` until the answer to E20 is recorded. */
export type Billed = 'no' | 'maybe' | 'yes';

type Moves = Readonly<Partial<Record<Line['event'], ExportState>>>;

/** Until an export is loaded, you may correct its id or abandon it. */
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
  // You may judge the answer to be a refusal (`exports.refusals`).
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

/** True if no run may request the day: it is paid, perhaps paid, or abandoned. Abandoning is not consent to a second bill. */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/** True if not even you may pay for the day through another export. An abandoned export does not block this. */
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

/** True if the pages have landed but wait for your decision, because many of the records are of other days. */
export function isKeptBack(entry: Export): boolean {
  return entry.doubted && isClosed(entry);
}

export function keysUnderWay(entries: readonly Export[]): string[] {
  return entries.flatMap((entry) => (isResumable(entry.state) && !isKeptBack(entry) ? [entry.key] : []));
}

export function landedAmong(entries: Iterable<Export>): (Export & { readonly exportId: string })[] {
  return [...entries].flatMap((entry) => {
    const { exportId } = entry;
    return isClosed(entry) && exportId !== undefined ? [{ ...entry, exportId }] : [];
  });
}

export function missingDays(range: DayRange, entries: Iterable<Export>): Day[] {
  const covered = new Set([...entries].flatMap(({ day, state }) => (blocksRuns(state) ? [day] : [])));
  return daysOf(range).filter((day) => !covered.has(day));
}

/** The exports in the lines of the journal, by key, in the order of their intents. Throws `DamageError`. */
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

/** Consecutive failed fetches after which an export needs action. Runs keep polling it, at no cost. */
const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * True if only your decision can finish this export. An export in the state `intended` belongs to the active run; if no
 * run is active, its run was killed before recording the outcome, and the next run records the export as ambiguous.
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
  const { key, day, state, note, answer, answerText, unreadable, short } = entry;
  const reason = note === undefined ? '' : ` Reason: ${note.replace(/\.?$/, '.')}`;
  const command = (what: string): string => `\`dawnload exports ${what}\``;
  const resume = command(`resume ${key}`);
  const accept = command(`decide ${key} --accept-incomplete`);
  const giveUp = `To give up the day: ${command(`decide ${key} --abandon`)}.`;
  const joined = (...sentences: readonly string[]): string => sentences.filter((one) => one !== '').join(' ');
  if (isKeptBack(entry))
    return joined(
      `Export ${key} of ${day} is kept back and not loaded.${reason}`,
      twin === undefined
        ? 'Its times may have shifted, or its id may belong to another export.'
        : `Export ${twin.key} has the same id.`,
      `To read it again at no cost: ${resume}. To correct the id: ${command(`decide ${key} --attach EXPORT_ID --yes`)}. To load it as it is: ${accept}. ${giveUp}`,
    );
  if (entry.doubted)
    return joined(
      `The service reports no records for the paid export ${key} of ${day}.${reason}`,
      `Check exports.page_parameter, then: ${resume}. If the day had no events: ${accept}. ${giveUp}`,
    );
  if (unreadable !== undefined && state === 'loaded')
    return joined(
      `Export ${key} of ${day} is loaded without page ${unreadable.join(', ')}, which cannot be read.`,
      `To download it again at no cost: ${resume}. To do without it: ${accept}.`,
    );
  if (short !== undefined && state === 'loaded')
    return joined(
      `Export ${key} of ${day} may ${short === 0 ? 'be incomplete' : `lack ${plural(short, 'record')}`}.${reason}`,
      `Each of the three nights after it landed reads it again at no cost. To read it again now: ${resume}. If it is complete: ${accept}.`,
    );
  const why = state === 'intended' ? ' The run was killed before it recorded the answer.' : reason;
  const what =
    state === 'ambiguous' || state === 'intended'
      ? `Export ${key} of ${day} may have been billed: the outcome of its request is unknown.${why} Ask the service's operator.`
      : `The service has not delivered the paid export ${key} of ${day} in ${entry.troubles} attempts.${reason}`;
  const judged =
    state === 'ambiguous' && answerText !== undefined
      ? `If its answer, ${JSON.stringify(answerText)}, means that nothing was made, add this text to exports.refusals: the next run requests the day again.`
      : answer === undefined
        ? ''
        : `Its answer is in landing/${answer.file}.`;
  return joined(
    what,
    judged,
    `If you have its export id: ${command(`decide ${key} --attach EXPORT_ID`)}.`,
    state === 'ready' ? `To load the pages that were downloaded: ${accept}.` : '',
    `${giveUp} To request it again, billed again: ${command(`decide ${key} --pay-again`)}.`,
  );
}

/** The advice on each export that needs a decision, and on a journal in doubt (`ledger`). */
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

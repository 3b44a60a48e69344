/** Defines a paid export: its journal lines, its states, and the advice shown when your decision is needed. Pure. */
import { z } from 'zod';
import { type Day, daysOf, type DayRange, isDay } from '../ground/calendar.js';
import { DamageError, messageOf, UsageError } from '../ground/errors.js';
import { event, type Entry, Kind, type LineOf, when } from '../journal/journal.js';
import { instant, wholeNumber } from '../ground/shapes.js';
import { plural } from '../terminal/text.js';

const text = z.string();
const KEY = /^(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$/;

/** Splits the key of an export into day and attempt; `undefined` if the text is not a key. */
export function partsOf(key: string): { day: string; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(key) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

const key = text.refine((one) => partsOf(one) !== undefined, 'not a key');
const exportId = text.min(1);
/**
 * The file below `landing/` with the unknown answer to E20, and the SHA-256 of its text. `isError`: the answer is only an error, so you may
 * list it under `exports.refusals`.
 */
const answer = z.object({ file: text, sha256: text, isError: z.boolean() });

/** The lines about a paid export (E20, E21); `at` is the instant of the event. */
export const EXPORT = new Kind(
  'export',
  z.discriminatedUnion('event', [
    z.object({
      ...event('intended'),
      /** Day and attempt, such as `2026-11-20.1`; safe in a shell command and in a path. */
      key,
      /** The exported KST day, from its start to its end. */
      day: text.refine(isDay, 'not a day'),
      /** The parameter `isMessageDataIncluded` of the request. */
      messageData: z.boolean(),
      /** The expected number of records; `undefined` if no statistics existed to estimate from. */
      estimate: wholeNumber.optional(),
      pricePerRecord: z.number().nonnegative(),
      /** The key of the export that you chose to pay for again. */
      again: key.optional(),
      run: text.optional(),
      /** The instant of the request, if it was sent before the export was entered here. */
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
      /** What proved that the export is complete, although records were repeated or its last pages were odd. */
      proof: z.enum(['statistics', 'readings']).optional(),
      /** The number of missing records that `exports.tolerate_missing` allows. */
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

/** An entry of the ledger: a request (E20) that is billed, may be billed, or was about to be sent. */
export interface Export extends Omit<Intended, 'event' | 'sentAt'> {
  readonly state: ExportState;
  readonly billed: Billed;
  /** Number of consecutive failed fetches; reset to zero after a success. */
  readonly troubles: number;
  /** The instant of the intent. The request is sent right after it, and is charged in its KST month. */
  readonly requestedAt: Date;
  readonly updatedAt: Date;
  readonly exportId?: string;
  readonly pages?: number;
  readonly records?: number | undefined;
  /** True if the last answer reported no records although the daily statistics count some, or if a landed export is held back. */
  readonly doubted: boolean;
  readonly landedAt?: Date;
  /** The numbers of pages that cannot be read. The export counts without them. */
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
  /** The text of `answer`, once `readTexts` has read it; you may declare it a refusal. */
  readonly answerText?: string | undefined;
}

export type Outcome = Exclude<Entry<Line>, { event: 'intended' | 'requested' | 'attached' }>;

/** The day and the conditions of a request for an export. */
export type Intent = Omit<Intended, 'event' | 'key' | 'again'>;

/** Applies a journal line to an export. Throws `UsageError` if the export's state does not allow the event. */
export function applyLine(entry: Export | undefined, line: Line): Export {
  if (entry === undefined && line.event === 'intended') return newEntry(line);
  const state = entry && MOVES[entry.state][line.event];
  if (entry === undefined || state === undefined)
    throw new UsageError(
      `Export ${line.key} is ${entry?.state ?? 'unknown'}, so it cannot change to ${line.event}.`,
      { hint: `\`dawnload exports show ${line.key}\` shows the export and your choices.` },
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

// The states of a paid export and the events allowed in each: state → event → next state. Any other event is damage when read from disk,
// and an error of the caller otherwise.

/** The states of a paid export, in words for people. A day can be requested again only after `failed` and `withdrawn`. */
export const STATES = {
  intended: 'a run was about to request it',
  requested: 'the service has accepted it',
  processing: 'the service is making it',
  ready: 'the service has made it; its pages can be downloaded',
  landed: 'all pages are on disk, but not loaded yet',
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

/** Until an export is loaded, you may correct its id or give it up. */
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
  // Downloading a page again is free (E21), so an export whose landed page is damaged becomes `ready` again. You may also find that the id
  // belongs to another day, or find a missing id.
  landed: { ...CORRECTED, loaded: 'loaded', ready: 'ready', doubted: 'landed' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested', doubted: 'loaded', short: 'loaded' },
  // You may judge the answer to be a refusal (`exports.refusals`).
  ambiguous: { ...CORRECTED, failed: 'failed' },
  // The next run may request the day of a failed export again; after `abandoned`, runs skip the day. A failed export becomes ambiguous if
  // the ledger was restored from a backup and another file lists the export as billed.
  failed: { ...CORRECTED, ambiguous: 'ambiguous' },
  withdrawn: { ...CORRECTED, ambiguous: 'ambiguous' },
  abandoned: { attached: 'requested' },
};

/**
 * Returns the billing state of an export that has entered `state`.
 *
 * @param before the billing state until then
 */
export function billedAfter(state: ExportState, before: Billed): Billed {
  if (state === 'abandoned') return before;
  if (state === 'intended' || state === 'ambiguous') return 'maybe';
  return blocksRuns(state) ? 'yes' : 'no';
}

/** True if no run may request the day: it is paid, may be paid, or was given up. Giving up is not consent to a second bill. */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/** True if the day cannot be paid for again even with your consent. Abandoned exports do not block it. */
export function blocksPayingAgain(state: ExportState): boolean {
  return blocksRuns(state) && state !== 'abandoned';
}

/** True if a run can resume the export at no cost: poll, land or load it. */
export function isResumable(state: ExportState): boolean {
  return state === 'requested' || state === 'processing' || state === 'ready' || state === 'landed';
}

/** True if an export is paid for but has not landed. */
export function isUnderWay({ state }: Export): boolean {
  return isResumable(state) && state !== 'landed';
}

/** True if all pages of the export have been on disk at some time. */
export function isClosed({ state }: Export): boolean {
  return state === 'landed' || state === 'loaded';
}

/** True if the pages have landed but many records belong to other days, so that your decision is needed before they are loaded. */
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

/** Builds the exports from the lines of the journal, by key, in the order of their intents. Throws `DamageError`. */
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

/** After this number of consecutive failed fetches an export needs your attention. Runs keep polling it, at no cost. */
const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * True if only your decision can finish this export. An export in the state `intended` belongs to the active run. Without an active run,
 * its run was killed before it recorded the outcome, and the next run records the export as ambiguous.
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
      `Export ${key} of ${day} is downloaded, but not loaded until you decide.${reason}`,
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
      `The three nightly runs after the download read it again at no cost. To read it again now: ${resume}. If it is complete: ${accept}.`,
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

/** The advice for each export that needs a decision, and for a journal that may lack lines (`ledger`). */
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

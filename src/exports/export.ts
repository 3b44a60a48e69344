/** One paid export as recorded in the ledger, and how each line of the ledger changes it. Pure. */
import { type Day, type Window, dayOf, daysOf, type DayRange } from '../calendar.js';
import { closest } from 'fastest-levenshtein';
import { DamageError, UsageError } from '../errors.js';
import type { Line } from '../journal/lines.js';

/** One entry of the ledger: one E20 request that is billed, may be billed, or was intended. */
export interface Export {
  /** Day and attempt, such as `2026-11-20.1`; safe in a shell command and in a path. */
  readonly key: string;
  /** The KST day that the window covers. */
  readonly day: Day;
  readonly window: Window;
  /** `isMessageDataIncluded` of the request. */
  readonly messageData: boolean;
  readonly state: ExportState;
  readonly billed: Billed;
  /** Records expected when the request was intended; `undefined` if no statistics existed to estimate from. */
  readonly estimate: number | undefined;
  readonly pricePerRecord: number;
  /** Number of consecutive failed fetches; reset to zero after a success. */
  readonly troubles: number;
  readonly intendedAt: Date;
  readonly updatedAt: Date;
  readonly requestedAt?: Date;
  readonly exportId?: string;
  readonly pages?: number;
  readonly records?: number;
  /** True if the last answer reported no records although the daily statistics count some, or a loaded export is doubted. */
  readonly doubted: boolean;
  /** The number of times that all pages were on disk; more than 1 if the pages were downloaded again. */
  readonly landings: number;
  readonly landedAt?: Date;
  /** The numbers of pages that cannot be read; the other pages count. */
  readonly unreadable?: readonly number[] | undefined;
  readonly loadedAt?: Date;
  /** One sentence about the most recent problem; contains no secrets. */
  readonly note?: string | undefined;
  /** The unknown answer to E20: its file below `landing/`, and the SHA-256 of its text. */
  readonly answer?: { readonly file: string; readonly sha256: string } | undefined;
  /** The text of that answer, once `readAnswers` has read it; a person may judge it to be a refusal. */
  readonly answerText?: string | undefined;
  /** The key of the export that the user chose to pay for again. */
  readonly again?: string;
  /** The id of the run that intended this export. */
  readonly run?: string | undefined;
}

/** The day and the terms of a request for an export. */
export interface Intent {
  readonly day: Day;
  /** Default: the complete KST day. */
  readonly window?: Window;
  readonly messageData: boolean;
  /** Estimated records, a whole number. */
  readonly estimate: number | undefined;
  readonly pricePerRecord: number;
  /** The id of the run. */
  readonly run?: string | undefined;
}

/** The key of the n-th attempt to export a day. */
export function keyOf(ofDay: Day, attempt: number): string {
  return `${ofDay}.${attempt}`;
}

/** The reason why an event cannot follow, as a sentence; `undefined` if it can. */
export function refusalOf(
  entry: Export | undefined,
  { key, event }: Pick<Line<'export'>, 'key' | 'event'>,
): string | undefined {
  if (event === 'intended') return entry === undefined ? undefined : `Export ${key} is intended twice.`;
  if (entry === undefined) return `Export ${key} is ${event} but was never intended.`;
  return nextState(entry.state, event) === undefined
    ? `Export ${key} is ${entry.state} and cannot become ${event}.`
    : undefined;
}

/** Applies a line to an entry. Returns the new entry, or a sentence with the reason why the line cannot follow. */
export function applyRecord(entry: Export | undefined, record: Line<'export'>): Export | string {
  const refused = refusalOf(entry, record);
  if (refused !== undefined) return refused;
  if (record.event === 'intended') return newEntry(record);
  const state = entry === undefined ? undefined : nextState(entry.state, record.event);
  if (entry === undefined || state === undefined) return `Export ${record.key} is unknown.`;
  return {
    ...entry,
    note: undefined,
    ...changesOf(entry, record),
    state,
    billed: billedAfter(state, entry.billed),
    updatedAt: record.at,
  };
}

function newEntry(record: Line<'export'> & { event: 'intended' }): Export {
  return {
    key: record.key,
    day: record.day,
    window: { start: record.start, end: record.end },
    messageData: record.messageData,
    state: 'intended',
    billed: 'maybe',
    estimate: record.estimate,
    pricePerRecord: record.pricePerRecord,
    troubles: 0,
    doubted: false,
    landings: 0,
    intendedAt: record.at,
    updatedAt: record.at,
    run: record.run,
    ...(record.again === undefined ? {} : { again: record.again }),
  };
}

function changesOf(entry: Export, record: Exclude<Line<'export'>, { event: 'intended' }>): Partial<Export> {
  switch (record.event) {
    case 'requested':
      return { exportId: record.exportId, requestedAt: record.at };
    case 'attached':
      return {
        exportId: record.exportId,
        requestedAt: entry.requestedAt ?? record.at,
        troubles: 0,
        doubted: false,
      };
    case 'processing':
      return {};
    case 'ready':
      return { pages: record.pages, troubles: 0, doubted: false };
    case 'landed':
      return {
        pages: record.pages,
        records: record.records,
        landedAt: record.landedAt,
        unreadable: record.unreadable,
        landings: entry.landings + 1,
      };
    case 'loaded':
      return { loadedAt: record.at, doubted: false };
    case 'troubled':
      return { note: record.note, troubles: entry.troubles + 1 };
    case 'doubted':
      return { note: record.note, doubted: true };
    case 'ambiguous':
      return { note: record.note, answer: record.answer };
    default:
      return { note: record.note };
  }
}

// The states of a paid export and the events allowed in each, as a pure table. An event is the content of a line of the
// ledger; the table gives the next state. An event that the table does not list is damage when read from disk, and
// refused when requested by a caller.

/**
 * The states of a paid export.
 *
 * - `intended`: recorded on disk before the E20 request; not known to have been sent
 * - `requested`: the service answered with an export id; billed
 * - `processing`: the result was asked for (E21) and is being generated
 * - `ready`: the number of pages is known, and pages are being landed
 * - `landed`: every page is on disk
 * - `loaded`: every page is in the warehouse
 * - `ambiguous`: the request may have been sent and its outcome is unknown; the user decides
 * - `failed`: the service clearly refused; nothing is billed
 * - `withdrawn`: the request provably never left this machine; nothing is billed
 * - `abandoned`: the user gave up this export, which may be billed
 */
export const EXPORT_STATES = [
  'intended',
  'requested',
  'processing',
  'ready',
  'landed',
  'loaded',
  'ambiguous',
  'failed',
  'withdrawn',
  'abandoned',
] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** The events of an export that a line of the ledger can report. The line `intended` creates the export. */
export const EXPORT_EVENTS = [
  'requested',
  'processing',
  'ready',
  'landed',
  'loaded',
  'ambiguous',
  'failed',
  'withdrawn',
  'abandoned',
  /** The user supplied the id of the export. */
  'attached',
  /**
   * The service did not deliver: it answered `error` or `not_found`, or still `processing` when the run stopped waiting.
   */
  'troubled',
  /** The service reports no records although the daily statistics count some, or it gave mostly records of other days. */
  'doubted',
] as const;
export type ExportEvent = (typeof EXPORT_EVENTS)[number];

/** Billing state of an export: `maybe` until the answer to E20 is known. */
export type Billed = 'no' | 'maybe' | 'yes';

type Moves = Readonly<Partial<Record<ExportEvent, ExportState>>>;

const MOVES: Readonly<Record<ExportState, Moves>> = {
  intended: {
    requested: 'requested',
    ambiguous: 'ambiguous',
    failed: 'failed',
    withdrawn: 'withdrawn',
  },
  // Until the pages have landed, the user may correct a mistyped export id or abandon the export.
  requested: {
    processing: 'processing',
    ready: 'ready',
    troubled: 'requested',
    doubted: 'requested',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  processing: {
    ready: 'ready',
    troubled: 'processing',
    doubted: 'processing',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  ready: {
    ready: 'ready',
    landed: 'landed',
    troubled: 'ready',
    doubted: 'ready',
    attached: 'requested',
    abandoned: 'abandoned',
  },
  // Downloading a page again is not billed (E21), so a landed page that turns out damaged reopens the export. The user
  // may also find that the id belongs to another window, or find an id that was missing.
  landed: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested', doubted: 'loaded' },
  // A person may judge the answer to have been a refusal (`exports.refusals`).
  ambiguous: { attached: 'requested', abandoned: 'abandoned', failed: 'failed' },
  // The window of a failed export is free for the next run; `abandoned` makes the runs skip that day. A failed export
  // becomes ambiguous if the ledger was restored and another record shows it as billed.
  failed: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  withdrawn: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  abandoned: { attached: 'requested' },
};

/** The next state; `undefined` if the event is not allowed in this state. */
export function nextState(state: ExportState, event: ExportEvent): ExportState | undefined {
  return MOVES[state][event];
}

/**
 * Billing state of an export after it entered `state`.
 *
 * @param before the billing state until then
 */
export function billedAfter(state: ExportState, before: Billed): Billed {
  switch (state) {
    case 'intended':
    case 'ambiguous':
      return 'maybe';
    case 'failed':
    case 'withdrawn':
      return 'no';
    case 'abandoned':
      return before;
    default:
      return 'yes';
  }
}

/**
 * True if no run may request the window again on its own: the export is paid, may be paid, or was abandoned by the user.
 * Abandoning is not a consent to pay again.
 */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/**
 * True if even the user may not pay for the window again through another export. An abandoned export does not block this.
 */
export function blocksPayingAgain(state: ExportState): boolean {
  return blocksRuns(state) && state !== 'abandoned';
}

/** True if a run can resume the export at no cost: poll, land or load it. */
export function isResumable(state: ExportState): boolean {
  return state === 'requested' || state === 'processing' || state === 'ready' || state === 'landed';
}

/** True if two windows share an instant; adjacent windows do not overlap. */
export function overlap(a: Window, b: Window): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The KST days that a window covers completely or in part, oldest first. */
export function daysTouched({ start, end }: Window): Day[] {
  return daysOf({ start: dayOf(start), end: dayOf(new Date(end.getTime() - 1)) });
}

/** The days that no run may request, oldest first: paid, possibly paid, or abandoned by the user. */
export function coveredDays(entries: Iterable<Export>): Day[] {
  const days = new Set<Day>();
  for (const entry of entries) {
    if (blocksRuns(entry.state)) for (const day of daysTouched(entry.window)) days.add(day);
  }
  return [...days].sort();
}

/**
 * The days of a range that a run may request, oldest first. Partly covered days are excluded: a day can only be requested
 * as a whole, and the covered part would be paid for twice.
 */
export function missingDays(range: DayRange, entries: Iterable<Export>): Day[] {
  const covered = new Set(coveredDays(entries));
  return daysOf(range).filter((day) => !covered.has(day));
}

/** The exports that the lines of the journal tell of, by key, in the order of their intents. Throws `DamageError`. */
export function exportsOf(lines: readonly Line<'export'>[]): Map<string, Export> {
  const book = new Map<string, Export>();
  for (const line of lines) {
    const entry = applyRecord(book.get(line.key), line);
    if (typeof entry === 'string') {
      throw new DamageError(`Line ${line.seq} of the journal is invalid. ${entry}`, {
        hint: 'No paid request is sent until the journal is intact. Restore data/ledger from a backup.',
      });
    }
    book.set(entry.key, entry);
  }
  return book;
}

/** The exports of the ledger, in the order of their intents. */
export class LedgerView {
  protected readonly book: Map<string, Export>;

  /** @throws DamageError for an invalid line */
  constructor(lines: readonly Line<'export'>[]) {
    this.book = exportsOf(lines);
  }

  /** Reads the texts of the answers that persons may judge. */
  async readAnswers(textOf: (entry: Export) => Promise<string | undefined>): Promise<void> {
    for (const entry of this.entries()) {
      if (entry.state !== 'ambiguous' || entry.answer === undefined) continue;
      this.book.set(entry.key, { ...entry, answerText: await textOf(entry) });
    }
  }

  /** All exports, in the order of their intents. */
  entries(): Export[] {
    return [...this.book.values()];
  }

  find(key: string): Export | undefined {
    return this.book.get(key);
  }

  /**
   * Returns the export with this key.
   *
   * @throws UsageError if the ledger has no such export
   */
  get(key: string): Export {
    const entry = this.find(key);
    if (entry === undefined) throw unknownExport(key, this.book.keys());
    return entry;
  }

  /** The days that no run may request, oldest first. */
  coveredDays(): Day[] {
    return coveredDays(this.book.values());
  }

  /** The days of a range that a run may request, oldest first. */
  missing(range: DayRange): Day[] {
    return missingDays(range, this.book.values());
  }
}

/** The error for a key that belongs to no export. */
export function unknownExport(key: string, known: Iterable<string>): UsageError {
  const keys = [...known];
  const nearest = keys.length === 0 ? '' : `Did you mean ${closest(key, keys)}? `;
  return new UsageError(`There is no export ${key} in the ledger.`, {
    hint: `${nearest}\`dawnload exports list\` shows the exports and their keys.`,
  });
}

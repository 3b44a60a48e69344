/** One paid export as recorded in the ledger, and how each line of the ledger changes it. Pure. */
import { z } from 'zod';
import { isDay, type Day, type Window, dayOf, daysOf, type DayRange } from '../calendar.js';
import { closest } from 'fastest-levenshtein';
import { UsageError } from '../errors.js';
import { damaged, readLedger } from './ledger-file.js';

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
  /** The text of an answer to E20 that is no more than an unknown error; a person may judge it to be a refusal. */
  readonly answer?: string | undefined;
  /** The unmodified answer to E20. */
  readonly rawAnswer?: string;
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

const KEY = /^(\d{4}-\d{2}-\d{2})\.([1-9]\d{0,5})$/;
const instant = z.iso.datetime().transform((text) => new Date(text));
const count = z.number().int().nonnegative();
const day = z.string().refine(isDay, 'not a day');
const key = z
  .string()
  .regex(KEY)
  .refine((text) => isDay(text.slice(0, 10)), 'not a day');
const exportId = z.string().min(1);

/** The body of one line of the ledger; the ledger file adds the sequence number and the checksum. */
export const exportRecord = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('intended'),
    at: instant,
    key,
    day,
    start: instant,
    end: instant,
    messageData: z.boolean(),
    estimate: count.optional(),
    pricePerRecord: z.number().nonnegative(),
    again: key.optional(),
    run: z.string().optional(),
  }),
  z.object({
    event: z.literal('requested'),
    at: instant,
    key,
    exportId,
    rawAnswer: z.string().optional(),
  }),
  z.object({ event: z.literal('attached'), at: instant, key, exportId }),
  z.object({ event: z.literal('processing'), at: instant, key }),
  z.object({ event: z.literal('ready'), at: instant, key, pages: count }),
  z.object({
    event: z.literal('landed'),
    at: instant,
    key,
    pages: count,
    records: count,
    landedAt: instant,
    unreadable: z.array(count).optional(),
  }),
  z.object({ event: z.literal('loaded'), at: instant, key }),
  z.object({
    event: z.enum(['ambiguous', 'failed', 'withdrawn', 'abandoned', 'troubled', 'doubted']),
    at: instant,
    key,
    note: z.string(),
    answer: z.string().optional(),
  }),
]);
export type ExportRecord = z.infer<typeof exportRecord>;

/** The key of the n-th attempt to export a day. */
export function keyOf(ofDay: Day, attempt: number): string {
  return `${ofDay}.${attempt}`;
}

/** The day and the attempt in a key; `undefined` if the text is not a key. */
export function partsOf(text: string): { day: Day; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(text) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

/** The id of an export's pull. Pages that were downloaded again make another pull, since a pull is loaded only once. */
export function pullId({ day, key, landings }: Export): string {
  return landings > 1 ? `events/${day}/${key}#${landings}` : `events/${day}/${key}`;
}

/** Applies a record to an entry. Returns the new entry, or a sentence with the reason why the record cannot follow. */
export function applyRecord(entry: Export | undefined, record: ExportRecord): Export | string {
  if (record.event === 'intended') {
    return entry === undefined ? newEntry(record) : `Export ${record.key} is intended twice.`;
  }
  if (entry === undefined) return `Export ${record.key} is ${record.event} but was never intended.`;
  const state = nextState(entry.state, record.event);
  if (state === undefined) return `Export ${record.key} is ${entry.state} and cannot become ${record.event}.`;
  return {
    ...entry,
    note: undefined,
    ...changesOf(entry, record),
    state,
    billed: billedAfter(state, entry.billed),
    updatedAt: record.at,
  };
}

function newEntry(record: ExportRecord & { event: 'intended' }): Export {
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

function changesOf(entry: Export, record: Exclude<ExportRecord, { event: 'intended' }>): Partial<Export> {
  switch (record.event) {
    case 'requested':
      return {
        exportId: record.exportId,
        requestedAt: record.at,
        ...(record.rawAnswer === undefined ? {} : { rawAnswer: record.rawAnswer }),
      };
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
    processing: 'processing',
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

/** The exports of the ledger, in the order of their intents. */
export class LedgerView {
  protected readonly book = new Map<string, Export>();

  /** @throws DamageError for an invalid line */
  constructor(
    /** The lines of the ledger as read. */
    readonly bodies: readonly unknown[],
    /** Lines that exist only in the second copy, because the ledger was lost or replaced by an older version. */
    readonly lost: readonly unknown[] = [],
  ) {
    for (const [i, body] of bodies.entries()) this.replay(body, i + 1);
  }

  /** @throws DamageError for an invalid line */
  protected replay(body: unknown, line: number): void {
    const record = exportRecord.safeParse(body);
    if (!record.success) throw damaged(`Line ${line} of the ledger has an unknown shape.`, record.error);
    const entry = applyRecord(this.book.get(record.data.key), record.data);
    if (typeof entry === 'string') throw damaged(`Line ${line} of the ledger is invalid. ${entry}`);
    this.book.set(entry.key, entry);
  }

  /**
   * Reads the ledger from disk without changing it.
   *
   * @throws DamageError
   * @throws StorageError
   */
  static async read(dataDir: string): Promise<LedgerView> {
    const { bodies, lost } = await readLedger(dataDir);
    return new LedgerView(
      bodies,
      lost.map(({ body }) => body),
    );
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

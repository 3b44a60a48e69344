/** One paid export as the ledger knows it, and how each line of the ledger changes it. Pure. */
import { z } from 'zod';
import { isDay, type Day, type Window, dayOf, daysOf, type DayRange } from '../calendar.js';
import { closest } from 'fastest-levenshtein';
import { UsageError } from '../errors.js';
import { damaged, readLedger } from './ledger-file.js';

/** One entry of the ledger: one request (E20) that is billed, or may be, or was meant to be. */
export interface Export {
  /** Day and attempt, `2026-11-20.1`: safe in a shell and in a path. */
  readonly key: string;
  /** The KST day that the window covers. */
  readonly day: Day;
  readonly window: Window;
  /** `isMessageDataIncluded` of the request. */
  readonly messageData: boolean;
  readonly state: ExportState;
  readonly billed: Billed;
  /** Records expected when the request was intended; `undefined` when there was nothing to estimate from. */
  readonly estimate: number | undefined;
  readonly pricePerRecord: number;
  /** How many fetches failed in a row; zero again after a success. */
  readonly troubles: number;
  readonly intendedAt: Date;
  readonly updatedAt: Date;
  readonly requestedAt?: Date;
  readonly exportId?: string;
  /** The ids that it had before a person attached another one, oldest first. */
  readonly earlierIds?: readonly string[] | undefined;
  readonly pages?: number;
  readonly records?: number;
  /** Whether the last answer reported no records, against the daily statistics. */
  readonly doubted: boolean;
  /** How often its pages were complete on disk: more than once when pages were downloaded again. */
  readonly landings: number;
  readonly landedAt?: Date;
  readonly loadedAt?: Date;
  /** One sentence about the last thing that went wrong; no secrets. */
  readonly note?: string | undefined;
  /** The answer to E20, as it came. */
  readonly rawAnswer?: string;
  /** The key of the export that a person chose to pay for again. */
  readonly again?: string;
  /** The id of the run that intended it. */
  readonly run?: string | undefined;
}

/** The day and the terms of an export request. */
export interface Intent {
  readonly day: Day;
  /** Default: the whole KST day. */
  readonly window?: Window;
  readonly messageData: boolean;
  /** Records, a whole number. */
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
/** An earlier version may have written half of a surrogate pair, which no address and no warehouse takes. */
const text = z.string().transform((written) => written.toWellFormed());
const exportId = z.string().min(1).pipe(text);

/** The body of one line of the ledger; the file adds sequence number and checksum. */
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
    rawAnswer: text.optional(),
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
  }),
  z.object({ event: z.literal('loaded'), at: instant, key }),
  z.object({
    event: z.enum(['ambiguous', 'failed', 'withdrawn', 'abandoned', 'troubled', 'doubted']),
    at: instant,
    key,
    note: text,
  }),
]);
export type ExportRecord = z.infer<typeof exportRecord>;

/** The key of the n-th attempt at a day. */
export function keyOf(ofDay: Day, attempt: number): string {
  return `${ofDay}.${attempt}`;
}

/** The day and the attempt that a key names, or `undefined` when it is not a key. */
export function partsOf(text: string): { day: Day; attempt: number } | undefined {
  const [, ofDay = '', attempt = ''] = KEY.exec(text) ?? [];
  return isDay(ofDay) ? { day: ofDay, attempt: Number(attempt) } : undefined;
}

/** The entry after a record, or a sentence that says why the record cannot follow. */
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
        earlierIds:
          entry.exportId === undefined || entry.exportId === record.exportId
            ? entry.earlierIds
            : [...(entry.earlierIds ?? []), entry.exportId],
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
        landings: entry.landings + 1,
      };
    case 'loaded':
      return { loadedAt: record.at };
    case 'troubled':
      return { note: record.note, troubles: entry.troubles + 1 };
    case 'doubted':
      return { note: record.note, doubted: true };
    default:
      return { note: record.note };
  }
}

// The states of a paid export and what may happen in each: a table, pure, tested as a table.
// An event is what a line of the ledger says; the table says which state follows. What the table does not list cannot
// happen: read from disk it is damage, requested by a caller it is refused.

/**
 * - `intended`: on disk before the request (E20) is sent; not known to have been sent
 * - `requested`: the service answered with an export id: billed
 * - `processing`: a result was asked for (E21) and is being generated
 * - `ready`: the number of pages is known, pages are being landed
 * - `landed`: every page is on disk
 * - `loaded`: every page is in the warehouse
 * - `ambiguous`: may have been sent, and the outcome is unknown; a person decides
 * - `failed`: the service clearly refused; nothing billed
 * - `withdrawn`: the request provably never left this machine; nothing billed
 * - `abandoned`: a person gave up on this bill
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

/** The events that a line of the ledger may report about an export; the line `intended` creates one. */
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
  /** A person found the export's id. */
  'attached',
  /** The service did not deliver this time: `error`, `not_found`, or still `processing` when the run stopped waiting. */
  'troubled',
  /** The service reports no records for the export, and the daily statistics count some. */
  'doubted',
] as const;
export type ExportEvent = (typeof EXPORT_EVENTS)[number];

/** Whether the service bills the export: `maybe` until the answer to E20 is known. */
export type Billed = 'no' | 'maybe' | 'yes';

type Moves = Readonly<Partial<Record<ExportEvent, ExportState>>>;

const MOVES: Readonly<Record<ExportState, Moves>> = {
  intended: {
    requested: 'requested',
    ambiguous: 'ambiguous',
    failed: 'failed',
    withdrawn: 'withdrawn',
  },
  // Until pages are landed a person may correct an export id that was mistyped, or give up.
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
  // Reading a page again is not billed (E21), so a landed page that turns out damaged opens the export once more.
  // A person may find that the id belongs to another window, or that one was given after all.
  landed: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  loaded: { loaded: 'loaded', ready: 'ready', attached: 'requested' },
  ambiguous: { attached: 'requested', abandoned: 'abandoned' },
  // The window of a failed one is free for the next run; abandoning it tells the runs to leave that day alone. What else
  // remembers it as billed, after the ledger was restored, makes it ambiguous.
  failed: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  withdrawn: { abandoned: 'abandoned', attached: 'requested', ambiguous: 'ambiguous' },
  abandoned: { attached: 'requested' },
};

/** The state that follows, or `undefined` when the event cannot happen in this state. */
export function nextState(state: ExportState, event: ExportEvent): ExportState | undefined {
  return MOVES[state][event];
}

/** Whether the service bills an export after it came into `state`, having been `before` until then. */
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
 * Whether no run may request the window again on its own: it is paid, or may be, or a person gave up on it, which is
 * not a consent to pay again.
 */
export function blocksRuns(state: ExportState): boolean {
  return state !== 'failed' && state !== 'withdrawn';
}

/** Whether not even a person may pay for the window again through another export: an abandoned one no longer counts. */
export function blocksPayingAgain(state: ExportState): boolean {
  return blocksRuns(state) && state !== 'abandoned';
}

/** Whether a run can resume the export at no cost: poll, land, or load it. */
export function isResumable(state: ExportState): boolean {
  return state === 'requested' || state === 'processing' || state === 'ready' || state === 'landed';
}

/** Whether two windows share an instant; adjacent windows do not. */
export function overlap(a: Window, b: Window): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The KST days that a window covers, also in part, oldest first. */
export function daysTouched({ start, end }: Window): Day[] {
  return daysOf({ start: dayOf(start), end: dayOf(new Date(end.getTime() - 1)) });
}

/** The days that no run may request, oldest first: paid, perhaps paid, or given up by a person. */
export function coveredDays(entries: Iterable<Export>): Day[] {
  const days = new Set<Day>();
  for (const entry of entries) {
    if (blocksRuns(entry.state)) for (const day of daysTouched(entry.window)) days.add(day);
  }
  return [...days].sort();
}

/**
 * The days of a range that a run may request, oldest first. A day that is covered in part is not among them: it can
 * only be requested whole, and the covered part would be paid for twice.
 */
export function missingDays(range: DayRange, entries: Iterable<Export>): Day[] {
  const covered = new Set(coveredDays(entries));
  return daysOf(range).filter((day) => !covered.has(day));
}

/** The exports of the ledger, in the order in which they were intended. */
export class LedgerView {
  protected readonly book = new Map<string, Export>();

  /** @throws DamageError for an invalid line */
  constructor(
    /** The lines of the ledger, as they were read. */
    readonly bodies: readonly unknown[],
    /** Lines that only its second copy still holds: the ledger was lost, or is an older copy. */
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

  /** The ledger as it is on disk; changes nothing. Throws `DamageError`, `StorageError`. */
  static async read(dataDir: string): Promise<LedgerView> {
    const { bodies, lost } = await readLedger(dataDir);
    return new LedgerView(
      bodies,
      lost.map(({ body }) => body),
    );
  }

  /** All exports, oldest intent first. */
  entries(): Export[] {
    return [...this.book.values()];
  }

  find(key: string): Export | undefined {
    return this.book.get(key);
  }

  /** The export of that key. Throws `UsageError` when there is none. */
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

/** The error for a key that no export has. */
export function unknownExport(key: string, known: Iterable<string>): UsageError {
  const keys = [...known];
  const nearest = keys.length === 0 ? '' : `Did you mean ${closest(key, keys)}? `;
  return new UsageError(`There is no export ${key} in the ledger.`, {
    hint: `${nearest}\`dawnload exports list\` shows the exports and their keys.`,
  });
}

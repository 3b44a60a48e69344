/** One paid export as the ledger knows it, and how each line of the ledger changes it. Pure. */
import { z } from 'zod';
import { isDay, type Day, type Window } from '../calendar.js';
import { billedAfter, nextState, type Billed, type ExportState } from './state.js';

/** One entry of the ledger: one request (E20) that is billed, or may be, or was meant to be. */
export interface ExportEntry {
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

/** What an export request asks for. */
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
export function applyRecord(entry: ExportEntry | undefined, record: ExportRecord): ExportEntry | string {
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

function newEntry(record: ExportRecord & { event: 'intended' }): ExportEntry {
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

function changesOf(
  entry: ExportEntry,
  record: Exclude<ExportRecord, { event: 'intended' }>,
): Partial<ExportEntry> {
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

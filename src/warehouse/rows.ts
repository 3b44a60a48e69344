/** The input and output of the warehouse besides pulls, as plain data. */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { STREAMS, type Stream } from '../ground/streams.js';

/** The result of one load. */
export interface LoadReport {
  readonly pull: string;
  readonly stream: Stream;
  /** Number of rows that this pull inserted into the fact table of the stream. */
  readonly rows: number;
  /** The days that this pull replaced, oldest first. */
  readonly days: readonly Day[];
  /** The replaced days that the warehouse now holds completely, with the rows of each. */
  readonly finished: readonly { readonly date: Day; readonly rows: number }[];
  /** Number of nonconforming records by kind: `repeated`, `shared_id`, `stray`, `outside_range`, `undated` and so on. */
  readonly notes: Readonly<Record<string, number>>;
  /** Fields that differ from the specification, as `place.field (kind)`. */
  readonly drift: readonly string[];
  /** Days that have to be loaded again, since their exports gave up records that a replaced day holds too. */
  readonly neighbours: readonly Day[];
}

/** A row of the section `messages` of `sql/status.sql`. */
const messageTotals = z.object({
  date: z.string(),
  /** Number of rows of daily statistics; 0 if the service counted nothing. */
  rows: z.number(),
  sent: z.number(),
  failed: z.number(),
  delivered: z.number(),
  click: z.number(),
  /** Number of days in Korea on which the service was asked about this day. */
  nights: z.number(),
});

/** Totals of one day's statistics over all channels; a counter that a channel does not report counts as zero. */
export type MessageTotals = Readonly<Omit<z.infer<typeof messageTotals>, 'date'>>;

const streamDay = z.object({ stream: z.enum(STREAMS), date: z.string() });
export const coveredDay = streamDay.extend({ rows: z.number() });
/** `asked` is the night on which the service answered with nothing. */
const emptyDay = streamDay.extend({ asked: z.string() });

/** Returns the rows of a statement, in a session or in a file that is only read. */
export type Rows = <R>(name: string, shape: z.ZodType<R>) => Promise<R[]>;

/** The days of all streams, as a warehouse file records them (`sql/status.sql`). */
export async function knownDays(rows: Rows, today: Day) {
  const emptyOnce = await rows('status/empty_once', emptyDay);
  const removed = await rows('status/removed', z.object({ date: z.string() }));
  return {
    coverage: await rows('status/coverage', coveredDay),
    /** Days whose last answer was held back, or that were empty on exactly one night before today. */
    doubtful: [
      ...(await rows('status/held_back', streamDay)),
      ...emptyOnce.filter(({ asked }) => asked < today),
    ],
    /** Days whose events have left the file. */
    removed: removed.map(({ date }) => date),
    messages: await messagesIn(rows),
  };
}

/** The message totals of each day in the daily statistics, over all channels. */
export async function messagesIn(rows: Rows): Promise<Map<Day, MessageTotals>> {
  const days = await rows('status/messages', messageTotals);
  return new Map(days.map(({ date, ...totals }) => [date, totals]));
}

const instant = z.number().transform((ms) => new Date(ms));

/** A column that may be null, which is converted to undefined. */
const noted = <T>(type: z.ZodType<T>) =>
  type
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

/** A row of `ops.exports`, a paid export as the ledger had it when a run published: the section `exports` of `sql/status.sql`. */
export const exportRow = z.object({
  key: z.string(),
  day: z.string(),
  state: z.string(),
  billed: noted(z.string()),
  messageData: z.boolean(),
  exportId: noted(z.string()),
  records: noted(z.number()),
  pages: noted(z.number()),
  estimate: noted(z.number()),
  pricePerRecord: noted(z.number()),
  requestedAt: noted(instant),
  updatedAt: noted(instant),
  note: noted(z.string()),
  short: noted(z.number()),
});

export type ExportRow = Readonly<z.output<typeof exportRow>>;

/**
 * The notes that `Warehouse.note` writes into tables of `ops`, in this order, each with its statement, which says what it
 * holds. Rows replace those of the table; runs that are noted stay, and a removal (`retention`) is added.
 */
export const NOTES = {
  exports: 'ops/exports',
  budget: 'ops/budget',
  prices: 'ops/message_prices',
  pushes: 'push/pushes',
  days: 'ops/days',
  erasures: 'erasure/note',
  runs: 'ops/runs',
  retention: 'retention/note',
  /** The head of the journal that the file knows from now on. */
  head: 'ops/note_journal',
} as const;

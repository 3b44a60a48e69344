/** The input and output of the warehouse besides pulls: plain data, one interface for each table of the schema `ops`. */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { type Pull } from '../landing/pull.js';
import { STREAMS, type Stream } from '../ground/streams.js';

/** The result of one load. */
export interface LoadReport {
  readonly pull: string;
  readonly stream: Stream;
  /** False if the pull had been loaded before; nothing was changed then. */
  readonly changed: boolean;
  /** Number of rows that this pull inserted into the fact table of the stream. */
  readonly rows: number;
  /** The days that this pull replaced, oldest first. */
  readonly days: readonly Day[];
  /** The replaced days that the warehouse now holds completely, with the rows of each. */
  readonly finished: readonly { readonly date: Day; readonly rows: number }[];
  /** Days that were not replaced, since the pull holds nothing, or too little, for them. */
  readonly heldBack: readonly Day[];
  /** Days of the pull that were left unchanged, since a later pull has already replaced them. */
  readonly superseded: readonly Day[];
  /** Number of counters of earlier pulls that this pull changed (daily statistics only). */
  readonly restatements: number;
  /** Number of nonconforming records by kind: `repeated`, `shared_id`, `stray`, `outside_range`, `undated` and so on. */
  readonly notes: Readonly<Record<string, number>>;
  /** Fields that differ from the specification, as `place.field (kind)`. */
  readonly drift: readonly string[];
  /** Days that have to be loaded again, since their exports gave up records that a replaced day holds too. */
  readonly neighbours: readonly Day[];
}

/** A day of a stream that the warehouse holds completely. */
export interface Covered {
  readonly rows: number;
  readonly loadedAt: Date;
}

/** A row of the section `empty_once` of `sql/status.sql`. */
export const emptyDay = z.object({ stream: z.enum(STREAMS), date: z.string(), asked: z.string() });

/** A row of the section `messages` of `sql/status.sql`. */
export const messageTotals = z.object({
  date: z.string(),
  rows: z.number(),
  sent: z.number(),
  failed: z.number(),
  delivered: z.number(),
  click: z.number(),
  nights: z.number(),
});

/** Totals of one day's statistics over all channels; a counter that a channel does not report counts as zero. */
export interface MessageTotals {
  /** Number of rows of daily statistics; 0 if the service counted nothing. */
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly delivered: number;
  readonly click: number;
  /** Number of days in Korea on which the service was asked about this day. */
  readonly nights: number;
}

/** A row of `ops.exports`: a paid export as the ledger had it when a run published. */
export interface ExportRow {
  readonly key: string;
  readonly day: Day;
  readonly state: string;
  readonly messageData: boolean;
  readonly exportId?: string | undefined;
  readonly records?: number | undefined;
  readonly pages?: number | undefined;
  readonly estimate?: number | undefined;
  readonly pricePerRecord?: number | undefined;
  readonly requestedAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
  readonly note?: string | undefined;
  readonly short?: number | undefined;
}

/** The settings of the paid exports, for `ops.budget`. */
export interface BudgetRow {
  /** Undefined without a budget; then no paid request is sent. */
  readonly recordsPerRun: number | undefined;
  readonly recordsPerMonth: number | undefined;
  readonly pricePerRecord: number;
  readonly currency?: string | undefined;
  readonly startDate: Day | undefined;
}

/** A row of `ops.runs`; a run that was killed has no end. */
export interface RunRow {
  readonly run_id: string;
  readonly command: string;
  readonly started_at: Date;
  readonly version: string;
  readonly process_id: number;
  readonly finished_at?: Date | undefined;
  readonly exit_code?: number | undefined;
  readonly outcome?: string | undefined;
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the report of a pull that had been loaded before. */
export function unchanged(pull: Pull): LoadReport {
  return {
    pull: pull.id,
    stream: pull.stream,
    changed: false,
    rows: 0,
    days: [],
    finished: [],
    heldBack: [],
    superseded: [],
    restatements: 0,
    notes: {},
    drift: [],
    neighbours: [],
  };
}

/** A row of `ops.retention`. */
export interface RetentionRow {
  readonly removedAt: Date;
  /** `events`, `opt_outs` or `landing`. */
  readonly place: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: number;
  /** Number of rows in the file, or of folders of the landing zone. */
  readonly items: number;
}

/** A row of `ops.days`. */
export interface DayRow {
  readonly stream: Stream;
  readonly date: Day;
  readonly state: string;
  readonly expectedRecords: number | null;
  readonly expectedPrice: number | null;
}

/** A row of `ops.erasures`. */
export interface ErasureRow {
  /** The number of its line in the journal. */
  readonly line: number;
  /** The keyed digests of the erased ids. */
  readonly ids: readonly string[];
  readonly erasedAt: Date;
  readonly persons: number;
  /** Number of records that were cut from landed pages. */
  readonly records: number;
  /** Number of rows of the warehouse that were deleted. */
  readonly rows: number;
  /** Number of records that arrived after the erasure and were cut. */
  readonly lateRecords: number;
}

/** A row of `ops.pushes`: a push as its ledger had it when a run published. */
export interface PushRow {
  readonly id: string;
  readonly target: string;
  readonly name?: string | undefined;
  readonly state: string;
  readonly begunAt: Date;
  readonly updatedAt: Date;
  readonly rows: number;
  readonly sent: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly erased: number;
  readonly calls: number;
  readonly note?: string | undefined;
}

/** What the warehouse takes and returns besides pulls: plain data, one interface per table of schema `ops`. */
import { z } from 'zod';
import type { Day, Window } from '../calendar.js';
import { STREAMS, type Pull, type Stream } from '../storage/pull.js';

/** What one load did. */
export interface LoadReport {
  readonly pull: string;
  readonly stream: Stream;
  /** False when this warehouse had loaded the pull before; then nothing was changed. */
  readonly changed: boolean;
  /** Rows that stand in the fact table of the stream because of this pull. */
  readonly rows: number;
  /** The days that this pull replaced, oldest first. */
  readonly days: readonly Day[];
  /** Those of them that the warehouse holds whole now, with the rows of each. */
  readonly finished: readonly { readonly date: Day; readonly rows: number }[];
  /** Days that were not replaced, since the pull holds nothing, or too little, of them. */
  readonly held: readonly Day[];
  /** Days of the pull that a later pull had replaced before: they were left as they are. */
  readonly superseded: readonly Day[];
  /** Counters of earlier pulls that this one changed (daily statistics only). */
  readonly restatements: number;
  /** How many records were nonconforming and handled, by kind: `repeated`, `shared_id`, `stray`, `outside_range`, `undated` and so on. */
  readonly notes: Readonly<Record<string, number>>;
  /** Fields that differ from the specification, as `place.field (kind)`. */
  readonly drift: readonly string[];
  /** Days whose exports gave records up for a replaced day: they must be loaded again. */
  readonly neighbours: readonly Day[];
}

/** One day of a stream that the warehouse holds whole. */
export interface Covered {
  readonly rows: number;
  readonly loadedAt: Date;
}

/** A row of `sql/status.sql, empty_once`. */
export const emptyDay = z.object({ stream: z.enum(STREAMS), date: z.string(), asked: z.string() });

/** A row of `sql/status.sql, messages`. */
export const messageTotals = z.object({
  date: z.string(),
  rows: z.number(),
  sent: z.number(),
  failed: z.number(),
  delivered: z.number(),
  click: z.number(),
  nights: z.number(),
});

/** The sums of one day's statistics over all channels; counters that a channel does not report count as zero. */
export interface MessageTotals {
  /** Rows of daily statistics; none where the service counted nothing. */
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly delivered: number;
  readonly click: number;
  /** On how many days in Korea the service was asked for this day. */
  readonly nights: number;
}

/** A paid export as `ops.exports` holds it: what the ledger knew when a run published. */
export interface ExportRow {
  readonly key: string;
  readonly day: Day;
  readonly window: Window;
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
}

/** The settings of the paid exports, for `ops.budget`. */
export interface BudgetRow {
  /** Undefined without a budget: no paid request is ever sent. */
  readonly recordsPerRun: number | undefined;
  readonly recordsPerMonth: number | undefined;
  readonly pricePerRecord: number;
  readonly currency?: string | undefined;
  readonly startDate: Day | undefined;
}

/** A run as it begins, for `ops.runs`. */
export interface RunStart {
  readonly runId: string;
  readonly command: string;
  readonly startedAt: Date;
  readonly version: string;
  readonly processId: number;
}

/** How a run ended, for `ops.runs`. */
export interface RunEnd {
  readonly runId: string;
  readonly finishedAt: Date;
  readonly exitCode: number;
  /** `done`, `incomplete` or `failed`. */
  readonly outcome: string;
  /** Numbers for people and monitors; stored as JSON. */
  readonly summary: Readonly<Record<string, unknown>>;
}

/** Of a pull that was loaded before. */
export function unchanged(pull: Pull): LoadReport {
  return {
    pull: pull.id,
    stream: pull.stream,
    changed: false,
    rows: 0,
    days: [],
    finished: [],
    held: [],
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
  /** Rows of the file, or folders of the landing zone. */
  readonly items: number;
}

/** A row of `ops.erasures`. */
export interface ErasureRow {
  readonly line: number;
  /** The checksum of that line of the register. */
  readonly sum: string;
  readonly erasedAt: Date;
  readonly persons: number;
  /** Records that were cut from landed pages. */
  readonly records: number;
  /** Rows that left the warehouse. */
  readonly rows: number;
  /** Records that arrived later and were cut. */
  readonly lateRecords: number;
}

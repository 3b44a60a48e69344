/**
 * A pull is one landed unit of a stream; its files hold the service's answers verbatim (JSON, gzip). It is plain data,
 * so loading it requires neither the service nor the ledger.
 */
import type { Day, DayRange, Window } from '../calendar.js';
import { REFERENCE_STREAMS, type ReferenceStream } from '../streams.js';

interface Landed {
  /**
   * The path relative to `landing/`, which stays valid when the data folder moves. An id is never reused: a pull is
   * loaded only once.
   */
  readonly id: string;
  /** The instant of the service's answer. Of two pulls of the same day, the later one counts. */
  readonly pulledAt: Date;
}

/** E17: a bare array of daily statistics for every day of the range. */
export interface StatisticsPull extends Landed {
  readonly stream: 'statistics';
  readonly range: DayRange;
  readonly file: string;
  /** True if a person accepts the answer; otherwise an answer that would delete rows is held back. */
  readonly accepted?: boolean;
}

/** E18: a bare array for one day. The requested day counts, whether or not a record has `date`. */
export interface SubchannelPull extends Landed {
  readonly stream: 'statistics_by_subchannel';
  readonly day: Day;
  readonly file: string;
  readonly accepted?: boolean;
}

/** One campaign's answer to E19: `{data: {lastCollectedAt, stats}, error: null}`. */
export interface CampaignAnswer {
  readonly campaignId: string;
  readonly file: string;
  readonly windowStart: Date;
  readonly windowEnd: Date;
}

/** The answers to E19 for the campaigns of a range of days. */
export interface CampaignsPull extends Landed {
  readonly stream: 'campaigns';
  readonly range: DayRange;
  /** True if every campaign answered or is considered deleted. Otherwise the days do not count as covered. */
  readonly complete: boolean;
  readonly accepted?: boolean;
  /** The campaigns without an answer whose status was 404. */
  readonly notFound?: readonly string[];
  /** The campaigns that are considered deleted at the service; their rows stay. */
  readonly gone?: readonly string[];
  readonly answers: readonly CampaignAnswer[];
}

/** A landed file and its JSON size in bytes. */
export interface SizedFile {
  readonly file: string;
  readonly bytes: number;
}

/** E21: the pages of one paid export, `{status: 'success', data: [...], total_page_count}` each. */
export interface EventsPull extends Landed {
  readonly stream: 'events';
  /** The KST day of the export's window. */
  readonly day: Day;
  readonly window: Window;
  readonly exportId: string;
  /** Its pages. While pages are still arriving: batches of the pages that have arrived so far. */
  readonly files: readonly string[] | AsyncIterable<readonly SizedFile[]>;
  /** Total number of records on the pages, known once all have arrived; a different number on disk is damage. */
  readonly records: number | Promise<number>;
}

/** The list name of a stream that has only one list. */
export const SOLE_LIST = '*';

/**
 * A list that was read completely: the catalogs (`*`), the items of a catalog, the templates of a sender key or a
 * channel.
 */
export interface LandedList {
  readonly list: string;
  /** The files of its pages. */
  readonly files: readonly string[];
  readonly rows: number;
  /** Number of rows that the service announces; null if it announces none. */
  readonly announced: number | null;
}

/** A reading of a list that was rejected because rows were missing; it is accepted if a later night agrees. */
export interface ShortList {
  readonly list: string;
  readonly rows: number;
  readonly announced: number | null;
  readonly pulledAt: Date;
}

/** A brand template as E5 returned it, and the instant. */
export interface TemplateRead {
  readonly list: string;
  readonly templateId: string;
  /** SHA-256 of the template in E4 at that instant. */
  readonly digest: string;
  readonly readAt: Date;
  readonly file: string;
}

/** E2, E4 and E5, E10, E12: reference data as it is on a day. */
export interface ReferencePull extends Landed {
  readonly stream: ReferenceStream;
  /** The KST day of the pull. */
  readonly day: Day;
  /** True if every list was read completely. Lists that were count in any case. */
  readonly complete: boolean;
  readonly lists: readonly LandedList[];
  /** Rejected readings, including those of earlier pulls for lists that have not counted since. */
  readonly short: readonly ShortList[];
  /** E5's answers for the templates in the lists; an unchanged template was read by an earlier pull. */
  readonly templates: readonly TemplateRead[];
  /** Size of the largest page in bytes. */
  readonly largestPage: number;
}

/** A pull whose days can be pulled again at no cost. */
export type DayPull = StatisticsPull | SubchannelPull | CampaignsPull;

/** A pull of a free stream. */
export type FreePull = DayPull | ReferencePull;

/** Returns the landed files of a free pull. */
export function filesOf(pull: FreePull): string[] {
  if ('file' in pull) return [pull.file];
  if ('answers' in pull) return pull.answers.map(({ file }) => file);
  return [...pull.lists.flatMap(({ files }) => files), ...pull.templates.map(({ file }) => file)];
}

/** True if the pull is one of reference data. */
export function isReference(pull: Pull): pull is ReferencePull {
  return REFERENCE_STREAMS.some((stream) => stream === pull.stream);
}

export type Pull = FreePull | EventsPull;

/** Returns the requested days of a pull, both ends included. */
export function daysAsked(pull: Pull): DayRange {
  return 'range' in pull ? pull.range : { start: pull.day, end: pull.day };
}

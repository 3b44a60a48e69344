/**
 * A pull: one landed unit of a stream, whose files hold the service's answers verbatim (JSON, gzip). Plain data, so that
 * loading it needs neither the service nor the ledger.
 */
import type { Day, DayRange, Window } from '../calendar.js';

/** Streams that explain the ids in events and statistics: snapshots of lists as they are today. */
export const REFERENCE_STREAMS = ['catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs'] as const;

export type ReferenceStream = (typeof REFERENCE_STREAMS)[number];

const FREE_DAILY_STREAMS = ['statistics', 'statistics_by_subchannel', 'campaigns'] as const;

/** The streams that cost nothing. */
export const FREE_STREAMS = [...FREE_DAILY_STREAMS, ...REFERENCE_STREAMS] as const;

/** The streams with a row for every day, which can be asked for a missing day. */
export const DAILY_STREAMS = [...FREE_DAILY_STREAMS, 'events'] as const;

export const STREAMS = [...DAILY_STREAMS, ...REFERENCE_STREAMS] as const;

export type Stream = (typeof STREAMS)[number];

interface Landed {
  /**
   * The path relative to `landing/`, which stays when the data folder moves. Never used again: a pull that was loaded once
   * is not loaded again.
   */
  readonly id: string;
  /** When the service answered. Of two pulls that hold the same day, the later one counts. */
  readonly pulledAt: Date;
}

/** E17: a bare array of daily statistics for every day of the range. */
export interface StatisticsPull extends Landed {
  readonly stream: 'statistics';
  readonly range: DayRange;
  readonly file: string;
  /** Whether a person accepts the answer; otherwise what would delete rows is held back. */
  readonly accepted?: boolean;
}

/** E18: a bare array for one day. A record may or may not carry `date`; the day that was asked for counts. */
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
  /** Whether every campaign answered, or counts as deleted. Otherwise the days do not count as covered. */
  readonly complete: boolean;
  readonly accepted?: boolean;
  /** The campaigns, among those that did not answer, whose answer was 404. */
  readonly notFound?: readonly string[];
  /** Campaigns that count as deleted at the service: their rows stay. */
  readonly gone?: readonly string[];
  readonly answers: readonly CampaignAnswer[];
}

/** A landed file, and how large it is in JSON. */
export interface SizedFile {
  readonly file: string;
  readonly bytes: number;
}

/** E21: the pages of one paid export, `{status: 'success', data: [...], total_page_count}` each. */
export interface EventsPull extends Landed {
  readonly stream: 'events';
  /** KST day of the window. */
  readonly day: Day;
  readonly window: Window;
  readonly exportId: string;
  /** Its pages; of those that are still arriving, each time as many as there are. */
  readonly files: readonly string[] | AsyncIterable<readonly SizedFile[]>;
  /** How many records the pages hold together, once all are there; another number found on disk is damage. */
  readonly records: number | Promise<number>;
}

/** The name of the list of a stream that has only one. */
export const SOLE_LIST = '*';

/** A list that was read whole: the catalogs (`*`), the items of a catalog, the templates of a sender key or a channel. */
export interface LandedList {
  readonly list: string;
  /** Its pages, several in one file. */
  readonly files: readonly string[];
  readonly rows: number;
  /** How many rows the service announces; null where it announces none. */
  readonly announced: number | null;
}

/** A reading of a list that did not count, since rows were missing: a later night may agree. */
export interface ShortList {
  readonly list: string;
  readonly rows: number;
  readonly announced: number | null;
  readonly pulledAt: Date;
}

/** A brand template as E5 answered it, and when. */
export interface TemplateRead {
  readonly list: string;
  readonly templateId: string;
  /** SHA-256 of what E4 gave then. */
  readonly digest: string;
  readonly readAt: Date;
  readonly file: string;
}

/** E2, E4 and E5, E10, E12: reference data as it is on a day. */
export interface ReferencePull extends Landed {
  readonly stream: ReferenceStream;
  /** The KST day on which it was pulled. */
  readonly day: Day;
  /** Whether every list was read whole. Those that were count all the same. */
  readonly complete: boolean;
  readonly lists: readonly LandedList[];
  /** Includes those of earlier pulls whose lists have not counted since. */
  readonly short: readonly ShortList[];
  /** E5 of the templates in the lists; unchanged ones were read by an earlier pull. */
  readonly templates: readonly TemplateRead[];
  /** Bytes of the largest page. */
  readonly largestPage: number;
}

/** A pull whose days can be pulled again at no cost. */
export type DayPull = StatisticsPull | SubchannelPull | CampaignsPull;

/** A pull of a free stream. */
export type FreePull = DayPull | ReferencePull;

/** The landed files that a free pull is made of. */
export function filesOf(pull: FreePull): string[] {
  if ('file' in pull) return [pull.file];
  if ('answers' in pull) return pull.answers.map(({ file }) => file);
  return [...pull.lists.flatMap(({ files }) => files), ...pull.templates.map(({ file }) => file)];
}

/** Whether a pull is one of reference data. */
export function isReference(pull: Pull): pull is ReferencePull {
  return REFERENCE_STREAMS.some((stream) => stream === pull.stream);
}

export type Pull = FreePull | EventsPull;

/** The days that a pull is about, both ends included. */
export function daysAsked(pull: Pull): DayRange {
  return 'range' in pull ? pull.range : { start: pull.day, end: pull.day };
}

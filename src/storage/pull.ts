/**
 * A pull: one landed unit of a stream, whose files hold the service's answers verbatim (JSON, gzip). Plain data, so that
 * loading it needs neither the service nor the ledger.
 */
import type { Day, DayRange, Window } from '../calendar.js';

/** What the ids in events and statistics mean: snapshots of lists as they are today. */
export const REFERENCE_STREAMS = ['catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs'] as const;

/** Those that cost nothing. */
export const FREE_STREAMS = ['statistics', 'statistics_by_subchannel', 'campaigns'] as const;

export const STREAMS = [...FREE_STREAMS, ...REFERENCE_STREAMS, 'events'] as const;

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
  /** Of the campaigns that did not answer, those whose answer was 404. */
  readonly notFound?: readonly string[];
  /** Campaigns that count as deleted at the service: their rows stay. */
  readonly gone?: readonly string[];
  readonly answers: readonly CampaignAnswer[];
}

/** E21: the pages of one paid export, `{status: 'success', data: [...], total_page_count}` each. */
export interface EventsPull extends Landed {
  readonly stream: 'events';
  /** KST day of the window. */
  readonly day: Day;
  readonly window: Window;
  readonly exportId: string;
  /** Its pages, which may still be arriving. */
  readonly files: readonly string[] | AsyncIterable<string>;
  /** How many records the pages hold together, once all are there; another number found on disk is damage. */
  readonly records: number | Promise<number>;
}

/** A pull of a free stream: its days can be pulled again at no cost. */
export type FreePull = StatisticsPull | SubchannelPull | CampaignsPull;

export type Pull = FreePull | EventsPull;

/** The days that a pull is about, both ends included. */
export function daysAsked(pull: Pull): DayRange {
  return 'range' in pull ? pull.range : { start: pull.day, end: pull.day };
}

/**
 * The sections of the page as data: which bundled queries they use, and how answers are shown below the queries' sentences. To add a
 * section, add an entry here; `render.ts` draws it.
 */
import type { Words } from '../../warehouse/dictionary.js';
import type { Row, Unit } from '../queries/wording.js';
import type { Word } from './words.js';

/** A word of the page, or a text of a question. */
export type Caption = Word | Words;

/** Names of columns, separated by blanks. */
export type Columns = string;

/** Shows the rows as a table. */
export interface Table {
  readonly caption: Caption;
  readonly columns: Columns;
  /** Columns shown in small print below the first one. */
  readonly sub?: Columns;
  /** Columns drawn as bars. */
  readonly bars?: Columns;
  /**
   * A column drawn as a point: next to one other rate, or with the ends of its interval, around zero or around the rate that follows them.
   * The column of the lower end shows both ends.
   */
  readonly interval?: Columns;
  /** A column whose text gets a line below its row. A text that several rows share is shown once, below the table. */
  readonly below?: string;
  /** Columns that are left out on a phone. */
  readonly wide?: Columns;
  /** Units that do not follow from the names of the columns. */
  readonly units?: Readonly<Record<string, Unit>>;
  readonly where?: (row: Row) => boolean;
  /** The column for the descending order of rows; by default, the order of the answer. */
  readonly by?: string;
  /** How many rows are shown. The others are folded. */
  readonly most?: number;
  /** The column with the subject of a row. Each subject gets a table of its own. */
  readonly per?: string;
  /**
   * The columns that identify a row if the answer has its measures as rows. Measures become columns: `sent`, `sent_change` (relative),
   * `click_rate_points` (the difference, with its verdict).
   */
  readonly pivot?: Columns;
}

/** One row per value of `by`, with a line for each counter over the days in `date`. */
export interface Series {
  readonly caption: Caption;
  readonly by: string;
  /** The column with the names of the rows, if names may repeat; by default `by`. */
  readonly named?: string;
  readonly sub?: string;
  readonly counters: Columns;
  readonly most: number;
}

export interface Heatmap {
  readonly kind: 'heatmap';
  readonly caption: Word;
}

/** A line over days: the first of `axes` has the positions, the second the measure. */
interface Lines {
  readonly kind: 'lines';
  readonly caption: Word;
  readonly axes: Columns;
}

/** How an answer is shown below its sentences. Without any of these, only the sentences are shown. */
export type Block = Table | Series | Heatmap | Lines | { readonly kind?: 'tiles' };

interface Question {
  readonly query: string;
  /** No day, because a link with it would show the same days forever; `days` counts up to the latest one. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** True to leave out its sentences. */
  readonly isSilent?: boolean;
  /** True to say nothing without rows, because a warehouse without a holdout needs no advice on the page. */
  readonly needsRows?: boolean;
}

/** A bundled query, and how to show its answer. */
export type Asked = Block & Question;

export interface Section {
  readonly id: Word;
  /** True if the section is open when the page opens. */
  readonly isOpen?: boolean;
  /** True if the section is about the data and the job. It is then folded, at the end of the page. */
  readonly isAbout?: boolean;
  readonly asks: readonly Asked[];
}

const section = (id: Word, ...asks: readonly Asked[]): Section => ({ id, asks });
const open = (id: Word, ...asks: readonly Asked[]): Section => ({ id, asks, isOpen: true });
const about = (id: Word, ...asks: readonly Asked[]): Section => ({ id, isAbout: true, asks });

/** The answer to a query as a table. */
const table = (
  query: string,
  caption: Word,
  columns: Columns,
  options: Partial<Table & Omit<Question, 'query'>> = {},
): Asked => ({ query, ...options, caption, columns });

export const SECTIONS: readonly Section[] = [
  open(
    'happened',
    // First, what messages earned beyond what people would have bought without them.
    table('uplift', 'earned', 'metric incremental change change_low', {
      needsRows: true,
      where: ({ change_low: low }) => low !== null,
      most: 2,
      sub: 'holdout',
      interval: 'change change_low change_high',
      units: { incremental: 'estimate' },
    }),
    { query: 'key-figures', kind: 'tiles' },
    { query: 'restatements-by-age' },
  ),
  open(
    'revenue',
    { query: 'revenue-days', kind: 'lines', caption: 'dailySales', axes: 'date revenue', isSilent: true },
    table('revenue-by-channel', 'channelSales', 'channel revenue revenue_share revenue_per_message cost', {
      parameters: { days: '7' },
      bars: 'revenue',
      units: { revenue: 'money', revenue_per_message: 'money', cost: 'money' },
      wide: 'revenue_share revenue_per_message',
    }),
    table('revenue', 'sales', 'campaign_name revenue revenue_per_message conversions', {
      where: ({ variant_name: variant, revenue }) => variant === null && Number(revenue) > 0,
      by: 'revenue',
      most: 5,
      sub: 'goal',
      bars: 'revenue',
      units: { revenue_per_message: 'money', revenue: 'money' },
      wide: 'conversions',
    }),
  ),
  open(
    'channels',
    {
      query: 'channel-summary',
      parameters: { by: 'day' },
      caption: 'channelDays',
      by: 'channel',
      counters: 'sent delivered clicked conversions',
      most: 12,
    },
    table(
      'channel-changes',
      'channelRates',
      'channel sent sent_change delivery_rate click_rate click_rate_points failure_rate failure_rate_points',
      {
        pivot: 'channel',
        by: 'sent',
        most: 12,
        bars: 'sent',
        wide: 'failure_rate_points',
      },
    ),
  ),
  open(
    'campaigns',
    table(
      'campaigns-to-watch',
      'watched',
      'campaign_name click_rate click_rate_of_others week_click_rate previous_click_rate messages',
      {
        most: 10,
        sub: 'channel kind',
        interval: 'click_rate click_rate_of_others',
        wide: 'week_click_rate previous_click_rate',
      },
    ),
    table(
      'period-comparison',
      'allCampaigns',
      'channel_or_campaign sent sent_change click_rate click_rate_points conversion_rate failure_rate',
      {
        parameters: { by: 'campaign' },
        isSilent: true,
        pivot: 'channel_or_campaign channel campaign_id',
        by: 'sent',
        most: 10,
        sub: 'channel',
        bars: 'sent',
      },
    ),
  ),
  section(
    'tests',
    table('ab-tests', 'testArms', 'variant_name rate difference difference_low', {
      where: ({ verdict_code: code }) => !['baseline', 'alone', 'hold_out'].includes(String(code)),
      most: 6,
      sub: 'campaign_name metric unit content',
      interval: 'difference difference_low difference_high',
      units: { difference: 'points', difference_low: 'points', difference_high: 'points' },
      below: 'verdict',
    }),
  ),
  section(
    'journeys',
    table(
      'journey-funnel',
      'funnels',
      'user_journey_node_name sent share_of_first click_rate conversion_rate',
      { per: 'user_journey_name', sub: 'channels', bars: 'share_of_first', wide: 'conversion_rate' },
    ),
  ),
  section('calendar', {
    query: 'campaign-days',
    isSilent: true,
    caption: 'sentDays',
    by: 'resource_id',
    named: 'resource_name',
    sub: 'channel',
    counters: 'sent',
    most: 12,
  }),
  section(
    'hours',
    { query: 'send-heatmap', kind: 'heatmap', caption: 'heatmap' },
    table(
      'best-hours',
      'bestHours',
      'resource_name hour messages click_rate shrunk_click_rate click_rate_of_all',
      {
        // Only hours that the question calls better; others differ no more than expected by chance.
        where: ({ shrunk_click_rate: here, click_rate_of_all: usual }) => Number(here) > 1.02 * Number(usual),
        most: 4,
        sub: 'channel',
      },
    ),
  ),
  section(
    'responses',
    table(
      'response-times',
      'clickTimes',
      'resource_name p50_seconds p90_seconds share_within_hour responses',
      {
        parameters: { days: '28' },
        where: ({ response }) => response === 'clicked',
        by: 'responses',
        most: 5,
        sub: 'channel',
        wide: 'share_within_hour responses',
      },
    ),
  ),
  section(
    'audience',
    { query: 'duplicates' },
    table('message-pressure', 'pressure', 'messages_per_person people share_of_people same_day_rate', {
      parameters: { window_days: '7' },
      bars: 'people',
    }),
    table('reach', 'reached', 'resource_name people_reached messages_per_person clicker_share', {
      most: 5,
      sub: 'channels',
      bars: 'people_reached',
      wide: 'messages_per_person',
    }),
  ),
  section(
    'optOuts',
    table('opt-outs-after-messages', 'followed', 'item opted_out per_thousand difference difference_low', {
      where: ({ messages }) => messages !== null,
      most: 5,
      sub: 'channel',
      interval: 'difference difference_low difference_high',
      wide: 'opted_out',
      below: 'verdict',
    }),
    { query: 'opt-outs' },
  ),
  section(
    'templates',
    { query: 'refused-templates' },
    table('template-performance', 'sentTemplates', 'template_name sent failure_rate click_rate', {
      parameters: { per: 'template' },
      where: ({ template_known: known }) => known !== 'unknown',
      most: 5,
      sub: 'template_kind status text',
      bars: 'sent',
    }),
  ),
  section(
    'failures',
    { query: 'failure-alarm' },
    table('compliance', 'adRules', 'resource_name ads without_opt_out unmarked_ads late_mark_ads night_ads', {
      where: ({ unmarked_ads: mark, late_mark_ads: late, without_opt_out: way, night_ads: night }) =>
        Number(mark) + Number(late) + Number(way) + Number(night) > 0,
      most: 5,
      sub: 'channel',
    }),
    { query: 'failure-reasons' },
    table('failure-reasons', 'causes', 'cause failed share_of_failed', {
      parameters: { by: 'cause' },
      isSilent: true,
      sub: 'failure_reason',
      bars: 'failed',
    }),
  ),
  about(
    'freshness',
    table('freshness', 'streams', 'stream first_date last_date days_held last_pulled_at_kst', {
      wide: 'first_date last_pulled_at_kst',
    }),
    { query: 'missing-days' },
  ),
  about(
    'restated',
    table('restatements', 'changes', 'date counter difference statistics_changed days_after', {
      by: 'date',
      most: 8,
      bars: 'difference',
      wide: 'statistics_changed days_after',
    }),
  ),
  about(
    'findings',
    table('checks', 'testsOfData', 'name severity date expected actual findings_of_check', {
      parameters: { top: '20' },
      most: 5,
      sub: 'subject',
      wide: 'expected actual',
      below: 'meaning',
    }),
  ),
  about(
    'fees',
    table('budget', 'budget', 'month records_used forecast_records records_per_month'),
    table('export-fees', 'feesByMonth', 'month records exports ambiguous_exports fee', {
      by: 'month',
      most: 13,
      bars: 'records',
      units: { fee: 'price' },
      wide: 'ambiguous_exports',
    }),
  ),
];

/**
 * The sections of the page as data: which bundled queries they ask, and how the answers are shown. A section shows the
 * sentences of its queries above what is drawn of their answers. A new section is an entry here; `render.ts` draws it.
 */
import type { Row, Unit } from '../queries/wording.js';
import type { Word } from './words.js';

/** A table of the rows. */
export interface Table {
  readonly caption: Word;
  readonly columns: readonly string[];
  /** Columns in small print below the first. */
  readonly sub?: readonly string[];
  /** Columns drawn as bars. */
  readonly bars?: readonly string[];
  /**
   * A column drawn as a point: beside one other rate, or with the ends of its interval, around zero or the rate that
   * follows them. A column of the low end shows both.
   */
  readonly interval?: readonly string[];
  /** The text that has a line of its own below its row; a text of several rows is said once below the table. */
  readonly below?: string;
  /** Columns that a phone leaves out. */
  readonly wide?: readonly string[];
  /** The units that the names of the columns do not give. */
  readonly units?: Readonly<Record<string, Unit>>;
  readonly where?: (row: Row) => boolean;
  /** The order of the rows, descending; by default that of the answer. */
  readonly by?: string;
  /** How many rows are shown at first; the others are folded. */
  readonly most?: number;
  /**
   * The columns that name a row whose measures are rows of the answer. They become columns: `sent`, `sent_change`
   * (relative), `click_rate_points` (the difference).
   */
  readonly pivot?: readonly string[];
}

/** A row for each value of `by`, with a line of each counter over the days of `date`. */
export interface Series {
  readonly caption: Word;
  readonly by: string;
  /** The column that names the rows, where names may repeat; by default `by`. */
  readonly named?: string;
  readonly sub?: string;
  readonly counters: readonly string[];
  readonly most: number;
}

export interface Heatmap {
  readonly kind: 'heatmap';
  readonly caption: Word;
}

/** How an answer is shown below its sentences; with none of these, it is not. */
export type Block = Table | Series | Heatmap | { readonly kind?: 'tiles' };

/** One bundled query. */
export type Asked = Block & {
  readonly query: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The parameter `start` is this many days before the newest day. */
  readonly since?: number;
  /** True if its sentences are not said here. */
  readonly isSilent?: boolean;
};

export interface Section {
  readonly id: Word;
  /** True if the section is about the data and the job, and stands folded at the end of the page. */
  readonly isAbout?: boolean;
  readonly asks: readonly Asked[];
}

const JUDGED = ['baseline', 'alone', 'hold_out'];

export const SECTIONS: readonly Section[] = [
  {
    id: 'happened',
    asks: [{ query: 'key-figures', kind: 'tiles' }, { query: 'restatements-by-age' }],
  },
  {
    id: 'channels',
    asks: [
      {
        query: 'channel-summary',
        parameters: { by: 'day' },
        caption: 'channelDays',
        by: 'channel',
        counters: ['sent', 'delivered', 'clicked', 'conversions'],
        most: 12,
      },
      {
        query: 'period-comparison',
        parameters: { by: 'channel' },
        isSilent: true,
        caption: 'channelRates',
        pivot: ['channel'],
        by: 'sent',
        most: 12,
        columns: [
          ...['channel', 'sent', 'sent_change', 'delivery_rate'],
          ...['click_rate', 'click_rate_points', 'failure_rate', 'failure_rate_points'],
        ],
        bars: ['sent'],
        wide: ['sent_change', 'delivery_rate', 'failure_rate_points'],
      },
    ],
  },
  {
    id: 'campaigns',
    asks: [
      {
        query: 'campaigns-to-watch',
        caption: 'watched',
        most: 10,
        columns: [
          ...['campaign_name', 'click_rate', 'click_rate_of_others'],
          ...['week_click_rate', 'previous_click_rate', 'messages'],
        ],
        sub: ['channel', 'kind'],
        interval: ['click_rate', 'click_rate_of_others'],
        wide: ['week_click_rate', 'previous_click_rate'],
      },
      {
        query: 'period-comparison',
        parameters: { by: 'campaign' },
        isSilent: true,
        caption: 'allCampaigns',
        pivot: ['channel_or_campaign', 'channel', 'campaign_id'],
        by: 'sent',
        most: 10,
        columns: [
          ...['channel_or_campaign', 'sent', 'sent_change', 'click_rate', 'click_rate_points'],
          ...['conversion_rate', 'failure_rate'],
        ],
        sub: ['channel'],
        bars: ['sent'],
        wide: ['sent_change', 'conversion_rate', 'failure_rate'],
      },
    ],
  },
  {
    id: 'tests',
    asks: [
      {
        query: 'ab-tests',
        caption: 'testArms',
        where: ({ verdict_code: code }) => !JUDGED.includes(String(code)),
        most: 6,
        columns: ['variant_name', 'rate', 'difference', 'difference_low'],
        sub: ['campaign_name', 'metric', 'unit'],
        interval: ['difference', 'difference_low', 'difference_high'],
        units: { difference: 'points', difference_low: 'points', difference_high: 'points' },
        below: 'verdict',
      },
    ],
  },
  {
    id: 'revenue',
    asks: [
      {
        query: 'revenue',
        caption: 'sales',
        where: ({ variant_name: variant, revenue }) => variant === null && Number(revenue) > 0,
        by: 'revenue',
        most: 5,
        columns: ['campaign_name', 'revenue_per_message', 'revenue', 'conversions'],
        sub: ['goal'],
        bars: ['revenue_per_message'],
        units: { revenue_per_message: 'money', revenue: 'money' },
        wide: ['conversions'],
      },
    ],
  },
  {
    id: 'journeys',
    asks: [
      {
        query: 'journey-funnel',
        caption: 'funnels',
        most: 12,
        columns: ['user_journey_node_name', 'sent', 'share_of_first', 'click_rate', 'conversion_rate'],
        sub: ['user_journey_name', 'channels'],
        bars: ['share_of_first'],
        wide: ['conversion_rate'],
      },
    ],
  },
  {
    id: 'calendar',
    asks: [
      {
        query: 'campaign-days',
        isSilent: true,
        caption: 'sentDays',
        by: 'resource_id',
        named: 'resource_name',
        sub: 'channel',
        counters: ['sent'],
        most: 12,
      },
    ],
  },
  {
    id: 'hours',
    asks: [
      { query: 'send-heatmap', kind: 'heatmap', caption: 'heatmap' },
      {
        query: 'best-hours',
        caption: 'bestHours',
        // Where hours do not differ beyond chance, the estimate is the campaign's own rate.
        where: ({ shrunk_click_rate: here, click_rate_of_all: usual }) => Number(here) > Number(usual),
        most: 4,
        columns: [
          ...['resource_name', 'hour', 'messages'],
          ...['click_rate', 'shrunk_click_rate', 'click_rate_of_all'],
        ],
        sub: ['channel'],
      },
    ],
  },
  {
    id: 'responses',
    asks: [
      {
        query: 'response-times',
        since: 27,
        caption: 'clickTimes',
        where: ({ response }) => response === 'clicked',
        by: 'responses',
        most: 5,
        columns: ['resource_name', 'p50_seconds', 'p90_seconds', 'share_within_hour', 'responses'],
        sub: ['channel'],
        wide: ['share_within_hour', 'responses'],
      },
    ],
  },
  {
    id: 'audience',
    asks: [
      {
        query: 'message-pressure',
        caption: 'pressure',
        columns: ['messages_per_person', 'people', 'share_of_people', 'click_rate', 'clicker_share'],
        bars: ['people', 'click_rate'],
        wide: ['clicker_share'],
      },
      {
        query: 'reach',
        caption: 'reached',
        most: 5,
        columns: ['resource_name', 'people_reached', 'messages_per_person', 'clicker_share'],
        sub: ['channels'],
        bars: ['people_reached'],
        wide: ['messages_per_person'],
      },
    ],
  },
  {
    id: 'optOuts',
    asks: [
      {
        query: 'opt-outs-after-messages',
        caption: 'followed',
        where: ({ messages }) => messages !== null,
        most: 5,
        columns: ['item', 'messages', 'opted_out', 'per_thousand'],
        sub: ['channel'],
        interval: ['per_thousand', 'per_thousand_low', 'per_thousand_high', 'per_thousand_of_others'],
        wide: ['opted_out'],
        below: 'verdict',
      },
      { query: 'opt-outs' },
    ],
  },
  {
    id: 'templates',
    asks: [
      { query: 'refused-templates' },
      {
        query: 'template-performance',
        parameters: { per: 'template' },
        caption: 'sentTemplates',
        where: ({ template_known: known }) => known !== 'unknown',
        most: 5,
        columns: ['template_name', 'sent', 'failure_rate', 'click_rate'],
        sub: ['template_kind', 'status', 'text'],
        bars: ['sent'],
      },
    ],
  },
  {
    id: 'failures',
    asks: [
      { query: 'failure-alarm' },
      {
        query: 'failure-reasons',
        caption: 'reasons',
        by: 'failed',
        most: 6,
        columns: ['failure_reason', 'failed', 'failure_rate', 'trend'],
        sub: ['channel', 'event_name'],
        bars: ['failed'],
        wide: ['trend'],
      },
    ],
  },
  {
    id: 'freshness',
    isAbout: true,
    asks: [
      {
        query: 'freshness',
        caption: 'streams',
        columns: ['stream', 'first_date', 'last_date', 'days_held', 'last_pulled_at_kst'],
        wide: ['first_date', 'last_pulled_at_kst'],
      },
      { query: 'missing-days' },
    ],
  },
  {
    id: 'restated',
    isAbout: true,
    asks: [
      {
        query: 'restatements',
        caption: 'changes',
        by: 'date',
        most: 8,
        columns: ['date', 'counter', 'difference', 'statistics_changed', 'days_after'],
        bars: ['difference'],
        wide: ['statistics_changed', 'days_after'],
      },
    ],
  },
  {
    id: 'findings',
    isAbout: true,
    asks: [
      {
        query: 'checks',
        parameters: { top: '20' },
        caption: 'testsOfData',
        most: 5,
        columns: ['name', 'severity', 'date', 'expected', 'actual', 'findings_of_check'],
        sub: ['subject'],
        wide: ['expected', 'actual'],
        below: 'meaning',
      },
    ],
  },
  {
    id: 'fees',
    isAbout: true,
    asks: [
      {
        query: 'budget',
        caption: 'budget',
        columns: ['month', 'records_used', 'forecast_records', 'records_per_month'],
      },
      {
        query: 'export-fees',
        caption: 'feesByMonth',
        by: 'month',
        most: 13,
        columns: ['month', 'records', 'exports', 'ambiguous_exports', 'fee'],
        bars: ['records'],
        units: { fee: 'price' },
        wide: ['ambiguous_exports'],
      },
    ],
  },
];

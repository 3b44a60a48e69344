/**
 * The sections of the page as data: which bundled queries they ask, and how the answers are shown. A section shows the
 * sentences of its queries above what is drawn of their answers. A new section is an entry here; `render.ts` draws it.
 */
import type { Row, Unit } from '../queries/wording.js';
import type { Word } from './words.js';

/** A column of a table: the value of a column of the answer, and a chart of it. */
export interface Shown {
  readonly column: string;
  /** The heading; by default the name of the column. */
  readonly head?: Word;
  readonly unit?: Unit;
  readonly chart?: 'bar' | 'interval';
  /** Further columns of the answer that the chart reads. */
  readonly with?: readonly string[];
  /** How to read the chart. */
  readonly legend?: Word;
  /** Columns in small print below the value. */
  readonly sub?: readonly string[];
  /** True if the text has a line of its own below its row; a text of several rows is said once below the table. */
  readonly below?: boolean;
  /** True if a phone leaves the column out. */
  readonly wide?: boolean;
}

/** A table of the rows. */
export interface Table {
  readonly caption: Word;
  readonly columns: readonly (string | Shown)[];
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
  readonly head?: Word;
  readonly sub?: string;
  readonly counters: readonly string[];
  readonly most: number;
}

export interface Heatmap {
  readonly kind: 'heatmap';
  readonly caption: Word;
}

/** How an answer is shown below its sentences; with none of these, it is not. */
export type Block = Table | Series | Heatmap | { readonly kind: 'tiles' } | { readonly kind?: undefined };

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
          'channel',
          { column: 'sent', chart: 'bar' },
          { column: 'sent_change', head: 'change', wide: true },
          { column: 'delivery_rate', wide: true },
          'click_rate',
          { column: 'click_rate_points', head: 'change', unit: 'points' },
          'failure_rate',
          { column: 'failure_rate_points', head: 'change', unit: 'points', wide: true },
        ],
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
          { column: 'campaign_name', head: 'campaign', sub: ['channel', 'kind'] },
          {
            column: 'click_rate',
            chart: 'interval',
            with: ['click_rate_of_others'],
            legend: 'readCompared',
          },
          'click_rate_of_others',
          { column: 'week_click_rate', head: 'thisWeek', wide: true },
          { column: 'previous_click_rate', head: 'lastWeek', wide: true },
          'messages',
        ],
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
          { column: 'channel_or_campaign', head: 'campaign', sub: ['channel'] },
          { column: 'sent', chart: 'bar' },
          { column: 'sent_change', head: 'change', wide: true },
          'click_rate',
          { column: 'click_rate_points', head: 'change', unit: 'points' },
          { column: 'conversion_rate', wide: true },
          { column: 'failure_rate', wide: true },
        ],
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
        columns: [
          { column: 'variant_name', head: 'variant', sub: ['campaign_name', 'metric', 'unit'] },
          { column: 'rate', head: 'rate' },
          {
            column: 'difference',
            unit: 'points',
            chart: 'interval',
            with: ['difference_low', 'difference_high'],
            legend: 'readInterval',
          },
          { column: 'difference_low', head: 'interval', unit: 'points', with: ['difference_high'] },
          { column: 'verdict', below: true },
        ],
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
        columns: [
          { column: 'campaign_name', head: 'campaign', sub: ['goal'] },
          { column: 'revenue_per_message', unit: 'money', chart: 'bar' },
          { column: 'revenue', unit: 'money' },
          { column: 'conversions', wide: true },
        ],
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
        columns: [
          { column: 'user_journey_node_name', head: 'step', sub: ['user_journey_name', 'channels'] },
          'sent',
          { column: 'share_of_first', head: 'ofFirst', unit: 'rate', chart: 'bar' },
          'click_rate',
          { column: 'conversion_rate', wide: true },
        ],
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
        head: 'sender',
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
          { column: 'resource_name', head: 'sender', sub: ['channel'] },
          'hour',
          'messages',
          'click_rate',
          { column: 'shrunk_click_rate', head: 'shrunk' },
          { column: 'click_rate_of_all', head: 'ofAllHours' },
        ],
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
        columns: [
          { column: 'resource_name', head: 'sender', sub: ['channel'] },
          { column: 'p50_seconds', head: 'half' },
          { column: 'p90_seconds', head: 'ninety' },
          { column: 'share_within_hour', head: 'withinHour', wide: true },
          { column: 'responses', head: 'clicks', wide: true },
        ],
      },
    ],
  },
  {
    id: 'audience',
    asks: [
      {
        query: 'message-pressure',
        caption: 'pressure',
        columns: [
          'messages_per_person',
          { column: 'people', chart: 'bar' },
          'share_of_people',
          { column: 'click_rate', chart: 'bar' },
          { column: 'clicker_share', head: 'clickers', wide: true },
        ],
      },
      {
        query: 'reach',
        caption: 'reached',
        most: 5,
        columns: [
          { column: 'resource_name', head: 'sender', sub: ['channels'] },
          { column: 'people_reached', chart: 'bar' },
          { column: 'messages_per_person', wide: true },
          { column: 'clicker_share', head: 'clickers' },
        ],
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
        columns: [
          { column: 'item', head: 'campaign', sub: ['channel'] },
          'messages',
          { column: 'opted_out', wide: true },
          {
            column: 'per_thousand',
            chart: 'interval',
            with: ['per_thousand_low', 'per_thousand_high', 'per_thousand_of_others'],
            legend: 'readInterval',
          },
          { column: 'verdict', below: true },
        ],
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
        columns: [
          { column: 'template_name', head: 'template', sub: ['template_kind', 'status', 'text'] },
          { column: 'sent', chart: 'bar' },
          'failure_rate',
          'click_rate',
        ],
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
        columns: [
          { column: 'failure_reason', sub: ['channel', 'event_name'] },
          { column: 'failed', chart: 'bar' },
          'failure_rate',
          { column: 'trend', wide: true },
        ],
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
        columns: [
          'stream',
          { column: 'first_date', wide: true },
          'last_date',
          'days_held',
          { column: 'last_pulled_at_kst', wide: true },
        ],
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
        columns: [
          'date',
          { column: 'counter' },
          { column: 'difference', chart: 'bar' },
          { column: 'statistics_changed', wide: true },
          { column: 'days_after', wide: true },
        ],
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
        columns: [
          { column: 'name', sub: ['subject'] },
          'severity',
          'date',
          { column: 'expected', wide: true },
          { column: 'actual', wide: true },
          'findings_of_check',
          { column: 'meaning', below: true },
        ],
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
        columns: [
          'month',
          { column: 'records', chart: 'bar' },
          'exports',
          { column: 'ambiguous_exports', wide: true },
          { column: 'fee', unit: 'price' },
        ],
      },
    ],
  },
];

/** Statistics of each campaign in the daily statistics (E19). */
import type { Shapes } from '../../ground/fields.js';
import type { Stream } from '../stream.js';

/** The fields of the statistics of a campaign (E19), level by level. */
const CAMPAIGN_FIELDS: Shapes = {
  answer: { time: 'lastCollectedAt', list: 'stats' },
  metric: {
    string: 'metricType metricName conversionType',
    number: 'totalSum',
    quantity: 'totalCount',
    list: 'dailySums dailyCounts',
  },
  daily: { day: 'date', number: 'sum', quantity: 'count', list: 'dimensionSums dimensionCounts' },
  dimension: { string: 'dimensionKey dimensionValue', number: 'sum', quantity: 'count' },
};

const LANDS = ['campaigns'];

export const campaigns: Stream = {
  choices: LANDS,
  lands: LANDS,
  tables: { campaigns: /^campaign_(metric|collection)/ },
  grain: 'day',
  paid: false,
  // Only whole pages say which campaign the counts belong to, so pages are not split.
  divisible: false,
  fields: CAMPAIGN_FIELDS,
  on: () => LANDS,
  pull: async (...args) => (await import('./pull.js')).pullCampaigns(...args),
  load: async (...args) => (await import('./load.js')).loadCampaigns(...args),
};

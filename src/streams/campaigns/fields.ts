/** The fields of the statistics of a campaign (E19), level by level. */
import type { Shapes } from '../../ground/fields.js';

export const CAMPAIGN_FIELDS: Shapes = {
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

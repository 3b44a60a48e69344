/** The daily statistics (E17), and the statistics by sub-channel (E18). */
import type { z } from 'zod';
import { ids } from '../../config/values.js';
import type { Shapes } from '../../ground/fields.js';
import type { Stream } from '../stream.js';

/** The fields of a row of daily statistics (E17), of one by sub-channel (E18), and of their conversions. */
const STATISTICS_FIELDS: Shapes = {
  statistic: {
    string:
      'resource_type campaign_id campaign_name variant_id variant_name user_journey_id user_journey_name ' +
      'user_journey_node_id user_journey_node_name channel',
    day: 'date',
    counter: 'message_sent message_failed delivered click',
    content: 'message',
    texts: 'tags',
    list: 'conversion',
  },
  statistic_by_subchannel: {
    string:
      'resource_type resource_id resource_name node_id node_mane node_name variant_id variant_name channel ' +
      'channel_sub brand_message_target',
    day: 'date',
    counter: 'message_sent message_failed delivered click',
    texts: 'tags',
    list: 'conversion',
  },
  conversion: { string: 'name type', counter: 'count' },
};

const SETTINGS = { statistics_tags: ids('must be a list of tags').default([]) };

declare module '../../config/schema.js' {
  interface StreamSettings {
    readonly statistics_tags: z.output<typeof SETTINGS.statistics_tags>;
  }
}

const LANDS = ['statistics', 'statistics_by_subchannel'];

export const statistics: Stream = {
  choices: ['statistics'],
  lands: LANDS,
  tables: {
    statistics: /^daily_(?!.*_by_subchannel$)/,
    statistics_by_subchannel: /^daily_.*_by_subchannel$/,
  },
  grain: 'day',
  paid: false,
  divisible: true,
  fields: STATISTICS_FIELDS,
  settings: SETTINGS,
  contradictions: ({ statistics_tags: tags, exports }) =>
    tags.length === 0 || exports.budget === undefined
      ? []
      : [
          {
            path: ['statistics_tags'],
            message:
              'must be empty with exports.budget: the size of an export, which has all records, is estimated from the statistics',
          },
        ],
  on: () => LANDS,
  pull: async (...args) => (await import('./pull.js')).pullStatistics(...args),
  load: async (...args) => (await import('./load.js')).loadStatistics(...args),
};

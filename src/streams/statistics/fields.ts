/** The fields of a row of daily statistics (E17), of one by sub-channel (E18), and of their conversions. */
import type { Shapes } from '../../ground/fields.js';

export const STATISTICS_FIELDS: Shapes = {
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

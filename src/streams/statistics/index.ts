/** The daily statistics (E17), and those by sub-channel (E18). */
import type { Stream } from '../stream.js';
import { STATISTICS_FIELDS } from './fields.js';

const LANDS = ['statistics', 'statistics_by_subchannel'];

export const statistics: Stream = {
  choices: ['statistics'],
  lands: LANDS,
  tables: {
    statistics: /^daily_(?!.*_by_subchannel$)/,
    statistics_by_subchannel: /^daily_.*_by_subchannel$/,
  },
  endpoints: ['E17', 'E18'],
  grain: 'day',
  paid: false,
  divisible: true,
  fields: STATISTICS_FIELDS,
  on: () => LANDS,
  pull: async (...given) => (await import('./pull.js')).pullStatistics(...given),
  load: async (pulls, context) => (await import('./load.js')).loadStatistics(pulls, context),
};

// A stream that nobody needs: the number of rows of the daily statistics (E17), by day.
import { yesOrNo } from '../../config/values.js';

const LANDS = ['volumes'];

export const volumes = {
  choices: LANDS,
  lands: LANDS,
  tables: { volumes: /^volumes$/ },
  grain: 'day',
  paid: false,
  divisible: true,
  fields: { volume: { string: 'channel', day: 'date', counter: 'message_sent' } },
  settings: { volumes: yesOrNo.default(false) },
  contradictions: ({ volumes, base_url: service }) =>
    volumes && service === undefined ? [{ path: ['volumes'], message: 'needs base_url' }] : [],
  on: ({ volumes }) => (volumes ? LANDS : []),
  pull: async (...given) => (await import('./pull.js')).pullVolumes(...given),
  load: async (...given) => (await import('./load.js')).loadVolumes(...given),
};

/** Paid exports: what each person was sent and did, record by record (E20, E21). */
import { EVENTS } from '../../ground/streams.js';
import type { Stream } from '../stream.js';
import { EVENT_FIELDS } from './fields.js';

export const events: Stream = {
  choices: [EVENTS],
  lands: [EVENTS],
  tables: { events: /^(\w*message\w*|events|\w*emails)$/ },
  endpoints: ['E20', 'E21'],
  grain: 'day',
  paid: true,
  divisible: true,
  fields: EVENT_FIELDS,
  on: ({ exports }) => (exports.budget === undefined ? [] : [EVENTS]),
  pull: async (...given) => (await import('./pull.js')).pullEvents(...given),
  load: async (...given) => (await import('./load.js')).loadEvents(...given),
};

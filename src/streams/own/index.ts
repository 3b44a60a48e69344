/** Your own tables, such as orders and members, named in the settings and copied each night. */
import { OWN, ownStream } from '../../ground/streams.js';
import type { Stream } from '../stream.js';
import { ownContradictions, OWN_SETTINGS } from './settings.js';

export const own: Stream = {
  choices: ['own'],
  lands: [],
  landsWith: OWN,
  tables: {},
  grain: 'snapshot',
  paid: false,
  divisible: false,
  fields: {},
  settings: OWN_SETTINGS,
  contradictions: ownContradictions,
  on: ({ tables }) => tables.map(({ name }) => ownStream(name)),
  pull: async (order, parts) => {
    await (await import('./pull.js')).pullOwn(order, parts);
    await (await import('./assign.js')).assignNewPeople(order.service, parts);
  },
  load: async (...args) => (await import('./load.js')).loadOwn(...args),
};

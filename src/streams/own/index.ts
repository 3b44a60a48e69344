/** Your own tables, which the settings name: orders, members, segments. The source stays with you; a copy is taken each night. */
import { OWN, ownStream } from '../../ground/streams.js';
import type { Stream } from '../stream.js';

export const own: Stream = {
  choices: ['own'],
  lands: [],
  landsWith: OWN,
  tables: {},
  grain: 'snapshot',
  paid: false,
  divisible: false,
  fields: {},
  on: ({ tables }) => tables.map(({ name }) => ownStream(name)),
  pull: async (job, purse, service, parts) => {
    await (await import('./pull.js')).pullOwn(job, purse, service, parts);
    await (await import('../holdouts/assign.js')).assignNewPeople(service, parts);
  },
  load: async (pulls, context) => (await import('./load.js')).loadOwn(pulls, context),
};

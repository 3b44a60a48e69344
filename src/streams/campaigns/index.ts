/** The statistics of each campaign that occurs in the daily statistics (E19). */
import type { Stream } from '../stream.js';
import { CAMPAIGN_FIELDS } from './fields.js';

const LANDS = ['campaigns'];

export const campaigns: Stream = {
  choices: LANDS,
  lands: LANDS,
  tables: { campaigns: /^campaign_(metric|collection)/ },
  endpoints: ['E19'],
  grain: 'day',
  paid: false,
  // Which page is whose counts.
  divisible: false,
  fields: CAMPAIGN_FIELDS,
  on: () => LANDS,
  pull: async (...given) => (await import('./pull.js')).pullCampaigns(...given),
  load: async (pulls, context) => (await import('./load.js')).loadCampaigns(pulls, context),
};

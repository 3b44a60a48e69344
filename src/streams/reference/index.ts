/** Reference data, which explains the ids in events and statistics: catalogs (E2), templates (E4, E5, E10) and opt-outs (E12). */
import type { Stream } from '../stream.js';
import { REFERENCE, REFERENCE_FIELDS } from './fields.js';
import { REFERENCE_SETTINGS } from './settings.js';

export const reference: Stream = {
  choices: REFERENCE,
  lands: REFERENCE,
  tables: {
    catalogs: /^catalog/,
    brand_templates: /^brand_template/,
    alimtalk_templates: /^alimtalk_template/,
    opt_outs: /^opt_outs/,
  },
  grain: 'snapshot',
  paid: false,
  divisible: false,
  fields: REFERENCE_FIELDS,
  settings: REFERENCE_SETTINGS,
  on({ reference: { catalogs, brandTemplates, alimtalkTemplates, optOuts } }) {
    const settings = {
      catalogs,
      brand_templates: brandTemplates.senderKeys.length > 0,
      alimtalk_templates: alimtalkTemplates,
      opt_outs: optOuts,
    };
    return REFERENCE.filter((name) => settings[name] !== undefined && settings[name] !== false);
  },
  pull: async (...args) => (await import('./pull.js')).pullReference(...args),
  load: async (...args) => (await import('./load.js')).loadReference(...args),
};

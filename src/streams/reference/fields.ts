/** The kinds of reference data, and the fields of catalogs (E2), brand templates (E4, E5) and opt-outs (E12). */
import type { Shapes } from '../../ground/fields.js';

/** The kinds of reference data. Each has a folder in the landing zone and a setting. */
export const REFERENCE = ['catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs'] as const;
export type ReferenceStream = (typeof REFERENCE)[number];

export const REFERENCE_FIELDS: Shapes = {
  catalog: { string: 'name description data_classification', counter: 'num_items', list: 'fields' },
  catalog_field: { string: 'name type' },
  brand_template: {
    string: 'id templateName senderKey unsubscribeNumber',
    time: 'createdAt updatedAt',
    any: 'template failoverTextMessage',
  },
  template_status: { string: 'status' },
  brand_template_button: { string: 'buttonType buttonName linkMo linkPc linkAnd linkIos' },
  opt_out: { string: 'unsubscribeNo recipientNo', time: 'requestDate' },
};

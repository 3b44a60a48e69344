/** The settings of the reference data: which lists are pulled, and the names of parameters that the specification leaves open. */
import { z } from 'zod';
import type { Settings } from '../../config/schema.js';
import { ids, number, parameter, section, whole, yesOrNo } from '../../config/values.js';

const SWITCH = 'must be true, false or "key: value" lines';

/** The names of the parameters for requesting numbered pages of a list, from page 1. The specification leaves them open. */
const pages = {
  page_parameter: parameter().default('pageNum'),
  size_parameter: parameter().default('pageSize'),
  page_size: whole(1, 1000).default(1000),
};

const brandTemplates = section(
  {
    sender_keys: ids('must be a list of sender keys').default([]),
    ...pages,
    // How E5 takes the sender key (N6); E4 takes it in the query.
    sender_key_parameter: parameter().default('senderKey'),
    sender_key_in: z.enum(['query', 'header'], 'must be query or header').default('query'),
    recheck_days: whole(0, 366).default(7),
  },
  'must have sender_keys, such as { sender_keys: [KEY] }',
);

const alimtalkTemplates = section(
  {
    channel_ids: ids('must be a list of channel ids').default([]),
    ...pages,
    channel_parameter: parameter().default('channelId'),
  },
  SWITCH,
);

const optOuts = section(
  {
    ...pages,
    start_parameter: parameter().default('startRequestDate'),
    end_parameter: parameter().default('endRequestDate'),
  },
  SWITCH,
);

/** Accepts `true` and `false` in place of a section of settings. */
const switched = <T extends z.ZodType>(section: T) =>
  z
    .preprocess(
      (value) => (value === 'true' ? {} : value === 'false' ? undefined : value),
      z.optional(section),
    )
    .optional();

/** The settings of the lists. A list with undefined or false is not pulled. */
const reference = section({
  max_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(20),
  catalogs: z
    .union(
      [yesOrNo, ids('must be names of catalogs')],
      'must be true, false or a list of names such as [products]',
    )
    .default(false)
    .transform((names) => (names === true ? 'all' : names !== false && names.length > 0 && names)),
  // Brand templates belong to a sender, so its key is required.
  brand_templates: brandTemplates.prefault({}),
  alimtalk_templates: switched(alimtalkTemplates),
  opt_outs: switched(optOuts),
});

export const REFERENCE_SETTINGS = { reference: reference.prefault({}) };

declare module '../../config/schema.js' {
  interface StreamSettings {
    readonly reference: z.output<typeof reference>;
  }
}

type ReferenceSettings = Settings['reference'];
export type BrandTemplateSettings = ReferenceSettings['brandTemplates'];
export type AlimtalkTemplateSettings = NonNullable<ReferenceSettings['alimtalkTemplates']>;
export type OptOutSettings = NonNullable<ReferenceSettings['optOuts']>;
export type PageSettings = Pick<OptOutSettings, 'pageParameter' | 'sizeParameter' | 'pageSize'>;

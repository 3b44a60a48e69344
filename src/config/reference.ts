/** The settings under `reference:`, and what they come to: which reference data is pulled, and how its lists are asked for. */
import { z } from 'zod';
import { SENDER_KEY_PLACES } from '../api/endpoints.js';
import { REFERENCE_STREAMS, type ReferenceStream } from '../storage/pull.js';
import { NO_SECTION, number, parameter, whole, yesOrNo } from './scalars.js';

const SWITCH = {
  error: (issue: { code: string }) =>
    issue.code === 'invalid_type' ? 'must be true, false or "key: value" lines' : undefined,
};

/** Ids in a list; one that is written as a number is meant as text. */
function ids(what: string): z.ZodType<readonly string[]> {
  return z.array(z.string(what).min(1, what), what);
}

/** How the pages of a list are asked for; the names are open in the specification. */
const pages = {
  page_parameter: parameter('must be the name of a query parameter').default('pageNum'),
  size_parameter: parameter('must be the name of a query parameter').default('pageSize'),
  page_size: whole(1, 1000).default(1000),
};

/** Two parameters with one name would be sent as one. */
const NAMED_APART = 'must give each parameter a name of its own';
const differ = (...names: readonly string[]): boolean => new Set(names).size === names.length;

const brandTemplates = z
  .strictObject(
    {
      sender_keys: ids('must be a list of sender keys').default([]),
      ...pages,
      // N6: where E5 takes it; E4 takes it in the query.
      sender_key_parameter: parameter('must be the name of a parameter').default('senderKey'),
      sender_key_in: z.enum(SENDER_KEY_PLACES, 'must be query or header').default('query'),
      recheck_days: whole(0, 366).default(7),
    },
    NO_SECTION,
  )
  .refine((given) => differ('senderKey', given.page_parameter, given.size_parameter), NAMED_APART);

const alimtalkTemplates = z
  .strictObject(
    {
      channel_ids: ids('must be a list of channel ids').default([]),
      ...pages,
      channel_parameter: parameter('must be the name of a query parameter').default('channelId'),
    },
    SWITCH,
  )
  .refine(
    (given) => differ(given.channel_parameter, given.page_parameter, given.size_parameter),
    NAMED_APART,
  );

const optOuts = z
  .strictObject(
    {
      ...pages,
      start_parameter: parameter('must be the name of a query parameter').default('startRequestDate'),
      end_parameter: parameter('must be the name of a query parameter').default('endRequestDate'),
    },
    SWITCH,
  )
  .refine(
    (given) => differ(given.start_parameter, given.end_parameter, given.page_parameter, given.size_parameter),
    NAMED_APART,
  );

/** `true` and `false` beside a section of settings. */
const switched = <T extends z.ZodType>(section: T) =>
  z
    .preprocess(
      (given) => (given === 'true' || given === '' ? {} : given === 'false' ? undefined : given),
      z.optional(section),
    )
    .optional();

export const referenceSchema = z.strictObject(
  {
    max_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(20),
    catalogs: z
      .union(
        [yesOrNo, ids('must be names of catalogs')],
        'must be true, false or a list of names such as [products]',
      )
      .default(false),
    brand_templates: brandTemplates.prefault({}),
    alimtalk_templates: switched(alimtalkTemplates),
    opt_outs: switched(optOuts),
  },
  NO_SECTION,
);

/** How the numbered pages of a list are asked for; the first is 1. */
export interface PageSettings {
  readonly pageParameter: string;
  readonly sizeParameter: string;
  readonly pageSize: number;
}

export interface BrandTemplateSettings extends PageSettings {
  readonly senderKeys: readonly string[];
  readonly senderKeyParameter: string;
  readonly senderKeyIn: (typeof SENDER_KEY_PLACES)[number];
  /** After how many days the status of an unchanged template is read again; 0 for every night. */
  readonly recheckDays: number;
}

export interface AlimtalkTemplateSettings extends PageSettings {
  /** None: the one channel that needs no name. */
  readonly channelIds: readonly string[];
  readonly channelParameter: string;
}

export interface OptOutSettings extends PageSettings {
  readonly startParameter: string;
  readonly endParameter: string;
}

/** Which reference data is pulled; what is undefined is off. */
export interface ReferenceConfig {
  /** How long a run reads them; what it has not read by then waits for the next run. */
  readonly maxMinutes: number;
  readonly catalogs: 'all' | readonly string[] | undefined;
  readonly brandTemplates: BrandTemplateSettings | undefined;
  readonly alimtalkTemplates: AlimtalkTemplateSettings | undefined;
  readonly optOuts: OptOutSettings | undefined;
}

export function referenceOf(given: z.infer<typeof referenceSchema>): ReferenceConfig {
  const { catalogs, brand_templates: brand, alimtalk_templates: alimtalk, opt_outs: optOuts } = given;
  return Object.freeze({
    maxMinutes: given.max_minutes,
    catalogs: catalogs === true ? 'all' : catalogs === false || catalogs.length === 0 ? undefined : catalogs,
    brandTemplates:
      brand.sender_keys.length === 0
        ? undefined
        : {
            ...pagesOf(brand),
            senderKeys: [...new Set(brand.sender_keys)],
            senderKeyParameter: brand.sender_key_parameter,
            senderKeyIn: brand.sender_key_in,
            recheckDays: brand.recheck_days,
          },
    alimtalkTemplates: alimtalk && {
      ...pagesOf(alimtalk),
      channelIds: [...new Set(alimtalk.channel_ids)],
      channelParameter: alimtalk.channel_parameter,
    },
    optOuts: optOuts && {
      ...pagesOf(optOuts),
      startParameter: optOuts.start_parameter,
      endParameter: optOuts.end_parameter,
    },
  });
}

/** The streams that are on. */
export function streamsOn({
  catalogs,
  brandTemplates,
  alimtalkTemplates,
  optOuts,
}: ReferenceConfig): ReferenceStream[] {
  const settings = {
    catalogs,
    brand_templates: brandTemplates,
    alimtalk_templates: alimtalkTemplates,
    opt_outs: optOuts,
  };
  return REFERENCE_STREAMS.filter((stream) => settings[stream] !== undefined);
}

function pagesOf(given: { page_parameter: string; size_parameter: string; page_size: number }): PageSettings {
  return {
    pageParameter: given.page_parameter,
    sizeParameter: given.size_parameter,
    pageSize: given.page_size,
  };
}

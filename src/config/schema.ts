/** The shape of `dawnload.yaml`. Every scalar arrives as text (see `readSettings`); each rule names what it accepts. */
import { z } from 'zod';
import { lakeSchema } from './lake.js';
import { referenceSchema } from './reference.js';
import { day, NO_SECTION, number, parameter, whole, word, yesOrNo } from './scalars.js';

const baseUrl = z
  .string('must be an address such as https://api.example.com')
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, search, hash, username } = new URL(text);
    return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
  }, 'must be an http or https address such as https://api.example.com, without a query')
  .transform((text) => text.replace(/\/+$/, ''));

const budget = z
  .strictObject(
    {
      records_per_run: whole(0, 1e12).optional(),
      records_per_month: whole(0, 1e12).optional(),
    },
    NO_SECTION,
  )
  .refine(
    ({ records_per_run, records_per_month }) =>
      records_per_run !== undefined || records_per_month !== undefined,
    'must set records_per_run, records_per_month or both',
  );

const exportsSchema = z.strictObject(
  {
    budget: budget.optional(),
    price_per_record: number(0, 1e6, 'must be a price such as 0.5').default(0),
    currency: z
      .string('must be a currency such as KRW')
      .regex(/^[^\p{C}\p{Z}]{1,12}$/u, 'must be a currency such as KRW')
      .optional(),
    expected_records_per_day: whole(1, 1e12).optional(),
    start_date: day.optional(),
    include_message_data: yesOrNo.default(true),
    page_parameter: parameter('must be the name of a query parameter').default('page'),
    max_wait_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(60),
  },
  NO_SECTION,
);

const webhook = z
  .string('must be an http or https address')
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an http or https address',
  );

/** Addresses of webhooks are secrets: the environment may hold them. */
const variable = z
  .string('must be the name of an environment variable')
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

const FORMATS = ['slack', 'json'] as const;
const CAUSES = ['failure', 'recovery', 'stale', 'needs_action', 'budget', 'drift', 'check_stop'] as const;

export type AlertFormat = (typeof FORMATS)[number];
export type AlertCause = (typeof CAUSES)[number];

const alert = z
  .strictObject(
    {
      url: webhook.optional(),
      url_env: variable.optional(),
      format: z.enum(FORMATS, `must be one of ${FORMATS.join(', ')}`).default('json'),
      on: z
        .array(z.enum(CAUSES, `must be among ${CAUSES.join(', ')}`), `must be a list of ${CAUSES.join(', ')}`)
        .default([...CAUSES]),
    },
    NO_SECTION,
  )
  .refine(({ url, url_env }) => (url === undefined) !== (url_env === undefined), 'must set url or url_env');

export type AlertSettings = z.infer<typeof alert>;

/** How one A/B test is judged, or, under `default`, all that are not named. */
const experiment = z
  .strictObject(
    {
      /** Name or id of the variant that the others are compared with. */
      baseline: z.string('must be the name of a variant').min(1, 'must be the name of a variant').optional(),
      /** Name of the conversion that counts. */
      goal: z
        .string('must be the name of a conversion')
        .min(1, 'must be the name of a conversion')
        .optional(),
      /** Shares by variant, in any unit. */
      split: z
        .record(z.string(), number(0.0001, 1e6, 'must be a share such as 50'), {
          error: 'must hold lines such as "A: 50"',
        })
        .optional(),
      /** Variants that get no messages. */
      hold_outs: z
        .array(z.string('must be names of variants'), 'must be a list of variants such as [C]')
        .optional(),
      /** The smallest difference that matters, as a share of the baseline's rate. */
      smallest_effect: number(
        0.001,
        10,
        'must be a share of the rate from 0.001 to 10, such as 0.2',
      ).optional(),
      /** How often one person converts at most; without it no verdict is given on conversions. */
      conversions_per_person: number(1, 1000, 'must be a number from 1 to 1000').optional(),
      /** How often a winner may be named where there is none. */
      alpha: number(0.0001, 0.5, 'must be a probability from 0.0001 to 0.5, such as 0.05').optional(),
      /** How often a difference of the smallest effect is to be found. */
      power: number(0.5, 0.999, 'must be a probability from 0.5 to 0.999, such as 0.8').optional(),
    },
    NO_SECTION,
  )
  .refine(
    ({ baseline, hold_outs }) => baseline === undefined || hold_outs?.includes(baseline) !== true,
    'must not have a hold-out as its baseline',
  );

const report = z.enum(['true', 'false', 'en', 'ko'], 'must be true, false, en or ko');

/** The language of the report, English unless another is named; undefined where none is wanted. */
export function languageOf(setting: z.infer<typeof report>): 'en' | 'ko' | undefined {
  return setting === 'false' ? undefined : setting === 'true' ? 'en' : setting;
}

export type ExperimentSettings = z.infer<typeof experiment>;

export const settingsSchema = z.strictObject({
  base_url: baseUrl.optional(),
  allow_http: yesOrNo.default(false),
  project_id: z
    .string('must be 32 lowercase hexadecimal digits')
    .regex(/^[a-f0-9]{32}$/, 'must be 32 lowercase hexadecimal digits')
    .optional(),
  brand: word.default('service'),
  messenger: word.default('chatapp'),
  data_dir: z.string('must be a folder').min(1, 'must be a folder').default('./data'),
  start_date: day.optional(),
  lookback_days: whole(0, 366).default(7),
  requests_per_second: number(0.1, 1000, 'must be a number from 0.1 to 1000').default(50),
  // Requests under way are as many as the pace and the service's answering take: 50 a second of 600 ms each are 30.
  concurrency: whole(1, 256).default(64),
  request_timeout_seconds: number(0.1, 600, 'must be a number of seconds from 0.1 to 600').default(60),
  retries: whole(0, 20).default(4),
  privacy: z
    .strictObject(
      { recipients: z.enum(['keep', 'hash', 'drop'], 'must be keep, hash or drop').default('hash') },
      NO_SECTION,
    )
    .prefault({}),
  exports: exportsSchema.prefault({}),
  reference: referenceSchema.prefault({}),
  lake: lakeSchema.optional(),
  report: report.default('true'),
  alerts: z.array(alert, 'must be a list').default([]),
  ping_url: webhook.optional(),
  ping_url_env: variable.optional(),
  experiments: z
    .record(z.string(), experiment, NO_SECTION)
    .refine((given) => given['default']?.goal === undefined, 'must name goals by campaign, not under default')
    .default({}),
});

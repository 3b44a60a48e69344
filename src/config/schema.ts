/**
 * The schema of `dawnload.yaml` and the type of the resulting settings; docs/configuration.md explains each. Every scalar
 * arrives as text (see `readSettings`); the message of each rule describes the valid values.
 */
import { z } from 'zod';
import { ID_COLUMNS, isReadAs, type Field } from '../ground/fields.js';
import { didYouMean } from '../ground/text.js';
import { audiences, conversions, holdouts, ownFaults, tables } from './own.js';
import { byName, currency, day, matching, number, section, size, text, whole, yesOrNo } from './values.js';

const word = matching(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be one word of letters, digits, - and _');

const parameter = (what = 'parameter'): z.ZodString =>
  matching(/^[A-Za-z0-9_.[\]-]+$/, `must be the name of a ${what}`);

/** The base address of a service. Endpoint paths are appended to it, so it may have no query. */
function service(what: string): z.ZodType<string, string> {
  return z
    .string(what)
    .refine((text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, search, hash, username } = new URL(text);
      return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
    }, what)
    .transform((text) => text.replace(/\/+$/, ''));
}

const baseUrl = service('must be an http or https address such as https://api.example.com, without a query');
const address = service('must be an http or https address, without a query and without keys');

const budget = section({
  records_per_run: whole(0, 1e12).optional(),
  records_per_month: whole(0, 1e12).optional(),
})
  .refine(
    ({ records_per_run: run, records_per_month: month }) => (run ?? month) !== undefined,
    'must set records_per_run, records_per_month or both',
  )
  // A single limit applies to both, so that the missing one does not mean unlimited.
  .transform(({ records_per_run: run, records_per_month: month }) => ({
    records_per_run: run ?? month ?? 0,
    records_per_month: month ?? run ?? 0,
  }));

const answerText = text('must be the text of an answer').refine(
  (answer) => answer.trim() !== '',
  'must not be blank',
);

const paidExports = section({
  budget: budget.optional(),
  price_per_record: number(0, 1e6, 'must be a price such as 0.5').default(0),
  currency: currency.optional(),
  start_date: day.optional(),
  include_message_data: yesOrNo.default(true),
  page_parameter: parameter().default('page'),
  refusals: z.array(answerText, 'must be a list of texts of answers').default([]),
  tolerate_missing: matching(/^(0|\d{1,2}(\.\d+)?%)$/, 'must be a share such as 0.2%')
    .transform((text) => Number(text.replace('%', '')) / 100)
    .default(0),
  max_wait_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(60),
  largest_answer: size(3).default(2 ** 30),
});

const webhook = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** The name of an environment variable with a webhook address; the address is a secret. */
const variable = matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

const FORMATS = ['slack', 'teams', 'json'] as const;
const TROUBLES = ['failure', 'recovery', 'stale', 'needs_action', 'budget', 'drift', 'check_stop'] as const;
const CAUSES = [...TROUBLES, 'digest', 'question'] as const;

export type AlertFormat = (typeof FORMATS)[number];
export type AlertCause = (typeof CAUSES)[number];

export const alert = section({
  url: webhook.optional(),
  url_env: variable.optional(),
  format: z.enum(FORMATS, `must be one of ${FORMATS.join(', ')}`).default('json'),
  on: z
    .array(z.enum(CAUSES, `must be among ${CAUSES.join(', ')}`), `must be a list of ${CAUSES.join(', ')}`)
    .optional(),
  question: text('must be the name of one of your questions').optional(),
})
  .refine(({ url, url_env }) => (url === undefined) !== (url_env === undefined), 'must set url or url_env')
  .transform(({ on, ...others }) => ({
    ...others,
    on: on ?? (others.question === undefined ? [...TROUBLES] : ['question' as const]),
  }))
  .refine(
    ({ on, question }) => on.includes('question') === (question !== undefined),
    'must name a question where it is alerted, and only there',
  );

const shares = z
  .record(z.string(), number(0, 1e6, 'must be a share such as 50'))
  .refine((all) => Object.values(all).some((share) => share > 0), 'must have a share above 0');

/** The settings of one A/B test; the entry `default` applies to all tests that are not listed. */
const experiment = section({
  baseline: text('must be the name of a variant').optional(),
  goal: text('must be the name of a conversion').optional(),
  split: z
    .union([shares, z.record(day, shares)], 'must have lines such as "A: 50", or "2026-11-16: { A: 50 }"')
    .optional(),
  hold_outs: z
    .array(z.string('must be names of variants'), 'must be a list of variants such as [C]')
    .optional(),
  accept_crossing: yesOrNo.optional(),
  smallest_effect: number(0.001, 10, 'must be a share of the rate from 0.001 to 10, such as 0.2').optional(),
  conversions_per_person: number(1, 1000, 'must be a number from 1 to 1000').optional(),
  alpha: number(0.0001, 0.5, 'must be a probability from 0.0001 to 0.5, such as 0.05').optional(),
  power: number(0.5, 0.999, 'must be a probability from 0.5 to 0.999, such as 0.8').optional(),
}).refine(
  ({ baseline, hold_outs }) => baseline === undefined || hold_outs?.includes(baseline) !== true,
  'must not have a hold-out as its baseline',
);

const CATALOG_AUTH = ['none', 'oauth2', 'sigv4'] as const;

const catalog = section({
  uri: address,
  warehouse: text('must be the name of the warehouse in the catalog'),
  auth: z.enum(CATALOG_AUTH, `must be one of ${CATALOG_AUTH.join(', ')}`),
  token_uri: address.optional(),
  scope: text('must be a scope such as PRINCIPAL_ROLE:ALL').optional(),
});

const storage = section({
  endpoint: address.optional(),
  region: text('must be a region such as ap-northeast-2').optional(),
  path_style: yesOrNo.default(false),
});

const lake = section({
  format: z.literal('iceberg', 'must be iceberg, the only format').default('iceberg'),
  catalog,
  storage: storage.prefault({}),
  namespace: matching(/^[a-z][a-z0-9_]{0,60}$/, 'must be a name in small letters, digits and _').default(
    'dawnload',
  ),
  extensions: text("must be the folder of DuckDB's extensions").optional(),
  allow_personal: yesOrNo.default(false),
  /** True if your own tables go into the lake too. */
  own: yesOrNo.default(false),
});

const SWITCH = 'must be true, false or "key: value" lines';

function ids(what: string): z.ZodType<readonly string[]> {
  return z.array(z.string(what).min(1, what), what).transform((all) => [...new Set(all)]);
}

const EXCLUDED = 'must be a list of ids, or a file with one id on each line';

/** The parameters for requesting numbered pages of a list, starting at 1. The specification leaves their names open. */
const pages = {
  page_parameter: parameter().default('pageNum'),
  size_parameter: parameter().default('pageSize'),
  page_size: whole(1, 1000).default(1000),
};

const brandTemplates = section(
  {
    sender_keys: ids('must be a list of sender keys').default([]),
    ...pages,
    // The place of the parameter in E5 (N6); E4 takes it in the query.
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

/** Accepts `true` and `false` instead of a section of settings. */
const switched = <T extends z.ZodType>(section: T) =>
  z
    .preprocess(
      (value) => (value === 'true' ? {} : value === 'false' ? undefined : value),
      z.optional(section),
    )
    .optional();

const reference = section({
  max_minutes: number(0, 24 * 60, 'must be a number of minutes from 0 to 1440').default(20),
  catalogs: z
    .union(
      [yesOrNo, ids('must be names of catalogs')],
      'must be true, false or a list of names such as [products]',
    )
    .default(false)
    .transform((names) => (names === true ? 'all' : names !== false && names.length > 0 && names)),
  brand_templates: brandTemplates.prefault({}),
  alimtalk_templates: switched(alimtalkTemplates),
  opt_outs: switched(optOuts),
});

/** The language of the report, English by default; undefined if no report is wanted. */
const report = z
  .enum(['true', 'false', 'en', 'ko'], 'must be true, false, en or ko')
  .transform((language) => (language === 'false' ? undefined : language === 'true' ? 'en' : language));

const rule = z.enum(['keep', 'hash', 'drop'], 'must be keep, hash or drop');

/** The id columns of `events`, and keys of messages, that are stored hashed or not at all. */
const columns = byName(rule)
  // A list, because users choose the names.
  .transform((rules) =>
    Object.entries(rules).flatMap(([name, wanted]) => (wanted === 'keep' ? [] : [{ name, rule: wanted }])),
  );

/** The schema of the settings for these fields: `privacy.columns` names only fields that can be hashed or left out. */
export const settingsAbout = (fields: readonly Field[]) =>
  settingsSchema.superRefine(({ privacy }, context) => {
    for (const { name, rule: wanted } of privacy.columns) {
      const message = refusalOf(name, wanted, fields);
      if (message !== undefined)
        context.addIssue({ code: 'custom', path: ['privacy', 'columns', name], message });
    }
  });

function refusalOf(name: string, wanted: z.infer<typeof rule>, fields: readonly Field[]): string | undefined {
  if (ID_COLUMNS.some((column) => column === name)) return undefined;
  const kinds = fields.filter(({ field }) => field === name);
  if (kinds.some(({ kind }) => kind === 'recipient')) return 'is set by privacy.recipients';
  if (kinds.some(({ place }) => place === 'record'))
    return `is a column that cannot be left out; the columns are ${ID_COLUMNS.join(', ')}`;
  const typed = kinds.find(({ kind }) => isReadAs(kind) || kind === 'list' || kind === 'object');
  if (wanted === 'hash' && typed !== undefined)
    return `must be keep or drop, because a ${typed.kind} cannot become a hash`;
  return undefined;
}

/**
 * A sentence for each name under `privacy.columns` that seems mistyped: nothing in the specification has that name, but
 * something has a similar one. Any other name may be an unknown key of messages.
 */
export function mistypedColumns(
  columns: readonly { readonly name: string }[],
  fields: readonly Field[],
): string[] {
  const names = new Set([...ID_COLUMNS, ...fields.map(({ field }) => field)]);
  return columns.flatMap(({ name }) => {
    const question = names.has(name) ? '' : didYouMean(name, [...names]);
    if (question === '') return [];
    return `privacy.columns: no column and no key of the specification is named ${name}. ${question.trim()}`;
  });
}

/** At least 8 days, because models read up to seven earlier days; `730` and `730 days` are equivalent. */
const DAYS = 'must be a number of days from 8 to 36500, such as 730 days';
const days = z
  .string(DAYS)
  .transform((text) => text.replace(/ days?$/, ''))
  .pipe(number(8, 36_500, DAYS, /^\d+$/));

/** Retention of personal data; without a setting, data is kept for ever. */
const retention = section(
  { events: days.optional(), landing: days.optional(), reference: days.optional() },
  'must contain events, landing or reference, such as { events: 730 days }',
).refine(
  ({ events, landing }) => landing === undefined || (events !== undefined && events <= landing),
  'must keep landed pages at least as long as events: set events to as many days as landing or fewer',
);

export type ExperimentSettings = z.infer<typeof experiment>;

const bounds = {
  rows_per_run: whole(0, 1e12).optional(),
  rows_per_month: whole(0, 1e12).optional(),
};

/** Limits of all pushes, and the names of fields that the specification does not show (N13, N14, N16). */
const pushLimits = section({
  ...bounds,
  properties_field: parameter('field').default('userProperties'),
  event_field: parameter('field').optional(),
  journey_field: parameter('field').optional(),
  /** Texts of E13 and E16 that you have checked; `{count}` is the number of rows that were sent. */
  acknowledgements: z
    .array(
      answerText.refine((answer) => !/\d/.test(answer), 'must have {count} in place of the number of rows'),
      'must be a list of texts of answers',
    )
    .default([]),
  refusals: z.array(answerText, 'must be a list of texts of answers').default([]),
});

const TARGETS = /^(user-properties|(catalog-items|opt-outs|events|journey) \S.*)$/;
export const MODES = ['replace', 'patch', 'delete'] as const;

/** A push that each night makes after publishing. */
const push = section({
  name: matching(/^[A-Za-z0-9_-]{1,60}$/, 'must be a name of letters, digits, _ and -').refine(
    (name) =>
      !/^(list|rejected|resume|abandon|catalog-items|user-properties|opt-outs|events|journey)$/.test(name),
    'must be another name',
  ),
  target: text('must be a target such as journey ID').regex(
    TARGETS,
    'must be user-properties, or catalog-items, opt-outs, events or journey with a name',
  ),
  query: text('must be the name of a bundled query').optional(),
  sql: text('must be SQL').optional(),
  file: text('must be a file of SQL').optional(),
  params: byName(z.string('must be a text')).default({}),
  key: text('must be the name of a column').optional(),
  mode: z.enum(MODES, `must be one of ${MODES.join(', ')}`).optional(),
  delete_missing: yesOrNo.default(false),
  ...bounds,
})
  .refine(
    ({ query, sql, file }) => [query, sql, file].filter((one) => one !== undefined).length === 1,
    'must set one of query, sql and file',
  )
  .refine(
    ({ target, mode }) => target.startsWith('catalog-items') === (mode !== undefined),
    'must set mode for catalog-items, and for no other target',
  );

const A_PRICE = 'must be a price such as 8.4, or prices by sub-channel such as {sms: 9, lms: 28}';
const price = number(0, 1e6, A_PRICE);

/** The name of a channel as in the statistics: TEXT_MESSAGE is text-message. */
export const inWords = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const differentNames = [
  (prices: object): boolean => new Set(Object.keys(prices).map(inWords)).size === Object.keys(prices).length,
  'must name each channel once, because capitals and underscores make no difference',
] as const;

export const settingsSchema = z
  .strictObject({
    base_url: baseUrl.optional(),
    allow_http: yesOrNo.default(false),
    project_id: matching(/^[a-f0-9]{32}$/, 'must be 32 lowercase hexadecimal digits').optional(),
    brand: word.default('service'),
    messenger: word.default('chatapp'),
    /** `ignore` where the service's own `Date` is wrong; paid requests never ignore it. */
    service_clock: z.enum(['obey', 'ignore'], 'must be obey or ignore').default('obey'),
    data_dir: text('must be a folder')
      .regex(/^[^\0]+$/, 'must be a folder')
      .default('./data'),
    ledger_copy: text('must be a file').optional(),
    /** `head` where inodes are not stable over a mount. */
    witness: z.enum(['file', 'head'], 'must be file or head').default('file'),
    start_date: day.optional(),
    lookback_days: whole(0, 366).default(7),
    requests_per_second: number(0.1, 1000, 'must be a number from 0.1 to 1000').default(50),
    // The required concurrency is the request rate times the response time: 50 per second at 600 ms each require 30.
    concurrency: whole(1, 256).default(64),
    request_timeout_seconds: number(0.1, 600, 'must be a number of seconds from 0.1 to 600').default(60),
    retries: whole(0, 20).default(4),
    statistics_tags: ids('must be a list of tags').default([]),
    privacy: section({ recipients: rule.default('hash'), columns: columns.prefault({}) }).prefault({}),
    retention: retention.prefault({}),
    exports: paidExports.prefault({}),
    reference: reference.prefault({}),
    lake: lake.optional(),
    report: report.prefault('true'),
    alerts: z.array(alert, 'must be a list').default([]),
    push: pushLimits.prefault({}),
    pushes: z
      .array(push, 'must be a list')
      .refine(
        (all) => new Set(all.map(({ name }) => name)).size === all.length,
        'must give each a name of its own',
      )
      .default([]),
    mcp: section({ memory_megabytes: whole(256, 1_048_576).default(1024) }).prefault({}),
    prices: byName(z.union([price, z.record(z.string(), price).refine(...differentNames)], A_PRICE))
      .refine(...differentNames)
      .prefault({}),
    tables: tables.prefault({}),
    conversions: conversions.optional(),
    audiences: audiences.prefault({}),
    holdouts: holdouts.prefault({}),
    queries: text('must be a folder').optional(),
    heartbeat: webhook.optional(),
    after_publish: z
      .array(text('must be a command or an address'), 'must be a list of commands or addresses')
      .default([]),
    experiments: byName(experiment)
      .refine(
        (tests) => tests['default']?.goal === undefined,
        'must name goals by campaign, not under default',
      )
      .default({}),
    not_clicks: ids('must be a list of names of events').default([]),
    placeholder_ids: ids('must be a list of ids').default([]),
    exclude: section({
      user_ids: z.union([ids(EXCLUDED), text(EXCLUDED)], EXCLUDED).default([]),
    }).prefault({}),
    main_goals: byName(text('must be the name of a conversion')).default({}),
  })
  .refine(
    ({ experiments, main_goals }) =>
      Object.entries(main_goals).every(([id, goal]) => [undefined, goal].includes(experiments[id]?.goal)),
    { path: ['main_goals'], error: 'must not name another goal than experiments does' },
  )
  .superRefine(({ privacy, ...settings }, context) => {
    const dropped = privacy.columns.flatMap(({ name, rule: wanted }) => (wanted === 'drop' ? [name] : []));
    for (const fault of ownFaults({ ...settings, dropped })) context.addIssue({ code: 'custom', ...fault });
  })
  .refine(
    ({ exclude, privacy }) =>
      exclude.user_ids.length === 0 ||
      !privacy.columns.some(({ name, rule }) => name === 'user_id' && rule === 'drop'),
    {
      path: ['exclude', 'user_ids'],
      error: 'needs the ids of events, which privacy.columns drops; set user_id: hash there',
    },
  )
  .refine(
    ({ start_date: first = '', exports }) => exports.start_date === undefined || exports.start_date >= first,
    {
      path: ['exports', 'start_date'],
      error: 'must not be before start_date, because the statistics of a day give the size of its export',
    },
  )
  .refine(({ statistics_tags: tags, exports }) => tags.length === 0 || exports.budget === undefined, {
    path: ['statistics_tags'],
    error:
      'must be empty with exports.budget: the size of an export, which has all records, is estimated from the statistics',
  });

type CamelKey<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : K;

/** Converts the names of settings to camel case; keys chosen by the user (campaigns, variants) are unchanged. */
type Camel<T> = T extends readonly unknown[] | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T as CamelKey<K>]-?: Camel<T[K]> }
    : T;

export function camel<T>(value: T): Camel<T>;
export function camel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      camel(inner),
    ]),
  );
}

/** The settings of the file, except lists and those keyed by campaign: SQL gets these under the names in the file. */
export type Settings = Camel<
  Omit<
    z.infer<typeof settingsSchema>,
    'audiences' | 'experiments' | 'holdouts' | 'main_goals' | 'prices' | 'pushes' | 'tables'
  >
>;
export type PushSettings = z.infer<typeof push>;
type ReferenceSettings = Settings['reference'];
export type BrandTemplateSettings = ReferenceSettings['brandTemplates'];
export type AlimtalkTemplateSettings = NonNullable<ReferenceSettings['alimtalkTemplates']>;
export type OptOutSettings = NonNullable<ReferenceSettings['optOuts']>;
export type PageSettings = Pick<OptOutSettings, 'pageParameter' | 'sizeParameter' | 'pageSize'>;

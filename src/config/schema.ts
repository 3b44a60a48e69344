/**
 * The schema of `dawnload.yaml`, and the type of the resulting settings. docs/configuration.md explains each setting. Streams declare their
 * own settings. Every scalar arrives as text (see `readSettings`); the message of each rule describes the valid values.
 */
import { z } from 'zod';
import { fieldsFor, ID_COLUMNS, isReadAs, type Field, type Shapes } from '../ground/fields.js';
import { didYouMean } from '../ground/text.js';
import {
  answerText,
  byName,
  day,
  ids,
  matching,
  number,
  parameter,
  section,
  text,
  whole,
  yesOrNo,
} from './values.js';

/** The settings of all streams. Each stream adds its own by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-object-type -- streams add members
export interface StreamSettings {}

/** What a stream declares for the settings. */
export interface Declaration {
  /** The fields of its documents; `privacy.columns` may name some of them. */
  readonly fields: Shapes;
  /** Its settings, by their names in `dawnload.yaml`. */
  readonly settings?: Partial<Readonly<Record<keyof StreamSettings, z.ZodType>>>;
  /** Finds contradictions between its settings and others: for each, the path of a setting and a clause. */
  contradictions?(settings: FileSettings): readonly Contradiction[];
}

interface Contradiction {
  readonly path: readonly string[];
  readonly message: string;
}

const word = matching(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be one word of letters, digits, - and _');

/** The base address of a service. Paths are appended to it, so it must not have a query. */
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

const webhook = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** The name of an environment variable with a webhook address. The address is a secret, so the settings do not have it. */
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
    'must have `question` if, and only if, `on` contains question',
  );

const shares = z
  .record(z.string(), number(0, 1e6, 'must be a share such as 50'))
  .refine((all) => Object.values(all).some((share) => share > 0), 'must have a share above 0');

/** The settings of one A/B test. The entry `default` is for all tests that are not listed. */
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
  /** True to copy your own tables into the lake, too. */
  own: yesOrNo.default(false),
});

const EXCLUDED = 'must be a list of ids, or a file with one id on each line';

/** The language of the report: English by default, undefined for no report. */
const report = z
  .enum(['true', 'false', 'en', 'ko'], 'must be true, false, en or ko')
  .transform((language) => (language === 'false' ? undefined : language === 'true' ? 'en' : language));

const rule = z.enum(['keep', 'hash', 'drop'], 'must be keep, hash or drop');

/** Id columns of `events`, and keys of messages, that are hashed or dropped. */
const columns = byName(rule)
  // A list instead of an object, because users choose the names.
  .transform((rules) =>
    Object.entries(rules).flatMap(([name, wanted]) => (wanted === 'keep' ? [] : [{ name, rule: wanted }])),
  );

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
 * Sentences about names under `privacy.columns` that look mistyped: the specification does not have the name, but a similar one. Any other
 * name may be an undocumented key of messages.
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

/** At least 8 days, because models read up to seven days back. `730` and `730 days` mean the same. */
const DAYS = 'must be a number of days from 8 to 36500, such as 730 days';
const days = z
  .string(DAYS)
  .transform((text) => text.replace(/ days?$/, ''))
  .pipe(number(8, 36_500, DAYS, /^\d+$/));

/** How long personal data is kept. Without a setting, it is kept forever. */
const retention = section(
  { events: days.optional(), landing: days.optional(), reference: days.optional() },
  'must contain events, landing or reference, such as { events: 730 days }',
).refine(
  ({ events, landing }) => landing === undefined || (events !== undefined && events <= landing),
  'must keep landed pages at least as long as events: set events to at most the days of landing',
);

export type ExperimentSettings = z.infer<typeof experiment>;

const bounds = {
  rows_per_run: whole(0, 1e12).optional(),
  rows_per_month: whole(0, 1e12).optional(),
};

/** Limits for all pushes together, and field names that the specification leaves open (N13, N14, N16). */
const pushLimits = section({
  ...bounds,
  properties_field: parameter('field').default('userProperties'),
  event_field: parameter('field').optional(),
  journey_field: parameter('field').optional(),
  /** Answers to E13 and E16 that you have checked and accepted; `{count}` is the number of rows that were sent. */
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

/** A push that every night makes after publishing. */
const push = section({
  name: matching(/^[A-Za-z0-9_-]{1,60}$/, 'must be a name of letters, digits, _ and -').refine(
    (name) => !/^(list|rejected|decide|catalog-items|user-properties|opt-outs|events|journey)$/.test(name),
    'must not be the name of a target, nor list, rejected or decide, which are commands of `dawnload push`',
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

/** Converts a channel's name to the form used in the statistics: TEXT_MESSAGE becomes text-message. */
export const inWords = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const differentNames = [
  (prices: object): boolean => new Set(Object.keys(prices).map(inWords)).size === Object.keys(prices).length,
  'must name each channel once, because capitals and underscores make no difference',
] as const;

/** The settings that do not belong to a stream. */
export const COMMON = {
  base_url: baseUrl.optional(),
  allow_http: yesOrNo.default(false),
  project_id: matching(/^[a-f0-9]{32}$/, 'must be 32 lowercase hexadecimal digits').optional(),
  brand: word.default('service'),
  messenger: word.default('chatapp'),
  /** `ignore` if the service's `Date` is wrong. Paid requests never ignore it. */
  service_clock: z.enum(['obey', 'ignore'], 'must be obey or ignore').default('obey'),
  data_dir: text('must be a folder').default('./data'),
  ledger_copy: text('must be a file').optional(),
  /** `head` if inodes change on this mount. */
  witness: z.enum(['file', 'head'], 'must be file or head').default('file'),
  start_date: day.optional(),
  lookback_days: whole(0, 366).default(7),
  requests_per_second: number(0.1, 1000, 'must be a number from 0.1 to 1000').default(50),
  // The number needed is the rate times the response time: 50 per second at 600 ms need 30.
  concurrency: whole(1, 256).default(64),
  request_timeout_seconds: number(0.1, 600, 'must be a number of seconds from 0.1 to 600').default(60),
  retries: whole(0, 20).default(4),
  privacy: section({ recipients: rule.default('hash'), columns: columns.prefault({}) }).prefault({}),
  retention: retention.prefault({}),
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
  queries: text('must be a folder').optional(),
  heartbeat: webhook.optional(),
  after_publish: z
    .array(text('must be a command or an address'), 'must be a list of commands or addresses')
    .default([]),
  experiments: byName(experiment)
    .refine((tests) => tests['default']?.goal === undefined, 'must name goals by campaign, not under default')
    .default({}),
  not_clicks: ids('must be a list of names of events').default([]),
  placeholder_ids: ids('must be a list of ids').default([]),
  exclude: section({
    user_ids: z.union([ids(EXCLUDED), text(EXCLUDED)], EXCLUDED).default([]),
  }).prefault({}),
  main_goals: byName(text('must be the name of a conversion')).default({}),
};

/** The settings as they are in the file: names in snake_case, values checked. */
export type FileSettings = z.output<z.ZodObject<typeof COMMON>> & StreamSettings;

/** The schema of a file with the settings of these streams. */
export function settingsSchema(streams: readonly Declaration[]): z.ZodType<FileSettings> {
  const declared = Object.fromEntries(streams.flatMap(({ settings = {} }) => Object.entries(settings)));
  // Each stream declares its settings' type next to their schema, so the compiler knows it.
  const schema = z.strictObject({ ...COMMON, ...declared }).pipe(z.custom<FileSettings>());
  const fields = fieldsFor('service', fieldsOf(streams));
  return schema.superRefine((settings, context) => {
    const all = [
      ...contradictions(settings, fields),
      ...streams.flatMap((stream) => stream.contradictions?.(settings) ?? []),
    ];
    for (const { path, message } of all) context.addIssue({ code: 'custom', path: [...path], message });
  });
}

/** The fields of the documents of all these streams. */
export const fieldsOf = (streams: readonly Pick<Declaration, 'fields'>[]): Shapes =>
  Object.fromEntries(streams.flatMap(({ fields }) => Object.entries(fields)));

function contradictions(
  { experiments, main_goals: mainGoals, exclude, privacy }: FileSettings,
  fields: readonly Field[],
): Contradiction[] {
  const found = privacy.columns.flatMap(({ name, rule: wanted }) => {
    const message = refusalOf(name, wanted, fields);
    return message === undefined ? [] : [{ path: ['privacy', 'columns', name], message }];
  });
  if (Object.entries(mainGoals).some(([id, goal]) => ![undefined, goal].includes(experiments[id]?.goal)))
    found.push({ path: ['main_goals'], message: 'must name the same goal as experiments' });
  if (exclude.user_ids.length > 0 && isDropped(privacy, 'user_id'))
    found.push({
      path: ['exclude', 'user_ids'],
      message: 'needs the ids of events, which privacy.columns drops; set user_id: hash there',
    });
  return found;
}

/** True if the privacy settings drop the ids of that column. */
export const isDropped = ({ columns: rules }: FileSettings['privacy'], column: string): boolean =>
  rules.some(({ name, rule: wanted }) => name === column && wanted === 'drop');

type CamelKey<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : K;

/** Names of settings in camel case. Keys chosen by the user (campaigns, variants) stay unchanged. */
type Camel<T> = T extends readonly unknown[] | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T as CamelKey<K>]-?: Camel<T[K]> }
    : T;

/** Converts the names. An overload gives the type, because the compiler cannot derive it from the code. */
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

/** The settings of the file, without those that SQL gets under the names in the file: lists, and settings by campaign. */
export type Settings = Camel<Omit<FileSettings, 'experiments' | 'main_goals' | 'prices' | 'pushes'>>;
export type PushSettings = z.infer<typeof push>;

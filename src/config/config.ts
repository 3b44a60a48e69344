/**
 * Reads the settings. Flags have precedence over the environment, the environment over `dawnload.yaml`, and the file over defaults. They
 * are checked once and become a frozen `Config`. Secrets come only from the environment or `.env`.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../ground/effects.js';
import { ConfigError, UsageError } from '../ground/errors.js';
import { harmless } from '../ground/shell.js';
import { readDotEnv, readSecret, readSettings, unknownKey } from './files.js';
import { fieldsFor } from '../ground/fields.js';
import { alert, camel, COMMON, fieldsOf, inWords, settingsSchema, type Declaration } from './schema.js';

/** Wraps a secret so that printing or serializing it shows nothing. */
const hidden = <T>(value: T): { reveal(): T } => ({ reveal: () => value });

/** The pair of keys that E1 exchanges for a token. */
type Credentials = NonNullable<Config['credentials']>;

/** All settings, checked, with the secrets. */
export type Config = ReturnType<typeof loadConfig>;

/** The settings for alerts. They are read even if other settings are wrong, so that an alert can report those. */
export interface AlertSettings {
  readonly alerts: ReturnType<typeof receiversOf>;
  readonly projectId?: string | undefined;
  readonly dataDir: string;
  readonly heartbeat?: string | undefined;
}

export class SettingsError extends ConfigError {
  constructor(
    { message, hint, lines }: ConfigError,
    readonly alertSettings: AlertSettings,
  ) {
    super(message, { hint, lines });
  }
}

/** A config with everything that the service client needs. */
export type ServiceConfig = Config & Readonly<Record<Name, string>> & { readonly credentials: Credentials };

export interface Flags {
  readonly settingsFile?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly verbose?: boolean | undefined;
  /** The format of notes and warnings: plain text, text with timestamps, or JSON for log collectors. */
  readonly logFormat?: 'text' | 'timed' | 'json' | undefined;
  readonly quiet?: boolean | undefined;
}

const DEFAULT_FILE = 'dawnload.yaml';

/** Settings that an environment variable may override. */
const OVERRIDES = [
  ['DAWNLOAD_BASE_URL', 'base_url'],
  ['DAWNLOAD_PROJECT_ID', 'project_id'],
  ['DAWNLOAD_DATA_DIR', 'data_dir'],
] as const;

/**
 * Reads the settings.
 *
 * @param streams the streams, which declare some of the settings
 * @throws ConfigError for a missing or malformed file, an unknown key, or a value out of range
 */
export function loadConfig(
  streams: readonly Declaration[],
  flags: Flags = {},
  environment: Environment = process.env,
  cwd: string = process.cwd(),
) {
  const path = resolve(cwd, flags.settingsFile ?? DEFAULT_FILE);
  const file = existsSync(path) ? path : undefined;
  if (file === undefined && flags.settingsFile !== undefined)
    throw new ConfigError(`The configuration file ${path} does not exist.`, {
      hint: 'Correct --config, or write one with `dawnload init`.',
    });
  if (flags.dataDir === '')
    throw new UsageError('--data-dir has no value.', {
      hint: 'Name the data folder, or leave the option out.',
    });
  const folder = dirname(path);
  // Don't read a .env in the working folder: it may belong to another project and send the keys to another host.
  const { variables, denied, keysFrom } = readVariables(folder, environment);
  const { DAWNLOAD_NOW: now } = withoutEmpty(environment);
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new ConfigError('DAWNLOAD_NOW must be an instant such as 2026-11-21T07:30:00+09:00.');
  const settings = parseSettings(streams, file, variables, (text) =>
    resolve(cwd, flags.dataDir ?? resolve(folder, text)),
  );
  // Only the path of a flag is relative to the working folder. So the same settings use the same ledger wherever you run the command.
  const inFolder = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(folder, path);
  const [accessKey, secretKey] = KEYS.map((name) => withoutEdges(variables[name]));
  const { experiments, main_goals: mainGoals, prices, pushes, ...others } = settings;
  const { report, alerts, lake, exclude, ...rest } = camel(others);
  return Object.freeze({
    ...rest,
    fields: fieldsFor(rest.brand, fieldsOf(streams)),
    /** The absolute path of the settings' folder. Relative paths in the settings start there. */
    folder,
    /** The path of the settings file, for messages; undefined without a file. */
    file,
    /** The absolute path of the data folder. */
    dataDir: resolve(cwd, flags.dataDir ?? resolve(folder, settings.data_dir)),
    /** The path of the second copy of the journal; undefined if it is in the landing zone. */
    ledgerCopy: inFolder(settings.ledger_copy),
    witness: settings.witness,
    /** The absolute path of the folder of the user's queries. */
    queries: inFolder(settings.queries),
    privacy: {
      ...rest.privacy,
      // The names of two id columns contain the brand.
      columns: rest.privacy.columns.map(({ name, rule }) => ({
        name: name.replace(new RegExp(`^${rest.brand}_(?=(?:user|device)_id$)`), 'service_'),
        rule,
      })),
    },
    /** Settings of A/B tests, by campaign id; `default` applies to all other campaigns. */
    experiments,
    mainGoals,
    prices: priceRows(prices),
    /** The user ids of staff and test people, or the absolute path of the file that lists them. */
    excluded: typeof exclude.userIds === 'string' ? resolve(folder, exclude.userIds) : exclude.userIds,
    pushes: pushes.map((one) => ({ ...one, file: inFolder(one.file) })),
    /** The language of the report page that each run writes; undefined if no page is wanted. */
    reportIn: report,
    /** The receivers of alerts, each with its address and the variable that has the address. */
    alerts: receiversOf(alerts, variables),
    /** The lake (Iceberg) to push the tables to; undefined without a lake. */
    lake: lake && {
      ...lake,
      extensions: inFolder(lake.extensions),
      secrets: hidden(variables),
    },
    credentials: accessKey && secretKey ? hidden({ accessKey, secretKey }) : undefined,
    /** Files with variables that this account may not read. A reader of the published file does not need them. */
    denied,
    /** Where access key and secret key are set. */
    keysFrom,
    /** Keys with blank characters around them, with the code points of these characters. The blanks are not sent. */
    trimmedKeys: KEYS.flatMap((name) => {
      const blanks = (variables[name] ?? '').match(EDGES)?.join('') ?? '';
      const codes = Array.from(blanks, (blank) => blank.codePointAt(0)?.toString(16).toUpperCase() ?? '');
      return blanks === '' ? [] : [`${name} (U+${codes.map((code) => code.padStart(4, '0')).join(', U+')})`];
    }),
  });
}

/** The heartbeat address. It is read before the settings, because wrong settings must be reported to it too. */
export function heartbeatBefore({ settingsFile }: Flags, environment: Environment): string | undefined {
  const folder = dirname(resolve(settingsFile ?? DEFAULT_FILE));
  let variables = withoutEmpty(environment);
  try {
    ({ variables } = readVariables(folder, environment));
  } catch {
    // The run reports the error itself.
  }
  return variables['DAWNLOAD_HEARTBEAT_URL'];
}

const KEYS = ['DAWNLOAD_ACCESS_KEY', 'DAWNLOAD_SECRET_KEY'] as const;

/** White space, no-break spaces and zero-width characters at either end; copying a key may add them. */
const EDGES = /^[\s\u200b-\u200d\u2060]+|[\s\u200b-\u200d\u2060]+$/g;

const withoutEdges = (text = ''): string => text.replace(EDGES, '');

/**
 * Reads the variables of the environment, and those that only `.env` sets. `DAWNLOAD_NAME_FILE` names a file with the value of
 * `DAWNLOAD_NAME`, because systemd and Kubernetes provide secrets as files.
 *
 * @throws ConfigError if that file cannot be read
 */
function readVariables(folder: string, environment: Environment) {
  const file = resolve(folder, '.env');
  const dotEnv = readDotEnv(folder);
  const denied = dotEnv === undefined ? [file] : [];
  const byName = new Map<string, { readonly value: string; readonly from: string }>();
  for (const [from, all] of [['the environment', environment] as const, [file, dotEnv ?? {}] as const]) {
    const own = Object.entries(withoutEmpty(all)).filter(([name]) => !byName.has(name));
    for (const [name, value = ''] of own) byName.set(name, { value, from });
    for (const [name, path = ''] of own) {
      const [, whole = ''] = /^(DAWNLOAD_\w+)_FILE$/.exec(name) ?? [];
      if (whole === '' || byName.has(whole)) continue;
      const value = readSecret(name, resolve(folder, path));
      if (value === undefined) denied.push(resolve(folder, path));
      byName.set(whole, { value: value ?? '', from: resolve(folder, path) });
    }
  }
  const values = [...byName].map(([name, { value }]) => [name, value] as const);
  return {
    variables: withoutEmpty(Object.fromEntries(values)),
    denied,
    /** Where the keys are set. */
    keysFrom: KEYS.map((name) => byName.get(name)?.from ?? 'no place'),
  };
}

const NAMES = { baseUrl: 'base_url', projectId: 'project_id', startDate: 'start_date' };
type Name = keyof typeof NAMES;

/** @throws ConfigError that names the missing settings */
export function requireSettings<N extends Name>(
  config: Config,
  ...names: readonly N[]
): asserts config is Config & Readonly<Record<N, string>> {
  const missing = names.flatMap((name) => (config[name] === undefined ? NAMES[name] : [])).join(', ');
  if (missing !== '' && config.file === undefined)
    throw new ConfigError(`This folder has no ${DEFAULT_FILE}.`, {
      hint: 'Write one with `dawnload init`, name another with --config FILE, or try `dawnload demo`, which needs none.',
    });
  if (missing !== '')
    throw new ConfigError(`${config.file} does not set ${missing}.`, { hint: `Add ${missing} to the file.` });
}

/**
 * Returns the config with everything that the service client needs.
 *
 * @throws ConfigError that names the missing settings
 */
export function requireService(config: Config): ServiceConfig {
  requireSettings(config, 'baseUrl', 'projectId', 'startDate');
  assertEncrypted(config.baseUrl, config.allowHttp, 'base_url');
  const credentials = requireCredentials(config);
  // Check this before pulling anything, so that a wrong lake setting does not fail the run at its end.
  if (config.lake !== undefined) requireLake(config);
  return { ...config, credentials };
}

/** @throws ConfigError if keys would leave this machine unencrypted and the settings do not allow that */
export function assertEncrypted(address: string, allowHttp: boolean, what: string): void {
  if (allowHttp || !isUnencrypted(address)) return;
  throw new ConfigError(`The ${what} ${address} uses http, so keys and data would travel unencrypted.`, {
    hint: 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.',
  });
}

/** @throws ConfigError when the keys are not set */
export function requireCredentials({ credentials, denied }: Config): Credentials {
  if (credentials !== undefined) return credentials;
  if (denied.length > 0)
    throw new ConfigError(`The access keys are not set: this account may not read ${denied.join(' and ')}.`, {
      hint: 'Make it readable for the account that runs dawnload, and for no other.',
    });
  throw new ConfigError('The access keys are not set.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment, or in a .env file beside dawnload.yaml that this account may read.',
  });
}

export type LakeConfig = NonNullable<Config['lake']>;

/**
 * Returns the config if it has a lake.
 *
 * @throws ConfigError if no lake is configured, or if secrets or recipients may not be sent to it
 */
export function requireLake(config: Config): Config & { readonly lake: LakeConfig } {
  const { lake, file = DEFAULT_FILE } = config;
  if (lake === undefined)
    throw new ConfigError(`${file} does not set lake.`, {
      hint: 'docs/scale.md shows when a lake is worth it, and its settings.',
    });
  if (config.privacy.recipients === 'keep' && !lake.allowPersonal)
    throw new ConfigError(
      'privacy.recipients is keep, so telephone numbers and addresses would be copied into the lake.',
      { hint: 'Set privacy.recipients to hash or drop, or set lake.allow_personal: true.' },
    );
  const { catalog, storage } = lake;
  const variables = lake.secrets.reveal();
  for (const address of [catalog.uri, catalog.tokenUri, storage.endpoint])
    if (address !== undefined) assertEncrypted(address, config.allowHttp, "lake's address");
  const needed = {
    none: [],
    oauth2: ['DAWNLOAD_LAKE_CLIENT_ID', 'DAWNLOAD_LAKE_CLIENT_SECRET'],
    sigv4: ['DAWNLOAD_LAKE_ACCESS_KEY_ID', 'DAWNLOAD_LAKE_SECRET_ACCESS_KEY'],
  }[catalog.auth];
  const isOauth = catalog.auth === 'oauth2';
  const hasToken = isOauth && variables['DAWNLOAD_LAKE_TOKEN'] !== undefined;
  if (!hasToken && needed.some((name) => variables[name] === undefined))
    throw new ConfigError(`lake.catalog.auth is ${catalog.auth}, and its keys are not set.`, {
      hint: `Set ${needed.join(' and ')}${isOauth ? ', or DAWNLOAD_LAKE_TOKEN,' : ''} in the environment or in .env.`,
    });
  return { ...config, lake };
}

/** True if requests to the address would send secrets over the network unencrypted. */
export function isUnencrypted(address: string): boolean {
  return new URL(address).protocol === 'http:' && !isLoopback(address);
}

export function isLoopback(address: string): boolean {
  // URL normalizes numeric addresses, so other notations need not be matched.
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** For commands in the settings: the folder in which they run, and their environment, without keys and webhook addresses. */
export function shellFor({ alerts, folder }: Pick<Config, 'alerts' | 'folder'>, environment: Environment) {
  const addresses = new Set(alerts.map(({ variable }) => variable));
  return {
    cwd: folder,
    environment: harmless(environment, addresses),
  };
}

/** The prices of messages by channel and sub-channel, as rows of `ops.message_prices`. */
const priceRows = (prices: Readonly<Record<string, number | Readonly<Record<string, number>>>>) =>
  Object.entries(prices).flatMap(([channel, price]) =>
    (typeof price === 'number' ? [[null, price] as const] : Object.entries(price)).map(([sub, amount]) => ({
      channel: inWords(channel),
      sub_channel: sub === null ? null : inWords(sub),
      price: amount,
    })),
  );

function receiversOf(alerts: readonly z.output<typeof alert>[], variables: Environment) {
  return alerts.map(({ url, url_env: variable, format, on, question }) => ({
    url: url ?? addressIn(variables, variable),
    variable,
    format,
    on,
    question,
  }));
}

/** Returns the address in a variable; undefined if the variable is not named or not set. */
function addressIn(variables: Environment, variable: string | undefined): string | undefined {
  const value = variables[variable ?? ''] ?? '';
  return /^https?:/.test(value) && URL.canParse(value) ? value : undefined;
}

function withoutEmpty(variables: Environment): Environment {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

/** @param locate returns the absolute path of a data folder */
function parseSettings(
  streams: readonly Declaration[],
  file: string | undefined,
  variables: Environment,
  locate: (dataDir: string) => string,
) {
  const overriding = OVERRIDES.filter(([variable]) => variables[variable] !== undefined);
  const overrides = Object.fromEntries(overriding.map(([variable, key]) => [key, variables[variable]]));
  const fromFile = file === undefined ? {} : readSettings(file);
  const raw = { ...fromFile, ...overrides };
  const schema = settingsSchema(streams);
  const { data, error } = schema.safeParse(raw);
  const unusable = data && faultForDuckdb(locate(data.data_dir));
  if (data !== undefined && unusable === undefined) return data;
  const { alerts, project_id: projectId, data_dir: dataDir, heartbeat } = readable.parse(raw);
  const receivers = receiversOf(
    alerts.flatMap((one) => alert.safeParse(one).data ?? []),
    variables,
  );
  const forAlerts = { alerts: receivers, projectId, dataDir: locate(dataDir), heartbeat };
  const source = file ?? 'The environment';
  const faults = (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(source, issue.path, key, schema));
    const key = issue.path.join('.');
    const [variable] = overriding.find(([, setting]) => setting === key) ?? [];
    const hint = 'Correct it and try again.';
    return new ConfigError(`${variable ?? `${source}: ${key}`} ${issue.message}.`, { hint });
  });
  throw new SettingsError(unusable ?? oneOf(faults), forAlerts);
}

/** The number of faults that an error lists. */
const MOST_FAULTS = 20;

/** All faults as one error, each on a line of its own. */
function oneOf(faults: readonly ConfigError[]): ConfigError {
  const left = faults.length - MOST_FAULTS;
  const lines = faults.slice(0, MOST_FAULTS).map(({ message }) => message);
  if (left > 0) lines.push(`${left} more faults are not listed.`);
  const hints = new Set(faults.map(({ hint }) => hint));
  return new ConfigError(lines.join(' '), { hint: [...hints].join(' '), lines });
}

/** In DuckDB, `?` in a path begins options, and the log would be sought elsewhere. Any other character is fine. */
export function faultForDuckdb(dataDir: string): ConfigError | undefined {
  if (!dataDir.includes('?')) return undefined;
  return new ConfigError(
    `The path of the data folder ${dataDir} contains "?", which DuckDB cannot write to.`,
    { hint: 'Rename that folder, or choose another data_dir.' },
  );
}

const readable = z.object({
  alerts: z.array(z.unknown()).catch([]),
  project_id: COMMON.project_id.catch(undefined),
  data_dir: COMMON.data_dir.catch('./data'),
  heartbeat: COMMON.heartbeat.catch(undefined),
});

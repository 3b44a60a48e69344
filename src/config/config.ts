/**
 * Reads the settings: flags take precedence over the environment, the environment over `dawnload.yaml`, and the file
 * over defaults. They are validated once into a frozen `Config`. Secrets come only from the environment or `.env`.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { readDotEnv, readSettings, type Environment, unknownKey } from './files.js';
import { isUnencrypted, lakeOf, requireLake } from './lake.js';
import { camel, settingsSchema } from './schema.js';
import { ConfigError } from '../ground/errors.js';
import { REFERENCE_STREAMS, type ReferenceStream } from '../ground/streams.js';

export { isLoopback, isUnencrypted } from './lake.js';

/** The pair of keys that E1 exchanges for a token. Never printed: it serialises to an empty value. */
export class Credentials {
  readonly #accessKey: string;
  readonly #secretKey: string;

  constructor(accessKey: string, secretKey: string) {
    this.#accessKey = accessKey;
    this.#secretKey = secretKey;
  }

  /** Returns the request body of E1. */
  body(): { accessKey: string; secretKey: string } {
    return { accessKey: this.#accessKey, secretKey: this.#secretKey };
  }
}

/** All settings, checked; secrets included. */
export type Config = ReturnType<typeof loadConfig>;

/** The settings of paid exports. Without `budget`, no paid request is ever sent. */
export type ExportsConfig = Config['exports'];

/** A config with everything that the service client needs. */
export interface ServiceConfig extends Config {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly startDate: Day;
  readonly credentials: Credentials;
}

export interface Flags {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly verbose?: boolean | undefined;
  readonly logFormat?: 'text' | 'json' | undefined;
}

const DEFAULT_FILE = 'dawnload.yaml';

/** The environment variables of settings that the file can hold too. */
const OVERRIDES = {
  DAWNLOAD_BASE_URL: 'base_url',
  DAWNLOAD_PROJECT_ID: 'project_id',
  DAWNLOAD_DATA_DIR: 'data_dir',
} as const;

/**
 * Reads the settings.
 *
 * @throws ConfigError for a missing or malformed file, an unknown key, or a value out of range
 */
export function loadConfig(
  flags: Flags = {},
  environment: Environment = process.env,
  cwd: string = process.cwd(),
) {
  const file = resolve(cwd, flags.config ?? DEFAULT_FILE);
  const found = existsSync(file);
  if (!found && flags.config !== undefined) {
    throw new ConfigError(`There is no configuration file ${file}.`, {
      hint: 'Correct --config, or write one with `dawnload init`.',
    });
  }
  const folder = dirname(file);
  // A .env of the working folder is not read: it may belong to another project and send the keys to another host.
  const variables = { ...readDotEnv(folder), ...environment };
  const { DAWNLOAD_NOW: now } = environment;
  if (isSet(now) && Number.isNaN(Date.parse(now)))
    throw new ConfigError('DAWNLOAD_NOW must be an instant such as 2026-11-21T07:30:00+09:00.');
  const fromFile = found ? readSettings(file) : {};
  const settings = parseSettings(
    { ...fromFile, ...overridesIn(variables) },
    found ? file : undefined,
    variables,
  );

  // A configuration has one ledger, wherever the command is started: only a path in a flag is relative to the working
  // folder.
  const inFolder = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(folder, path);
  const dataDir =
    flags.dataDir === undefined ? resolve(folder, settings.data_dir) : resolve(cwd, flags.dataDir);
  const accessKey = variables['DAWNLOAD_ACCESS_KEY'];
  const secretKey = variables['DAWNLOAD_SECRET_KEY'];
  const { experiments, main_goals: mainGoals, prices, pushes, ...named } = settings;
  const { report, alerts, pingUrl, pingUrlEnv, lake, reference, ...given } = camel(named);
  const { brandTemplates: brand } = reference;
  return Object.freeze({
    ...given,
    /** The path of the settings file, for messages; undefined without a file. */
    file: found ? file : undefined,
    /** The absolute path of the data folder. */
    dataDir,
    /** The path of the second copy of the journal; undefined if it is in the landing zone. */
    ledgerCopy: inFolder(settings.ledger_copy),
    /** The absolute path of the folder of the user's queries. */
    queries: inFolder(settings.queries),
    privacy: {
      ...given.privacy,
      // The service names two columns after the brand.
      columns: given.privacy.columns.map(({ name, rule }) => ({
        name: name.replace(new RegExp(`^${given.brand}_(?=(?:user|device)_id$)`), 'service_'),
        rule,
      })),
    },
    /** The lists of reference data; a list that is undefined or false is not pulled. Brand templates need a sender key. */
    reference: { ...reference, brandTemplates: brand.senderKeys.length === 0 ? undefined : brand },
    exports: { ...given.exports, startDate: given.exports.startDate ?? given.startDate },
    /** Settings of A/B tests, by campaign id; `default` applies to all other campaigns. */
    experiments,
    /** Main goals: the conversion that counts, by campaign or user journey id. */
    mainGoals,
    /** The price of a message, by channel. */
    prices,
    /** The pushes of each night, in order; paths are absolute. */
    pushes: pushes.map((one) => ({ ...one, file: inFolder(one.file) })),
    /** The language of the report page that each run writes; undefined if no page is wanted. */
    reportIn: report,
    /** The receivers of alerts, each with its address, and the variable that should hold it. */
    alerts: alerts.map(({ url, url_env: variable, format, on }) => ({
      url: url ?? addressIn(variables, variable),
      variable,
      format,
      on,
    })),
    /** The address of a health check, which each run calls. */
    pingUrl: pingUrl ?? addressIn(variables, pingUrlEnv),
    /** The lake (Iceberg) to push the tables to; undefined without a lake. */
    lake: lake && lakeOf(lake, folder, variables),
    credentials: isSet(accessKey) && isSet(secretKey) ? new Credentials(accessKey, secretKey) : undefined,
  });
}

/** Returns the streams of reference data that are enabled. */
export function streamsOn(reference: Config['reference']): ReferenceStream[] {
  const settings = {
    catalogs: reference.catalogs,
    brand_templates: reference.brandTemplates,
    alimtalk_templates: reference.alimtalkTemplates,
    opt_outs: reference.optOuts,
  };
  return REFERENCE_STREAMS.filter((stream) => settings[stream] !== undefined && settings[stream] !== false);
}

/** A config with a start date. */
export interface PlanConfig extends Config {
  readonly startDate: Day;
}

/**
 * Returns the config with its start date.
 *
 * @throws ConfigError when the start date is missing
 */
export function requirePlan(config: Config): PlanConfig {
  const { startDate } = config;
  if (startDate === undefined) throw missingSettings(config, ['start_date']);
  return { ...config, startDate };
}

function missingSettings({ file }: Config, keys: readonly string[]): ConfigError {
  const missing = keys.join(', ');
  return file === undefined
    ? new ConfigError(`There is no ${DEFAULT_FILE} in this folder.`, {
        hint: 'Write one with `dawnload init`, name another with --config FILE, or try `dawnload demo`, which needs none.',
      })
    : new ConfigError(`${file} does not set ${missing}.`, { hint: `Add ${missing} to the file.` });
}

/**
 * Returns the settings that every run needs.
 *
 * @throws ConfigError that names the missing settings
 */
export function requireSettings(config: Config): { baseUrl: string; projectId: string; startDate: Day } {
  const { baseUrl, projectId, startDate } = config;
  if (baseUrl !== undefined && projectId !== undefined && startDate !== undefined)
    return { baseUrl, projectId, startDate };
  const settings = { base_url: baseUrl, project_id: projectId, start_date: startDate };
  const missing = Object.entries(settings).flatMap(([key, value]) => (value === undefined ? [key] : []));
  throw missingSettings(config, missing);
}

/**
 * Returns the config with everything that the service client needs.
 *
 * @throws ConfigError that names the missing settings
 */
export function requireService(config: Config): ServiceConfig {
  const { baseUrl, projectId, startDate } = requireSettings(config);
  assertEncrypted(baseUrl, config.allowHttp);
  const credentials = requireCredentials(config);
  // Checked before anything is pulled, so that a wrong lake setting does not fail the run at its end.
  if (config.lake !== undefined) requireLake(config);
  return { ...config, baseUrl, projectId, startDate, credentials };
}

/** Returns the address that a variable holds; undefined without a variable or a value. */
function addressIn(variables: Environment, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : variables[variable];
  return value !== undefined && /^https?:/.test(value) && URL.canParse(value) ? value : undefined;
}

/** @throws ConfigError when keys would leave this machine unencrypted and the settings do not allow it */
export function assertEncrypted(baseUrl: string, allowHttp: boolean): void {
  if (allowHttp || !isUnencrypted(baseUrl)) return;
  throw new ConfigError(`The base_url ${baseUrl} uses http, so keys and data would travel unencrypted.`, {
    hint: 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.',
  });
}

/** @throws ConfigError when the keys are not set */
export function requireCredentials({ credentials }: Config): Credentials {
  if (credentials !== undefined) return credentials;
  throw new ConfigError('The access keys are not set.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in a .env file beside dawnload.yaml.',
  });
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function overridesIn(variables: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(OVERRIDES).flatMap(([variable, key]) => {
      const value = variables[variable];
      return isSet(value) ? [[key, value]] : [];
    }),
  );
}

function parseSettings(
  values: Record<string, unknown>,
  file: string | undefined,
  variables: Environment,
): z.infer<typeof settingsSchema> {
  const parsed = settingsSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const source = file ?? 'The environment';
  if (issue === undefined) throw new ConfigError(`${source} cannot be understood.`);
  if (issue.code === 'unrecognized_keys') throw unknownKey(source, issue.path, issue.keys[0] ?? '');
  const key = issue.path.join('.');
  const variable = Object.entries(OVERRIDES).find(
    ([name, setting]) => setting === key && isSet(variables[name]),
  )?.[0];
  throw new ConfigError(`${variable ?? `${source}: ${key}`} ${issue.message}.`, {
    hint: `Correct ${variable ?? key} and try again.`,
  });
}

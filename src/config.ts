/**
 * Where settings come from: flags over the environment over `dawnload.yaml` over defaults, checked once into one frozen
 * `Config`. Secrets come from the environment or `.env` alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { isMap, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { addressIn, receiversOf, type Receiver } from './alerts/receiver.js';
import type { Day } from './calendar.js';
import { settingsSchema, type ExperimentSettings } from './config-schema.js';
import { codeOf, ConfigError, DawnloadError, messageOf, StorageError } from './errors.js';

/** The pair of keys that E1 exchanges for a token. Never printed: it serialises to nothing. */
export class Credentials {
  readonly #accessKey: string;
  readonly #secretKey: string;

  constructor(accessKey: string, secretKey: string) {
    this.#accessKey = accessKey;
    this.#secretKey = secretKey;
  }

  /** The body of E1. */
  body(): { accessKey: string; secretKey: string } {
    return { accessKey: this.#accessKey, secretKey: this.#secretKey };
  }
}

/** What the paid exports may cost and hold; `budget` absent: no paid request is ever sent. */
export interface ExportsConfig {
  /** Records, per run and per KST month. */
  readonly budget: { readonly recordsPerRun: number; readonly recordsPerMonth: number } | undefined;
  /** In the currency of the contract, for estimates and the spend report. */
  readonly pricePerRecord: number;
  readonly startDate: Day | undefined;
  readonly includeMessageData: boolean;
  /** The query parameter that carries E21's page number (N18). */
  readonly pageParameter: string;
  readonly maxWaitMinutes: number;
}

export interface Config {
  /** Where the settings were read, for messages; undefined without a file. */
  readonly file: string | undefined;
  readonly baseUrl: string | undefined;
  /** Whether keys may leave this machine unencrypted. */
  readonly allowHttp: boolean;
  readonly projectId: string | undefined;
  readonly brand: string;
  readonly messenger: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly startDate: Day | undefined;
  readonly lookbackDays: number;
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  readonly requestTimeoutSeconds: number;
  readonly retries: number;
  readonly privacy: { readonly recipients: 'keep' | 'hash' | 'drop' };
  readonly exports: ExportsConfig;
  /** How A/B tests are judged, by campaign id; `default` speaks for all others. */
  readonly experiments: Readonly<Record<string, ExperimentSettings>>;
  readonly alerts: readonly Receiver[];
  /** The address of a health check that each run pings. */
  readonly pingUrl: string | undefined;
  readonly credentials: Credentials | undefined;
}

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

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_FILE = 'dawnload.yaml';

/** The environment's names for settings that the file has too. */
const OVERRIDES = {
  DAWNLOAD_BASE_URL: 'base_url',
  DAWNLOAD_PROJECT_ID: 'project_id',
  DAWNLOAD_DATA_DIR: 'data_dir',
} as const;

/**
 * Reads the settings.
 *
 * @throws ConfigError for a missing or malformed file, an unknown key, a value out of its range.
 */
export function loadConfig(
  flags: Flags = {},
  environment: Environment = process.env,
  cwd: string = process.cwd(),
): Config {
  const file = resolve(cwd, flags.config ?? DEFAULT_FILE);
  const found = existsSync(file);
  if (!found && flags.config !== undefined) {
    throw new ConfigError(`There is no configuration file ${file}.`, {
      hint: 'Correct --config, or write one with `dawnload init`.',
    });
  }
  const folder = dirname(file);
  // A .env of the working folder belongs to another project: it could send the keys to another host.
  const variables = { ...readDotEnv(folder), ...environment };
  const fromFile = found ? readSettings(file) : {};
  const settings = parseSettings(
    { ...fromFile, ...overridesIn(variables) },
    found ? file : undefined,
    variables,
  );

  // One configuration has one ledger, wherever it is started: only what a person types is relative to the working folder.
  const dataDir =
    flags.dataDir === undefined ? resolve(folder, settings.data_dir) : resolve(cwd, flags.dataDir);
  const accessKey = variables['DAWNLOAD_ACCESS_KEY'];
  const secretKey = variables['DAWNLOAD_SECRET_KEY'];
  const { budget } = settings.exports;
  return Object.freeze({
    file: found ? file : undefined,
    baseUrl: settings.base_url,
    allowHttp: settings.allow_http,
    projectId: settings.project_id,
    brand: settings.brand,
    messenger: settings.messenger,
    dataDir,
    startDate: settings.start_date,
    lookbackDays: settings.lookback_days,
    requestsPerSecond: settings.requests_per_second,
    concurrency: settings.concurrency,
    requestTimeoutSeconds: settings.request_timeout_seconds,
    retries: settings.retries,
    privacy: Object.freeze(settings.privacy),
    exports: Object.freeze({
      budget: budget && {
        // One limit alone stands for both: a budget half written must not be half unlimited.
        recordsPerRun: budget.records_per_run ?? budget.records_per_month ?? 0,
        recordsPerMonth: budget.records_per_month ?? budget.records_per_run ?? 0,
      },
      pricePerRecord: settings.exports.price_per_record,
      startDate: settings.exports.start_date ?? settings.start_date,
      includeMessageData: settings.exports.include_message_data,
      pageParameter: settings.exports.page_parameter,
      maxWaitMinutes: settings.exports.max_wait_minutes,
    }),
    experiments: Object.freeze(settings.experiments),
    alerts: receiversOf(settings.alerts, variables),
    pingUrl: settings.ping_url ?? addressIn(variables, settings.ping_url_env),
    credentials: isSet(accessKey) && isSet(secretKey) ? new Credentials(accessKey, secretKey) : undefined,
  });
}

/** A config with a start date. */
export interface PlanConfig extends Config {
  readonly startDate: Day;
}

/**
 * The same config with its start date.
 *
 * @throws ConfigError when it has none
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
 * The settings that every run needs.
 *
 * @throws ConfigError that names what is missing
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
 * The same config with everything that the service client needs.
 *
 * @throws ConfigError that names what is missing
 */
export function requireService(config: Config): ServiceConfig {
  const { credentials } = config;
  const { baseUrl, projectId, startDate } = requireSettings(config);
  if (isUnencrypted(baseUrl) && !config.allowHttp) {
    throw new ConfigError(`The base_url ${baseUrl} uses http, so keys and data would travel unencrypted.`, {
      hint: 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.',
    });
  }
  if (credentials === undefined) {
    throw new ConfigError('The access keys are not set.', {
      hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in a .env file beside dawnload.yaml.',
    });
  }
  return { ...config, baseUrl, projectId, startDate, credentials };
}

/** Whether requests to the address would carry secrets unencrypted beyond this machine. */
export function isUnencrypted(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
}

/** Whether the address is this machine. */
export function isLoopback(baseUrl: string): boolean {
  // Numeric addresses come out of URL in their normal form, so that nothing else looks like one.
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StorageError(`${file} cannot be read (${codeOf(cause) ?? messageOf(cause)}).`, {
      hint: 'Check that it is a file and that this account may read it.',
      cause,
    });
  }
}

/** What the `.env` of a folder sets. */
export function readDotEnv(folder: string): Environment {
  const file = resolve(folder, '.env');
  return existsSync(file) ? parseEnv(readText(file)) : {};
}

function overridesIn(variables: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(OVERRIDES).flatMap(([variable, key]) => {
      const value = variables[variable];
      return isSet(value) ? [[key, value]] : [];
    }),
  );
}

/**
 * The file's keys and values, every scalar as text: YAML would read a project id such as `12345678…e12` as a number and
 * lose digits, so the schema gives each value its type instead.
 */
function readSettings(file: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = orConfigError(file, () =>
    parseDocument(readText(file), { schema: 'failsafe', lineCounter: lines }),
  );
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new ConfigError(
      `${file}${line === undefined ? '' : `:${line}`} is not valid YAML: ${firstLine(error.message)}.`,
      {
        hint: 'Compare it with what `dawnload init` writes.',
        cause: error,
      },
    );
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === ''))
    return {};
  if (!isMap(document.contents)) {
    throw new ConfigError(`${file} does not hold "key: value" lines.`, {
      hint: 'Compare it with what `dawnload init` writes.',
    });
  }
  return orConfigError(file, () => {
    visit(document, {
      Pair: (_, { key }, ancestors) => {
        if (!isScalar(key) || key.value !== '__proto__') return;
        // It would not become a key of the object like any other, and pass unseen.
        throw unknownKey(file, ancestors.flatMap(keyOf), key.value);
      },
    });
    return withEmptySections(z.record(z.string(), z.unknown()).parse(document.toJS()));
  });
}

function keyOf(node: unknown): string[] {
  return isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [];
}

/** What the parser throws (aliases that multiply or have no anchor, extreme depth) as a `ConfigError`. */
function orConfigError<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof DawnloadError) throw cause;
    throw new ConfigError(`${file} cannot be understood (${firstLine(messageOf(cause))}).`, {
      hint: 'Compare it with what `dawnload init` writes.',
      cause,
    });
  }
}

/** A section whose lines are all commented out is read as empty text; it becomes an empty section. */
function withEmptySections(values: Record<string, unknown>): Record<string, unknown> {
  const sections = new Set(['privacy', 'exports', 'budget', 'experiments', 'default']);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (sections.has(key) && value === '') return [key, {}];
      const inner = z.record(z.string(), z.unknown()).safeParse(value);
      return [key, inner.success ? withEmptySections(inner.data) : value];
    }),
  );
}

/** The first line of a parser's message, without its punctuation. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? text).replace(/[.:]+$/, '');
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

function unknownKey(source: string, path: readonly PropertyKey[], key: string): ConfigError {
  const full = [...path, key].join('.');
  if (/(access|secret)_?key/i.test(key)) {
    return new ConfigError(`${source}: secrets do not belong in the file (${full}).`, {
      hint: 'Remove it, and set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in .env.',
    });
  }
  const known = knownKeys(settingsSchema);
  const siblings = known.filter((name) => name.split('.').length === path.length + 1);
  const candidates = siblings.some((name) => name.startsWith(path.join('.'))) ? known : siblings;
  return new ConfigError(`${source}: unknown key "${full}".`, {
    hint: `Did you mean "${closest(full, candidates)}"?`,
  });
}

/** Every key of the file with its path, such as `exports.budget.records_per_run`. */
function knownKeys(schema: z.ZodType, path: readonly string[] = []): string[] {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  const own = path.length === 0 ? [] : [path.join('.')];
  if (!(inner instanceof z.ZodObject)) return own;
  return [
    ...own,
    ...Object.entries(inner.shape).flatMap(([key, value]) =>
      value instanceof z.ZodType ? knownKeys(value, [...path, key]) : [],
    ),
  ];
}

/**
 * Where settings come from: flags over the environment over `dawnload.yaml` over defaults, checked once into one frozen
 * `Config`. Secrets come from the environment or `.env` alone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { Day } from './calendar.js';
import { settingsSchema } from './config-schema.js';
import { codeOf, ConfigError, messageOf, StorageError } from './errors.js';

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
  readonly credentials: Credentials | undefined;
}

/** A config with all that talking to the service takes. */
export interface ServiceConfig extends Config {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly startDate: Day;
  readonly credentials: Credentials;
}

export interface Flags {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

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
  const variables = { ...readDotEnv(folder), ...(folder === cwd ? {} : readDotEnv(cwd)), ...environment };
  const fromFile = found ? readSettings(file) : {};
  const settings = parseSettings(
    { ...fromFile, ...overridesIn(variables) },
    found ? file : undefined,
    variables,
  );

  // A path in the file is relative to the file, one typed by a person to the folder where it is typed.
  const dataDir =
    flags.dataDir !== undefined || isSet(variables['DAWNLOAD_DATA_DIR'])
      ? resolve(cwd, flags.dataDir ?? settings.data_dir)
      : resolve(folder, settings.data_dir);
  const accessKey = variables['DAWNLOAD_ACCESS_KEY'];
  const secretKey = variables['DAWNLOAD_SECRET_KEY'];
  const { budget } = settings.exports;
  return Object.freeze({
    file: found ? file : undefined,
    baseUrl: settings.base_url,
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
    credentials: isSet(accessKey) && isSet(secretKey) ? new Credentials(accessKey, secretKey) : undefined,
  });
}

/** A config that says at least from when on the warehouse should hold data. */
export interface PlanConfig extends Config {
  readonly startDate: Day;
}

/**
 * The same config, once it is sure that it says from when on.
 *
 * @throws ConfigError when it does not
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
    : new ConfigError(`${file} does not say ${missing}.`, { hint: `Add ${missing} to the file.` });
}

/**
 * The same config, once it is sure that it can reach the service.
 *
 * @throws ConfigError that names what is missing.
 */
export function requireService(config: Config): ServiceConfig {
  const { baseUrl, projectId, startDate, credentials } = config;
  if (baseUrl === undefined || projectId === undefined || startDate === undefined) {
    const settings = { base_url: baseUrl, project_id: projectId, start_date: startDate };
    const missing = Object.entries(settings).flatMap(([key, value]) => (value === undefined ? [key] : []));
    throw missingSettings(config, missing);
  }
  if (credentials === undefined) {
    throw new ConfigError('The access keys are not set.', {
      hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in a .env file beside dawnload.yaml.',
    });
  }
  return { ...config, baseUrl, projectId, startDate, credentials };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StorageError(`${file} cannot be read (${codeOf(cause) ?? messageOf(cause)}).`, {
      hint: 'Check that it is a file and who may read it.',
      cause,
    });
  }
}

function readDotEnv(folder: string): Environment {
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
  const document = parseDocument(readText(file), { schema: 'failsafe', lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new ConfigError(
      `${file}${line === undefined ? '' : `:${line}`} is not valid YAML: ${firstLine(error.message)}`,
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
  return withEmptySections(z.record(z.string(), z.unknown()).parse(document.toJS()));
}

/** A section whose lines are all commented out reads as an empty text; it is meant as a section all the same. */
function withEmptySections(values: Record<string, unknown>): Record<string, unknown> {
  const sections = new Set(['privacy', 'exports', 'budget']);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (sections.has(key) && value === '') return [key, {}];
      const inner = z.record(z.string(), z.unknown()).safeParse(value);
      return [key, inner.success ? withEmptySections(inner.data) : value];
    }),
  );
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

function parseSettings(
  values: Record<string, unknown>,
  file: string | undefined,
  variables: Environment,
): z.infer<typeof settingsSchema> {
  const parsed = settingsSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const source = file ?? 'the environment';
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

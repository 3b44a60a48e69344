/** Reads the files with the settings as text: `dawnload.yaml`, and the `.env` in the same folder. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isMap, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { codeOf, ConfigError, DawnloadError, messageOf, StorageError } from '../ground/errors.js';
import { closest, distance } from 'fastest-levenshtein';
import { settingsSchema } from './schema.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables set in the `.env` of a folder. */
export function readDotEnv(folder: string): Environment {
  const file = resolve(folder, '.env');
  return existsSync(file) ? parseEnv(readText(file)) : {};
}

/**
 * The keys and values of the file, with every scalar as text. YAML would parse a project id such as `12345678…e12` as a
 * number and lose digits, so the schema converts the values to their types instead.
 */
export function readSettings(file: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = orConfigError(file, () =>
    parseDocument(readText(file), { schema: 'failsafe', lineCounter: lines }),
  );
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new ConfigError(
      `${file}${line === undefined ? '' : `:${line}`} is not valid YAML: ${error.code === 'MULTIPLE_DOCS' ? 'a second document begins here (---)' : firstLine(error.message)}.`,
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
        // A `__proto__` key would not become an ordinary key of the object and would go unnoticed.
        throw unknownKey(file, ancestors.flatMap(keyOf), key.value);
      },
    });
    return inNfc(z.record(z.string(), z.unknown()).parse(document.toJS()));
  });
}

function keyOf(node: unknown): string[] {
  return isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [];
}

/** Converts parser errors (aliases without an anchor or with exponential expansion, extreme depth) to a `ConfigError`. */
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

/** The settings that name what the service names; the warehouse holds such names in NFC. */
const NAMES = ['experiments', 'main_goals', 'not_clicks', 'reference'];

/** Brings these settings to NFC. Paths stay, since a file system may tell the forms of a name apart. */
function inNfc(values: Record<string, unknown>): Record<string, unknown> {
  const normalized = (value: unknown): unknown => {
    if (typeof value === 'string') return value.normalize('NFC');
    if (Array.isArray(value)) return value.map(normalized);
    const inner = z.record(z.string(), z.unknown()).safeParse(value);
    return inner.success
      ? Object.fromEntries(
          Object.entries(inner.data).map(([key, one]) => [key.normalize('NFC'), normalized(one)]),
        )
      : value;
  };
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, NAMES.includes(key) ? normalized(value) : value]),
  );
}

/** The first line of a parser's message, without its place and its final punctuation. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? text).replace(/( at line \d+, column \d+)?[.:]+$/, '');
}

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark, as Windows writes it. */
export function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    const mark = bytes.subarray(0, 2).toString('hex');
    const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    const code = codeOf(cause) ?? messageOf(cause);
    const Failure = /^E(ISDIR|RR_ENCODING)/.test(code) ? ConfigError : StorageError;
    throw new Failure(`${file} cannot be read (${code}).`, {
      hint: 'Check that it is a file in UTF-8 or UTF-16 and that this account may read it.',
      cause,
    });
  }
}

/** @param source the file, or another place with the key */
export function unknownKey(source: string, path: readonly PropertyKey[], key: string): ConfigError {
  const full = [...path, key].join('.');
  if (/(access|secret)_?key/i.test(key)) {
    return new ConfigError(`${source}: secrets do not belong in the file (${full}).`, {
      hint: 'Remove it, and set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in .env.',
    });
  }
  const known = knownKeys(settingsSchema);
  const siblings = known.filter((name) => name.split('.').length === path.length + 1);
  const candidates = siblings.some((name) => name.startsWith(path.join('.'))) ? known : siblings;
  const nearest = closest(full, candidates);
  const isNear = distance(full, nearest) <= Math.max(2, key.length / 3);
  return new ConfigError(`${source}: unknown key "${full}".`, {
    hint: isNear ? `Did you mean "${nearest}"?` : 'docs/configuration.md lists the settings.',
  });
}

/** Every key of the file with its path, such as `exports.budget.records_per_run`. */
function knownKeys(schema: z.ZodType, path: readonly string[] = []): string[] {
  const inner = innermost(schema);
  const own = path.length === 0 ? [] : [path.join('.')];
  if (!(inner instanceof z.ZodObject)) return own;
  return [
    ...own,
    ...Object.entries(inner.shape).flatMap(([key, value]) =>
      value instanceof z.ZodType ? knownKeys(value, [...path, key]) : [],
    ),
  ];
}

/** The schema of a setting without its default and its preprocessing. */
function innermost(schema: z.ZodType): z.ZodType {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault
      ? schema.unwrap()
      : schema instanceof z.ZodPipe
        ? schema.in instanceof z.ZodTransform
          ? schema.out
          : schema.in
        : undefined;
  return inner instanceof z.ZodType ? innermost(inner) : schema;
}

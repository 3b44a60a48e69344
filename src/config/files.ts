/** Reads files that the user writes: `dawnload.yaml`, the `.env` next to it, and files named in options. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isMap, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import type { Environment } from '../ground/effects.js';
import { codeOf, ConfigError, DawnloadError, messageOf, StorageError, UsageError } from '../ground/errors.js';
import { didYouMean } from '../ground/text.js';

/** Reads the variables in a folder's `.env`. Undefined if this account may not read it, because readers need no keys. */
export function readDotEnv(folder: string): Environment | undefined {
  const file = resolve(folder, '.env');
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readText(file));
  } catch (error) {
    if (error instanceof StorageError && codeOf(error.cause) === 'EACCES') return undefined;
    throw error;
  }
}

/** Reads the file that a variable names: one line, without the line end that editors add. Undefined if this account may not read it. */
export function readSecret(variable: string, file: string): string | undefined {
  try {
    const text = readText(file).replace(/[\r\n]+$/, '');
    if (text !== '' && !/[\r\n]/.test(text)) return text;
  } catch (error) {
    const cause = error instanceof DawnloadError ? error.cause : error;
    if (codeOf(cause) === 'EACCES') return undefined;
    throw new ConfigError(`${variable} points to ${file}, which cannot be read (${whyUnread(cause)}).`, {
      hint: `Correct ${variable}, or write the file.`,
      cause: error,
    });
  }
  throw new ConfigError(`${variable}: ${file} must contain exactly one line.`, {
    hint: 'Write the value into the file, and nothing else.',
  });
}

const HINT = 'Compare it with what `dawnload init` writes.';

/** Settings with names from the service, which the warehouse stores in Unicode form NFC. */
const NAMES = ['experiments', 'main_goals', 'not_clicks', 'placeholder_ids', 'reference'];

/**
 * Reads the keys and values of the file, every scalar as text. YAML would parse a project id such as `12345678…e12` as a number and lose
 * digits. The schema converts the values.
 */
export function readSettings(file: string): Record<string, unknown> {
  const lines = new LineCounter();
  try {
    const document = parseDocument(readText(file), { schema: 'failsafe', lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) {
      const place = error.linePos === undefined ? file : `${file}:${error.linePos[0].line}`;
      const second = 'a second document begins here (---)';
      const why = error.code === 'MULTIPLE_DOCS' ? second : firstLine(error.message);
      throw new ConfigError(`${place} is not valid YAML: ${why}.`, { hint: HINT, cause: error });
    }
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === '')) return {};
    if (!isMap(contents)) throw new ConfigError(`${file} has no "key: value" lines.`, { hint: HINT });
    visit(document, {
      Pair: (_, { key }, ancestors) => {
        if (isScalar(key) && key.value !== '__proto__') return;
        // Such a key must be refused: `__proto__` is special in objects, and a map or list would become text.
        throw unknownKey(file, ancestors.flatMap(keyPath), String(key));
      },
      Scalar: (_, scalar, ancestors) => {
        // Not for paths, because file systems may treat the Unicode forms of a name as different names.
        if (typeof scalar.value === 'string' && ancestors.flatMap(keyPath).some((key) => NAMES.includes(key)))
          scalar.value = scalar.value.normalize('NFC');
      },
    });
    return z.record(z.string(), z.unknown()).parse(document.toJS());
  } catch (cause) {
    if (cause instanceof DawnloadError) throw cause;
    // Causes: an alias without an anchor, exponentially growing aliases, or extreme depth.
    throw new ConfigError(`${file} cannot be understood (${firstLine(messageOf(cause))}).`, {
      hint: HINT,
      cause,
    });
  }
}

function keyPath(node: unknown): string[] {
  return isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [];
}

/** The first line of a parser's message, without its position and final punctuation. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? text).replace(/( at line \d+, column \d+)?[.:]+$/, '');
}

/** Reads a text file in UTF-8, or in UTF-16 with a byte order mark, as Windows writes it. UTF-8 text with NUL is refused. */
export function readText(file: string): string {
  try {
    const bytes = readRegularFile(file);
    const mark = bytes.subarray(0, 2).toString('hex');
    const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (text.includes('\0')) throw new Error('NUL, as in UTF-16 without a byte order mark');
    return text;
  } catch (cause) {
    const code = codeOf(cause) ?? messageOf(cause);
    const isOther = code === NO_FILE || /^(ERR_ENCODING|NUL)/.test(code);
    throw new (isOther ? ConfigError : StorageError)(`${file} cannot be read (${whyUnread(cause)}).`, {
      hint: 'Check that it is a file in UTF-8 or UTF-16 and that this account may read it.',
      cause,
    });
  }
}

/** @param source the file or other place that has the key */
export function unknownKey(
  source: string,
  path: readonly PropertyKey[],
  key: string,
  schema?: z.ZodType,
): ConfigError {
  const full = [...path, key].join('.');
  const named = [...path.filter((part) => typeof part === 'string'), key].join('.');
  if (/(access|secret)_?key/i.test(key))
    return new ConfigError(`${source}: secrets do not belong in the file (${full}).`, {
      hint: 'Remove it, and set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment or in .env.',
    });
  const known = schema && keysIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return new ConfigError(`${source}: unknown key "${full}". ${didYouMean(named, known ?? [])}`.trimEnd(), {
    hint: 'docs/configuration.md lists the settings.',
  });
}

function keysIn({ properties = {}, items }: z.core.JSONSchema.BaseSchema, path = ''): string[] {
  const inList = typeof items === 'object' && !Array.isArray(items) ? keysIn(items, path) : [];
  const keys = Object.entries(properties).flatMap(([key, inner]) => [
    path + key,
    ...(typeof inner === 'object' ? keysIn(inner, `${path}${key}.`) : []),
  ]);
  return [...keys, ...inList];
}

const MOST_BYTES = 2 ** 24;

/**
 * Returns the user ids of staff and test people: a list in the settings, or a file with one id per line. An empty file is refused, because
 * it is more likely a failed export than the wish to count these people.
 *
 * @param excluded the ids, or the path of the file
 * @throws ConfigError with the reason why the file cannot be used
 */
export function excludedIds(excluded: string | readonly string[]): readonly string[] {
  if (typeof excluded !== 'string') return excluded;
  const refuse = (why: string, cause?: unknown): ConfigError =>
    new ConfigError(`exclude.user_ids names ${excluded}, ${why}.`, {
      hint: 'Write one id on each line, in UTF-8. Until then nothing is published, because these people would be counted.',
      cause,
    });
  let text: string;
  try {
    if (statSync(excluded).size > MOST_BYTES) throw new Error('it has more than 16 MiB');
    text = readText(excluded);
  } catch (error) {
    const cause = error instanceof DawnloadError ? error.cause : error;
    const isEncoding = /^(ERR_ENCODING|NUL)/.test(codeOf(cause) ?? messageOf(cause));
    throw refuse(`which cannot be read (${isEncoding ? 'it is not in UTF-8' : whyUnread(cause)})`, cause);
  }
  const lines = text.split(/\r\n?|\n/).map((line) =>
    line
      .trim()
      .replace(/^"([^"]*)"$/, '$1')
      .trim(),
  );
  const odd = lines.findIndex((line) => line.length > 500 || /[,;\t"\p{Cc}]/u.test(line));
  if (odd >= 0) throw refuse(`whose line ${odd + 1} has more than one id`);
  const ids = [...new Set(lines.filter((line) => line !== ''))];
  if (ids.length === 0) throw refuse('which has no ids');
  return ids;
}

const NO_FILE = 'ENOTFILE';

/** Reads a regular file. Reading a pipe would wait for its writer, and a device may never end. */
function readRegularFile(file: string): Buffer {
  const stats = statSync(file);
  if (stats.isFile()) return readFileSync(file);
  const kind = stats.isDirectory() ? 'folder' : stats.isFIFO() ? 'pipe' : 'device';
  throw Object.assign(new Error(`it is a ${kind}, not a file`), { code: NO_FILE });
}

/** Reads a text file named in an option. */
export function textGiven(file: string, hint: string): string {
  try {
    return readRegularFile(file).toString('utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${whyUnread(cause)}).`, { hint, cause });
  }
}

const CLAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission is denied',
  ELOOP: 'its links lead in a circle',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its path is too long',
};

/** The reason why a file could not be read, as a clause. */
export function whyUnread(cause: unknown): string {
  const code = codeOf(cause) ?? NO_FILE;
  return CLAUSES[code] ?? (code === NO_FILE ? messageOf(cause) : code);
}

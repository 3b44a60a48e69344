/**
 * Writes an answer either to standard output, at the pace of its reader, or to a file, which is written completely or not
 * at all.
 */
import {
  createReadStream,
  createWriteStream,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Writable, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, DawnloadError, messageOf, StorageError, UsageError } from '../../ground/errors.js';
import type { DuckDBType, DuckDBValue, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { escaped, openInstance } from '../../landing/duckdb.js';
import { copyAnswer } from '../../warehouse/session.js';
import duckdb = require('@duckdb/node-api');

/**
 * Writes the complete answer to `file` as Parquet.
 *
 * Queries on the warehouse may not write files, so the answer is copied batch by batch, without conversion to JavaScript
 * values, to a separate database, which writes the file.
 *
 * @param scratch path of the separate database; the caller removes it
 */
export async function writeParquet(answer: QueryResult, file: string, scratch: string): Promise<void> {
  const instance = await openInstance(scratch);
  try {
    const connection = await instance.connect();
    await copyAnswer(connection, 'answer', answer);
    const columns = answer.columns.map(({ name, type }, i) => {
      // Parquet has no 128-bit integer type, and DuckDB would write a rounded number. A sum of counts has this type.
      const exact = /^U?HUGEINT$/.test(String(type)) ? '::decimal(38, 0)' : '';
      return `c${i}${exact} as "${name.replaceAll('"', '""')}"`;
    });
    await connection.run(
      `copy (select ${columns.join(', ')} from answer) to '${escaped(file)}' (format parquet, compression zstd)`,
    );
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

interface CsvOptions {
  /** The headers, if they differ from the names of the columns. */
  readonly heads?: readonly string[];
  /** True if the text starts with a byte order mark, so that Excel reads it as UTF-8. */
  readonly bom?: boolean;
  /** Returns the display name of a text in a column. */
  readonly word?: (column: string, text: string) => string;
}

/** The CSV text in pieces, one per batch of rows; the first line contains the headers. */
export async function* csvText(
  answer: QueryResult,
  { heads, bom, word = (_, text) => text }: CsvOptions = {},
): AsyncGenerator<string> {
  const line = csvLine(heads ?? answer.columns.map(({ name }) => name));
  yield bom === true ? `\ufeff${line}` : line;
  for await (const chunk of answer.chunks) {
    yield chunk
      .getRows()
      .map((row) =>
        joined(
          answer.columns.map(({ name, type }, i) => {
            const value = row[i] ?? null;
            return cell(typeof value === 'string' ? word(name, value) : value, type);
          }),
        ),
      )
      .join('');
  }
}

/** One CSV line of text cells. */
function csvLine(cells: readonly string[]): string {
  return joined(cells.map(textCell));
}

function joined(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** Types with arbitrary text, unlike numbers, days and times. An interval such as `-1 days` begins like a formula. */
const WORDS = /^(VARCHAR|ENUM|BLOB|UNION|VARIANT|INTERVAL)/;

/** Formats one cell: null is an empty cell, and an empty text is `""`. */
function cell(value: DuckDBValue, type: DuckDBType): string {
  if (value === null) return '';
  const text = cellText(value, type);
  return WORDS.test(String(type)) ? textCell(text) : quoted(text);
}

/**
 * Protects against formula injection: a spreadsheet runs text that begins like this as a formula, and the text comes from
 * outside. A leading apostrophe keeps it text. Numbers are not passed to this function, so -5 stays a number. Full-width
 * signs are included, because spreadsheets with a Korean or Japanese locale treat them like the plain signs.
 */
function textCell(text: string): string {
  return quoted(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Pieces of text or bytes, produced on demand. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * Writes all pieces to a stream and leaves it open. If the reader closes its end early (`| head`), the function returns
 * silently.
 */
export async function writeTo(stream: Writable, pieces: Pieces): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), stream, { end: false });
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
  }
}

/**
 * Lets `write` create a temporary file next to `file`, and renames it to `file` when it is complete.
 *
 * @throws StorageError if the file cannot be written
 */
export async function writeFileWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  // A pipe or a device (/dev/stdout) must not be replaced by a file. Other links are resolved, not written through.
  const whole = !isSpecial(file);
  const target = whole ? realPlace(file) : file;
  const partial = whole ? `${target}.partial` : target;
  try {
    if (whole) await rm(partial, { force: true });
    await write(partial);
    if (whole) await rename(partial, target);
  } catch (cause) {
    if (whole) await rm(partial, { force: true }).catch(() => undefined);
    if (cause instanceof DawnloadError || !isFileError(cause)) throw cause;
    throw new StorageError(`${file} cannot be written: ${messageOf(cause)}.`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}

function isSpecial(file: string): boolean {
  if (/^\/(?:dev(?!\/shm\/)|proc)\//.test(resolve(file))) return true;
  try {
    return !statSync(file).isFile();
  } catch {
    // An error such as a name that is too long is reported when the file is written.
    return false;
  }
}

/** The path of an existing or future file with all links resolved, including links to files that do not exist yet. */
export function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(file) === file) return file;
  }
  const folder = realPlace(dirname(file));
  const link = linkAt(join(folder, basename(file)));
  return link === undefined ? join(folder, basename(file)) : realPlace(resolve(folder, link));
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isFileError(error: unknown): boolean {
  return codeOf(error) !== undefined || messageOf(error).startsWith('IO Error');
}

/** Writes all pieces to a new file. */
export async function writePieces(file: string, pieces: Pieces): Promise<void> {
  await pipeline(Readable.from(pieces), createWriteStream(file));
}

/** The bytes of a file, in pieces. */
export function bytesOf(file: string): Pieces {
  return createReadStream(file);
}

/** The UTC offset of Korea, nine hours all year. */
const KST_OFFSET_MICROS = 9n * 3_600_000_000n;

export function isNumeric(type: DuckDBType): boolean {
  return /^(\w*INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/.test(String(type));
}

/** An instant in KST, with microseconds only if they are not zero: `2026-11-21 07:00:00+09:00`. Infinity stays a word. */
function instantText({ micros }: duckdb.DuckDBTimestampTZValue): string {
  const { PosInf, NegInf } = duckdb.DuckDBTimestampTZValue;
  if (micros === PosInf.micros) return 'infinity';
  if (micros === NegInf.micros) return '-infinity';
  return `${new duckdb.DuckDBTimestampValue(micros + KST_OFFSET_MICROS).toString()}+09:00`;
}

/** The value as the text of one cell. The caller must handle null. */
export function cellText(value: Exclude<DuckDBValue, null>, type: DuckDBType): string {
  if (value instanceof duckdb.DuckDBTimestampTZValue) return instantText(value);
  return NESTED.some((kind) => value instanceof kind) ? jsonText(value, type) : String(value);
}

const NESTED = [
  duckdb.DuckDBListValue,
  duckdb.DuckDBArrayValue,
  duckdb.DuckDBStructValue,
  duckdb.DuckDBMapValue,
];

/** The value as JSON text, exactly. The type is known for columns and their nested values, but not inside a variant. */
export function jsonText(value: DuckDBValue, type?: DuckDBType): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      // JSON has no NaN and no infinity, so they are written as text.
      return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
    case 'string':
      return type?.alias === 'JSON' ? documentText(value) : JSON.stringify(value);
    default:
      return objectText(value, type);
  }
}

/** Returns the document of a JSON column unchanged, so that long numbers keep their digits. */
function documentText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function objectText(value: DuckDBValue & object, type: DuckDBType | undefined): string {
  const inner = type !== undefined && 'valueType' in type ? type.valueType : undefined;
  if (value instanceof duckdb.DuckDBListValue || value instanceof duckdb.DuckDBArrayValue)
    return `[${value.items.map((item) => jsonText(item, inner)).join(',')}]`;
  if (value instanceof duckdb.DuckDBStructValue) {
    const types = type instanceof duckdb.DuckDBStructType ? type : undefined;
    return objectOf(
      Object.entries(value.entries).map(([key, entry]) => [key, jsonText(entry, types?.typeForEntry(key))]),
    );
  }
  if (value instanceof duckdb.DuckDBMapValue)
    return objectOf(value.entries.map(({ key, value: entry }) => [String(key), jsonText(entry, inner)]));
  if (value instanceof duckdb.DuckDBUnionValue || value instanceof duckdb.DuckDBVariantValue)
    return jsonText(value.value);
  const text = value instanceof duckdb.DuckDBTimestampTZValue ? instantText(value) : String(value);
  // A JavaScript number keeps 15 significant digits.
  if (value instanceof duckdb.DuckDBDecimalValue && text.replace(/\D/g, '').replace(/^0+/, '').length <= 15)
    return text;
  // ISO 8601 separates day and time with a T.
  return JSON.stringify(text.replace(/^(\S+-\d\d-\d\d) (?=\d)/, '$1T'));
}

function objectOf(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

/** The JSON text in pieces, one per batch of rows. */
export async function* jsonRows(answer: QueryResult): AsyncGenerator<string> {
  const keys = answer.columns.map(({ name }) => `${JSON.stringify(name)}:`);
  let separator = '[';
  for await (const chunk of answer.chunks) {
    if (chunk.rowCount === 0) continue;
    const objects = chunk
      .getRows()
      .map(
        (row) =>
          `\n{${answer.columns.map(({ type }, i) => `${keys[i] ?? ''}${jsonText(row[i] ?? null, type)}`).join(',')}}`,
      );
    yield `${separator}${objects.join(',')}`;
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}

interface ResultColumn {
  /** Unique within the answer. */
  readonly name: string;
  /** The name as the query gives it. */
  readonly given: string;
  readonly type: DuckDBType;
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly chunks: AsyncIterable<DuckDBDataChunk>;
}

export function answerOf(result: DuckDBResult): QueryResult {
  const types = result.columnTypes();
  const given = result.columnNames();
  return {
    columns: result.deduplicatedColumnNames().flatMap((name, i) => {
      const type = types[i];
      return type === undefined ? [] : [{ name, given: given[i] ?? name, type }];
    }),
    chunks: result,
  };
}

/**
 * Checks the path of an output file. Paths inside the data folder are refused, because the output could overwrite the
 * warehouse, the ledger or landed files. Links in the data folder to other disks are followed. The files of the settings
 * are refused too.
 *
 * @throws UsageError
 */
export function outsideOf(
  { dataDir, file = 'dawnload.yaml' }: { readonly dataDir: string; readonly file: string | undefined },
  output: string,
): string {
  const place = realPlace(output);
  if ([file, join(dirname(file), '.env')].some((settings) => realPlace(resolve(settings)) === place))
    throw new UsageError(`${output} holds settings.`, { hint: 'Choose another place for --output.' });
  const isWithin = (folder: string): boolean => place === folder || place.startsWith(`${folder}${sep}`);
  if (!placesOf(dataDir).some(isWithin)) return output;
  throw new UsageError(`${output} is inside the data folder, where only the job may write.`, {
    hint: 'Choose another place for --output.',
  });
}

/** The real paths of the data folder, of its entries, and of the entries of its subfolders: databases, ledger, streams. */
function placesOf(dataDir: string): string[] {
  const within = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name));
  const top = within(dataDir);
  return [...new Set([dataDir, ...top, ...top.flatMap(within)].map(realPlace))];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

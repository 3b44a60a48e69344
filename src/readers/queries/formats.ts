/** The formats of an answer: Parquet, CSV, JSON and tables; xlsx.ts has the workbook. */
import type {
  DuckDBConnection,
  DuckDBType,
  DuckDBValue,
  DuckDBDataChunk,
  DuckDBResult,
} from '@duckdb/node-api';
import { escaped, openInstance } from '../../disk/duckdb.js';
import { drawTable, type Drawing, type Row } from '../../terminal/table.js';
import { wrapLine } from '../../terminal/text.js';
import { copyAnswer } from '../../warehouse/session.js';
import { firstOf, FOR_TILES, type QueryFile } from './catalogue.js';
import { IN_EACH } from './wording.js';
import duckdb = require('@duckdb/node-api');

export const FORMATS = ['table', 'csv', 'json', 'parquet', 'xlsx'] as const;

export type Format = (typeof FORMATS)[number];

interface ResultColumn {
  readonly name: string;
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
 * Writes the complete answer to `file` as Parquet.
 *
 * Queries on the warehouse may not write files. So the answer is copied to a separate database, batch by batch and without conversion to
 * JavaScript values; that database writes the file.
 *
 * @param scratch path of the separate database; the caller removes it
 */
export async function writeParquet(answer: QueryResult, file: string, scratch: string): Promise<void> {
  const instance = await openInstance(scratch);
  try {
    const connection = await instance.connect();
    await copyAnswer(connection, 'answer', answer);
    const columns: string[] = [];
    for (const [i, { name, type }] of answer.columns.entries()) {
      // Parquet has no 128-bit integers, and DuckDB would write a rounded number. A sum of counts has this type.
      const exact = /^U?HUGEINT$/.test(String(type)) ? await exactCast(connection, `c${i}`) : '';
      columns.push(`c${i}${exact} as "${name.replaceAll('"', '""')}"`);
    }
    await connection.run(
      `copy (select ${columns.join(', ')} from answer) to '${escaped(file)}' (format parquet, compression zstd)`,
    );
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

/** A cast that keeps all digits of 128-bit integers: to a decimal if they have at most 38, otherwise to text. */
async function exactCast(connection: DuckDBConnection, column: string): Promise<string> {
  const fits = `select count(${column}) = count(try_cast(${column} as decimal(38, 0))) from answer`;
  const [[isDecimal] = []] = (await connection.runAndReadAll(fits)).getRows();
  return isDecimal === true ? '::decimal(38, 0)' : '::varchar';
}

export interface Naming {
  readonly head: (column: string) => string;
  readonly word: (column: string, text: string) => string;
  /** Words for a value that is not text, such as yes for true; undefined to write it as programs expect it. */
  readonly words?: (
    column: string,
    value: DuckDBValue,
    of?: (column: string) => DuckDBValue | undefined,
  ) => string | undefined;
}

export const AS_IS: Naming = { head: (column) => column, word: (_, text) => text };

/**
 * Yields the CSV text, one piece per batch of rows. The first line has the headers.
 *
 * @param hasMark true to start with a byte order mark, so that Excel reads the text as UTF-8
 */
export async function* csvText(answer: QueryResult, naming = AS_IS, hasMark = false): AsyncGenerator<string> {
  const heads = answer.columns.map(({ name }) => textCell(naming.head(name)));
  yield `${hasMark ? '\ufeff' : ''}${heads.join(',')}\r\n`;
  const cells = answer.columns.map(({ type }) => (WORDS.test(String(type)) ? textCell : quoted));
  for await (const rows of textsOf(answer, naming)) {
    // Null becomes an empty cell, and an empty text becomes `""`.
    const lines = rows.map((row) => row.map((text, i) => (text === null ? '' : (cells[i] ?? quoted)(text))));
    yield lines.map((line) => `${line.join(',')}\r\n`).join('');
  }
}

/** Yields the values as texts, in batches of rows; null stays null. */
async function* textsOf({ columns, chunks }: QueryResult, { word, words }: Naming): AsyncGenerator<Row[]> {
  const at = new Map(columns.map(({ name }, i) => [name, i]));
  for await (const chunk of chunks) {
    yield chunk.getRows().map((row) =>
      columns.map(({ name, type }, i) => {
        const value = row[i] ?? null;
        if (value === null) return null;
        if (typeof value === 'string') return word(name, value);
        return words?.(name, value, (other) => row[at.get(other) ?? -1]) ?? cellText(value, type);
      }),
    );
  }
}

/** Types whose text may be anything, unlike numbers, days and times. An interval such as `-1 days` starts like a formula. */
const WORDS = /^(VARCHAR|ENUM|BLOB|UNION|VARIANT|INTERVAL)/;

/**
 * Protects against formula injection. A spreadsheet would run a text that starts like this as a formula, and the text comes from outside;
 * an apostrophe in front keeps it text. Numbers are not passed to this function, so -5 stays a number. Full-width signs count too, because
 * spreadsheets in Korean or Japanese treat them like plain signs.
 */
function textCell(text: string): string {
  return quoted(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Korea's offset from UTC: nine hours all year. */
export const KST_OFFSET_MICROS = 9n * 3_600_000_000n;

export function isNumeric(type: DuckDBType): boolean {
  return /^(\w*INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/.test(String(type));
}

/** An instant in KST, such as `2026-11-21 07:00:00+09:00`, with microseconds unless they are zero. Infinity stays a word. */
function instantText({ micros }: duckdb.DuckDBTimestampTZValue): string {
  const { PosInf, NegInf } = duckdb.DuckDBTimestampTZValue;
  if (micros === PosInf.micros) return 'infinity';
  if (micros === NegInf.micros) return '-infinity';
  return `${new duckdb.DuckDBTimestampValue(micros + KST_OFFSET_MICROS).toString()}+09:00`;
}

/** Formats a value, which must not be null, as the text of a cell. */
export function cellText(value: Exclude<DuckDBValue, null>, type: DuckDBType): string {
  if (value instanceof duckdb.DuckDBTimestampTZValue) return instantText(value);
  return isNested(value) ? jsonText(value, type) : String(value);
}

const isNested = (value: Exclude<DuckDBValue, null>): boolean =>
  typeof value === 'object' && ('items' in value || 'entries' in value);

/** Formats a value as exact JSON text. The type is known for columns and the values inside them, but not inside a variant. */
export function jsonText(value: DuckDBValue, type?: DuckDBType): string {
  // JSON has no NaN and no infinity, so they are written as text.
  if (typeof value === 'number') return JSON.stringify(Number.isFinite(value) ? value : String(value));
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
  if (typeof value === 'string') return type?.alias === 'JSON' ? documentText(value) : JSON.stringify(value);
  return value === null || typeof value === 'boolean' ? String(value) : objectText(value, type);
}

/** The document of a JSON column, unchanged, so that long numbers keep their digits. */
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
  if (value instanceof duckdb.DuckDBStructValue || value instanceof duckdb.DuckDBMapValue) {
    const struct = type instanceof duckdb.DuckDBStructType ? type : undefined;
    const entries =
      value instanceof duckdb.DuckDBMapValue
        ? value.entries.map(({ key, value: entry }) => [String(key), jsonText(entry, inner)] as const)
        : Object.entries(value.entries).map(
            ([key, entry]) => [key, jsonText(entry, struct?.typeForEntry(key))] as const,
          );
    return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  }
  if (value instanceof duckdb.DuckDBUnionValue || value instanceof duckdb.DuckDBVariantValue)
    return jsonText(value.value);
  const text = value instanceof duckdb.DuckDBTimestampTZValue ? instantText(value) : String(value);
  // As text if it has more than 15 significant digits, which a JavaScript number cannot keep.
  if (value instanceof duckdb.DuckDBDecimalValue && text.replace(/\D/g, '').replace(/^0+/, '').length <= 15)
    return text;
  // ISO 8601 separates day and time with a T.
  return JSON.stringify(text.replace(/^(\S+-\d\d-\d\d) (?=\d)/, '$1T'));
}

export async function* jsonRows({ columns, chunks }: QueryResult): AsyncGenerator<string> {
  let separator = '[';
  for await (const chunk of chunks) {
    let text = '';
    for (const row of chunk.getRows()) {
      const members = columns.map(
        ({ name, type }, i) => `${JSON.stringify(name)}:${jsonText(row[i] ?? null, type)}`,
      );
      text += `${separator}\n{${members.join(',')}}`;
      separator = ',';
    }
    yield text;
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}

/** True if a table is large enough to show values that all rows share once, above it. */
export const isRepetitive = (rows: number, columns: number): boolean => rows >= 3 && columns > 6;

/** Draws the answer as a table. For a query, values that all rows share are on a line above. */
export async function* tableText(
  answer: QueryResult,
  naming: Naming,
  limit: number,
  drawing: Drawing,
  query?: QueryFile,
): AsyncGenerator<string> {
  const shown: Row[] = [];
  for await (const rows of textsOf(answer, naming)) {
    shown.push(...rows.slice(0, limit - shown.length));
    if (shown.length === limit) break;
  }
  const names = answer.columns.map(({ name }) => name);
  const first = firstOf(names, query);
  const heads = answer.columns.map(({ name, type }) => ({
    name: naming.head(name),
    numeric: isNumeric(type),
    below: name === 'verdict',
    isName: /(?:^|_)name$/.test(name),
    rank: first.includes(name) ? 0 : 2,
  }));
  const [top = []] = shown;
  const isLarge = query !== undefined && isRepetitive(shown.length, heads.length);
  const isForTiles = (i: number): boolean => query !== undefined && names[i] === FOR_TILES;
  const isSame = heads.map((_, i) => isLarge && i > 0 && shown.every((row) => row[i] === top[i]));
  const same = heads.flatMap(({ name }, i) => {
    const value = top[i] ?? null;
    return isSame[i] === true && value !== null ? [`${name} ${value.replace(/\.$/, '')}`] : [];
  });
  if (same.length > 0)
    yield `${wrapLine(`${IN_EACH[drawing.lang ?? 'en']}: ${same.join(', ')}`, drawing.width)}\n`;
  const varying = <T>(list: readonly T[]): T[] => list.filter((_, i) => isSame[i] !== true && !isForTiles(i));
  yield `${drawTable(varying(heads), shown.map(varying), drawing)}\n`;
}

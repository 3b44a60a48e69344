/** A result as CSV (RFC 4180, UTF-8). */
import duckdb = require('@duckdb/node-api');
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { QueryResult } from './answer.js';
import { cellText } from './values.js';

export interface CsvOptions {
  /** The headers, where they are not the names of the columns. */
  readonly heads?: readonly string[];
  /** Whether to begin with a byte order mark, so that Excel reads UTF-8. */
  readonly bom?: boolean;
  /** What a text in a column is called instead. */
  readonly word?: (column: string, text: string) => string;
}

/** The text in pieces, one per batch of rows; the first line names the columns. */
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

/** One line of cells that are all text. */
export function csvLine(cells: readonly string[]): string {
  return joined(cells.map(textCell));
}

function joined(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** Types whose text can be anything, unlike numbers, days and times. */
const WORDS: ReadonlySet<duckdb.DuckDBTypeId> = new Set([
  duckdb.DuckDBTypeId.VARCHAR,
  duckdb.DuckDBTypeId.ENUM,
  duckdb.DuckDBTypeId.BLOB,
  duckdb.DuckDBTypeId.UNION,
  duckdb.DuckDBTypeId.VARIANT,
  // `-1 days` begins like a formula, and is no number.
  duckdb.DuckDBTypeId.INTERVAL,
]);

/** Null is an empty cell, an empty text is `""`. */
function cell(value: DuckDBValue, type: DuckDBType): string {
  if (value === null) return '';
  const text = cellText(value, type);
  return WORDS.has(type.typeId) ? textCell(text) : quoted(text);
}

/**
 * A spreadsheet takes text that begins like this for a formula and runs it, and the text comes from people outside: a
 * leading apostrophe keeps it text. Numbers never come here, so -5 stays a number. The full-width signs are taken for
 * the plain ones where Korean or Japanese is set.
 */
function textCell(text: string): string {
  return quoted(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

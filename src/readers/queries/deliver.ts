/** Writes an answer to stdout as a table, CSV, JSON, Parquet or workbook. Runs in a separate process (child.ts). */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { visibleLines } from '../../terminal/text.js';
import { Dictionary, type Language } from '../../warehouse/dictionary.js';
import type { Reader } from '../../warehouse/reader.js';
import { isBundled, type Question } from './catalogue.js';
import { ask, removedFrom } from './ask.js';
import { AS_IS, csvText, FORMATS, isNumeric, jsonRows, tableText, writeParquet } from './formats.js';
import type { Naming, QueryResult } from './formats.js';
import { writeTo, type Pieces } from './output.js';
import { Wording } from './wording.js';
import { xlsxBytes } from './xlsx.js';
import duckdb = require('@duckdb/node-api');

const delivery = z.object({
  format: z.enum(FORMATS),
  lang: z.enum(['en', 'ko']),
  limit: z.number(),
  bom: z.boolean(),
  isTerminal: z.boolean(),
  drawing: z.object({ width: z.number().optional(), color: z.boolean() }),
  scratch: z.string(),
});

export type Delivery = z.infer<typeof delivery>;

/** Writes the sentences above the answer, and the answer to stdout. */
export async function answer(
  question: Question,
  reader: Reader,
  how: unknown,
  tell: (said: readonly string[]) => void,
  stdout: Writable,
): Promise<number> {
  const { format, lang, limit, bom, isTerminal, drawing, scratch } = delivery.parse(how);
  const found = await ask(reader, question, lang);
  const name = question.query?.name;
  // Bundled questions say this in their own sentences.
  const saysSo = name !== undefined && isBundled(name);
  const notes = saysSo ? [] : await removedFrom(reader, question.sql, lang);
  // A CSV file with a byte order mark is for Excel, which rounds long digits.
  const isLong =
    format === 'csv' && bom && found.columns.some(({ name, type }) => name === 'person' && isNumeric(type));
  tell([...found.said.map((one) => one.text), ...notes, ...(isLong ? [LONG_NUMBERS[lang]] : [])]);
  const naming = lang === 'en' ? AS_IS : koreanNames(name);
  const pieces: Pieces = {
    table: () => tableText(found, asShown(naming, lang, name), limit, { ...drawing, lang }, question.query),
    csv: () => csvText(found, naming, bom),
    json: () => jsonRows(found),
    parquet: () => parquetBytes(found, scratch),
    xlsx: () => xlsxBytes(found, naming),
  }[format]();
  // Programs receive the data unchanged. On a terminal, and in tables, control characters are escaped.
  const isText = format === 'csv' || format === 'json';
  await writeTo(stdout, isTerminal && isText ? escaped(pieces) : pieces);
  return found.rows;
}

const LONG_NUMBERS = {
  en: 'Excel rounds the digits of `person` in a CSV file; --format xlsx keeps them.',
  ko: 'CSV를 엑셀에서 열면 `person`의 숫자가 반올림됩니다. --format xlsx로 저장하면 그대로 유지됩니다.',
};

/** Formats the numbers of a query in their units, as pages do. */
function asShown(naming: Naming, lang: Language, query: string | undefined): Naming {
  if (query === undefined) return naming;
  const wording = new Wording(lang);
  return {
    ...naming,
    words: (column, value, of) => {
      const number = Number(String(value));
      const isNumber = typeof value !== 'boolean' && Number.isFinite(number) && Math.abs(number) < 1e15;
      if (!isNumber) return naming.words?.(column, value, of);
      const text = (name: string): string | null => {
        const other = of?.(name);
        return typeof other === 'string' ? other : null;
      };
      const [currency, measure, figure] = [text('currency'), text('measure'), text('figure')];
      return wording.cell(query, column, { currency, measure, figure, [column]: number });
    },
  };
}

/** Korean names of columns and values, if the dictionary has them. Values of free SQL stay unchanged. */
function koreanNames(query: string | undefined): Naming {
  const dictionary = Dictionary.load();
  const head = (column: string): string => dictionary.label(column, query) ?? column;
  if (query === undefined) return { ...AS_IS, head };
  const wording = new Wording('ko');
  const word = (column: string, given: string): string => dictionary.inKorean(column, given);
  return {
    head,
    word,
    words: (column, value) => {
      if (typeof value === 'boolean') return wording.value(column, value);
      const items = value instanceof duckdb.DuckDBListValue ? value.items : [];
      const texts = items.filter((item) => typeof item === 'string');
      return value instanceof duckdb.DuckDBListValue && texts.length === items.length
        ? texts.map((item) => word(column, item)).join(', ')
        : undefined;
    },
  };
}

async function* escaped(pieces: Pieces): Pieces {
  for await (const piece of pieces) yield visibleLines(String(piece).replaceAll('\r\n', '\n'));
}

async function* parquetBytes(answer: QueryResult, scratch: string): Pieces {
  const file = join(scratch, 'answer.parquet');
  await writeParquet(answer, file, join(scratch, 'answer.duckdb'));
  const bytes: Pieces = createReadStream(file);
  yield* bytes;
}

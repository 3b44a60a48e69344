/** Answers a question as a table, CSV, JSON or Parquet on stdout: the work of a process of its own (child.ts). */
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { Dictionary } from '../../warehouse/dictionary.js';
import { drawTable, type Drawing, type Row } from '../../terminal/table.js';
import { visibleLines } from '../../terminal/text.js';
import { Reader } from '../../warehouse/reader.js';
import { ask, droppedIds } from './ask.js';
import { knownValues } from './known-values.js';
import { questionOf } from './question.js';
import {
  bytesOf,
  cellText,
  csvText,
  isNumeric,
  jsonRows,
  writeParquet,
  writeTo,
  type Pieces,
  type QueryResult,
} from './sink.js';

export const FORMATS = ['table', 'csv', 'json', 'parquet'] as const;

export type Format = (typeof FORMATS)[number];

const text = z.string().optional();

/** The question of a command line, and the form of its answer. */
const deliverable = z.object({
  file: z.string(),
  asking: z.object({
    name: text,
    queries: text,
    sql: text,
    file: text,
    param: z.array(z.string()).optional(),
    lang: text,
  }),
  now: z.coerce.date(),
  format: z.enum(FORMATS),
  lang: z.enum(['en', 'ko']),
  limit: z.number(),
  bom: z.boolean(),
  isTerminal: z.boolean(),
  drawing: z.object({ width: z.number().optional(), color: z.boolean() }),
  /** A folder for the file that Parquet is made in. */
  scratch: z.string(),
});

export type Deliverable = z.input<typeof deliverable>;

/** The number of rows, and the ids that the warehouse does not keep. */
export const delivered = z.object({ rows: z.number(), dropped: z.array(z.string()) });

/** Tells the sentences that stand above the answer, and writes it to stdout. Throws UsageError for a query that cannot be run, StorageError. */
export async function perform(
  input: unknown,
  megabytes: number,
  tell: (said: readonly string[]) => unknown,
): Promise<z.infer<typeof delivered>> {
  const { file, asking, now, lang, ...delivery } = deliverable.parse(input);
  const question = questionOf(asking, now);
  if (question === undefined) throw new Error('The command has read the question before.');
  const reader = await Reader.open(file);
  try {
    // The SQL may be pasted from an untrusted source: it may read the warehouse, but no file and no network.
    await reader.confine(megabytes);
    const values = await knownValues(question, question.values, reader);
    const reading = { sentences: question.sentences, language: lang };
    const answer = await ask(reader, question.sql, values, question.subject, reading);
    tell(answer.said.map((one) => one.text));
    await deliver(answer, { ...delivery, ...wordsIn(lang, asking.name), stdout: process.stdout });
    const dropped = question.countsPeople ? await droppedIds(reader) : [];
    return { rows: answer.rows, dropped };
  } finally {
    await reader.close();
  }
}

/** The headers of columns and the display names of values in Korean, where the dictionary contains them. */
function wordsIn(lang: 'en' | 'ko', query?: string): Pick<Delivery, 'head' | 'word'> {
  if (lang === 'en') return { head: (name) => name };
  const dictionary = Dictionary.load();
  const head = (name: string): string => dictionary.label(name, query) ?? name;
  // Free SQL shows unchanged values.
  if (query === undefined) return { head };
  return { head, word: (column, given) => dictionary.inKorean(column, given) };
}

interface Delivery {
  readonly format: Format;
  readonly stdout: Writable;
  /** True if control characters are escaped, since the output is read at a terminal. */
  readonly isTerminal: boolean;
  readonly drawing: Drawing;
  /** Maximum number of rows in a table. */
  readonly limit: number;
  /** True if a CSV starts with a byte order mark, for Excel. */
  readonly bom: boolean;
  /** A folder for the file that Parquet is made in. */
  readonly scratch: string;
  /** The header of a column in a table or CSV. */
  readonly head: (name: string) => string;
  /** The display name of a value in a table or CSV, in the language of the answer. */
  readonly word?: (column: string, text: string) => string;
}

/** Writes the complete answer. */
export async function deliver(answer: QueryResult, delivery: Delivery): Promise<void> {
  const { format, stdout, scratch, isTerminal } = delivery;
  if (format === 'parquet') {
    const file = join(scratch, 'answer.parquet');
    await writeParquet(answer, file, join(scratch, 'answer.duckdb'));
    return writeTo(stdout, bytesOf(file));
  }
  const heads = answer.columns.map(({ name }) => delivery.head(name));
  const pieces =
    format === 'json'
      ? jsonRows(answer)
      : format === 'csv'
        ? csvText(answer, { heads, ...delivery })
        : tableText(answer, heads, delivery);
  // Programs receive unchanged data; at a terminal control characters are escaped. Tables are already escaped and contain
  // colour codes.
  await writeTo(stdout, isTerminal && format !== 'table' ? shown(pieces) : pieces);
}

async function* shown(pieces: Pieces): Pieces {
  for await (const piece of pieces)
    yield typeof piece === 'string' ? visibleLines(piece.replaceAll('\r\n', '\n')) : piece;
}

async function* tableText(
  { columns, chunks }: QueryResult,
  names: readonly string[],
  { limit, drawing, word = (_, given) => given }: Pick<Delivery, 'limit' | 'drawing' | 'word'>,
): AsyncGenerator<string> {
  const rows: Row[] = [];
  for await (const chunk of chunks) {
    for (const row of chunk.getRows().slice(0, limit - rows.length)) {
      rows.push(
        columns.map(({ name, type }, i) => {
          const value = row[i] ?? null;
          if (value === null) return null;
          return typeof value === 'string' ? word(name, value) : cellText(value, type);
        }),
      );
    }
  }
  const heads = columns.map(({ name, type }, i) => ({
    name: names[i] ?? name,
    numeric: isNumeric(type),
    below: name === 'verdict',
    isName: /(?:^|_)name$/.test(name),
  }));
  yield `${drawTable(heads, rows, drawing)}\n`;
}

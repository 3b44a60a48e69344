/** `dawnload query`: runs a bundled query or any SQL against the published warehouse. */
import { mkdtempSync, rmSync } from 'node:fs';
import { extname, resolve, join } from 'node:path';
import { Dictionary, type Language } from '../dictionary/dictionary.js';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { dataFiles } from '../storage/paths.js';
import { ask, droppedIds, notCounted } from '../queries/ask.js';
import { loadCatalogue } from '../queries/catalogue.js';
import { questionOf } from '../queries/question.js';
import {
  csvText,
  writeTo,
  type Pieces,
  bytesOf,
  writeFileWhole,
  writePieces,
  cellText,
  isNumeric,
  jsonRows,
  writeParquet,
  type QueryResult,
} from '../queries/sink.js';
import { knownValues } from '../queries/known-values.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { Reader } from '../warehouse/reader.js';
import type { Invocation } from '../invocation.js';
import { outsideOf } from './published.js';
import { drawTable, type Drawing, type Row } from '../terminal/table.js';
import { visibleLines } from '../terminal/text.js';
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';

export interface QueryOptions {
  /** The name of a bundled query. If `sql` and `file` are undefined too, the queries are listed. */
  readonly name?: string | undefined;
  readonly sql?: string;
  /** The path of a file with SQL. */
  readonly file?: string;
  /** Any number of `name=value`. */
  readonly param?: readonly string[];
  readonly format?: string;
  /** The output file instead of standard output. */
  readonly output?: string;
  /** The language of headers and sentences in a table or CSV. */
  readonly lang?: Language;
  /** True if a CSV starts with a byte order mark, for Excel. */
  readonly bom?: boolean;
  /** Maximum number of rows in a table; other formats are never limited. */
  readonly limit?: number;
}

/** Default limit of a table: more rows are rarely read, and a table is held in memory before it is drawn. */
const DEFAULT_LIMIT = 1000;

/**
 * Lists the bundled queries, or runs a bundled query or the user's SQL; the answer goes to standard output or a file.
 *
 * @throws UsageError for an invalid name, parameter, option or query
 * @throws StorageError if the warehouse cannot be opened or the output cannot be written
 */
export async function queryCommand(
  options: QueryOptions,
  invocation: Invocation,
  stdout: Output = process.stdout,
): Promise<ExitCode> {
  const format = formatOf(options, stdout);
  const question = questionOf(options, invocation.effects.now());
  if (question === undefined) return listQueries(format, invocation, stdout);

  const { dataDir } = invocation.loadConfig();
  const { published } = dataFiles(dataDir);
  const output = options.output === undefined ? undefined : outsideOf(dataDir, resolve(options.output));
  const reader = await Reader.open(published);
  const stop = (): void => {
    reader.connection.interrupt();
  };
  invocation.signal.addEventListener('abort', stop);
  try {
    invocation.signal.throwIfAborted();
    // The user's SQL may be pasted from an untrusted source: it may read the warehouse, but no other file and no network.
    await reader.confine();
    const values = await knownValues(question, question.values, reader);
    const { sentences } = question;
    const reading = { sentences, language: options.lang ?? 'en' };
    const answer = await ask(reader.connection, question.sql, values, question.subject, reading);
    for (const { text } of answer.said) invocation.terminal.note(text);
    await deliver(answer, {
      format,
      output,
      stdout,
      limit: options.limit ?? DEFAULT_LIMIT,
      bom: options.bom === true,
      head: headsIn(options),
      word: wordsIn(options),
    });
    invocation.terminal.note(summary(answer.rows(), format, question.title, options));
    const dropped = question.countsPeople ? await droppedIds(reader) : [];
    if (dropped.length > 0) invocation.terminal.warn(notCounted(dropped)[options.lang ?? 'en']);
    return EXIT.done;
  } catch (error) {
    // DuckDB reports an interruption as an error of the query; the signal has the real reason.
    invocation.signal.throwIfAborted();
    throw error;
  } finally {
    invocation.signal.removeEventListener('abort', stop);
    await reader.close();
  }
}

/** The headers of columns in a language. Korean headers come from the dictionary if it contains the name. */
function headsIn({ lang, name: query }: QueryOptions): (name: string) => string {
  if (lang !== 'ko') return (name) => name;
  const dictionary = Dictionary.load();
  return (name) => dictionary.label(name, query) ?? name;
}

/**
 * The display names of values in the answer of a bundled query. Korean names come from the dictionary; free SQL shows
 * unchanged values.
 */
function wordsIn({ lang, name }: QueryOptions): (column: string, text: string) => string {
  if (lang !== 'ko' || name === undefined) return (_, text) => text;
  const dictionary = Dictionary.load();
  return (column, text) => dictionary.inKorean(column, text);
}

/** The number of rows, for the line after the answer: `A/B tests: 2 rows`. */
function summary(rows: number, format: Format, title: string | undefined, options: QueryOptions): string {
  const { limit = DEFAULT_LIMIT, output } = options;
  const what = title === undefined ? '' : `${title}: `;
  const where = output === undefined ? '' : ` in ${output}`;
  return format === 'table' && rows > limit
    ? `${what}the first ${formatCount(limit)} of ${plural(rows, 'row')}${where}; --format csv gives all`
    : `${what}${plural(rows, 'row')}${where}`;
}

/** The format in `--format`, or else the format of the output file's extension, or else a table. */
function formatOf({ format, output, name, sql, file, bom, lang }: QueryOptions, stdout: Output): Format {
  const ending = output === undefined ? '' : extname(output).slice(1).toLowerCase();
  const wanted = format ?? (ending === '' || ending === 'txt' ? 'table' : ending);
  const found = FORMATS.find((known) => known === wanted);
  if (found === undefined) {
    throw new UsageError(`No format is written as ${wanted}.`, {
      hint: `End the name of --output with .csv, .json, .parquet or .txt, or give --format (${FORMATS.join(', ')}).`,
    });
  }
  if (found === 'parquet' && output === undefined && stdout.isTTY === true) {
    throw new UsageError('A terminal cannot show Parquet.', {
      hint: 'Name a file with --output, or redirect the answer to a program or a file.',
    });
  }
  if (bom === true && found !== 'csv') {
    throw new UsageError('Only CSV has a byte order mark.', { hint: 'Give --format csv with --bom.' });
  }
  if (lang === 'ko' && (found === 'json' || found === 'parquet')) {
    throw new UsageError('JSON and Parquet always have the names of the columns, for programs.', {
      hint: 'Give --lang ko with a table or CSV.',
    });
  }
  const listing = name === undefined && sql === undefined && file === undefined;
  if (listing && (found === 'parquet' || output !== undefined)) {
    throw new UsageError('There is no query whose answer could be written.', {
      hint: 'Name a bundled query (`dawnload query` lists them), or give --sql or --file.',
    });
  }
  return found;
}

/** Lists the bundled queries: name and title in a table, the complete header in JSON. */
async function listQueries(format: Format, { terminal }: Invocation, stdout: Output): Promise<ExitCode> {
  const catalogue = loadCatalogue();
  if (format === 'json') {
    const listed = catalogue.map(({ countsPeople: counts_people, ...query }) => ({
      ...query,
      counts_people,
    }));
    await writeTo(stdout, piecesOf(`${JSON.stringify(listed, null, 2)}\n`));
    return EXIT.done;
  }
  const rows = catalogue.map(({ name, title, params }) => [
    name,
    title,
    params.map((parameter) => parameter.name).join(', '),
  ]);
  const columns = ['query', 'answers', 'parameters'].map((name) => ({ name, numeric: false }));
  await writeTo(stdout, piecesOf(`${drawTable(columns, rows, drawingFor(stdout))}\n`));
  terminal.note('`dawnload query NAME --param start=2026-11-01` runs one of them.');
  return EXIT.done;
}

async function* piecesOf(text: string): Pieces {
  yield await Promise.resolve(text);
}

export const FORMATS = ['table', 'csv', 'json', 'parquet'] as const;

export type Format = (typeof FORMATS)[number];

/** Standard output, or its replacement in a test. */
export type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

export interface Delivery {
  readonly format: Format;
  /** The absolute path of the output file; undefined for standard output. */
  readonly output: string | undefined;
  readonly stdout: Output;
  /** Maximum number of rows in a table. */
  readonly limit: number;
  /** True if a CSV starts with a byte order mark, for Excel. */
  readonly bom: boolean;
  /** The header of a column in a table or CSV. */
  readonly head: (name: string) => string;
  /** The display name of a value in a table or CSV, in the language of the answer. */
  readonly word?: (column: string, text: string) => string;
}

/**
 * Writes the complete answer to its output.
 *
 * @throws StorageError if the output cannot be written
 */
export async function deliver(answer: QueryResult, delivery: Delivery): Promise<void> {
  const { format, output, stdout } = delivery;
  if (format === 'parquet') {
    await deliverParquet(answer, output, stdout);
    return;
  }
  const pieces = (drawing: Drawing): Pieces => {
    if (format === 'json') return jsonRows(answer);
    const heads = answer.columns.map(({ name }) => delivery.head(name));
    return format === 'csv'
      ? csvText(answer, { heads, ...delivery })
      : tableText(answer, heads, delivery, drawing);
  };
  if (output === undefined) {
    const drawn = pieces(drawingFor(stdout));
    // Programs receive unchanged data; at a terminal control characters are escaped. Tables are already escaped and
    // contain colour codes.
    await writeTo(stdout, stdout.isTTY === true && format !== 'table' ? shown(drawn) : drawn);
  } else await writeFileWhole(output, (path) => writePieces(path, pieces({ color: false })));
}

async function* shown(pieces: Pieces): Pieces {
  for await (const piece of pieces)
    yield typeof piece === 'string' ? visibleLines(piece.replaceAll('\r\n', '\n')) : piece;
}

async function deliverParquet(
  answer: QueryResult,
  output: string | undefined,
  stdout: Output,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-'));
  try {
    const scratch = join(folder, 'answer.duckdb');
    if (output === undefined) {
      const file = join(folder, 'answer.parquet');
      await writeParquet(answer, file, scratch);
      await writeTo(stdout, bytesOf(file));
    } else {
      await writeFileWhole(output, (path) => writeParquet(answer, path, scratch));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Only a terminal limits the width, and only a terminal with colour support gets colours. */
export function drawingFor(stdout: Output): Drawing {
  return stdout.isTTY === true
    ? { width: stdout.columns, color: stdout.hasColors?.() === true }
    : { color: false };
}

async function* tableText(
  { columns, chunks }: QueryResult,
  names: readonly string[],
  { limit, word = (_, text) => text }: Pick<Delivery, 'limit' | 'word'>,
  drawing: Drawing,
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

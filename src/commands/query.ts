/** `dawnload query`: runs a query of the catalogue, or any SQL, on the published warehouse. */
import { createWriteStream } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Language } from '../warehouse/dictionary.js';
import { EXIT, UsageError, type ExitCode } from '../ground/errors.js';
import type { Invocation } from '../config/invocation.js';
import {
  describeQuery,
  isNamed,
  loadCatalogue,
  newQuery,
  type QueryFile,
  queryNamed,
  questionOf,
  searchQuestions,
  wordsOf,
} from '../readers/queries/catalogue.js';
import { SUBJECTS, WORDS } from '../readers/explore/words.js';
import { offered, recorded } from '../readers/queries/access.js';
import { deliver } from '../readers/queries/child.js';
import type { Delivery } from '../readers/queries/deliver.js';
import { FORMATS, type Format } from '../readers/queries/formats.js';
import { outsideOf, writeFileWhole, writeTo } from '../readers/queries/output.js';
import { filled } from '../readers/queries/sentences.js';
import { Wording } from '../readers/queries/wording.js';
import { SHEET_ROWS } from '../readers/queries/xlsx.js';
import { dataFiles } from '../disk/paths.js';
import { wrapLine } from '../terminal/text.js';
import { formatCount, plural } from '../terminal/terminal.js';
import type { Options } from './shared.js';

export interface QueryOptions extends Options<'sql' | 'file' | 'new' | 'format' | 'output', 'bom'> {
  readonly name?: string | undefined;
  readonly param?: readonly string[] | undefined;
  readonly lang?: Language;
}

/** Maximum number of rows in a table, which is laid out in memory. */
const LIMIT = 1000;

/**
 * Lists the queries, or runs one of them or other SQL. The answer goes to stdout or a file.
 *
 * @throws UsageError for an invalid name, parameter, option or query
 * @throws StorageError if the warehouse cannot be opened or the output cannot be written
 */
export async function queryCommand(
  options: QueryOptions,
  invocation: Invocation,
  stdout: Output = process.stdout,
): Promise<ExitCode> {
  try {
    return await listOrAnswer(options, invocation, stdout);
  } catch (error) {
    throw new Wording(options.lang ?? 'en').error(error);
  }
}

async function listOrAnswer(
  options: QueryOptions,
  invocation: Invocation,
  stdout: Output,
): Promise<ExitCode> {
  const { signal, terminal } = invocation;
  const format = formatOf(options, stdout);
  const config = invocation.loadConfig();
  const { dataDir, mcp, queries } = config;
  const lang = options.lang ?? 'en';
  // An unknown word starts a search. With a format, parameters or an output file it is a mistyped name instead.
  const isWord = [options.format, options.output, options.param, options.new].every(
    (option) => option === undefined,
  );
  const search = isWord && options.name !== undefined && !isNamed(options.name, queries) ? options.name : '';
  const spoken = /[가-힣]/.test(search) ? 'ko' : lang;
  // The folder may have invalid files, which matter to a search only.
  const found = search === '' ? undefined : searchQuestions(loadCatalogue(queries), search, spoken);
  if (found?.limit !== undefined) terminal.note(found.limit);
  if (found !== undefined && found.questions.length > 0) {
    const words = found.missing.join(', ');
    if (words !== '') terminal.note(filled(WORDS.partly[spoken], { words }, new Wording(spoken)));
    return listQueries(offered(found.questions, dataDir), format, spoken, invocation);
  }
  if (found?.limit !== undefined) return EXIT.done;
  const question = questionOf({ ...options, queries }, invocation.effects.now());
  if (question === undefined)
    return listQueries(offered(loadCatalogue(queries), dataDir), format, lang, invocation);
  const write = options.new === undefined ? undefined : newQuery(options.new, question, queries);

  const output = options.output === undefined ? undefined : outsideOf(config, resolve(options.output));
  const { name, sql, file, param } = options;
  const how: Omit<Delivery, 'scratch'> = {
    format,
    lang,
    limit: LIMIT,
    // Without the byte order mark, Excel reads CSV in the machine's code page.
    bom: options.bom ?? (lang === 'ko' && format === 'csv' && output !== undefined),
    isTerminal: output === undefined && stdout.isTTY === true,
    drawing: output === undefined ? { width: terminal.width, color: terminal.color } : { color: false },
  };
  const asking = { name, queries, sql, file, param, lang: options.lang };
  const now = invocation.effects.now();
  const isRecorded = await recorded([question], dataDir, now);
  const print = (sentences: readonly string[]): void => {
    for (const sentence of sentences) terminal.note(sentence);
  };
  const answerTo = async (read: (answer: Readable) => Promise<void>): Promise<void> => {
    const bounds = { signal, megabytes: mcp.memoryMegabytes, read, told: print };
    const rows = await deliver({ asking, now, isRecorded }, dataFiles(dataDir).published, how, bounds);
    terminal.note(closingLine(rows, format, lang, question.query, options.output));
  };
  if (output === undefined) await answerTo((answer) => writeTo(stdout, answer));
  else
    await writeFileWhole(output, (path) => answerTo((answer) => pipeline(answer, createWriteStream(path))));
  if (write !== undefined) terminal.note(write());
  return EXIT.done;
}

function closingLine(
  rows: number,
  format: Format,
  lang: Language,
  query?: QueryFile,
  output?: string,
): string {
  const most = { table: LIMIT, xlsx: SHEET_ROWS, csv: rows, json: rows, parquet: rows }[format];
  const isCut = rows > most;
  const [all, limit] = [rows, most].map(formatCount);
  const counted = { en: plural(rows, 'row'), ko: `${all}행` }[lang];
  const first = { en: `the first ${limit} of ${counted}`, ko: `${all}행 중 처음 ${limit}행` }[lang];
  const title = query && wordsOf(query, lang).title;
  const place = { en: ` in ${output}`, ko: ` (${output})` }[lang];
  const more = { en: '; --format csv gives all', ko: '. 전체는 --format csv로 볼 수 있습니다' }[lang];
  const line = `${isCut ? first : counted}${output === undefined ? '' : place}${isCut ? more : ''}`;
  return title === undefined ? line : `${title}: ${line}`;
}

/** The format: from `--format`, else from the extension of the output file, else a table. */
function formatOf(
  { format, output, name, param, sql, file, bom, new: kept }: QueryOptions,
  stdout: Output,
): Format {
  const ending = output === undefined ? '' : extname(output).slice(1).toLowerCase();
  const wanted = format ?? (ending === '' || ending === 'txt' ? 'table' : ending);
  const chosen = FORMATS.find((one) => one === wanted);
  if (chosen === undefined)
    throw new UsageError(`Unknown format: ${wanted}.`, {
      hint: `End the name of --output with .csv, .json, .parquet, .xlsx or .txt, or give --format (${FORMATS.join(', ')}).`,
    });
  const isBinary = chosen === 'parquet' || chosen === 'xlsx';
  if (isBinary && output === undefined && stdout.isTTY === true)
    throw new UsageError(`A terminal cannot show ${chosen === 'xlsx' ? 'a workbook' : 'Parquet'}.`, {
      hint: 'Name a file with --output, or redirect the answer to a program or a file.',
    });
  if (bom === true && chosen !== 'csv')
    throw new UsageError('Only CSV has a byte order mark.', { hint: 'Give --format csv with --bom.' });
  const isSql = sql !== undefined || file !== undefined;
  if (kept !== undefined && !isSql)
    throw new UsageError('The SQL to keep is missing.', { hint: 'Give --sql TEXT or -f FILE with --new.' });
  if (name === undefined && !isSql && (isBinary || output !== undefined || param !== undefined))
    throw new UsageError('The query is missing.', {
      hint: 'Name a query (`dawnload query` lists them), or give --sql or --file.',
    });
  return chosen;
}

export function describe(name: string, invocation: Invocation): ExitCode {
  const { terminal } = invocation;
  terminal.draw(describeQuery(queryNamed(name, invocation.loadConfig().queries), terminal.width));
  terminal.out('');
  terminal.out('The formats of an answer, and all other options: `dawnload query --help`.');
  return EXIT.done;
}

function listQueries(
  catalogue: readonly QueryFile[],
  format: Format,
  lang: Language,
  { terminal }: Invocation,
): ExitCode {
  const width = Math.max(...catalogue.map(({ name }) => name.length));
  const lines = catalogue.map((query, i) => {
    const { name, subject } = query;
    const named = lang === 'ko' ? (SUBJECTS[subject] ?? subject) : subject;
    const head = subject === catalogue[i - 1]?.subject ? '' : `${named}\n`;
    return `${head}${wrapLine(`  ${name.padEnd(width)}  ${wordsOf(query, lang).question}`, terminal.width)}`;
  });
  terminal.draw(format === 'json' ? JSON.stringify(catalogue, null, 2) : lines.join('\n'));
  if (format !== 'json')
    terminal.note(
      {
        en: '`dawnload query NAME` runs one of them, and `dawnload query NAME --help` shows its parameters.',
        ko: '`dawnload query NAME --lang ko`로 조회합니다. `dawnload query NAME --help`로 파라미터를 확인하세요.',
      }[lang],
    );
  return EXIT.done;
}

/** Standard output; tests replace it. */
export type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY'>>;

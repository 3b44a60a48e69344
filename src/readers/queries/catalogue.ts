/**
 * The queries for analysts: bundled ones in sql/queries, and those in the user's folder (`queries` in the settings). Each has a header that
 * describes its answer. Also finds the question that a command line names: one of these, SQL, or a file of SQL.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, UsageError } from '../../ground/errors.js';
import { textGiven, whyUnread } from '../../config/files.js';
import { cut, didYouMean } from '../../ground/text.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import { Dictionary, type Language } from '../../warehouse/dictionary.js';
import { headerOf } from '../../warehouse/session.js';
import { isDay } from '../../ground/calendar.js';
import { wrapLine } from '../../terminal/text.js';
import { rank, saysNothing } from './search.js';
import { parseSentences, type Sentence } from './sentences.js';

/** The subjects under which queries are listed, in this order. */
const SUBJECTS = [
  ...['your own', 'overview', 'campaigns', 'journeys', 'people', 'times', 'contents', 'failures'],
  ...['conversions and costs', 'opt-outs', 'the data'],
];

const TYPES = ['date', 'timestamptz', 'varchar', 'bigint'] as const;

interface QueryParameter {
  readonly name: string;
  readonly type: (typeof TYPES)[number];
  /** The default value as an SQL expression. In a bundled query, exactly as in the SQL. */
  readonly default: string;
  readonly choices: readonly string[];
  readonly least: number;
  readonly description: string;
}

const CHARTS = ['line', 'bar', 'interval', 'heatmap', 'tiles'] as const;

export interface Chart {
  readonly kind: (typeof CHARTS)[number];
  readonly columns: readonly string[];
  /** The column whose values are the series of a line chart, or the small print of other charts. */
  readonly by?: string | undefined;
}

export interface QueryFile {
  /** The name of the file without its extension, such as `channel-summary`. */
  readonly name: string;
  readonly subject: string;
  readonly title: string;
  /** The Korean title; empty if a query of the user's has none. */
  readonly title_ko: string;
  readonly question: string;
  /** The Korean question; empty if a query of the user's has none. */
  readonly question_ko: string;
  /** Search terms in both languages. */
  readonly words: string;
  readonly params: readonly QueryParameter[];
  /** True if each use is recorded, because the query shows one person's messages. */
  readonly isRecorded: boolean;
  readonly sentences: readonly Sentence[];
  /** The text of the complete file, which runs unchanged in any DuckDB client. */
  readonly sql: string;
  /** Ways to draw the answer. The first chart with enough values is used. */
  readonly charts: readonly Chart[];
  /** The columns that a narrow table shows, in this order. If empty, the first ones. */
  readonly first: readonly string[];
}

/** Title and question in one language. */
export const wordsOf = (
  query: QueryFile,
  language: Language,
): Readonly<Record<'title' | 'question', string>> =>
  language === 'ko'
    ? { title: query.title_ko, question: query.question_ko }
    : { title: query.title, question: query.question };

/** The column with the values of each day. Tiles draw it; tables leave it out. */
export const FOR_TILES = 'daily_values';

/** If an answer has more columns than this, tables show only the first ones. */
const MOST_COLUMNS = 10;
const FIRST_COLUMNS = 8;

/** The columns that a table shows. All of them for a narrow answer and for free SQL. */
export function firstOf(columns: readonly string[], query: QueryFile | undefined): readonly string[] {
  if (query === undefined) return columns;
  // People read ids; the hash of a person is for joins.
  const read = columns.includes('user_id') ? columns.filter((name) => name !== 'person') : columns;
  if (read.length <= MOST_COLUMNS) return read;
  const chosen = query.first.filter((name) => columns.includes(name));
  return chosen.length > 0 ? chosen : read.slice(0, FIRST_COLUMNS);
}

const FOLDER = join(PACKAGE_ROOT, 'sql', 'queries');
/** Sentences shared by several bundled queries, by name. */
const SHARED = headerOf(readFileSync(join(PACKAGE_ROOT, 'sql', 'sentences.sql'), 'utf8'));

/** Cached, because a server needs the parsed queries for each view, and the files of this package do not change. */
const bundled = new Map<string, QueryFile>();

/**
 * The bundled queries and those in the user's folder, sorted by subject and name.
 *
 * @throws UsageError for a file in the user's folder with an incomplete header
 */
export function loadCatalogue(own?: string): readonly QueryFile[] {
  const queries = [...filesOf(own)].map(([name, file]) => {
    const known = file.startsWith(FOLDER) ? bundled.get(name) : undefined;
    const query = known ?? parseQuery(name, file, readSql(file));
    if (file.startsWith(FOLDER)) bundled.set(name, query);
    return query;
  });
  const rank = ({ subject }: QueryFile): number => SUBJECTS.indexOf(subject);
  return queries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

export const isBundled = (name: string): boolean => existsSync(join(FOLDER, `${name}.sql`));

/**
 * Returns the query of this name, bundled or from the user's folder.
 *
 * @throws UsageError that names a similar query
 */
export function queryNamed(name: string, own?: string): QueryFile {
  const files = filesOf(own);
  const file = files.get(name);
  if (file !== undefined) return parseQuery(name, file, readSql(file));
  const inOwn = own && join(own, `${name}.sql`);
  if (inOwn && existsSync(inOwn)) readSql(inOwn);
  throw new UsageError(`Unknown query: ${name}.`, {
    hint:
      inOwn && existsSync(inOwn)
        ? `${inOwn} has no header with a title, as docs/queries.md shows one. \`dawnload query -f ${inOwn}\` runs it without one.`
        : `${didYouMean(name, [...files.keys()])}\`dawnload query\` lists them. Use --sql or --file for other SQL.`,
  });
}

/** True for the name of a bundled query or of a file in the user's folder, even if that is invalid. */
export const isNamed = (name: string, own?: string): boolean =>
  isBundled(name) || (own !== undefined && existsSync(join(own, `${name}.sql`)));

/** What a search leads to. */
export interface Found {
  /** The questions that answer it, best first; at most five, or all if the search has no word to look for. */
  readonly questions: readonly QueryFile[];
  /** Why the data cannot answer it, and what to do instead; undefined if no limit matches better than the questions. */
  readonly limit: string | undefined;
  /** The words that the first result lacks, as they were typed; empty if it has most of the words. */
  readonly missing: readonly string[];
}

const MOST_FOUND = 5;

/** Questions that match this much worse than the best result are left out. */
const NEAR = 0.2;

/** A limit is also shown if it matches a little worse than the best question, or if the search has one of its phrases. */
const NEAR_LIMIT = 0.85;

/** Searches the questions and the limits of the data together, so that the better one comes first. */
export function searchQuestions(catalogue: readonly QueryFile[], search: string, language: Language): Found {
  if (saysNothing(search)) return { questions: catalogue, limit: undefined, missing: [] };
  const dictionary = Dictionary.load();
  const channels = Object.keys(dictionary.of('values')['channel'] ?? {})
    .flatMap((channel) => dictionary.namesOf('channel', channel))
    .join('\n');
  const ofQuery = (query: QueryFile): string[] => {
    const { name, title, title_ko: korean, question, question_ko: asked, words, params } = query;
    const taken = params.map((one) => (one.name === 'channel' ? channels : one.name));
    return [name, words, `${title}\n${korean}`, `${question}\n${asked}`, taken.join('\n')];
  };
  const sources = [
    ...catalogue.map((query) => ({
      query,
      limit: undefined,
      texts: ofQuery(query),
      phrases: [query.name, query.title, query.title_ko, ...query.words.split(', ')],
    })),
    ...dictionary.of('limits').map((limit) => ({
      query: undefined,
      limit: limit[language],
      texts: ['', limit.words, limit.question],
      phrases: [limit.question, ...limit.words.split(', ')],
    })),
  ];
  const hits = rank(
    sources,
    search,
    ({ texts }) => texts,
    ({ phrases }) => phrases,
  );
  const best = hits[0]?.score ?? 0;
  const near = hits.filter(({ score }) => score >= best * NEAR);
  const questions = near.flatMap(({ item }) => item.query ?? []).slice(0, MOST_FOUND);
  const first = hits.find(({ item }) => item.query !== undefined)?.score ?? 0;
  const limit = hits.find(
    ({ item, score, isNamed }) => item.limit !== undefined && (isNamed || score >= first * NEAR_LIMIT),
  );
  const missing = hits[0]?.missing ?? [];
  const isFar = missing.length >= search.trim().split(/\s+/).length / 4;
  if (hits.length > 0) return { questions, limit: limit?.item.limit, missing: isFar ? missing : [] };
  // A name of a table or a column is only in the SQL.
  const inSql = rank(catalogue, search, ({ sql }) => [withoutComments(sql)]);
  return { questions: inSql.map(({ item }) => item).slice(0, MOST_FOUND), limit: undefined, missing: [] };
}

/** The files by query name. A query in the user's folder cannot replace a bundled one, because each number has one definition. */
function filesOf(own: string | undefined): ReadonlyMap<string, string> {
  const files = new Map(filesIn(FOLDER));
  for (const [name, file] of own !== undefined && existsSync(own) ? filesIn(own) : []) {
    // The folder may have other SQL, such as the files of pushes.
    const isRead = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    if (!isRead || !('title' in headerOf(readSql(file)))) continue;
    if (files.has(name))
      throw new UsageError(`${file} has the name of a bundled query.`, { hint: 'Give it another name.' });
    files.set(name, file);
  }
  return files;
}

function filesIn(folder: string): (readonly [name: string, file: string])[] {
  const files = namesIn(folder).filter((file) => file.endsWith('.sql'));
  return files.map((file) => [file.slice(0, -'.sql'.length), join(folder, file)]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new ConfigError(`The folder ${folder} cannot be read (${whyUnread(cause)}).`, {
      hint: 'Correct `queries` in dawnload.yaml, or let this account read that folder.',
      cause,
    });
  }
}

const NEW_NAME = /^[a-z0-9가-힣]+(-[a-z0-9가-힣]+)*$/;
/** Maximum length of a name in characters: a file name has at most 255 bytes, and a Korean letter three. */
const LONGEST_NAME = 80;

/** Makes the name of a new query from its title: `재구매 고객 (VIP)` becomes `재구매-고객-vip`. */
export const nameOfTitle = (title: string): string =>
  cut(
    title
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^a-z0-9가-힣]+/g, '-'),
    LONGEST_NAME,
  ).replaceAll(/^-|-$/g, '');

/**
 * Prepares a file with a header in the user's folder. The header lists the parameters that the SQL reads.
 *
 * @returns a function that writes the file and returns a sentence about it
 * @throws UsageError, ConfigError if the file cannot be created
 */
export function newQuery(
  name: string,
  { sql }: { sql: string },
  own: string | undefined,
  said: Readonly<Partial<Record<'title' | 'question' | 'chart', string>>> = {},
): () => string {
  if (own === undefined)
    throw new ConfigError('The folder for new queries is not set.', {
      hint: 'Add `queries: ./queries` to dawnload.yaml.',
    });
  const file = join(own, `${name}.sql`);
  if (
    !NEW_NAME.test(name) ||
    name !== name.normalize('NFC') ||
    name.length > LONGEST_NAME ||
    existsSync(file) ||
    filesOf(own).has(name)
  )
    throw new UsageError(`"${name}" cannot be the name of a new query.`, {
      hint: 'Use small letters (also Korean ones), digits and hyphens, and a name that no query has.',
    });
  const read = [...sql.matchAll(/(?:getvariable|marts\.matches|marts\.choice)\('(\w+)'/g)].flatMap(
    ([, one = '']) => one,
  );
  const params = [...new Set([...(sql.includes('marts.period(') ? ['start', 'end'] : []), ...read])].map(
    (one) =>
      `\n--   ${one} (${/^(start|end)$/.test(one) ? 'date' : 'varchar'}, default null): what it chooses`,
  );
  const line = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const title = line(said.title ?? '') || name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  const question = line(said.question ?? '') || 'What does it answer?';
  const chart = line(said.chart ?? '') === '' ? '' : `-- chart: ${line(said.chart ?? '')}\n`;
  const made = `-- title: ${title}\n-- question: ${question}\n${chart}-- params:${params.join('') || ' none'}\n\n`;
  const text = `${sql.startsWith('-- title:') ? '' : made}${sql.trim().replace(/;?$/, ';')}\n`;
  parseQuery(name, `the new query ${name}`, text);
  return () => {
    mkdirSync(own, { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
    return `${file} is written. Edit its title and question there; \`dawnload query ${name}\` runs it.`;
  };
}

/**
 * Parses the header. Its fields: `title`, `title_ko`, `subject`, `question`, `question_ko`, `words`, `access`, `chart`, `first`, `params`
 * (`none`, or indented lines), `sentences`, `given` (common table expressions for the sentences), and `also` (names of shared sentences).
 */
function parseQuery(name: string, file: string, sql: string): QueryFile {
  const header = headerOf(sql);
  const field = (key: string): string => {
    const [text = ''] = header[key] ?? [];
    if (text === '') throw unreadable(file, key);
    return text;
  };
  const params = field('params') === 'none' ? [] : (header['params'] ?? []);
  return {
    name,
    subject: SUBJECTS.find((subject) => subject === header['subject']?.[0]) ?? 'your own',
    title: field('title'),
    title_ko: header['title_ko']?.[0] ?? field('title'),
    question: field('question'),
    question_ko: header['question_ko']?.[0] ?? field('question'),
    words: header['words']?.[0] ?? '',
    isRecorded: header['access']?.[0] === 'recorded',
    params: withDays(
      params.map((line) => parseParameter(file, line)),
      sql,
    ),
    sentences: [
      ...parseSentences(file, header['sentences'] ?? [], header['given']),
      ...(header['also']?.[0]?.split(' ') ?? []).flatMap((shared) =>
        parseSentences(file, SHARED[shared] ?? []),
      ),
    ],
    sql,
    charts: parseCharts(file, header['chart']?.[0]),
    first: header['first']?.[0]?.split(' ') ?? [],
  };
}

function parseCharts(file: string, text?: string): Chart[] {
  return (text?.split(',') ?? []).map((one) => {
    const [, word, columns = '', by] = /^\s*(\w+)((?: \S+)*?)(?: by (\S+))?\s*$/.exec(one) ?? [];
    const kind = CHARTS.find((known) => known === word);
    if (kind === undefined) throw unreadable(file, `chart (${one.trim()})`);
    return { kind, columns: columns.trim().split(' '), by };
  });
}

/** Matches `start (date, default last_date - 27): first KST day`. `, one of a b` or `, from 0` may follow the default. */
const PARAMETER = /^(\w+) \((\w+), default (.+?)(?:, one of ([^)]+)|, from (\d+))?\): (.+)$/;

function parseParameter(file: string, line: string): QueryParameter {
  const [, name = '', typeName, fallback = '', choices, least = '1', description = ''] =
    PARAMETER.exec(line) ?? [];
  const type = TYPES.find((known) => known === typeName);
  if (type === undefined) throw unreadable(file, `params (${line})`);
  return {
    name,
    type,
    default: fallback,
    choices: choices?.split(' ') ?? [],
    least: Number(least),
    description,
  };
}

/** Adds the parameter `days` to a query that has `start` and uses it for its period. */
function withDays(params: readonly QueryParameter[], sql: string): readonly QueryParameter[] {
  const start = params.find(({ name, type }) => name === 'start' && type === 'date');
  const isPeriod = sql.includes('marts.period(') || sql.includes('marts.days_asked(');
  if (start === undefined || !isPeriod || params.some(({ name }) => name === 'days')) return params;
  const [, back] = /^last_date - (\d+)$/.exec(start.default) ?? [];
  const usual = back === undefined ? 'all' : String(Number(back) + 1);
  const description = 'number of KST days up to end, in place of start';
  const days: QueryParameter = {
    name: 'days',
    type: 'bigint',
    default: usual,
    choices: [],
    least: 1,
    description,
  };
  return params.toSpliced(params.indexOf(start) + 1, 0, days);
}

function unreadable(file: string, field: string): UsageError {
  return new UsageError(`The header of ${file} has no readable ${field}.`, {
    hint: 'Compare it with the headers in sql/queries, which docs/queries.md describes.',
  });
}

export type ParameterValues = ReadonlyMap<string, string>;

/**
 * Parses texts of the form `name=value`.
 *
 * @throws UsageError for a text without `=`, or a repeated name
 */
function parseAssignments(texts: readonly string[]): ParameterValues {
  const values = new Map<string, string>();
  for (const text of texts) {
    const [, name, value = ''] = /^\s*(\w+)\s*=(.*)$/s.exec(text) ?? [];
    if (name === undefined)
      throw new UsageError(`"${text}" is not a parameter.`, {
        hint: 'Write name=value, such as start=2026-11-01.',
      });
    if (values.has(name))
      throw new UsageError(`The parameter ${name} is given twice.`, { hint: 'Give it once.' });
    values.set(name, value);
  }
  return values;
}

/**
 * Returns the parameter values of a query: the given ones, the present and the language if it takes them, and the defaults of a query of
 * the user's.
 *
 * @param now the present by the command's clock, which a rehearsal may have moved
 * @throws UsageError if a value does not fit; it lists the parameters or describes the expected value
 */
function valuesFor(
  { name: query, params, sql }: QueryFile,
  given: ParameterValues,
  now: Date,
  lang?: string,
): ParameterValues {
  const takes = `It takes ${params.map(({ name, type }) => `${name} (${type})`).join(', ')}.`;
  for (const [name, value] of given) {
    const parameter = params.find((known) => known.name === name);
    if (params.length === 0)
      throw new UsageError(`The query ${query} takes no parameters.`, { hint: 'Leave the parameters out.' });
    if (parameter === undefined) {
      const near = didYouMean(
        name,
        params.map((known) => known.name),
      );
      throw new UsageError(`The query ${query} has no parameter ${name}.`, { hint: `${near}${takes}` });
    }
    const wanted = mismatch(parameter, value);
    if (wanted !== undefined)
      throw new UsageError(`The parameter ${name} must be ${wanted}, not "${value}".`, {
        hint: takes.replace('It', `The query ${query}`),
      });
  }
  const [start = '', end = '9999-12-31'] = [given.get('start'), given.get('end')];
  // ISO days sort like their texts.
  if (start > end)
    throw new UsageError(`The parameter start (${start}) must not be after end (${end}).`, {
      hint: 'Swap the two.',
    });
  const isOfPeriod = !sql.includes("getvariable('days')");
  if (given.has('start') && given.has('days') && isOfPeriod)
    throw new UsageError('The parameters start and days exclude each other.', {
      hint: 'Give start and end, or days and end.',
    });
  const present = { now: now.toISOString(), ...(lang !== undefined && { lang }) };
  const own = Object.entries(present).filter(([name]) => params.some((parameter) => parameter.name === name));
  // Each call of marts.period may have its own usual number of days. Given days replace the default of `start`.
  const without = isOfPeriod ? ['days', ...(given.has('days') ? ['start'] : [])] : [];
  const literal = isBundled(query) ? [] : params.filter(({ name }) => !without.includes(name));
  return new Map([...literal.flatMap(literalDefault), ...own, ...given]);
}

/** The default of a parameter in a user's own query, if it is a literal of its type. Any other default is computed by the SQL itself. */
function literalDefault({ name, type, choices, default: text }: QueryParameter): [string, string][] {
  const [, quoted] = /^'(.*)'$/.exec(text) ?? [];
  const value = quoted?.replaceAll("''", "'") ?? text;
  const isLiteral = quoted !== undefined || type !== 'varchar' || choices.includes(text);
  return isLiteral && CHECKS[type][1](value) ? [[name, value]] : [];
}

/** Maximum whole number, as for counters: up to here, JSON readers can tell neighboring numbers apart. */
const MOST = 1_000_000_000_000_000;

const CHECKS: Record<QueryParameter['type'], readonly [what: string, fits: (text: string) => boolean]> = {
  date: ['a day that exists, such as 2026-11-01', isDay],
  timestamptz: [
    'an instant with its zone, such as 2026-11-21T07:00:00+09:00',
    // A zone is required, because without one the answer would depend on the client's time zone.
    (text) => /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  ],
  varchar: ['a text that is not empty', (text) => text.trim() !== ''],
  bigint: [`a whole number up to ${MOST}`, (text) => /^-?\d{1,16}$/.test(text) && Number(text) <= MOST],
};

/** Describes the valid values if the value is not valid; otherwise undefined. */
function mismatch({ type, choices, least }: QueryParameter, value: string): string | undefined {
  const [what, fits] = CHECKS[type];
  if (!fits(value)) return what;
  if (type === 'bigint' && Number(value) < least) return `a whole number from ${least} to ${MOST}`;
  return choices.length > 0 && !choices.includes(value) ? `one of ${choices.join(', ')}` : undefined;
}

/**
 * Describes a query and its parameters.
 *
 * @param width the width of the terminal in columns
 */
export function describeQuery(query: QueryFile, width?: number, lang: Language = 'en'): string {
  const { name, params } = query;
  const { title, question } = wordsOf(query, lang);
  const parameters = params.flatMap(({ name: parameter, type, default: fallback, choices, description }) => [
    `  ${parameter}=${choices.length > 0 ? choices.join(' | ') : type}`,
    `      ${description} (default: ${fallback})`,
  ]);
  const taken = params.length === 0 ? 'It takes no parameters.' : 'Parameters:';
  const lines = [`${name}: ${title}`, question, '', taken, ...parameters];
  return lines.map((line) => wrapLine(line, width)).join('\n');
}

const optional = z.string().optional();

export const asking = z.object({
  name: optional,
  sql: optional,
  file: optional,
  queries: optional,
  param: z.array(z.string()).readonly().optional(),
  lang: optional,
});

export type Asking = Readonly<z.infer<typeof asking>>;

export interface Question {
  readonly sql: string;
  readonly values: ParameterValues;
  /** The subject of sentences in errors. */
  readonly subject: string;
  /** The query of the catalogue; undefined for free SQL. */
  readonly query?: QueryFile;
}

/** The question that the options name; undefined if they name none. */
export function questionOf(options: Asking, now: Date): Question | undefined {
  const { name, sql, file, param = [] } = options;
  if ([name, sql, file].filter((given) => given !== undefined).length > 1) {
    throw new UsageError('The name of a query, --sql and --file cannot be combined.', {
      hint: 'Give one of them. `dawnload query` lists the queries.',
    });
  }
  const values = parseAssignments(param);
  if (sql !== undefined) return { sql, values, subject: 'The query' };
  if (file !== undefined) return { sql: readSql(file), values, subject: file };
  return name === undefined ? undefined : questionNamed(name, options, now);
}

export function questionNamed(
  name: string,
  { queries, param = [], lang }: Pick<Asking, 'queries' | 'param' | 'lang'>,
  now: Date,
): Question {
  const query = queryNamed(name, queries);
  const values = valuesFor(query, parseAssignments(param), now, lang);
  return { sql: query.sql, values, subject: `The query ${name}`, query };
}

/** Reads a file of SQL, which an editor may have saved with a byte order mark and other line ends. */
function readSql(file: string): string {
  if (file === '-')
    throw new UsageError('SQL is not read from standard input.', {
      hint: 'Name a file, or give the text: `--sql "$(cat)"`.',
    });
  const text = textGiven(file, 'Name a file of SQL that this account may read.');
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

export function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
}

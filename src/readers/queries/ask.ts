/**
 * Runs a question on the published file: sets its parameters as session variables, runs preparing statements, and returns the answer. Also
 * finds the question's streams and days that the file lacks.
 */
import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api';
import { z } from 'zod';
import { CorruptDatabaseError, DawnloadError, messageOf, UsageError } from '../../ground/errors.js';
import { dayCount, daysOf, isDay, listDays, type Day, type DayRange } from '../../ground/calendar.js';
import type { StreamName } from '../../ground/streams.js';
import { DAY_STREAMS, STREAM_NAMES, TABLES } from '../../streams/index.js';
import { nearWords, plain, shownText } from '../../ground/text.js';
import { answerOf, type QueryResult } from './formats.js';
import {
  isBundled,
  type ParameterValues,
  type QueryFile,
  type Question,
  withoutComments,
} from './catalogue.js';
import { tellsOfDamage } from '../../disk/duckdb.js';
import { streamDay, type Reader } from '../../warehouse/reader.js';
import { Dictionary, type Language } from '../../warehouse/dictionary.js';
import { readCheck } from '../../warehouse/checks.js';
import { isIncremental, mentions, models } from '../../warehouse/models.js';
import { quoted, selectIn, statementsIn } from '../../warehouse/session.js';
import { filled, rowsOf, saidOf, type Said } from './sentences.js';
import { Wording, type Row } from './wording.js';
import duckdb = require('@duckdb/node-api');

/**
 * Runs all statements and returns the answer of the last one. Earlier statements prepare it.
 *
 * @param language the language of the sentences about the answer; undefined for none
 * @param by the order of the rows; an answer of several statements keeps its own order
 * @param isExplained true to explain an empty answer, which requires running the question again
 * @throws UsageError if a statement does more than read, or DuckDB cannot run it
 */
export async function ask(
  reader: Reader,
  question: Question,
  language?: Language,
  by?: Sorting,
  isExplained = true,
): Promise<Answer> {
  const { sql, subject, query } = question;
  if (/^[\s;]*$/.test(withoutComments(sql))) {
    throw new UsageError(`${subject} has no statement.`, { hint: 'Write one, such as `from events`.' });
  }
  const { connection } = reader;
  let isOurs = query !== undefined && isBundled(query.name);
  try {
    const isSingle = (await connection.extractStatements(sql)).count === 1;
    if (!isOurs) {
      const [, verb = ''] = /^\s*(\w+)/.exec(withoutComments(sql)) ?? [];
      if (isSingle && WRITING.test(verb)) throw notReading(verb);
      await requireReadingFunctions(reader, sql, subject);
    }
    const values = await knownValues(question, reader);
    await setVariables(connection, values);
    const sentences = language === undefined ? [] : (query?.sentences ?? []);
    const isKept = sentences.length > 0 || (by !== undefined && isSingle);
    if (isKept) await keepAnswer(connection, sql);
    const wording = new Wording(language ?? 'en');
    const told = await saidOf(connection, sentences, wording);
    // Not ours if `by` is given, because the user names that column.
    isOurs &&= by === undefined;
    const result = await runAll(connection, isKept ? sortedSql(by) : sql, subject);
    const isEmpty = isKept && isExplained && result.rowCount === 0;
    const why = isEmpty
      ? await whyEmpty(reader, { ...question, values }, told.length > 0, wording)
      : undefined;
    const said = why === undefined ? told : [{ as: 'sentence' as const, row: {}, text: why }];
    return { ...answerOf(result), rows: result.rowCount, said, values };
  } catch (error) {
    throw sqlError(subject, error, isOurs);
  }
}

/** The column by which rows are sorted, and the direction. */
interface Sorting {
  readonly column: string;
  readonly isDown: boolean;
}

function sortedSql(by: Sorting | undefined): string {
  const first = by === undefined ? '' : `${quoted(by.column)} ${by.isDown ? 'desc' : 'asc'} nulls last, `;
  return `from answer order by ${first}rowid`;
}

const NOT_HELD = {
  en: '{stream} are not available for these days.',
  ko: '이 기간의 {stream} 데이터가 없습니다.',
};
const LEFT_OUT = { en: 'Nothing was found with {chosen}.', ko: '조건({chosen})에 맞는 데이터가 없습니다.' };

/** The note for an empty answer. It replaces the question's own sentences, because they assume that its days are available. */
async function whyEmpty(
  reader: Reader,
  { sql, query, values }: Question,
  isTold: boolean,
  wording: Wording,
): Promise<string | undefined> {
  const stream = query && (await streamNotHeld(reader, query, isTold));
  if (stream !== undefined) return filled(wording.say(NOT_HELD), { stream }, wording);
  const choosing = [...values].filter(
    ([name]) => LOOKED_UP.includes(name) || sql.includes(`marts.matches('${name}'`),
  );
  for (const [name] of choosing) await reader.connection.run(`reset variable "${name}"`);
  const others = choosing.length === 0 ? [] : await reader.objects(`from (${selectIn(sql)}) limit 1`);
  if (others.length === 0) return undefined;
  const pairs = [];
  for (const [parameter, value] of choosing) {
    const known = await reader.rows('ask/known', knownValue, { parameter });
    const name = known.find((one) => one.value === value)?.name;
    pairs.push(`${parameter}=${name ?? value}`);
  }
  return filled(wording.say(LEFT_OUT), { chosen: pairs.join(', ') }, wording);
}

/** Stores the answer of a bundled query in the temporary table that its sentences read. */
async function keepAnswer(connection: DuckDBConnection, sql: string): Promise<void> {
  // The statement starts on the line of `create`, so that line numbers in errors match the file.
  await connection.run(`create or replace temp table answer as ${sql}`);
}

/**
 * Answers a bundled query, in a session of its own, so that queries do not share variables.
 *
 * @throws DawnloadError; the hint says if another version wrote the published file
 */
export async function answerAndSentences(
  reader: Reader,
  { sql, values, query }: Question,
  wording: Wording,
  isSilent = false,
): Promise<{ readonly rows: readonly Row[]; readonly said: readonly Said[] }> {
  const session = await reader.beside();
  try {
    await setVariables(session.connection, values);
    await keepAnswer(session.connection, sql);
    const sentences = isSilent ? [] : (query?.sentences ?? []);
    const [rows = []] = await rowsOf(session.connection, ['from answer']);
    return { rows, said: await saidOf(session.connection, sentences, wording) };
  } catch (error) {
    throw sqlError(`The query ${query?.name ?? ''}`, error, true);
  } finally {
    await session.close();
  }
}

async function setVariables(connection: DuckDBConnection, values: ParameterValues): Promise<void> {
  for (const [name, value] of values) await connection.run(`set variable "${name}" = $value`, { value });
}

/** Runs the statements one by one, because `connection.run` would return the answer of the first one. */
async function runAll(
  connection: DuckDBConnection,
  sql: string,
  subject: string,
): Promise<DuckDBMaterializedResult> {
  const statements = await connection.extractStatements(sql);
  for (let i = 0; ; i++) {
    const prepared = await statements.prepare(i);
    const type = duckdb.StatementType[prepared.statementType];
    // `explain analyze` runs the statement it explains, so it is checked too.
    const isLast = i === statements.count - 1;
    if (!READING.includes(type) || (isLast && type !== 'SELECT')) throw notReading(type);
    if (!isLast && type === 'SELECT')
      throw new UsageError(`${subject} has several SELECT statements, and only one can return rows.`, {
        hint: ONE_SELECT,
      });
    // Not as a stream, because a stream that fails midway looks complete (node-api 1.5.5), and the answer would be truncated silently.
    if (isLast) return prepared.run();
    await prepared.run();
  }
}

interface Answer extends QueryResult {
  readonly rows: number;
  readonly said: readonly Said[];
  /** The parameters as the warehouse spells them. */
  readonly values: ParameterValues;
}

/** Statements that may read or prepare a question: variables, and temporary tables (DuckDB refuses others). */
const READING = ['SELECT', 'SET', 'TRANSACTION', 'CREATE', 'INSERT', 'UPDATE', 'DELETE', 'DROP'];

/** What DuckDB ignores between a function's name and its bracket: blanks, and comments to the end of the line. */
const SKIPPED = String.raw`(?:[\s\u200b-\u200d\u2060]|--[^\n\r]*(?:[\n\r]|$))*`;

/** Names of functions that may do more than read. Cached, because listing them takes longer than most questions. */
let acting: string | undefined;

/**
 * Rejects SQL that calls a function that may do more than read. A name, quoted or not, counts as called before a bracket or a
 * block comment.
 *
 * @throws UsageError
 */
async function requireReadingFunctions(reader: Reader, sql: string, subject: string): Promise<void> {
  if (acting === undefined) {
    const functions = await reader.rows('ask/acting_functions', z.object({ name: z.string() }));
    acting = functions.map(({ name }) => name).join('|');
  }
  const call = new RegExp(String.raw`\b(${acting})"?${SKIPPED}(?:\(|/\*)`, 'i');
  const [, found] = call.exec(sql) ?? [];
  if (found !== undefined)
    throw new UsageError(
      `${subject} calls ${found}, which can do more than read the published file, but only reading is allowed.`,
      { hint: 'Use a DuckDB client to read other files beside the published one.' },
    );
}

const ONE_SELECT = 'End with one select. Only `set variable` and temporary tables may come before it.';

/** First words of statements that write. They are refused before DuckDB finds another mistake in them. */
const WRITING = /^(insert|update|delete|truncate|merge|create|drop|alter|copy|export|import)$/i;

function notReading(found: string): UsageError {
  return new UsageError(
    `The published file is read-only: a query must be a SELECT, not ${found.toUpperCase()}.`,
    { hint: `${ONE_SELECT} --output writes the answer to a file.` },
  );
}

/** Matches `LINE 2:   from evnts` and the caret on the line below. DuckDB shortens long lines and starts them with `...`. */
const PLACE = /\n+LINE (\d+): (.*)(?:\n( *)\^)?/;

export class QueryError extends UsageError {
  constructor(
    message: string,
    options: ConstructorParameters<typeof UsageError>[1],
    /** The kind, column and place that a DuckDB error names. Its other text may have values. */
    readonly named: { readonly kind: string; readonly column: string | undefined; readonly place: string },
    /** True if the error is about the text of the query, so it has no values. */
    readonly isOfText: boolean,
  ) {
    super(message, options);
  }
}

const OF_THE_TEXT = /^(Binder|Catalog|Permission) Error|alues were not provided for/;

/**
 * Converts a failure to an error with a hint. Our own errors are returned unchanged.
 *
 * @param subject the subject of the sentence, such as `The query`
 * @param isOurs true for a bundled question, whose SQL fits the files of its own version
 */
function sqlError(subject: string, cause: unknown, isOurs: boolean): DawnloadError {
  if (cause instanceof DawnloadError) return cause;
  if (tellsOfDamage(cause)) return new CorruptDatabaseError('The published warehouse is damaged.', cause);
  // Shortened, because a message may quote a value of any length.
  const text = shownText(messageOf(cause), 10_000).replace(/^Failed to extract statements: /, '');
  const found = PLACE.exec(text);
  const [, line = '', shown = '', caret] = found ?? [];
  const [, written] = /Cannot execute statement of type "(\w+)"/.exec(text) ?? [];
  if (written !== undefined) return notReading(written);
  if (isOurs && /^(Binder|Catalog) Error/.test(text))
    return new UsageError(
      `${subject} does not fit the published file, which another version of dawnload may have written.`,
      {
        hint: '`dawnload run` or `dawnload rebuild` publishes the file again.',
        cause,
      },
    );
  // If DuckDB cut the beginning of the line, the position of the caret is not the column.
  const isColumn = caret !== undefined && !shown.startsWith('...');
  const column = isColumn ? `, column ${caret.length - `LINE ${line}: `.length + 1}` : '';
  const [said = text, ...advice] = text
    .slice(0, found?.index)
    .split(/\s*\n\s*/)
    .filter((part) => part !== '');
  // Leave out DuckDB's advice about memory settings, because they are locked here.
  const own = said.startsWith('Out of Memory Error') ? [] : advice;
  const hint = [...own, ...ADVICE.filter(([pattern]) => pattern.test(said)).map(([, more]) => more)].join(
    ' ',
  );
  const place = found === null ? '' : ` (line ${line}${column})`;
  const sentence = `${subject} cannot be run: ${said.replace(/[.!]+$/, '')}${place}.`;
  const options = {
    hint: hint === '' ? 'Correct it and try again.' : hint.replace(/([^.!?])$/, '$1.'),
    cause,
  };
  const kind = /[A-Z][A-Za-z ]* Error/.exec(said)?.[0] ?? 'an error';
  const named = { kind, column: /source column (\w+)/.exec(said)?.[1], place };
  return new QueryError(sentence, options, named, OF_THE_TEXT.test(said));
}

/** Hints for refusals that occur only because this command is read-only. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /file system operations are disabled|LocalFileSystem has been disabled|configuration has been locked|extensions is disabled/,
    'This command only reads the warehouse. --output writes the answer to a file; for anything else, open the warehouse in a DuckDB client.',
  ],
  [
    /Expected \d+ parameters|[Vv]alues were not provided for the following prepared statement parameters/,
    "Write getvariable('name') for the value of name=value.",
  ],
  [/^Out of Memory Error/, 'Request fewer days or columns, or raise mcp.memory_megabytes.'],
];

/** Parameters whose values are looked up in the warehouse, so that you may use other spellings, or names in place of ids. */
export const LOOKED_UP = ['channel', 'goal', 'campaign', 'holdout', 'journey', 'tag', 'template', 'number'];

export const knownValue = z.object({
  value: z.string(),
  name: z.string().nullable(),
  /** The channels of a campaign or user journey. */
  channels: z.array(z.string()),
});
export type Known = z.infer<typeof knownValue>;

/**
 * Converts the values of a question to the warehouse's spelling: `PUSH_NOTIFICATION` becomes `push-notification`, and a campaign's name
 * becomes its id.
 *
 * @throws UsageError for a value that matches nothing or several values; the hint names similar values, or all of them
 */
async function knownValues({ query, values }: Question, reader: Reader): Promise<ParameterValues> {
  const found = new Map(values);
  for (const [parameter, value] of values) {
    const taken = query?.params.find(({ name }) => name === parameter);
    if (!LOOKED_UP.includes(parameter) || taken === undefined || taken.choices.length > 0) continue;
    const known = await reader.rows('ask/known', knownValue, { parameter });
    // An empty warehouse has no values to compare with.
    if (known.length > 0) found.set(parameter, match(parameter, value, known));
  }
  return found;
}

function match(parameter: string, value: string, known: readonly Known[]): string {
  if (known.some((one) => one.value === value)) return value;
  const wanted = plain(value);
  const dictionary = Dictionary.load();
  // A channel may also be given by its name in the dictionary, which sentences use.
  const spelled = known.map((one) => {
    const texts = [...dictionary.namesOf(parameter, one.value), ...(one.name === null ? [] : [one.name])];
    return { ...one, texts: texts.map(plain) };
  });
  const alike = spelled.filter(({ texts }) => texts.includes(wanted)).map((one) => one.value);
  const [only, ...others] = [...new Set(alike)].sort();
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new UsageError(`${others.length + 1} ${parameter}s are called "${value}".`, {
      hint: `Give one of ${[only, ...others].join(', ')}.`,
    });
  const near = nearWords(wanted, [...new Set(spelled.flatMap(({ texts }) => texts))]);
  const shown = (some: readonly Known[]): string =>
    some.map(({ value: one, name }) => (name === null ? one : `${one} (${name})`)).join(', ');
  const nearest = spelled.filter(({ texts }) => texts.some((text) => near.includes(text)));
  const few = `Give one of ${shown(known)}.`;
  const many = `Give one of the ${known.length} that it has, such as ${shown(known.slice(0, 3))}.`;
  throw new UsageError(`The warehouse has no ${parameter} "${value}".`, {
    hint:
      nearest.length > 0
        ? `Did you mean ${shown(nearest.slice(0, 3))}?`
        : known.length > MOST_LISTED
          ? many
          : few,
  });
}

const MOST_LISTED = 12;

// The streams and days of a question, and which of them the file has.

const MOST_DAYS = 4_000;

/** Returns a sentence why the file cannot answer the question; undefined if it can. */
export async function missingFor(
  reader: Reader,
  question: Question,
  lastComplete: Day,
): Promise<string | undefined> {
  const holds = await heldIn(reader);
  if (!holds('statistics', lastComplete))
    return `The published file was not made by a run of ${lastComplete}, the last complete day.`;
  const { relations } = await relationsIn(reader, question.sql);
  return namedDays(question, relations, holds).notHeld;
}

type Holds = (stream: string, day: Day) => boolean;

/** Resolves with a function that returns true if the file has a day of a stream. */
export async function heldIn(reader: Reader): Promise<Holds> {
  const covered = await reader.rows('status/coverage', streamDay);
  const held = new Set(covered.map(({ stream, date }) => `${stream} ${date}`));
  return (stream, day) => held.has(`${stream} ${day}`);
}

/** The days from the first to the last one that a query names, and a sentence about days that the file lacks. */
export function namedDays(
  question: Pick<Question, 'sql' | 'values'>,
  relations: ReadonlySet<string>,
  holds: Holds,
): { asked?: DayRange; notHeld?: string } {
  const named = daysNamed(question);
  const [start, end] = [named.at(0), named.at(-1)];
  if (start === undefined || end === undefined) return {};
  const asked = { start, end };
  const behind = streamsOf(relations);
  const days = dayCount(asked) > MOST_DAYS ? named : daysOf(asked);
  // The query's own streams first, then the statistics, which always count. A snapshot covers one day; other days are not missing.
  const streams = DAY_STREAMS.toReversed().filter((name) => name === 'statistics' || behind.has(name));
  for (const stream of streams) {
    const missing = days.filter((day) => !holds(stream, day));
    if (missing.length === 0) continue;
    const which = missing.length === 1 ? 'that day' : 'these days';
    const notHeld = `The query names ${listDays(missing)}, but the published file has no ${stream} of ${which}.`;
    return { asked, notHeld };
  }
  return { asked };
}

/** The days in the text and parameters of a query, in order. */
function daysNamed({ sql, values }: Pick<Question, 'sql' | 'values'>): Day[] {
  const all = [withoutComments(sql), ...values].flatMap((one) =>
    typeof one === 'string' ? one : one[0] === 'now' ? [] : one[1],
  );
  const days = all.flatMap((one) => one.match(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g) ?? []);
  return [...new Set(days)].filter(isDay).sort();
}

/** Tables of single events and messages, which retention removes. Results computed from them stay. */
const EVENTS = /^(\w*message\w*|events|\w*emails)$/;
const readsEvents = (relations: ReadonlySet<string>): boolean =>
  [...relations].some((name) => EVENTS.test(name) || name === 'marts.event_people');

/** The streams behind tables: those loaded into them, and those from which models are computed. */
function streamsOf(relations: ReadonlySet<string>): Set<StreamName> {
  const computed = models()
    .filter(isIncremental)
    .filter(({ relation }) => relations.has(relation))
    .flatMap(({ incremental }) => incremental.streams);
  const loaded = TABLES.flatMap(([stream, form]) =>
    [...relations].some((name) => form.test(name)) ? [stream] : [],
  );
  return new Set([...computed, ...loaded]);
}

/** The tables that DuckDB's parser finds in a select; null for other statements. */
const parsed = z.tuple([z.object({ tables: z.array(z.string()).nullable(), is_sure: z.boolean() })]);

/** Words in other statements that may be tables. */
const AFTER_FROM = /\b(?:from|join|pivot|unpivot|describe|summarize)\s+([\w.]+)|\b(\w+\.\w+)\b/gi;

/**
 * The tables and views that SQL reads, and the tables behind these views. `isSure` is false for statements other than select, and if the
 * table's name comes from a value.
 */
export async function relationsIn(
  reader: Reader,
  sql: string,
): Promise<{ relations: ReadonlySet<string>; isSure: boolean }> {
  const known = new Set(Object.keys(Dictionary.load().of('relations')));
  const views = new Map(
    models().flatMap(({ relation, select, incremental }) =>
      incremental === undefined ? [[relation, select] as const] : [],
    ),
  );
  const relationOf = (name: string): string => {
    const bare = name
      .replace(/ AS .*/s, '')
      .replaceAll('"', '')
      .toLowerCase();
    const own = bare.replace(/^(warehouse\.)?(main\.)?/, '');
    // A mart's view in main counts as the mart.
    return views.has(own) && known.has(`marts.${own}`) ? `marts.${own}` : own;
  };
  const [{ tables, is_sure: isSure }] = parsed.parse(await reader.rows('ask/parsed', z.unknown(), { sql }));
  const words = withoutComments(sql).replaceAll('"', '').matchAll(AFTER_FROM);
  const named = (tables ?? Array.from(words, ([, ...found]) => found.join(''))).map(relationOf);
  const read = new Set(named);
  // The loop also visits tables that it adds. DuckDB expands macros, but not all views.
  for (const name of read) {
    const from = `from "${name.replace('.', '"."')}"`;
    const told = reader.connection.getTableNames(from, true).map(relationOf);
    const mentioned = [...known].filter((other) => mentions(views.get(name) ?? '', other));
    for (const other of [...told, ...mentioned]) read.add(other);
  }
  const isShown = (name: string): boolean => known.has(name) && (named.includes(name) || !views.has(name));
  return { relations: new Set([...read].filter(isShown)), isSure };
}

/** A sentence about days that retention has removed from tables that the SQL reads. */
export async function removedFrom(reader: Reader, sql: string, language: Language): Promise<string[]> {
  const isRead = readsEvents((await relationsIn(reader, sql)).relations);
  const removed = isRead ? await reader.rows('status/removed', streamDay.pick({ date: true })) : [];
  if (removed.length === 0) return [];
  const days = listDays(removed.map(({ date }) => date));
  return language === 'en'
    ? [`The events of ${days} were removed by retention and are not in these tables.`]
    : [`${days}의 이벤트는 보존 기간이 지나 삭제되어 이 표에 없습니다.`];
}

const period = z.tuple([z.object({ start: z.string(), end: z.string() })]);

/** The call of `marts.period` with which a bundled query chooses its days, and its stream. */
function periodIn({ sql, params }: QueryFile): { call: string; stream: string } | undefined {
  const [call, stream] = /marts\.period\('(\w+)'.*?\)/.exec(sql) ?? [];
  const hasStart = call?.includes('days :=') === true || params.some(({ name }) => name === 'start');
  return call === undefined || stream === undefined || !hasStart ? undefined : { call, stream };
}

/** The days of a bundled question, from its `marts.period`; undefined without a first day. */
export async function daysAsked(reader: Reader, query: QueryFile): Promise<DayRange | undefined> {
  const found = periodIn(query);
  if (found === undefined) return undefined;
  // The variables of the question are still set on this connection.
  const days = 'first_date::varchar as start, last_date::varchar as "end"';
  return period.safeParse(await reader.objects(`select ${days} from ${found.call}`)).data?.[0];
}

/**
 * Returns a stream of a bundled question for which the file has none of the requested days.
 *
 * @param isTold true if the question's own sentences report this already
 */
async function streamNotHeld(reader: Reader, query: QueryFile, isTold: boolean) {
  const stream = periodIn(query)?.stream;
  const covered = await reader.rows('status/coverage', streamDay);
  const held = covered.filter((day) => day.stream === stream);
  if (held.length === 0) return isTold ? undefined : stream;
  const asked = await daysAsked(reader, query);
  if (asked === undefined) return undefined;
  // A snapshot of opt-outs includes opt-outs of earlier days.
  const isHeld = held.some(({ date }) => date >= asked.start && (date <= asked.end || stream === 'opt_outs'));
  return isHeld ? undefined : stream;
}

const json = z.string().transform((text): unknown => JSON.parse(text));
const about = z.object({ coverage: json, findings: json, checks_with_findings: z.number() });

/** If the tables are unknown, all streams are included. */
export async function coverageOf(
  reader: Reader,
  tables: ReadonlySet<string>,
  isSure: boolean,
  range: DayRange | undefined,
) {
  const [found] = await reader.rows('agents/about', about, {
    streams: JSON.stringify(isSure ? [...streamsOf(tables)] : STREAM_NAMES),
    checks: JSON.stringify(
      statementsIn('checks').map((file) => {
        const { name, streams } = readCheck(file);
        return { name, streams: streams === 'all' ? STREAM_NAMES : streams };
      }),
    ),
    reads_events: !isSure || readsEvents(tables),
    first_day: range?.start ?? null,
    last_day: range?.end ?? null,
  });
  return found;
}

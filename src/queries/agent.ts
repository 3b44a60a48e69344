/**
 * Answers for agents: as many rows as the limits allow, and beside them what makes an answer trustworthy: the days that it
 * covers, the days that are missing, findings of checks about its tables, and what its columns mean.
 */
import { statSync } from 'node:fs';
import { z } from 'zod';
import { formatKst, type DayRange } from '../calendar.js';
import { Dictionary, type Language } from '../dictionary/dictionary.js';
import { UsageError } from '../errors.js';
import { readCheck } from '../warehouse/checks.js';
import { isIncremental, mentions, models } from '../warehouse/model.js';
import { Reader } from '../warehouse/reader.js';
import { statement, statementsIn } from '../warehouse/session.js';
import { ask, droppedIds, notCounted } from './ask.js';
import { loadCatalogue, type ParameterValues, type QueryFile } from './catalogue.js';
import { knownValues } from './known-values.js';
import { jsonText } from './sink.js';

export interface Limits {
  readonly rows: number;
  /** The length of a whole answer. */
  readonly characters: number;
  readonly seconds: number;
}

export interface AgentQuestion {
  readonly sql: string;
  readonly values: ParameterValues;
  /** The bundled query; undefined for free SQL. */
  readonly query?: QueryFile;
  readonly language: Language;
}

/**
 * Opens the published file for one call and closes it after, so that each call sees the newest night.
 *
 * @throws UsageError after the limit of seconds
 * @throws ConfigError, CorruptDatabaseError if there is no file, or a damaged one
 */
export async function withFile<T>(
  file: string,
  { seconds }: Limits,
  signal: AbortSignal,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const reader = await Reader.open(file);
  await reader.confine('without spilling');
  const done = (async () => {
    try {
      return await work(reader);
    } finally {
      await reader.close();
    }
  })();
  // A function of DuckDB may not notice that it is interrupted; its reader closes when it ends.
  done.catch(() => undefined);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const late = new Promise<never>((_, fail) => {
    limit.addEventListener('abort', () => {
      reader.connection.interrupt();
      const hint = 'Ask for fewer days, or a bundled question (list_questions).';
      fail(new UsageError(`There was no answer within ${seconds} seconds.`, { hint }));
    });
  });
  return Promise.race([done, late]);
}

/**
 * Answers a question as JSON text within the limits.
 *
 * @throws UsageError if DuckDB cannot run the SQL, or it does more than read
 */
export async function answerFor(
  reader: Reader,
  file: string,
  { sql, values: given, query, language }: AgentQuestion,
  limits: Limits,
): Promise<string> {
  const values = query === undefined ? given : await knownValues(query, given, reader);
  const subject = query === undefined ? 'The query' : `The query ${query.name}`;
  const sentences = query?.sentences ?? [];
  const answer = await ask(reader.connection, sql, values, subject, { sentences, language });
  const rows: string[] = [];
  let length = 0;
  for await (const chunk of answer.chunks) {
    for (const row of chunk.getRows()) {
      rows.push(`[${answer.columns.map(({ type }, i) => jsonText(row[i] ?? null, type)).join(',')}]`);
    }
    length += rows.slice(-chunk.rowCount).join().length;
    if (rows.length > limits.rows || length > limits.characters) break;
  }
  const columns = answer.columns.map(({ name }) => name);
  const relations = relationsIn(reader, sql);
  const dropped = query?.countsPeople === true ? await droppedIds(reader) : [];
  const about = {
    ...(query === undefined ? {} : { question: query.question, parameters: Object.fromEntries(values) }),
    ...(dropped.length === 0 ? {} : { note: notCounted(dropped)[language] }),
    ...(answer.said.length === 0 ? {} : { sentences: answer.said.map(({ text }) => text) }),
    ...(await coverageOf(reader, relations, query && (await daysAsked(reader, query)))),
    published_at: formatKst(statSync(file).mtime),
    tables: [...relations].sort(),
    ...definitionsOf(columns, relations, language),
    ...(query === undefined ? { bundled_questions: questionsAbout(relations) } : {}),
  };
  // Under a low limit the words give way to the numbers.
  const isLong = JSON.stringify(about).length > limits.characters / 2;
  if (isLong) about.definitions = { all: 'too long here: describe the tables' };
  return fitted('rows', rows, { columns, about }, limits, 'Aggregate, or ask for fewer days or columns.');
}

/** A JSON object with as many items as the limits allow; `cut` says why and where it ends early. */
export function fitted(
  name: string,
  items: readonly string[],
  rest: Readonly<Record<string, unknown>>,
  { rows, characters }: Pick<Limits, 'rows' | 'characters'>,
  advice: string,
): string {
  const written = (kept: readonly string[], cut: string | null): string =>
    `${JSON.stringify({ cut, ...rest }).slice(0, -1)},"${name}":[\n${kept.join(',\n')}\n]}`;
  const notice = (count: number, why: string): string =>
    `CUT: only the first ${count} ${name} are here, since ${why}. Totals of them would be wrong. ${advice}`;
  let room = characters - written([], notice(rows, `an answer has at most ${characters} characters`)).length;
  const kept: string[] = [];
  for (const item of items.slice(0, rows)) {
    room -= item.length + 2;
    if (room < 0) return written(kept, notice(kept.length, `an answer has at most ${characters} characters`));
    kept.push(item);
  }
  return written(kept, items.length > rows ? notice(rows, `an answer has at most ${rows}`) : null);
}

const period = z.tuple([z.object({ start: z.string(), end: z.string() })]);

/** The days that a bundled question is about: those of its `marts.period`; undefined if it takes no first day. */
async function daysAsked(reader: Reader, { sql, params }: QueryFile): Promise<DayRange | undefined> {
  const [call] = /marts\.period\(.*?\)/.exec(sql) ?? [];
  if (call === undefined || !params.some(({ name }) => name === 'start')) return undefined;
  // The connection still has the variables of the question.
  const days = 'first_day::varchar as start, last_day::varchar as "end"';
  return period.safeParse(await reader.objects(`select ${days} from ${call}`)).data?.[0];
}

/** The tables and views that a statement reads, by their names in SQL; views with what they are made of. */
function relationsIn(reader: Reader, sql: string): Set<string> {
  const known = new Set(Object.keys(Dictionary.load().document.relations));
  const parts = (text: string): string[] =>
    reader.connection
      .getTableNames(text, true)
      .map((name) =>
        name
          .replace(/ AS .*$/s, '')
          .replaceAll('"', '')
          .replace(/^(warehouse\.)?(main\.)?/i, '')
          .toLowerCase(),
      )
      .filter((name) => known.has(name));
  // DuckDB names no tables of several statements, and none behind views. A name that is only mentioned counts too.
  const text = sql.replace(/--.*$/gm, '').replaceAll('"', '').toLowerCase();
  const mentioned = [...known].filter((name) =>
    new RegExp(
      `\\b(from|join|pivot|describe|summarize)\\s+(main\\.)?${name.replace('.', '\\.')}\\b(?!\\.)`,
    ).test(text),
  );
  return new Set([...parts(sql), ...mentioned, ...mentioned.flatMap((name) => parts(`from ${name}`))]);
}

const aboutRow = z.tuple([
  z.object({ coverage: z.string(), findings: z.string(), checks_with_findings: z.number() }),
]);

/** The days of each stream behind the tables, and the findings of checks of these streams and days. */
async function coverageOf(reader: Reader, tables: ReadonlySet<string>, range: DayRange | undefined) {
  const computed = models()
    .filter(isIncremental)
    .filter(({ relation }) => tables.has(relation));
  const found = await reader.objects(statement('agents/about'), {
    tables: JSON.stringify([...tables]),
    streams: JSON.stringify(computed.flatMap(({ incremental }) => incremental.streams)),
    checks: JSON.stringify(
      statementsIn('checks')
        .map(readCheck)
        .map(({ name, streams }) => ({ name, streams })),
    ),
    first_day: range?.start ?? null,
    last_day: range?.end ?? null,
  });
  const [{ coverage, findings, checks_with_findings }] = aboutRow.parse(found);
  return {
    ...(range === undefined ? {} : { days_asked: `${range.start}..${range.end}` }),
    coverage: z.json().parse(JSON.parse(coverage)),
    findings: z.json().parse(JSON.parse(findings)),
    checks_with_findings,
  };
}

/** What the columns mean: first in the relations that were read, then wherever a column has this name. */
export function definitionsOf(
  columns: readonly string[],
  relations: ReadonlySet<string>,
  language: Language,
): { definitions: Record<string, string>; columns_without_definition?: string[] } {
  const dictionary = Dictionary.load();
  const { relations: all, columns: general, heads } = dictionary.document;
  const textsIn = (
    some: readonly ({ en?: string | undefined; ko?: string | undefined } | string | undefined)[],
  ): string[] => some.flatMap((words) => (typeof words === 'object' ? (words[language] ?? []) : []));
  const find = (column: string): string | undefined => {
    const read = [...relations].map((name) => all[name]?.columns[column]);
    // A name that means one thing wherever it is a column means it here too.
    const elsewhere = new Set(textsIn(Object.values(all).map(({ columns: own }) => own[column])));
    return (
      textsIn([...read, general[column], heads[column]])[0] ??
      (elsewhere.size === 1 ? [...elsewhere][0] : undefined)
    );
  };
  const definitions = new Map<string, string>();
  for (const column of columns) {
    const [, before = '', stem = column, after = ''] =
      /^(previous_|week_|usual_|shrunk_)?(\w+?)(_low|_high|_of_others|_of_all)?$/.exec(column) ?? [];
    const text = find(column) ?? (before + after === '' ? undefined : find(stem));
    if (text !== undefined) definitions.set(column, text);
  }
  const without = columns.filter((column) => !definitions.has(column));
  return {
    definitions: Object.fromEntries(definitions),
    ...(without.length === 0 ? {} : { columns_without_definition: without }),
  };
}

/** Bundled questions that read the same tables, for whoever wrote SQL; the first few. */
function questionsAbout(relations: ReadonlySet<string>): string[] {
  const tables = [...relations].filter((relation) => !relation.startsWith('ops.'));
  return loadCatalogue()
    .filter(({ sql }) => tables.some((relation) => mentions(sql, relation)))
    .map(({ name, title }) => `${name}: ${title}`)
    .slice(0, MOST_QUESTIONS);
}

const MOST_QUESTIONS = 10;

/** The question that a command line names: a query of the catalogue with its parameters, SQL, or a file of SQL. */
import { readFileSync } from 'node:fs';
import { codeOf, UsageError } from '../../ground/errors.js';
import {
  queryNamed,
  parseAssignments,
  valuesFor,
  type ParameterValues,
  type QueryFile,
} from './catalogue.js';

/** The ways to name a question: a query of the catalogue, SQL, or a file of SQL. */
export interface Asking {
  /** The folder of the user's queries. */
  readonly queries?: string | undefined;
  readonly name?: string | undefined;
  readonly sql?: string | undefined;
  /** The path of a file with SQL. */
  readonly file?: string | undefined;
  /** Any number of `name=value`. */
  readonly param?: readonly string[] | undefined;
  readonly lang?: string | undefined;
}

export interface Question {
  readonly sql: string;
  readonly values: ParameterValues;
  /** The parameters of the query in the catalogue. */
  readonly params: QueryFile['params'];
  /** The subject at the beginning of error messages. */
  readonly subject: string;
  /** The title of the query in the catalogue. */
  readonly title?: string;
  /** True if the query in the catalogue counts people. */
  readonly countsPeople: boolean;
  /** The sentences that read the answer of the query in the catalogue. */
  readonly sentences: QueryFile['sentences'];
}

/** The query that the options specify; undefined if they specify none. */
export function questionOf(options: Asking, now: Date): Question | undefined {
  const { name, queries, sql, file, param = [], lang } = options;
  if ([name, sql, file].filter((given) => given !== undefined).length > 1) {
    throw new UsageError('The name of a query, --sql and --file cannot be combined.', {
      hint: 'Give one of them. `dawnload query` lists the queries.',
    });
  }
  const values = parseAssignments(param);
  const own = { values, params: [], countsPeople: false, sentences: [] };
  if (sql !== undefined) return { ...own, sql, subject: 'The query' };
  if (file !== undefined) return { ...own, sql: readSql(file), subject: file };
  if (name === undefined) return undefined;
  const query = queryNamed(name, queries);
  return {
    sql: query.sql,
    values: valuesFor(query, values, now, lang),
    params: query.params,
    subject: `The query ${name}`,
    title: query.title,
    countsPeople: query.countsPeople,
    sentences: query.sentences,
  };
}

function readSql(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${codeOf(cause) ?? 'unknown'}).`, {
      hint: 'Give a file of SQL to --file.',
      cause,
    });
  }
}

/** The text of SQL without its comments. */
export function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
}

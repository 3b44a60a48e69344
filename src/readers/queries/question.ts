/** The question that a command line names: a query of the catalogue with its parameters, SQL, or a file of SQL. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeOf, UsageError } from '../../ground/errors.js';
import {
  queryNamed,
  parseAssignments,
  valuesFor,
  type ParameterValues,
  type QueryFile,
} from './catalogue.js';

const text = z.string().optional();

/** The ways to name a question: a query of the catalogue, SQL, or the path of a file of SQL. */
export const asking = z.object({
  name: text,
  sql: text,
  file: text,
  /** The folder of the user's queries. */
  queries: text,
  /** Any number of `name=value`. */
  param: z.array(z.string()).readonly().optional(),
  lang: text,
});

export type Asking = Readonly<z.infer<typeof asking>>;

export interface Question {
  readonly sql: string;
  /** The parameters as they were given. */
  readonly values: ParameterValues;
  /** The subject at the beginning of error messages. */
  readonly subject: string;
  /** The query of the catalogue; undefined for other SQL. */
  readonly query?: QueryFile;
}

/** The question that the options specify; undefined if they specify none. */
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

/** The question of a query of the catalogue. */
export function questionNamed(
  name: string,
  { queries, param = [], lang }: Pick<Asking, 'queries' | 'param' | 'lang'>,
  now: Date,
): Question {
  const query = queryNamed(name, queries);
  const values = valuesFor(query, parseAssignments(param), now, lang);
  return { sql: query.sql, values, subject: `The query ${name}`, query };
}

function readSql(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${codeOf(cause) ?? 'unknown'}).`, {
      hint: 'Name a file of SQL that this account may read.',
      cause,
    });
  }
}

/** The text of SQL without its comments. */
export function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
}

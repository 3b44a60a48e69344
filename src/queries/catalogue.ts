/** The analysts' bundled questions: the files of sql/queries, each with a header that says what it answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamageError } from '../errors.js';
import { PACKAGE_ROOT } from '../package.js';
import { headerOf } from '../warehouse/sql-header.js';

/** The types that a parameter may have, by their DuckDB names. */
export const PARAMETER_TYPES = ['date', 'timestamptz', 'varchar', 'bigint'] as const;

export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface QueryParameter {
  readonly name: string;
  readonly type: ParameterType;
  /** Its default: an SQL expression, exactly as in the query. */
  readonly default: string;
  /** The only values that it may have; empty where there is no such list. */
  readonly choices: readonly string[];
  /** The least that a whole number may be. */
  readonly least: number;
  readonly description: string;
}

export interface QueryFile {
  /** `channel-summary`, from the name of the file. */
  readonly name: string;
  /** A few words for a list. */
  readonly title: string;
  /** What it answers, one sentence. */
  readonly question: string;
  readonly params: readonly QueryParameter[];
  /** The first rows of its answer on the demo's data, drawn as a table; empty where the answer has no row. */
  readonly example: readonly string[];
  /** The whole file: it runs in any DuckDB client as it is. */
  readonly sql: string;
}

const FOLDER = join(PACKAGE_ROOT, 'sql', 'queries');

/**
 * Every bundled query, by name.
 *
 * @throws DamageError when a file does not begin with the header that it should have
 */
export function loadCatalogue(folder: string = FOLDER): QueryFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort()
    .map((name) => parseQuery(name, readFileSync(join(folder, `${name}.sql`), 'utf8')));
}

/** `start (date, default last_day - 27): first KST day`, where `, one of a b` or `, from 0` may follow the default. */
const PARAMETER = /^(\w+) \((\w+), default (.+?)(?:, one of ([^)]+)|, from (\d+))?\): (.+)$/;

/**
 * Reads the header: `title`, `question`, `params`, which is `none` or a list of indented lines, and `example`.
 *
 * @throws DamageError
 */
export function parseQuery(name: string, sql: string): QueryFile {
  const header = headerOf(sql);
  const field = (key: string): string => {
    const [text = ''] = header[key] ?? [];
    if (text === '') throw unreadable(name, key);
    return text;
  };
  const isNone = field('params') === 'none';
  return {
    name,
    title: field('title'),
    question: field('question'),
    params: isNone ? [] : (header['params'] ?? []).map((line) => parseParameter(name, line)),
    example: header['example'] ?? [],
    sql,
  };
}

function parseParameter(query: string, line: string): QueryParameter {
  const [, name, typeName, fallback, choices, least = '1', description] = PARAMETER.exec(line) ?? [];
  const type = PARAMETER_TYPES.find((known) => known === typeName);
  if (name === undefined || type === undefined || fallback === undefined || description === undefined) {
    throw unreadable(query, `params (${line})`);
  }
  return {
    name,
    type,
    default: fallback,
    choices: choices?.split(' ') ?? [],
    least: Number(least),
    description,
  };
}

function unreadable(name: string, field: string): DamageError {
  return new DamageError(`The header of the bundled query ${name} has no readable ${field}.`, {
    hint: 'Install dawnload again, or compare the file with its neighbours in sql/queries.',
  });
}

/** The analysts' bundled questions: the files of sql/queries, each with a header that says what it answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamageError, UsageError } from '../errors.js';
import { PACKAGE_ROOT } from '../package.js';
import { headerOf } from '../warehouse/sql-header.js';
import { closest } from 'fastest-levenshtein';
import { isDay } from '../calendar.js';

/** The types that a parameter may have, by their DuckDB names. */
const PARAMETER_TYPES = ['date', 'timestamptz', 'varchar', 'bigint'] as const;

type ParameterType = (typeof PARAMETER_TYPES)[number];

interface QueryParameter {
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
  /** The question, in one sentence. */
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
function parseQuery(name: string, sql: string): QueryFile {
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

/** Values by parameter name, as text: a query casts each one to the type that it needs. */
export type ParameterValues = ReadonlyMap<string, string>;

/**
 * Takes `name=value` apart.
 *
 * @throws UsageError for one without `=`, or a name that comes twice
 */
export function parseAssignments(texts: readonly string[]): ParameterValues {
  const values = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(0, at)).trim();
    if (!/^\w+$/.test(name)) {
      throw new UsageError(`"${text}" is not a parameter.`, {
        hint: 'Write --param name=value, such as --param start=2026-11-01.',
      });
    }
    if (values.has(name))
      throw new UsageError(`The parameter ${name} is given twice.`, { hint: 'Give it once.' });
    values.set(name, text.slice(at + 1));
  }
  return values;
}

/**
 * Checks the values against what a bundled query takes.
 *
 * @throws UsageError that names the valid parameters, or what the value should be
 */
export function checkParameters(query: QueryFile, values: ParameterValues): void {
  for (const [name, value] of values) {
    const parameter = query.params.find((known) => known.name === name);
    if (parameter === undefined) throw unknownParameter(query, name);
    const wanted = mismatch(parameter, value);
    if (wanted !== undefined) {
      throw new UsageError(`The parameter ${name} must be ${wanted}, not "${value}".`, {
        hint: `${query.name} takes ${signatureOf(query)}.`,
      });
    }
  }
  const start = values.get('start');
  const end = values.get('end');
  // Days are written so that their order is that of their letters.
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(`The parameter start (${start}) must not be after end (${end}).`, {
      hint: 'Swap the two.',
    });
  }
}

function unknownParameter(query: QueryFile, name: string): UsageError {
  if (query.params.length === 0) {
    return new UsageError(`The query ${query.name} takes no parameters.`, { hint: 'Leave --param out.' });
  }
  const names = query.params.map((parameter) => parameter.name);
  return new UsageError(`The query ${query.name} has no parameter ${name}.`, {
    hint: `Did you mean ${closest(name, names)}? It takes ${signatureOf(query)}.`,
  });
}

/** `start (date), channel (varchar)`. */
function signatureOf(query: QueryFile): string {
  return query.params.map(({ name, type }) => `${name} (${type})`).join(', ');
}

/** More days, ranks or messages than anybody has; DuckDB's arithmetic of days stays within its range. */
const MOST = 1_000_000;

const CHECKS: Record<ParameterType, { readonly what: string; readonly fits: (text: string) => boolean }> = {
  date: { what: 'a day that exists, such as 2026-11-01', fits: isDay },
  timestamptz: {
    what: 'an instant with its zone, such as 2026-11-21T07:00:00+09:00',
    // Without a zone the session's would count, and the answer would depend on the client.
    fits: (text) =>
      /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
  varchar: { what: 'text', fits: () => true },
  bigint: {
    what: `a whole number up to ${MOST}`,
    fits: (text) => /^-?\d{1,7}$/.test(text) && Number(text) <= MOST,
  },
};

/** Describes the values that fit; undefined when the value does. */
function mismatch({ type, choices, least }: QueryParameter, value: string): string | undefined {
  const { what, fits } = CHECKS[type];
  if (!fits(value)) return what;
  if (type === 'bigint' && Number(value) < least) return `a whole number from ${least} to ${MOST}`;
  return choices.length > 0 && !choices.includes(value) ? `one of ${choices.join(', ')}` : undefined;
}

export function describeQuery({ name, title, question, params, example }: QueryFile): string {
  const parameters = params.map(({ name: parameter, type, default: fallback, choices, description }) => {
    const wanted = choices.length > 0 ? choices.join(' | ') : type;
    return `  --param ${parameter}=${wanted}\n      ${description} (default: ${fallback})`;
  });
  return [
    `${name}: ${title}`,
    question,
    '',
    ...(params.length === 0 ? ['It takes no parameters.'] : ['Parameters:', ...parameters]),
    '',
    ...(example.length === 0
      ? ["On the demo's data its answer has no row."]
      : ["Example, from the demo's data:", ...example.map((line) => `  ${line}`)]),
  ].join('\n');
}

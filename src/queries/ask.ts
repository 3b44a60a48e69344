/** Asks the warehouse: parameters become session variables, what prepares the question runs, its answer streams in. */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { UsageError, CorruptDatabaseError, messageOf, type DawnloadError } from '../errors.js';
import { answerOf, type QueryResult } from './sink.js';
import type { ParameterValues } from './catalogue.js';
import { tellsOfDamage } from '../storage/duckdb.js';
import duckdb = require('@duckdb/node-api');

/**
 * Runs every statement and streams the answer of the last one; the others prepare it.
 *
 * @throws UsageError when it does more than read, or DuckDB cannot run it, here or while the rows are read; `subject`
 *   begins its message
 */
export async function ask(
  connection: DuckDBConnection,
  sql: string,
  values: ParameterValues,
  subject: string,
): Promise<Answer> {
  if (isEmpty(sql)) {
    throw new UsageError(`${subject} holds no statement.`, { hint: 'Write one, such as `from events`.' });
  }
  requireReadingFunctions(sql, subject);
  try {
    for (const [name, value] of values) await connection.run(`set variable "${name}" = $value`, { value });
    return withSqlErrors(answerOf(await runAll(connection, sql, subject)), subject);
  } catch (error) {
    throw error instanceof UsageError ? error : sqlError(subject, error);
  }
}

/** Whether there are only comments. */
function isEmpty(sql: string): boolean {
  return /^[\s;]*$/.test(sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, ''));
}

/** One by one, since `connection.run` returns the answer of the first of several statements. */
async function runAll(connection: DuckDBConnection, sql: string, subject: string): Promise<DuckDBResult> {
  const statements = await connection.extractStatements(sql);
  for (let i = 0; ; i++) {
    const statement = await statements.prepare(i);
    requireReading(statement.statementType, sql, subject);
    if (i === statements.count - 1) return statement.stream();
    requirePreparing(statement.statementType, subject);
    await statement.run();
  }
}

interface Answer extends QueryResult {
  /** How many rows have come so far. */
  rows(): number;
}

/** A value may turn out to be invalid only in a later batch: that is an error of the query as well. */
function withSqlErrors({ columns, chunks }: QueryResult, subject: string): Answer {
  let rows = 0;
  return {
    columns,
    rows: () => rows,
    chunks: {
      async *[Symbol.asyncIterator]() {
        const iterator = chunks[Symbol.asyncIterator]();
        for (;;) {
          // Only reading is guarded: what goes wrong with the reader of the rows is no error of the query.
          const next = await iterator.next().catch((error: unknown) => {
            throw sqlError(subject, error);
          });
          if (next.done === true) return;
          rows += next.value.rowCount;
          yield next.value;
        }
      },
    },
  };
}

/** Reading, and what prepares it: variables, and tables that end with the session (DuckDB refuses any others). */
const READING: ReadonlySet<duckdb.StatementType> = new Set([
  duckdb.StatementType.SELECT,
  duckdb.StatementType.EXPLAIN,
  duckdb.StatementType.SET,
  duckdb.StatementType.TRANSACTION,
  duckdb.StatementType.CREATE,
  duckdb.StatementType.INSERT,
  duckdb.StatementType.UPDATE,
  duckdb.StatementType.DELETE,
  duckdb.StatementType.DROP,
]);

const ELSEWHERE =
  'Write the answer to a file with --output. For anything else, open the warehouse in a DuckDB client.';

/** `explain analyze` runs what it explains, and its type does not show what that is. */
const WRITING_WORDS = /\b(copy|export)\b/i;

/** Names that mean nothing but such a function, wherever they stand; the SQL of `query` may be put together of parts. */
const ACTING =
  /\b((?:en|dis)able_\w+|check_peg_parser|force_checkpoint|truncate_duckdb_logs|write_log|add_parquet_key|arrow_scan\w*|json_execute_serialized_sql)\b|\b(query|checkpoint|import_database|copy_database)"?\s*(?:\(|--|\/\*)/i;

/**
 * Lets SQL pass that calls no function that does more than read.
 *
 * @throws UsageError for any other
 */
function requireReadingFunctions(sql: string, subject: string): void {
  const [, name, called] = ACTING.exec(sql) ?? [];
  const found = name ?? called;
  if (found === undefined) return;
  throw new UsageError(`${subject} holds ${found}, but only reading is allowed.`, { hint: ELSEWHERE });
}

/**
 * Lets a statement pass that does no more than read.
 *
 * @throws UsageError for any other
 */
function requireReading(type: duckdb.StatementType, sql: string, subject: string): void {
  const explainsWriting = type === duckdb.StatementType.EXPLAIN && WRITING_WORDS.test(sql);
  if (READING.has(type) && !explainsWriting) return;
  throw new UsageError(`${subject} holds ${duckdb.StatementType[type]}, but only reading is allowed.`, {
    hint: ELSEWHERE,
  });
}

/**
 * Lets a statement pass that stands before the last one, and whose answer nobody would see.
 *
 * @throws UsageError for a question
 */
function requirePreparing(type: duckdb.StatementType, subject: string): void {
  if (type !== duckdb.StatementType.SELECT && type !== duckdb.StatementType.EXPLAIN) return;
  throw new UsageError(`${subject} asks several questions, and only one is answered at a time.`, {
    hint: 'Ask them one by one. Only `set variable` and temporary tables may stand before the question.',
  });
}

/** `LINE 2:   from evnts`, and below it a caret under the place. A long line is shown from `...` on. */
const PLACE = /\n+LINE (\d+): (.*)(?:\n( *)\^)?/;

/** The failure as an error with a hint; `subject` is what could not be run, such as `The query`. */
function sqlError(subject: string, cause: unknown): DawnloadError {
  if (tellsOfDamage(cause)) return new CorruptDatabaseError('The published warehouse is damaged.', cause);
  const text = messageOf(cause);
  const place = PLACE.exec(text);
  const lines = text
    .slice(0, place?.index)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [said = text, ...advice] = lines;
  const hint = [...advice, ...ADVICE.filter(([pattern]) => pattern.test(said)).map(([, more]) => more)].join(
    ' ',
  );
  return new UsageError(
    `${subject} cannot be run: ${withoutStop(said)}${place === null ? '' : placeOf(place)}.`,
    {
      hint: hint === '' ? 'Correct it and try again.' : hint.replace(/([^.!?])$/, '$1.'),
      cause,
    },
  );
}

function withoutStop(sentence: string): string {
  return sentence.replace(/[.!]+$/, '');
}

function placeOf([, line = '', shown = '', caret]: RegExpExecArray): string {
  // Where the beginning of the line is left out, the caret does not tell the column.
  if (caret === undefined || shown.startsWith('...')) return ` (line ${line})`;
  return ` (line ${line}, column ${caret.length - `LINE ${line}: `.length + 1})`;
}

/** Advice on refusals that come from this command, which only reads. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /read-only mode|file system operations are disabled|configuration has been locked|extensions is disabled/,
    'This command only reads the warehouse. --output writes the answer to a file; for anything else, open the warehouse in a DuckDB client.',
  ],
  [
    /Expected \d+ parameters|[Vv]alues were not provided for the following prepared statement parameters/,
    "Write getvariable('name') for the value of --param name=value.",
  ],
];

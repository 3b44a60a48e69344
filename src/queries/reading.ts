/**
 * Which statements a user's SQL may hold. DuckDB itself refuses other files, the network and changes of a file opened
 * for reading; but the path of that very file stays open to it, and `copy ... to` would replace the warehouse. Functions
 * that do more than read are refused by name: they are called from any `select`, and DuckDB has no setting against them
 * (`enable_logging` into a file aborts the process, `enable_profiling` prints between the rows).
 */
import duckdb = require('@duckdb/node-api');
import { UsageError } from '../errors.js';

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
export function requireReadingFunctions(sql: string, subject: string): void {
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
export function requireReading(type: duckdb.StatementType, sql: string, subject: string): void {
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
export function requirePreparing(type: duckdb.StatementType, subject: string): void {
  if (type !== duckdb.StatementType.SELECT && type !== duckdb.StatementType.EXPLAIN) return;
  throw new UsageError(`${subject} asks several questions, and only one is answered at a time.`, {
    hint: 'Ask them one by one. Only `set variable` and temporary tables may stand before the question.',
  });
}

/**
 * Which statements a user's SQL may hold. DuckDB itself refuses other files, the network and changes of a file opened
 * for reading; but the path of that very file stays open to it, and `copy ... to` would replace the warehouse.
 */
import { StatementType } from '@duckdb/node-api';
import { UsageError } from '../errors.js';

/** Reading, and what prepares it: variables, and tables that end with the session (DuckDB refuses any others). */
const READING: ReadonlySet<StatementType> = new Set([
  StatementType.SELECT,
  StatementType.EXPLAIN,
  StatementType.SET,
  StatementType.PRAGMA,
  StatementType.CALL,
  StatementType.TRANSACTION,
  StatementType.CREATE,
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.DROP,
]);

/** `explain analyze` runs what it explains, and does not tell what that is. */
const WRITING_WORDS = /\b(copy|export)\b/i;

/**
 * Lets a statement pass that does no more than read.
 *
 * @throws UsageError for any other
 */
export function requireReading(type: StatementType, sql: string, subject: string): void {
  const explainsWriting = type === StatementType.EXPLAIN && WRITING_WORDS.test(sql);
  if (READING.has(type) && !explainsWriting) return;
  throw new UsageError(`${subject} holds ${StatementType[type]}: only reading is allowed here.`, {
    hint: 'Write the answer to a file with --output; for anything else, open the warehouse in a DuckDB client.',
  });
}

/** Asks the warehouse: parameters become session variables, what prepares the question runs, its answer streams in. */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { UsageError } from '../errors.js';
import { answerOf, type QueryResult } from './answer.js';
import type { ParameterValues } from './parameters.js';
import { requirePreparing, requireReading, requireReadingFunctions } from './reading.js';
import { sqlError } from './sql-error.js';

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
): Promise<QueryResult> {
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

/** A value may turn out to be invalid only in a later batch: that is an error of the query as well. */
function withSqlErrors({ columns, chunks }: QueryResult, subject: string): QueryResult {
  return {
    columns,
    chunks: {
      async *[Symbol.asyncIterator]() {
        const iterator = chunks[Symbol.asyncIterator]();
        for (;;) {
          // Only reading is guarded: what goes wrong with the reader of the rows is no error of the query.
          const next = await iterator.next().catch((error: unknown) => {
            throw sqlError(subject, error);
          });
          if (next.done === true) return;
          yield next.value;
        }
      },
    },
  };
}

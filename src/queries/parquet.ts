/** A result as a Parquet file. */
import duckdb = require('@duckdb/node-api');
import type { DuckDBType } from '@duckdb/node-api';
import { openInstance } from '../storage/duckdb.js';
import type { QueryResult, ResultColumn } from './answer.js';

/**
 * Writes the whole answer to `file`.
 *
 * The warehouse itself is opened so that no query can write files. So the answer moves, batch by batch and without
 * becoming JavaScript values, into a database of its own (`scratch`, removed by the caller), which writes the file.
 */
export async function writeParquet(answer: QueryResult, file: string, scratch: string): Promise<void> {
  const instance = await openInstance(scratch);
  try {
    const connection = await instance.connect();
    const columns = answer.columns.map(({ type }, i) => `c${i} ${type.alias ?? String(type)}`);
    await connection.run(`create table answer (${columns.join(', ')})`);
    const appender = await connection.createAppender('answer');
    for await (const chunk of answer.chunks) appender.appendDataChunk(chunk);
    appender.closeSync();
    const selected = answer.columns.map(
      (column, i) => `${exact(`c${i}`, column.type)} as ${identifier(column)}`,
    );
    await connection.run(
      `copy (select ${selected.join(', ')} from answer) to '${file.replaceAll("'", "''")}' (format parquet, compression zstd)`,
    );
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

/** Parquet has no integer of 128 bits, and DuckDB would write a rounded number instead. A sum of counts is one. */
function exact(column: string, { typeId }: DuckDBType): string {
  return typeId === duckdb.DuckDBTypeId.HUGEINT || typeId === duckdb.DuckDBTypeId.UHUGEINT
    ? `${column}::decimal(38, 0)`
    : column;
}

function identifier({ name }: ResultColumn): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The answer to a query while it streams in: what its columns are, and its rows in batches, to be read once. */
import type { DuckDBDataChunk, DuckDBResult, DuckDBType } from '@duckdb/node-api';

export interface ResultColumn {
  /** Unique within the answer. */
  readonly name: string;
  readonly type: DuckDBType;
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly chunks: AsyncIterable<DuckDBDataChunk>;
}

export function answerOf(result: DuckDBResult): QueryResult {
  const types = result.columnTypes();
  return {
    columns: result.deduplicatedColumnNames().flatMap((name, i) => {
      const type = types[i];
      return type === undefined ? [] : [{ name, type }];
    }),
    chunks: result,
  };
}

/** A result as JSON: an array of objects, one line each. */
import type { QueryResult } from './answer.js';
import { jsonText } from './values.js';

/** The text in pieces, one per batch of rows. */
export async function* jsonRows(answer: QueryResult): AsyncGenerator<string> {
  const keys = answer.columns.map(({ name }) => `${JSON.stringify(name)}:`);
  let separator = '[';
  for await (const chunk of answer.chunks) {
    if (chunk.rowCount === 0) continue;
    const objects = chunk
      .getRows()
      .map(
        (row) =>
          `\n{${answer.columns.map(({ type }, i) => `${keys[i] ?? ''}${jsonText(row[i] ?? null, type)}`).join(',')}}`,
      );
    yield `${separator}${objects.join(',')}`;
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}

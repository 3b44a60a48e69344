/** The rows that a query finds in the published file, for pushes: only if the file holds what the query asks about. */
import { z } from 'zod';
import { lastCompleteDay } from '../calendar.js';
import { RefusedError, UsageError } from '../errors.js';
import { withoutPeople } from '../redaction.js';
import { unlessMissing } from '../storage/duckdb.js';
import { Reader } from '../warehouse/reader.js';
import { statement } from '../warehouse/session.js';
import { ask } from './ask.js';
import { missingFor } from './coverage.js';
import { knownValues } from './known-values.js';
import { questionOf, type Asking } from './question.js';
import { objectRows } from './sink.js';

export interface Found {
  /** The text of the query, and the parameters that were given. */
  readonly source: readonly [sql: string, ...parameters: readonly string[]];
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The types of the fields of each catalog as the file has them. */
  readonly fields: readonly { readonly catalog: string; readonly name: string; readonly type: string }[];
  /** The pushes that the file remembers. */
  readonly pushes: readonly { readonly id: string; readonly target: string }[];
}

const fields = z.array(z.object({ catalog: z.string(), name: z.string(), type: z.string() }));
const pushes = z.array(z.object({ id: z.string(), target: z.string() }));

/**
 * @throws UsageError for a query that cannot be run, without the values that DuckDB quotes
 * @throws RefusedError if the file does not hold what the query asks about
 */
export async function findRows(published: string, asking: Asking, now: Date): Promise<Found> {
  const question = questionOf(asking, now);
  if (question === undefined)
    throw new UsageError('There is no query.', { hint: 'Give --query NAME, --sql TEXT or -f FILE.' });
  const reader = await Reader.open(published);
  try {
    const missing = await missingFor(reader, question, lastCompleteDay(now));
    if (missing !== undefined) {
      throw new RefusedError(`${missing} Nothing was sent.`, {
        hint: 'Run `dawnload run` first; `dawnload status` shows what is held. A day that is only a value can be written as make_date(2026, 12, 31).',
      });
    }
    const known = pushes.parse(await unlessMissing(reader.objects(statement('push/known')), []));
    const declared = fields.parse(await unlessMissing(reader.objects(statement('push/fields')), []));
    await reader.confine();
    const values = await knownValues(question, question.values, reader);
    const answer = await ask(reader.connection, question.sql, values, question.subject);
    const rows: Record<string, unknown>[] = [];
    for await (const some of objectRows(answer)) rows.push(...some);
    const source = [question.sql, ...(asking.param ?? [])] as const;
    return { source, columns: answer.columns.map(({ name }) => name), rows, fields: declared, pushes: known };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A cause would repeat the values.
    throw new UsageError(withoutValues(error.message), {
      ...(error.hint === undefined ? {} : { hint: withoutValues(error.hint) }),
    });
  } finally {
    await reader.close();
  }
}

const withoutValues = (text: string): string => withoutPeople(text.replace(/'[^']*'/g, "'…'"));

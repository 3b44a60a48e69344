/**
 * Finds the rows of a query for a push, if the published file has all days that the query names. The rows are copied in DuckDB's types into
 * a separate database, where SQL writes their JSON, so that no number is rounded.
 */
import type { DuckDBType } from '@duckdb/node-api';
import { lastCompleteDay } from '../../ground/calendar.js';
import { RefusedError, UsageError } from '../../ground/errors.js';
import { withoutPeople } from '../../documents/contacts.js';
import { escaped } from '../../disk/duckdb.js';
import { assertSamePrivacy, storedPrivacy, type Privacy } from '../../warehouse/privacy.js';
import { Reader } from '../../warehouse/reader.js';
import type { Session } from '../../warehouse/session.js';
import { ask, missingFor, QueryError } from './ask.js';
import { questionOf, type Asking } from './catalogue.js';
import { isNumeric, type QueryResult } from './formats.js';
import duckdb = require('@duckdb/node-api');

/**
 * Copies the rows of a query into the table `found` of the session: `nth` and `cells`, a list of the columns (`cellSql`).
 * Returns the names of the columns.
 *
 * @throws UsageError for a query that cannot be run, without any value of a row
 * @throws RefusedError if the file lacks days that the query names
 * @throws ConfigError if the file was made under another setting of `privacy`
 */
export async function findRows(
  published: string,
  asking: Asking,
  now: Date,
  privacy: Privacy,
  session: Session,
): Promise<string[]> {
  const question = questionOf(asking, now);
  if (question === undefined)
    throw new UsageError('The query is missing.', { hint: 'Give --query NAME, --sql TEXT or -f FILE.' });
  const reader = await Reader.open(published);
  try {
    assertSamePrivacy(await reader.rowsIfAny('ops/privacy_stored', storedPrivacy), privacy);
    const missing = await missingFor(reader, question, lastCompleteDay(now));
    if (missing !== undefined) {
      throw new RefusedError(`${missing} Nothing was sent.`, {
        hint: 'Run `dawnload run` first; `dawnload status` shows the available days. Write a day that is only a value as make_date(2026, 12, 31).',
      });
    }
    await reader.confine();
    const answer = await ask(reader, question);
    await session.append('answer', answer);
    const cells = answer.columns.map(cellSql).join(', ');
    await session.runText(
      `create or replace table found as select rowid as nth, [${cells}] as cells from answer; drop table answer;`,
    );
    return answer.columns.map(({ given }) => given);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw withoutValues(error, question.subject);
  } finally {
    await reader.close();
  }
}

/**
 * SQL for a column of the table `answer`, as a struct: its `name`; the exact `json` text of the value (a value without a JSON form becomes
 * a text that is not JSON); its `text` for use in a key; its text if it may be an `id` (text or whole number); and whether it `is_text`.
 * Null stays null in each.
 */
export function cellSql({ given, type }: QueryResult['columns'][number], nth: number): string {
  const value = `c${nth}`;
  const isText = String(type) === 'VARCHAR' && type.alias === undefined;
  const members = {
    json: jsonSql(value, type),
    text: textSql(value, type),
    id: idSql(value, type),
    is_text: isText,
  };
  const written = Object.entries(members).map(([key, sql]) => `'${key}': ${sql}`);
  return `{'name': '${escaped(given)}', ${written.join(', ')}}`;
}

/** The error with its kind, column and place only; DuckDB's text would repeat values. */
function withoutValues(error: UsageError, subject: string): UsageError {
  const { message, hint } = error;
  if (!(error instanceof QueryError) || error.isOfText)
    return new UsageError(withoutPeople(message), hint === undefined ? {} : { hint: withoutPeople(hint) });
  const { kind, column, place } = error.named;
  const of = column === undefined ? '' : ` in column ${column}`;
  const cast = /^(Conversion|Out of Range)/.test(kind)
    ? ' If a value of a row does not fit, try_cast gives null instead.'
    : '';
  return new UsageError(`${subject} cannot be run: ${kind}${of}${place}.`, {
    hint: `\`dawnload query\` with the same query shows why.${cast}`,
  });
}

/** SQL for the text of a value in a key. A whole number has no fraction. */
function textSql(value: string, type: DuckDBType): string {
  if (type.alias === 'JSON') return `coalesce(${value} ->> '$', ${value}::varchar)`;
  if (/^(DECIMAL|FLOAT|DOUBLE)/.test(String(type))) {
    const whole = `try_cast(${value} as hugeint)`;
    return `if(${whole} = ${value}, ${whole}::varchar, ${value}::varchar)`;
  }
  return isNested(type) ? jsonSql(value, type) : `${value}::varchar`;
}

function idSql(value: string, type: DuckDBType): string {
  const text = textSql(value, type);
  if (type.alias === 'JSON') return `if(regexp_matches(${value}::varchar, '^("|[0-9]+$)'), ${text}, null)`;
  if (isNumeric(type)) return `if(regexp_full_match(${text}, '-?[0-9]+'), ${text}, null)`;
  return /^(VARCHAR|UUID|ENUM\(.*\))$/s.test(String(type)) ? text : 'null';
}

const isNested = (type: DuckDBType): boolean => /[[(]/.test(String(type).replace(/^ENUM.*/s, ''));

/** SQL for the JSON text of a value. Instants are ISO 8601 in Korean time. */
function jsonSql(value: string, type: DuckDBType, depth = 1): string {
  const item = `x${depth}`;
  const inner = (name: string, of: DuckDBType): string => `coalesce(${jsonSql(name, of, depth + 1)}, 'null')`;
  if (type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType) {
    const items = `list_transform(${value}, lambda ${item}: ${inner(item, type.valueType)})`;
    return `('[' || array_to_string(${items}, ',') || ']')`;
  }
  if (type instanceof duckdb.DuckDBMapType) {
    const entry = `to_json(${item}.key::varchar)::varchar || ':' || ${inner(`${item}.value`, type.valueType)}`;
    return `('{' || array_to_string(list_transform(map_entries(${value}), lambda ${item}: ${entry}), ',') || '}')`;
  }
  if (type instanceof duckdb.DuckDBStructType) {
    const isChange = type.entryNames.every((name) => /^\$(add|remove)$/.test(name));
    const members = type.entryNames.map((name, nth) => {
      const of = type.entryTypes[nth] ?? duckdb.VARCHAR;
      const held = `struct_extract_at(${value}, ${nth + 1})`;
      // A missing operator of a patch is left out. It is null here only because all rows of a query have the same columns.
      const text = isChange ? jsonSql(held, of, depth + 1) : inner(held, of);
      return `'${escaped(JSON.stringify(name))}:' || ${text}`;
    });
    return `if(${value} is null, null, '{' || concat_ws(',', ${members.join(', ')}) || '}')`;
  }
  if (type.alias === 'JSON') return `nullif(${value}::varchar, 'null')`;
  if (isNumeric(type) || String(type) === 'BOOLEAN') return `${value}::varchar`;
  if (/^(DATE|TIMESTAMP)/.test(String(type))) {
    const iso = `replace(${value}::varchar, ' ', 'T')`;
    const zoned = `regexp_replace(${iso}, '([+-][0-9][0-9])$', '\\1:00')`;
    // A timestamp without a zone is Korean time, as everywhere in the warehouse. The service would take it for UTC.
    const text = String(type).startsWith('TIMESTAMP WITH')
      ? zoned
      : String(type).startsWith('TIMESTAMP')
        ? `${iso} || '+09:00'`
        : iso;
    return `case when not isfinite(${value}) then 'infinity' else '"' || ${text} || '"' end`;
  }
  if (/^(BLOB|BIT|UNION|VARIANT|GEOMETRY)/.test(String(type))) return `if(${value} is null, null, 'blob')`;
  return `to_json(${value}::varchar)::varchar`;
}

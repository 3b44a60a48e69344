/**
 * Sentences about the answer of a bundled query, from the query's header. Each has a select that is its condition: the sentence appears
 * once per row, with the row's values. The select reads the answer as the temporary table `answer`, and may also read the warehouse.
 *
 *     -- sentences:
 *     --   select channel, click_rate from answer where is_best
 *     --     en: {channel} is clicked most, {click_rate}.
 *     --     ko: 클릭률은 {channel}{이/가} 가장 높은 {click_rate}입니다.
 *     --     as: note
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { UsageError } from '../../ground/errors.js';
import { particle } from '../../ground/text.js';
import { selectIn } from '../../warehouse/session.js';
import type { Words } from '../../warehouse/dictionary.js';
import type { Row, Wording } from './wording.js';

/**
 * A finding reports something unusual. A note qualifies the sentences. A to-do recommends an action. An alert warns that other numbers of
 * these days are wrong, too.
 */
const ROLES = ['sentence', 'finding', 'note', 'to do', 'alert'] as const;

type Role = (typeof ROLES)[number];

export interface Sentence extends Words {
  readonly select: string;
  readonly as: Role;
}

export interface Said {
  readonly as: Role;
  readonly text: string;
  readonly row: Row;
}

/**
 * Parses the lines below `sentences:` in a header. A sentence that is only in one language is used for both.
 *
 * @param given common table expressions that the selects may read
 * @throws UsageError for a sentence without one of its parts
 */
export function parseSentences(
  file: string,
  lines: readonly string[],
  given: readonly string[] = [],
): Sentence[] {
  const withGiven = (select: string): string =>
    given.length === 0
      ? select
      : `with ${given.join(' ')}${select.replace(/^(with )?/, (own) => (own === '' ? ' ' : ', '))}`;
  const blocks: Record<string, string>[] = [];
  let part = 'select';
  for (const line of lines) {
    const [, key, text = line] = /^ {2}(en|ko|as): (.+)$/.exec(line) ?? [];
    const isSelect = !line.startsWith(' ');
    if (isSelect && (part !== 'select' || blocks.length === 0)) blocks.push({});
    part = key ?? (isSelect ? 'select' : part);
    const block = blocks[blocks.length - 1] ?? {};
    block[part] = block[part] === undefined ? text.trim() : `${block[part]} ${text.trim()}`;
  }
  return blocks.map(({ select, en, ko, as: role = 'sentence' }) => {
    const as = ROLES.find((known) => known === role);
    const text = en ?? ko;
    if (select === undefined || text === undefined || as === undefined) {
      throw new UsageError(`The header of ${file} has an incomplete sentence.`, {
        hint: 'A sentence is a select, and below it "en: TEXT", "ko: TEXT" or both.',
      });
    }
    return { select: withGiven(select), en: text, ko: ko ?? text, as };
  });
}

/** Evaluates the sentences on the table `answer`, once per row of their selects. */
export async function saidOf(
  connection: DuckDBConnection,
  sentences: readonly Sentence[],
  wording: Wording,
): Promise<Said[]> {
  const rows = await rowsOf(
    connection,
    sentences.map(({ select }) => select),
  );
  return sentences.flatMap((sentence, nth) =>
    (rows[nth] ?? []).map((row) => ({
      as: sentence.as,
      text: filled(sentence[wording.language], row, wording),
      row,
    })),
  );
}

/** Only gives a row its type: the columns differ between statements. */
const rowShape = z.custom<Row>();

/** JSON has no infinity and no NaN. DuckDB writes them as bare words, which become null. */
const NO_JSON = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:NaN|Infinity)/g;

/**
 * Returns the rows of each select, with all numbers as JavaScript numbers. Uses one statement, because that costs DuckDB less than many.
 */
export async function rowsOf(connection: DuckDBConnection, selects: readonly string[]): Promise<Row[][]> {
  const rows: Row[][] = selects.map(() => []);
  if (selects.length === 0) return rows;
  const parts = selects.map(
    (select, nth) => `select ${nth}, to_json(told)::varchar from (${selectIn(select)}\n) as told`,
  );
  const result = await connection.runAndReadAll(parts.join('\nunion all\n'));
  for (const [nth, text] of result.getRows()) {
    const json = String(text).replace(NO_JSON, (word) => (word.startsWith('"') ? word : 'null'));
    rows[Number(nth)]?.push(rowShape.parse(JSON.parse(json)));
  }
  return rows;
}

/** A placeholder: `{column}`, `{column:unit}`, days as `{first~last}`, `{column#one|several}`, or both forms of a Korean particle, `{은/는}`. */
const HOLE = /\{(\w+)(?::(\w+)|~(\w+))?\}|\{(\w+)#([^|}]*)\|([^}]*)\}|\{([가-힣]+)\/([가-힣]+)\}/g;

/** `[[ It sold {revenue:money}.]]`: a part that is left out if one of its values is null. */
const PART = /\[\[(.*?)\]\]/g;

/** Fills the values of a row into the text. Names in a list are quoted; a sentence begins with a capital. */
export function filled(sentence: string, row: Row, wording: Wording): string {
  const text = sentence.replaceAll(PART, (_, part: string) =>
    [...part.matchAll(/\{(\w+)/g)].every(([, name = '']) => row[name] !== null) ? part : '',
  );
  let written = '';
  let from = 0;
  for (const hole of text.matchAll(HOLE)) {
    const [whole, column = '', kind, last, number = '', one, several, closed = '', open = ''] = hole;
    const unknown = [column, last, number].find(
      (name) => name !== undefined && name !== '' && !(name in row),
    );
    if (unknown !== undefined)
      throw new UsageError(`The sentence “${text}” names ${unknown}, which its select does not give.`, {
        hint: 'Name it in the select, or take it out of the sentence.',
      });
    written += text.slice(from, hole.index);
    from = hole.index + whole.length;
    if (last !== undefined) written += wording.days(String(row[column]), String(row[last]));
    else if (column !== '') written += valueIn(column, row, wording, kind);
    else if (number !== '') written += row[number] === 1 ? one : several;
    else written += particle(written, closed, open);
  }
  written += text.slice(from);
  return text.startsWith('{') && wording.language === 'en'
    ? written.charAt(0).toUpperCase() + written.slice(1)
    : written;
}

function valueIn(column: string, row: Row, wording: Wording, kind?: string): string {
  const value = row[column] ?? null;
  const currency = typeof row['currency'] === 'string' ? row['currency'] : null;
  if (value !== null && typeof value === 'object' && kind === undefined) {
    const names = value.map((name) => wording.value(column, name));
    return names.map((name) => wording.say({ en: `“${name}”`, ko: `‘${name}’` })).join(', ');
  }
  return wording.value(column, value, kind, currency);
}

/**
 * The settings of your own tables (`tables`), and of the conversions in one of them; docs/own-tables.md explains each. A table
 * whose rows belong to people names the column of the person, because erasures must find the rows.
 */
import { z } from 'zod';
import { ID_COLUMNS } from '../ground/fields.js';
import { bytesIn } from '../ground/text.js';
import { name, orEmpty, text } from './values.js';

/** The kinds of ids by which a row of an own table belongs to a person, and the names of their columns. */
export const KEY_KINDS = [...ID_COLUMNS, 'recipient'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const TABLE_FORMATS = ['csv', 'json', 'parquet', 'duckdb'] as const;
const COLUMN_TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'instant'] as const;

const SIZE = 'must be a size from 1MiB to 16GiB, such as 500MB';

const source = z.strictObject({
  from: text('must be a file').optional(),
  command: text('must be a command').optional(),
  format: z.enum(TABLE_FORMATS, `must be one of ${TABLE_FORMATS.join(', ')}`).optional(),
  /** The table of a DuckDB file. */
  table: text('must be the name of a table').optional(),
  encoding: z.enum(['utf-8', 'euc-kr'], 'must be utf-8 or euc-kr').default('utf-8'),
  keys: z
    .partialRecord(
      z.enum(KEY_KINDS, `must be among ${KEY_KINDS.join(', ')}`),
      text('must be a column'),
      `must have lines such as "user_id: member_id", of ${KEY_KINDS.join(', ')}`,
    )
    .default({}),
  persons: z.literal('none', 'must be none').optional(),
  /** The columns to take, by their names in the warehouse; all of them by default. */
  columns: z
    .union(
      [z.array(text('must be a column')), z.record(z.string(), text('must be a column'))],
      'must be a list of columns, or lines such as "amount: total_price"',
    )
    .transform((given) =>
      Array.isArray(given)
        ? given.map((name) => ({ name, column: name }))
        : Object.entries(given).map(([name, column]) => ({ name, column })),
    )
    .optional(),
  types: z.record(z.string(), z.enum(COLUMN_TYPES, `must be one of ${COLUMN_TYPES.join(', ')}`)).default({}),
  /** The columns that differ from row to row. */
  unique: z
    .union([text('must be a column').transform((one) => [one]), z.array(text('must be a column'))], {
      error: 'must be a column, or a list of columns',
    })
    .default([]),
  time_zone: text('must be a time zone such as UTC')
    .refine(isTimeZone, 'must be a time zone such as UTC')
    .default('Asia/Seoul'),
  largest: z
    .string(SIZE)
    .transform((given) => bytesIn(given) ?? 0)
    .refine((bytes) => bytes >= 2 ** 20 && bytes <= 16 * 2 ** 30, SIZE)
    .default(2 ** 30),
  max_minutes: z
    .string('must be a number of minutes from 1 to 240')
    .regex(/^\d+$/, 'must be a number of minutes from 1 to 240')
    .transform(Number)
    .refine((minutes) => minutes >= 1 && minutes <= 240, 'must be a number of minutes from 1 to 240')
    .default(10),
});

/** Columns under their names in the warehouse, also those that were named as the source has them. */
const asStored = (given: z.output<typeof source>): string[] => {
  const taken = [
    ...Object.entries(given.keys).map(([name, column]) => ({ name, column })),
    ...(given.columns ?? []),
  ];
  return given.unique.map(
    (one) =>
      (taken.find(({ name }) => name === one) ?? taken.find(({ column }) => column === one))?.name ?? one,
  );
};

const checked = source.superRefine((given, context) => {
  const refuse = (message: string): void => {
    context.addIssue({ code: 'custom', message });
  };
  const hasKeys = Object.keys(given.keys).length > 0;
  if ((given.from === undefined) === (given.command === undefined)) refuse('must set from or command');
  else if (given.format === undefined && formatOf(given) === undefined)
    refuse(
      given.from === undefined ? 'must set format' : 'must set format, because the name of the file has none',
    );
  if (!hasKeys && given.persons === undefined)
    refuse('must name the column of its person, such as keys: { user_id: member_id }, or say persons: none');
  if (hasKeys && given.persons !== undefined) refuse('must not have both keys and persons: none');
  const names = (given.columns ?? []).map(({ name }) => name.toLowerCase());
  const twice = names.find((name, nth) => names.indexOf(name) !== nth);
  if (twice !== undefined) refuse(`must not take the column ${twice} twice`);
  const reserved = names.find((name) => KEY_KINDS.some((kind) => kind === name));
  if (reserved !== undefined) refuse(`must name the column ${reserved} under keys`);
});
const table = checked.transform((given) => ({ ...given, unique: asStored(given) }));

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== '';
  } catch {
    return false;
  }
}

const ENDINGS: Readonly<Record<string, (typeof TABLE_FORMATS)[number]>> = {
  ...{ csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', jsonl: 'json', ndjson: 'json' },
  ...{ parquet: 'parquet', duckdb: 'duckdb', db: 'duckdb' },
};

/** The format of a source: the one that is set, or that of the ending of its name. */
export function formatOf({ format, from = '' }: Pick<z.output<typeof source>, 'format' | 'from'>) {
  return format ?? ENDINGS[/\.(\w+)$/.exec(from)?.[1]?.toLowerCase() ?? ''];
}

export const tables = orEmpty(
  z.record(
    name.refine(
      (given) => !['conversions', 'assignments', 'holdouts', 'segments'].includes(given),
      'must be another name than conversions, assignments, holdouts and segments',
    ),
    table,
    'must have tables such as orders: { from: ./orders.csv, keys: { user_id: member_id } }',
  ),
);

export type OwnTable = z.output<typeof table> & { readonly name: string };

/** Which rows of an own table are conversions: who, when, and of what value. */
export const conversions = z.strictObject({
  table: text('must be the name of a table'),
  person: z.enum(ID_COLUMNS, `must be one of ${ID_COLUMNS.join(', ')}`),
  at: text('must be a column'),
  value: text('must be a column').optional(),
  currency: z
    .string('must be a currency such as KRW')
    .regex(/^[^\p{C}\p{Z}]{1,12}$/u, 'must be a currency such as KRW')
    .optional(),
  goal: text('must be a name such as 구매').default('conversion'),
});

/** Why the conversions cannot be those of the tables, as a clause after their name; undefined if they can. */
export function conversionsFault(
  wanted: z.output<typeof conversions> | undefined,
  all: Readonly<Record<string, z.output<typeof table>>>,
): string | undefined {
  if (wanted === undefined) return undefined;
  const found = all[wanted.table];
  if (found === undefined) return `must name a table of tables, which has no ${wanted.table}`;
  return found.keys[wanted.person] === undefined
    ? `must name a person among the keys of tables.${wanted.table}`
    : undefined;
}

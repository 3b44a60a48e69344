/**
 * Settings of own tables, conversions, audiences and holdouts; see docs/own-tables.md and docs/holdouts.md. A table about people must name
 * the person's column, because erasures must find the rows.
 */
import { z } from 'zod';
import { ID_COLUMNS, KEY_KINDS } from '../../ground/fields.js';
import { isDropped, type Declaration } from '../../config/schema.js';
import { byName, currency, day, matching, number, size, text } from '../../config/values.js';

const TABLE_FORMATS = ['csv', 'json', 'parquet', 'duckdb'] as const;
const COLUMN_TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'instant'] as const;

const source = z.strictObject({
  from: text('must be a file').optional(),
  command: text('must be a command').optional(),
  format: z.enum(TABLE_FORMATS, `must be one of ${TABLE_FORMATS.join(', ')}`).optional(),
  /** The name of the table in a DuckDB file. */
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
  /** The columns to take, by their names in the warehouse; by default all. */
  columns: z
    .union(
      [z.array(text('must be a column')), z.record(z.string(), text('must be a column'))],
      'must be a list of columns, or lines such as "amount: total_price"',
    )
    .transform((columns) =>
      Array.isArray(columns)
        ? columns.map((name) => ({ name, column: name }))
        : Object.entries(columns).map(([name, column]) => ({ name, column })),
    )
    .optional(),
  types: z.record(z.string(), z.enum(COLUMN_TYPES, `must be one of ${COLUMN_TYPES.join(', ')}`)).default({}),
  /** The columns that identify a row. */
  unique: z
    .union([text('must be a column').transform((one) => [one]), z.array(text('must be a column'))], {
      error: 'must be a column, or a list of columns',
    })
    .default([]),
  time_zone: text('must be a time zone such as UTC')
    .refine(isTimeZone, 'must be a time zone such as UTC')
    .default('Asia/Seoul'),
  largest: size(16).default(2 ** 30),
  max_minutes: number(1, 240, 'must be a number of minutes from 1 to 240', /^\d+$/).default(10),
});

/** The unique columns by their names in the warehouse; the settings may also use the source's names. */
const asStored = (settings: z.output<typeof source>): string[] => {
  const taken = [
    ...Object.entries(settings.keys).map(([name, column]) => ({ name, column })),
    ...(settings.columns ?? []),
  ];
  return settings.unique.map(
    (one) =>
      (taken.find(({ name }) => name === one) ?? taken.find(({ column }) => column === one))?.name ?? one,
  );
};

const checked = source.superRefine((settings, context) => {
  const refuse = (message: string): void => {
    context.addIssue({ code: 'custom', message });
  };
  const hasKeys = Object.keys(settings.keys).length > 0;
  if ((settings.from === undefined) === (settings.command === undefined)) refuse('must set from or command');
  else if (settings.format === undefined && formatOf(settings) === undefined)
    refuse(
      settings.from === undefined
        ? 'must set format'
        : 'must set format, because the name of the file has none',
    );
  if (!hasKeys && settings.persons === undefined)
    refuse('must name the column of its person, such as keys: { user_id: member_id }, or say persons: none');
  if (hasKeys && settings.persons !== undefined) refuse('must not have both keys and persons: none');
  const names = (settings.columns ?? []).map(({ name }) => name.toLowerCase());
  const twice = names.find((name, nth) => names.indexOf(name) !== nth);
  if (twice !== undefined) refuse(`must not take the column ${twice} twice`);
  const reserved = names.find((name) => KEY_KINDS.some((kind) => kind === name));
  if (reserved !== undefined) refuse(`must name the column ${reserved} under keys`);
});
const table = checked.transform((settings) => ({ ...settings, unique: asStored(settings) }));

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

/** The format of a source: the configured one, or else the ending of its name. */
export function formatOf({ format, from = '' }: Pick<z.output<typeof source>, 'format' | 'from'>) {
  return format ?? ENDINGS[/\.(\w+)$/.exec(from)?.[1]?.toLowerCase() ?? ''];
}

/** A name that becomes part of names in the warehouse. */
const name = matching(/^[a-z][a-z0-9_]{0,40}$/, 'must be a name of small letters, digits and _');

const tables = byName(
  table,
  name.refine(
    (word) => !['conversions', 'assignments', 'holdouts', 'segments'].includes(word),
    'must be another name than conversions, assignments, holdouts and segments',
  ),
  'must have tables such as orders: { from: ./orders.csv, keys: { user_id: member_id } }',
);

const person = z.enum(ID_COLUMNS, `must be one of ${ID_COLUMNS.join(', ')}`);

/** The columns that turn the rows of an own table into conversions: person, time and value. */
const conversions = z.strictObject({
  table: text('must be the name of a table'),
  person,
  at: text('must be a column'),
  value: text('must be a column').optional(),
  currency: currency.optional(),
  goal: text('must be a name such as 구매').default('conversion'),
});

// Audiences and holdouts.

const SHARE = 'must be a share above 0% and up to 50%, such as 10%';

const audience = z.strictObject({
  table: text('must be the name of a table'),
  person,
  /** Columns that divide the people into segments, such as membership levels. */
  segments: z.array(text('must be a column'), 'must be a list of columns such as [tier]').default([]),
});

const audiences = byName(
  audience,
  name,
  'must have audiences such as members: { table: members, person: user_id }, with names of small letters, digits and _',
);

/** For each setting that names a holdout's people, the other settings that it needs. */
const WAYS = {
  audience: ['audience', 'share'],
  table: ['table', 'person', 'arm', 'holdout', 'assigned'],
  campaign: ['campaign', 'variant'],
} as const;

const holdout = z
  .strictObject({
    audience: text('must be the name of an audience').optional(),
    share: matching(/^\d{1,2}(\.\d+)?%$/, SHARE)
      .transform((percent) => Number(percent.replace('%', '')) / 100)
      .refine((share) => share > 0 && share <= 0.5, SHARE)
      .optional(),
    table: text('must be the name of a table').optional(),
    person: person.optional(),
    arm: text('must be a column').optional(),
    /** The value in the column `arm` that marks a person as held out. */
    holdout: text('must be a value of the column under arm').optional(),
    assigned: text('must be a column').optional(),
    campaign: text('must be the id of a campaign').optional(),
    variant: text('must be the name of a variant').optional(),
    /** Campaigns and user journeys whose messages may reach everybody, such as order confirmations. */
    exempt: z
      .array(
        text('must be the id of a campaign or user journey'),
        'must be a list of ids of campaigns and user journeys such as [ID]',
      )
      .default([]),
    start: day.optional(),
    end: day.optional(),
    smallest_effect: number(0.001, 10, 'must be a share of the mean from 0.001 to 10, such as 0.05').default(
      0.05,
    ),
  })
  .superRefine((settings, context) => {
    const refuse = (message: string): void => {
      context.addIssue({ code: 'custom', message });
    };
    const ways = (['audience', 'table', 'campaign'] as const).filter((way) => settings[way] !== undefined);
    const [way] = ways;
    if (way === undefined || ways.length > 1) {
      refuse('must set one of audience, table and campaign');
      return;
    }
    const missing = WAYS[way].filter((key) => settings[key] === undefined);
    if (missing.length > 0) refuse(`must set ${missing.join(', ')} besides ${way}`);
    const foreign = (['person', 'arm', 'holdout', 'assigned', 'variant'] as const).filter(
      (key) => settings[key] !== undefined && !WAYS[way].some((one) => one === key),
    );
    if (foreign.length > 0) refuse(`must not set ${foreign.join(', ')} beside ${way}`);
    if (settings.start !== undefined && settings.end !== undefined && settings.end < settings.start)
      refuse('must not end before it starts');
  });

const holdouts = byName(
  holdout,
  name,
  'must have holdouts such as c1: { audience: members, share: 10% }, with names of small letters, digits and _',
);

const listed = <T>(named: Readonly<Record<string, T>>): (T & { readonly name: string })[] =>
  Object.entries(named).map(([name, one]) => ({ ...one, name }));

export const OWN_SETTINGS = {
  tables: tables.prefault({}).transform(listed),
  conversions: conversions.optional(),
  audiences: audiences.prefault({}).transform(listed),
  holdouts: holdouts.prefault({}).transform(listed),
};

type OwnSettings = z.output<z.ZodObject<typeof OWN_SETTINGS>>;

declare module '../../config/schema.js' {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the members are those of the schemas
  interface StreamSettings extends OwnSettings {}
}

/** Settings about people that contradict their tables, each with the reason as a clause. */
export const ownContradictions: NonNullable<Declaration['contradictions']> = (settings) => {
  const { tables: all, conversions: wanted, audiences: groups, privacy } = settings;
  const faultOf = (name: string, key: z.output<typeof person>): string | undefined => {
    const table = all.find((one) => one.name === name);
    if (table === undefined) return `must name a table of tables, which has no ${name}`;
    return table.keys[key] === undefined ? `must name a person among the keys of tables.${name}` : undefined;
  };
  const storedFaultOf = (name: string, key: z.output<typeof person>): string | undefined =>
    faultOf(name, key) ??
    (isDropped(privacy, key)
      ? `must name a person that is stored, but privacy.columns drops ${key}`
      : undefined);
  const faults: readonly (readonly [path: readonly string[], message: string | undefined])[] = [
    [['conversions'], wanted && faultOf(wanted.table, wanted.person)],
    ...groups.map(
      ({ name, table, person: key }) => [['audiences', name], storedFaultOf(table, key)] as const,
    ),
    ...settings.holdouts.map(({ name, audience: named, table: of, person: key }) => {
      if (named !== undefined && !groups.some((one) => one.name === named))
        return [['holdouts', name], `must name an audience of audiences, which has no ${named}`] as const;
      return [['holdouts', name], of && key && storedFaultOf(of, key)] as const;
    }),
  ];
  return faults.flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }]));
};

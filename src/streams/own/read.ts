/**
 * Reads the copy of an own table's source and writes the chosen columns, typed, to one Parquet file. The source is not trusted, so this is
 * done in a separate process without keys, network and other files.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { KEY_KINDS } from '../../ground/fields.js';
import { formatOf } from './settings.js';
import { meaningOf } from '../../documents/personal.js';
import { inProcess, servesTask, type Failed } from '../../ground/bounded-process.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import { messageOf } from '../../ground/errors.js';
import { escaped, isOutOfMemory, openInstance } from '../../disk/duckdb.js';
import { csvHeader, Unusable } from '../../disk/foreign-file.js';
import { plural } from '../../terminal/text.js';
import type { ReadColumn } from '../../warehouse/privacy.js';
import { count, listOf, quoted, Session } from '../../warehouse/session.js';
import { refusal, type OwnTable } from './source.js';

interface Task {
  readonly table: OwnTable;
  readonly files: readonly string[];
  readonly out: string;
  readonly folder: string;
}

interface Read {
  readonly rows: number;
  readonly columns: readonly ReadColumn[];
}

const ENTRY = join(PACKAGE_ROOT, 'dist', 'src', 'streams', 'own', 'read.js');
const MEGABYTES = 1024;
const MOST_COLUMNS = 500;
/** Columns per statement. Planning one statement for all 500 would take a gigabyte and minutes. */
const COLUMNS_AT_ONCE = 25;

/** @throws DamageError with the reason, in one sentence, why the source cannot be read */
export async function readCopies(task: Task, signal: AbortSignal): Promise<Read> {
  const { name, max_minutes: minutes } = task.table;
  const reply = await inProcess<{ readonly read: Read }>(ENTRY, task, {
    ...{ signal, megabytes: MEGABYTES, seconds: minutes * 60 },
    over: (limit) =>
      refusal(
        task.table,
        limit === 'seconds'
          ? `reading it took longer than ${minutes} minutes (tables.${name}.max_minutes)`
          : `reading it needs more than ${MEGABYTES} MB of memory`,
      ),
  });
  if (reply !== undefined && 'read' in reply) return reply.read;
  throw refusal(task.table, reply?.message ?? 'the process that read it ended early');
}

// The code below runs in the separate process.

/** The types that the setting `types` accepts. A macro of sql/streams/own/read.sql converts a text to each. */
const CASTS = ['integer', 'number', 'boolean', 'date', 'instant'] as const;

const literal = (text: string): string => `'${escaped(text)}'`;
const column = z.object({ name: z.string(), type: z.string() });
type Column = z.infer<typeof column>;

/** How a column is stored. A text column gets the first of `types` that fits all its values. */
interface Planned extends ReadColumn {
  readonly value: string;
  readonly types?: readonly (typeof CASTS)[number][];
}

/** Does the task of the process. */
export async function perform(message: unknown): Promise<{ readonly read: Read } | Failed> {
  // The parent is our own process, so this gives only a type.
  const task = z.custom<Task>().parse(message);
  try {
    return { read: await readAll(task) };
  } catch (error) {
    const message = error instanceof Unusable ? error.message : whyUnreadable(error, task.table);
    return { error: 'Refused', message, hint: undefined };
  }
}

/** Returns the reason why DuckDB rejects a source, without the values that its errors quote. */
function whyUnreadable(error: unknown, table: OwnTable): string {
  const text = messageOf(error);
  const twice = /duplicate key "([^"]{1,60})"/.exec(text)?.[1];
  const line = /CSV Error on Line: (\d+)/.exec(text)?.[1];
  if (isOutOfMemory(error)) return 'reading it needs too much memory';
  if (twice !== undefined) return `it has the column ${twice} twice`;
  if (line !== undefined) return `it cannot be read as CSV: line ${line} is not like the first line`;
  if (text.includes('an invalid state')) return 'its lines may end in two ways, with CR LF and with LF';
  if (text.includes('operations are disabled')) return 'it refers to another file';
  if (formatOf(table) === 'duckdb' && text.startsWith('Catalog Error'))
    return `it has no table ${table.table ?? table.name}; tables.${table.name}.table names another`;
  return `it cannot be read as ${formatOf(table)}`;
}

async function readAll({ table, files, out, folder }: Task): Promise<Read> {
  const settings = { memory_limit: `${MEGABYTES / 2}MB`, threads: '2', temp_directory: folder };
  const session = await Session.open(await openInstance(':memory:', settings));
  try {
    await session.run('session/1_settings');
    const select = await selectOf(table, files, session);
    await session.run('streams/own/read/confine', { paths: listOf([...files, out].map(escaped)) });
    await session.run('streams/own/read/view', { select, zone: escaped(table.time_zone) });
    const all = await session.rows('streams/own/read/columns', column);
    if (formatOf(table) === 'json' && all.every(({ name, type }) => name === 'json' && type === 'JSON'))
      throw new Unusable('its JSON has no objects, so its columns are unknown');
    assertNames(all.map(({ name }) => name));
    const paths = listOf(files.map(escaped));
    const names =
      formatOf(table) === 'parquet'
        ? await session.rows('streams/own/read/parquet_names', column, { files: paths })
        : all;
    // If two columns have the same name, DuckDB renames the second one.
    const renamed = all.find((one) => !names.some(({ name }) => name === one.name));
    if (renamed !== undefined)
      throw new Unusable(`it has the column ${renamed.name.replace(/_\d+$/, '')} twice`);
    const columns = await decided(chosenOf(table, all), table, session);
    const written = columns.map(({ name, value }) => `${value} as ${quoted(name)}`).join(', ');
    await session.run('streams/own/read/write', { columns: written, out: escaped(out) });
    const { rows } = await session.row('streams/own/read/rows', z.object({ rows: count }));
    return { rows, columns: columns.map(({ name, kind }) => ({ name, kind })) };
  } finally {
    session.close();
  }
}

/** Returns a select statement for all rows of the source. */
async function selectOf(table: OwnTable, files: readonly string[], session: Session): Promise<string> {
  const list = `[${listOf(files.map(escaped))}]`;
  const format = formatOf(table);
  if (format === 'parquet') return `from read_parquet(${list})`;
  if (format === 'json') return `from read_json(${list}, sample_size = -1, maximum_object_size = 16777216)`;
  if (format === 'duckdb') {
    await session.run('streams/own/read/attach', { file: escaped(files[0] ?? '') });
    return `from source.${(table.table ?? table.name).split('.').map(quoted).join('.')}`;
  }
  const [first = { names: [], delimiter: ',' }, ...others] = await Promise.all(files.map(csvHeader));
  assertNames(first.names);
  if (others.some(({ names }) => names.join('\0') !== first.names.join('\0')))
    throw new Unusable('its files have different columns');
  const columns = first.names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  return `from read_csv(${list}, auto_detect = false, header = true, delim = ${literal(first.delimiter)}, quote = '"', escape = '"', nullstr = '', max_line_size = 1048576, columns = {${columns}})`;
}

function assertNames(names: readonly string[]): void {
  const small = names.map((name) => name.toLowerCase());
  const twice = names.find((_, nth) => small.indexOf(small[nth] ?? '') !== nth);
  if (names.every((name) => name === ''))
    throw new Unusable('its first line is empty, and should name the columns');
  if (names.includes('')) throw new Unusable('one of its columns has no name');
  if (twice !== undefined) throw new Unusable(`it has the column ${twice} twice`);
  // Our statements use braces as placeholders.
  if (names.some((name) => name.length > 100 || /[{}\p{Cc}]/u.test(name)))
    throw new Unusable('the name of a column is longer than 100 characters, or has braces or line breaks');
  if (names.length > MOST_COLUMNS) throw new Unusable(`it has more than ${MOST_COLUMNS} columns`);
}

/** The columns that the settings choose, keys first, and how each is stored. */
function chosenOf(table: OwnTable, all: readonly Column[]): Planned[] {
  const find = (name: string, where: string): Column => {
    const same = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (same !== undefined) return same;
    const names = all.slice(0, 10).map((one) => one.name);
    throw new Unusable(
      `it has no column ${name} (tables.${table.name}.${where}); its columns are ${names.join(', ')}`,
    );
  };
  const keys = Object.entries(table.keys).map(([kind, name]) => {
    const value = `as_id(${quoted(find(name, 'keys').name)})`;
    return { name: kind, kind: 'key', value } as const;
  });
  const taken = Object.values(table.keys).map((name) => name.toLowerCase());
  const rest = all.filter(({ name }) => !taken.includes(name.toLowerCase()));
  const others = table.columns ?? rest.map(({ name }) => ({ name, column: name }));
  const id = others.find(({ name }) => KEY_KINDS.some((kind) => kind === name.toLowerCase()));
  if (id !== undefined)
    throw new Unusable(`its column ${id.name} has ids; name it under keys, or choose columns without it`);
  const plans = [...keys, ...others.map((one) => planOf(one.name, find(one.column, 'columns'), table))];
  const named = [...Object.keys(table.types), ...table.unique];
  const odd = named.find((name) => !plans.some((one) => one.name === name));
  if (odd !== undefined) throw new Unusable(`own.${table.name} has no column ${odd} (types or unique)`);
  return plans;
}

function planOf(name: string, { name: from, type }: Column, table: OwnTable): Planned {
  const source = quoted(from);
  const text: Planned = { name, kind: 'text', value: `${source}::varchar` };
  const wanted = table.types[name];
  if (/^(BLOB|BIT|GEOMETRY)/.test(type))
    throw new Unusable(`its column ${from} has bytes; choose columns without it`);
  if (meaningOf(name) !== 'other') return { ...text, kind: 'telephone', value: `as_id(${source})` };
  if (wanted === 'text' || /^(TIME|INTERVAL|UUID|ENUM)\b(?!STAMP)/.test(type)) return text;
  if (/[[(]|^(JSON|VARIANT|UNION)/.test(type) && !/^DECIMAL\([^)]*\)$/.test(type))
    return { ...text, kind: 'document', value: `to_json(${source})::varchar` };
  // Parquet has no integers of 128 bits.
  if (wanted !== undefined || /^(VARCHAR|U?HUGEINT)$/.test(type))
    return { ...text, types: CASTS.filter((one) => one === (wanted ?? one)) };
  const isLocal = /^TIMESTAMP(?!.*ZONE)/.test(type);
  const zoned = `${source}::timestamp at time zone ${literal(table.time_zone)}`;
  return { ...text, kind: 'value', value: isLocal ? zoned : source };
}

/** Gives each text column the first type that fits all its values. A column without values stays text. */
async function decided(plans: readonly Planned[], table: OwnTable, session: Session): Promise<Planned[]> {
  const open = plans.filter(({ types }) => types !== undefined);
  const shape = z.object({ counts: z.array(z.array(count)) });
  const counts: number[][] = [];
  for (let at = 0; at < open.length; at += COLUMNS_AT_ONCE) {
    const some = open.slice(at, at + COLUMNS_AT_ONCE);
    const columns = {
      values: some.map(({ value }, nth) => `trim(${value}) as c${nth}`).join(', '),
      counts: some.map((_, nth) => `odd(c${nth})`).join(', '),
    };
    counts.push(...(await session.row('streams/own/read/fitting', shape, columns)).counts);
  }
  return plans.map((plan) => {
    const { name, value, types = [] } = plan;
    const [filled = 0, ...odd] = counts[open.indexOf(plan)] ?? [];
    const type = types.find((one) => odd[CASTS.indexOf(one)] === 0);
    const wanted = table.types[name];
    if (type !== undefined && (filled > 0 || wanted !== undefined))
      return { name, kind: 'value', value: `as_${type}(trim(${value}))` };
    const many = odd[CASTS.findIndex((one) => one === wanted)];
    if (many === undefined) return plan;
    throw new Unusable(
      `${plural(many, 'value')} of its column ${name} cannot be read as ${wanted} (tables.${table.name}.types.${name})`,
    );
  });
}

servesTask(import.meta.url, perform);

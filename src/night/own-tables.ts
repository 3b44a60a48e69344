/** What a night does about own tables besides copying and loading them: notes what is known of each, and removes replaced copies. */
import { basename } from 'node:path';
import type { Config } from '../config/config.js';
import { ID_COLUMNS } from '../ground/fields.js';
import { escaped } from '../landing/duckdb.js';
import { listPulls, type LandingZone } from '../landing/landing-zone.js';
import { OWN, ownStream } from '../ground/streams.js';
import { describeOwn, ownTables } from '../warehouse/describe.js';
import { quoted, selectIn, statement } from '../warehouse/session.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/**
 * Notes what is known of each own table, drops those that the settings name no more, and makes the view of conversions. Resolves with a
 * sentence if it cannot be made as the settings say.
 */
export async function noteOwn(
  { session }: Pick<Warehouse, 'session'>,
  { tables, conversions }: Pick<Config, 'tables' | 'conversions'>,
): Promise<string | undefined> {
  const found = await ownTables(session);
  let fault: string | undefined;
  await session.transaction(async () => {
    const converting = found.find(
      ({ name }) => name === conversions?.table && tables.some((one) => one.name === name),
    );
    const view = conversions && viewOf(conversions, converting?.columns ?? []);
    await session.run('streams/own/load/conversions', view ?? NO_CONVERSIONS);
    if (conversions !== undefined && view === undefined)
      fault = `No conversions: own.${conversions.table} lacks a column of \`conversions\`, an instant under \`at\`, or a number under \`value\`.`;
    await describeOwn(session, 'conversions');
    await session.run('streams/own/load/clear');
    for (const { name, columns } of found) {
      const table = tables.find((one) => one.name === name);
      const stream = ownStream(name);
      if (table === undefined) {
        await session.run('streams/own/load/drop', { table: name, stream });
        continue;
      }
      const has = (column: string): boolean => columns.some((one) => one.name === column);
      const keys = Object.keys(table.keys).filter(has);
      const unique = table.unique.filter(has);
      const dated = columns.filter(({ type }) => /^(DATE|TIMESTAMP)/.test(type));
      await session.run('streams/own/load/note', {
        ...{ table: name, stream, keys, unique_columns: unique },
        source: table.from === undefined ? 'a command' : basename(table.from),
        newest:
          dated.map(({ name: column }) => text('newest', { column: quoted(column) })).join(', ') ||
          'max(null::timestamptz)',
        repeated:
          unique.length === 0
            ? 'null'
            : text('repeated', { table: name, columns: unique.map(quoted).join(', ') }),
        persons: text('persons', { table: name, key: keys[0] ?? '' }),
        known: text(keys[0] === 'recipient' ? 'known_recipients' : 'known', {
          table: name,
          key: keys[0] ?? '',
        }),
      });
    }
  });
  return fault;
}

/** The columns of own.conversions, if the table has those that the settings name. */
function viewOf(
  { person, at, value, currency, goal, table }: Conversions,
  columns: readonly { readonly name: string; readonly type: string }[],
): View | undefined {
  const isOf = (name: string, form: RegExp): boolean =>
    columns.some((one) => one.name === name && form.test(one.type));
  const literal = (given: string | undefined): string =>
    given === undefined ? 'null' : `'${escaped(given)}'`;
  const isWhole =
    isOf(person, /^VARCHAR/) &&
    isOf(at, /^(DATE|TIMESTAMP)/) &&
    (value === undefined || isOf(value, /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/));
  if (!isWhole) return undefined;
  return {
    persons: personsOf(person),
    ...{ at: quoted(at), value: value === undefined ? 'null' : quoted(value) },
    ...{ currency: literal(currency), goal: literal(goal), table: `own.${quoted(table)}` },
  };
}

type Conversions = NonNullable<Config['conversions']>;
type View = Readonly<Record<'persons' | 'at' | 'value' | 'currency' | 'goal' | 'table', string>>;

const personsOf = (person?: string): string =>
  ID_COLUMNS.map((kind) => (kind === person ? `"${kind}"` : `null::varchar as ${kind}`)).join(', ');

const NO_CONVERSIONS: View = {
  persons: personsOf(),
  ...{ at: 'null', value: 'null', currency: 'null', goal: 'null', table: '(select 1)' },
};

/** A part of the statement that notes a table; null for persons of a table without any. */
function text(
  part: 'newest' | 'repeated' | 'persons' | 'known' | 'known_recipients',
  names: Readonly<Record<string, string>>,
): string {
  return names['key'] === '' ? 'null' : selectIn(statement(`streams/own/load/${part}`, names));
}

/** Removes the copies that a later one replaced, and those of tables that the settings name no more. Call after publication. */
export async function pruneOwn(
  landing: LandingZone,
  { tables }: Pick<Config, 'tables'>,
  unloaded: ReadonlySet<string>,
): Promise<void> {
  const now = await listPulls(landing.folder);
  const streams = [...new Set(now.map(({ stream }) => stream))].filter((stream) => stream.startsWith(OWN));
  for (const stream of streams) {
    const pulls = await landing.pulls(
      now.filter((one) => one.stream === stream),
      () => undefined,
    );
    if (pulls.some(({ id }) => unloaded.has(id))) continue;
    const isNamed = tables.some(({ name }) => ownStream(name) === stream);
    await landing.removePulls(isNamed ? pulls.slice(0, -1) : pulls);
  }
}

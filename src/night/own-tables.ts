/** What a night does about own tables besides copying and loading them: notes what is known of each, and removes replaced copies. */
import { basename } from 'node:path';
import type { Config } from '../config/config.js';
import { ID_COLUMNS } from '../ground/fields.js';
import { escaped } from '../landing/duckdb.js';
import { listPulls, type LandingZone } from '../landing/landing-zone.js';
import { ASSIGNMENTS, OWN, ownStream } from '../ground/streams.js';
import { describeOwn, ownTables } from '../warehouse/describe.js';
import { quoted, selectIn, statement, type Session } from '../warehouse/session.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/**
 * Notes what is known of each own table, drops those that the settings name no more, and makes the views of conversions and holdouts. Resolves with a
 * sentence for each view that cannot be made as the settings say.
 */
export async function noteOwn(
  { session }: Pick<Warehouse, 'session'>,
  { tables, conversions, ...people }: Pick<Config, 'tables' | 'conversions' | 'audiences' | 'holdouts'>,
): Promise<string[]> {
  const found = await ownTables(session);
  const faults: string[] = [];
  await session.transaction(async () => {
    const converting = found.find(
      ({ name }) => name === conversions?.table && tables.some((one) => one.name === name),
    );
    const view = conversions && viewOf(conversions, converting?.columns ?? []);
    await session.run('streams/own/load/conversions', view ?? NO_CONVERSIONS);
    if (conversions !== undefined && view === undefined)
      faults.push(
        `No conversions: own.${conversions.table} lacks a column of \`conversions\`, an instant under \`at\`, or a number under \`value\`.`,
      );
    await describeOwn(session, 'conversions');
    faults.push(...(await noteHoldouts(session, found, people)));
    await session.run('streams/own/load/clear');
    for (const { name, columns } of found) {
      const table = tables.find((one) => one.name === name);
      const stream = ownStream(name);
      // The assignments stay: a holdout that is taken out of the settings, and put back, has the same people.
      if (name === ASSIGNMENTS) continue;
      if (table === undefined) {
        await session.run('streams/own/load/drop', { table: name, stream });
        continue;
      }
      const has = (column: string): boolean => columns.some((one) => one.name === column);
      const keys = Object.keys(table.keys).filter(has);
      const unique = table.unique.filter(has);
      // The days of assignments grow old, and should.
      const isAssigned = (column: string): boolean =>
        people.holdouts.some((one) => one.table === name && one.assigned === column);
      const dated = columns.filter((one) => /^(DATE|TIMESTAMP)/.test(one.type) && !isAssigned(one.name));
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
  return faults;
}

type Found = Awaited<ReturnType<typeof ownTables>>;

/** Makes the views of the people of all holdouts and segments, and notes the holdouts. Resolves with a sentence for each that cannot be read. */
async function noteHoldouts(
  session: Session,
  found: Found,
  { audiences, holdouts }: Pick<Config, 'audiences' | 'holdouts'>,
): Promise<string[]> {
  const faults: string[] = [];
  const columnOf = (table: string, name: string) =>
    found.find((one) => one.name === table)?.columns.find((one) => one.name === name);
  const segmented = audiences.flatMap(({ name, table, person, segments }) =>
    segments.flatMap((segment): string[] => {
      if (!found.some((one) => one.name === table)) return [];
      if (columnOf(table, segment) !== undefined && columnOf(table, person) !== undefined)
        return [
          partOf('segmented', {
            ...{ audience: name, segment: escaped(segment), column: quoted(segment), table, person },
            persons: personsOf(person),
          }),
        ];
      faults.push(`The audience ${name} has no segment ${segment}: own.${table} lacks that column.`);
      return [];
    }),
  );
  await session.run('streams/own/load/segments', {
    people: [partOf('unsegmented', {}), ...segmented].join('\nunion all\n'),
  });
  await describeOwn(session, 'segments');
  const people = holdouts.map((one): string | undefined => {
    const given = { holdout: one.name, share: String(one.share ?? 'null') };
    const { table, campaign, person, arm = '', assigned = '' } = one;
    if (campaign !== undefined)
      return partOf('assigned_by_campaign', {
        ...given,
        campaign: escaped(campaign),
        value: escaped(one.variant ?? ''),
      });
    if (table === undefined)
      return columnOf(ASSIGNMENTS, 'holdout') === undefined ? undefined : partOf('assigned', given);
    const day = columnOf(table, assigned);
    const isWhole =
      person !== undefined &&
      columnOf(table, person) !== undefined &&
      columnOf(table, arm) !== undefined &&
      /^(DATE|TIMESTAMP)/.test(day?.type ?? '');
    if (!isWhole) {
      faults.push(
        `The holdout ${one.name} is left out: own.${table} lacks its person, the column ${arm}, or a day under ${assigned}.`,
      );
      return undefined;
    }
    return partOf('assigned_by_table', {
      ...{ ...given, table, person, arm: quoted(arm), persons: personsOf(person) },
      value: escaped(one.holdout ?? ''),
      assigned:
        day?.type === 'DATE'
          ? quoted(assigned)
          : `(${quoted(assigned)}::timestamptz at time zone 'Asia/Seoul')::date`,
    });
  });
  await session.run('streams/own/load/holdouts', {
    people: [partOf('nobody', {}), ...people.flatMap((one) => one ?? [])].join('\nunion all\n'),
    holdouts: holdouts.map(({ name, audience, campaign, share, start, end, smallest_effect }) =>
      JSON.stringify({
        ...{ holdout: name, share, first_day: start, last_day: end, smallest_effect },
        kind: audience === undefined ? (campaign === undefined ? 'table' : 'campaign') : 'audience',
      }),
    ),
  });
  await describeOwn(session, 'holdouts');
  return faults;
}

const partOf = (
  part: 'nobody' | 'assigned' | 'assigned_by_table' | 'assigned_by_campaign' | 'unsegmented' | 'segmented',
  names: Readonly<Record<string, string>>,
): string => selectIn(statement(`streams/own/load/${part}`, names));

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
    // An earlier copy that cannot be loaded, such as one under other settings of privacy, is replaced too.
    if (unloaded.has(pulls.at(-1)?.id ?? '')) continue;
    const isNamed = [...tables, { name: ASSIGNMENTS }].some(({ name }) => ownStream(name) === stream);
    await landing.removePulls(isNamed ? pulls.slice(0, -1) : pulls);
  }
}

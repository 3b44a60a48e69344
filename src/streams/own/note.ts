/** What a night does about own tables besides copying and loading them: notes what is known of each, and removes replaced copies. */
import { basename } from 'node:path';
import type { Config } from '../../config/config.js';
import { ID_COLUMNS } from '../../ground/fields.js';
import { escaped } from '../../landing/duckdb.js';
import { listPulls, type LandingZone } from '../../landing/landing-zone.js';
import { ASSIGNMENTS, OWN, ownStream } from '../../ground/streams.js';
import { describeOwn, ownTables } from '../../warehouse/describe.js';
import { quoted, selectIn, statement, type Session } from '../../warehouse/session.js';
import type { Warehouse } from '../../warehouse/warehouse.js';

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
    const fault = conversions && conversionsFault(conversions, found);
    if (fault !== undefined) faults.push(`No conversions: ${fault}`);
    const isUsable = conversions !== undefined && fault === undefined;
    await session.run('streams/own/load/conversions', isUsable ? viewOf(conversions) : NO_CONVERSIONS);
    await describeOwn(session, 'conversions');
    faults.push(
      ...(await noteSegments(session, found, people)),
      ...(await noteHoldouts(session, found, people)),
    );
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
      const dated = columns.filter((one) => DAY.test(one.type) && !isAssigned(one.name));
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

const columnOf = (found: Found, table: string, name: string) =>
  found.find((one) => one.name === table)?.columns.find((one) => one.name === name);

/** Makes a view of people, which is one of people who are selected. */
async function makeView(
  session: Session,
  view: 'holdouts' | 'segments',
  people: readonly string[],
): Promise<void> {
  await session.run('streams/own/load/people', { view, people: people.join('\nunion all\n') });
  await describeOwn(session, view);
}

/** Makes the view of the people of all segments. Resolves with a sentence for each that cannot be read. */
async function noteSegments(
  session: Session,
  found: Found,
  { audiences }: Pick<Config, 'audiences'>,
): Promise<string[]> {
  const faults: string[] = [];
  const segmented = audiences.flatMap(({ name, table, person, segments }) =>
    segments.flatMap((segment): string[] => {
      if (!found.some((one) => one.name === table)) return [];
      if (columnOf(found, table, segment) !== undefined && columnOf(found, table, person) !== undefined)
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
  await makeView(session, 'segments', [partOf('unsegmented', {}), ...segmented]);
  return faults;
}

/** Makes the view of the people of all holdouts, and notes the holdouts. Resolves with a sentence for each that cannot be read. */
async function noteHoldouts(
  session: Session,
  found: Found,
  { holdouts }: Pick<Config, 'holdouts'>,
): Promise<string[]> {
  const faults: string[] = [];
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
      return columnOf(found, ASSIGNMENTS, 'holdout') === undefined ? undefined : partOf('assigned', given);
    const fault = assignmentsFault(one, table, found);
    if (fault !== undefined) {
      faults.push(`The holdout ${one.name} is left out: ${fault}`);
      return undefined;
    }
    const day = columnOf(found, table, assigned);
    return partOf('assigned_by_table', {
      ...{ ...given, table, person: person ?? '', arm: quoted(arm), persons: personsOf(person) },
      value: escaped(one.holdout ?? ''),
      assigned:
        day?.type === 'DATE'
          ? quoted(assigned)
          : `(${quoted(assigned)}::timestamptz at time zone 'Asia/Seoul')::date`,
    });
  });
  await makeView(session, 'holdouts', [partOf('nobody', {}), ...people.flatMap((one) => one ?? [])]);
  await session.run('streams/own/load/holdouts', {
    holdouts: holdouts.map(({ name, audience, campaign, share, start, end, smallest_effect, exempt }) =>
      JSON.stringify({
        ...{ holdout: name, share, first_day: start, last_day: end, smallest_effect, exempt },
        campaign_id: campaign,
        kind: audience === undefined ? (campaign === undefined ? 'table' : 'campaign') : 'audience',
      }),
    ),
  });
  return faults;
}

const partOf = (
  part: 'nobody' | 'assigned' | 'assigned_by_table' | 'assigned_by_campaign' | 'unsegmented' | 'segmented',
  names: Readonly<Record<string, string>>,
): string => selectIn(statement(`streams/own/load/${part}`, names));

const DAY = /^(DATE|TIMESTAMP)/;
const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/;

/** Why the table has no conversions, in sentences; undefined if it has what the settings name. */
function conversionsFault({ table, person, at, value }: Conversions, found: Found): string | undefined {
  const wanted: Wanted[] = [{ name: at, setting: 'conversions.at', ...AN_INSTANT }];
  if (value !== undefined) wanted.push({ name: value, setting: 'conversions.value', ...A_NUMBER });
  return columnsFault(table, person, wanted, found);
}

/** Why a table of assignments cannot be read, in sentences. */
function assignmentsFault(
  { name, person, arm = '', assigned = '' }: Config['holdouts'][number],
  table: string,
  found: Found,
): string | undefined {
  const wanted: Wanted[] = [
    { name: arm, setting: `holdouts.${name}.arm` },
    { name: assigned, setting: `holdouts.${name}.assigned`, ...A_DAY },
  ];
  return columnsFault(table, person ?? '', wanted, found);
}

/** A column that a setting names, and the type that it must have, if any. */
interface Wanted {
  readonly name: string;
  readonly setting: string;
  readonly form?: RegExp;
  readonly what?: string;
  readonly example?: string;
}

const A_DAY = { form: DAY, what: 'a day or an instant', example: '2026-11-01' };
const AN_INSTANT = { ...A_DAY, example: '2026-11-01 09:30:00' };
const A_NUMBER = { form: NUMBER, what: 'a number', example: '39000 or 39,000.50' };

function columnsFault(
  table: string,
  person: string,
  wanted: readonly Wanted[],
  found: Found,
): string | undefined {
  const columns = found.find(({ name }) => name === table)?.columns;
  if (columns === undefined) return `own.${table} was never loaded. The next run that can read it makes it.`;
  const names = columns.map((one) => one.name);
  if (!names.includes(person)) return `own.${table} has no ${person}.`;
  for (const { name, setting, form, what = '', example = '' } of wanted) {
    const type = columns.find((one) => one.name === name)?.type;
    if (type === undefined)
      return `own.${table} has no column ${name} (${setting}); it has ${names.join(', ')}.`;
    if (form?.test(type) === false)
      return `the column ${name} of own.${table} is ${type}, and ${setting} must be ${what}. Each value must look like ${example}.`;
  }
  return undefined;
}

/** The columns of own.conversions. */
function viewOf({ person, at, value, currency, goal, table }: Conversions): View {
  const literal = (given: string | undefined): string =>
    given === undefined ? 'null' : `'${escaped(given)}'`;
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

/** Creates the views that combine own tables as the settings describe: conversions, segments and holdouts. */
import type { Config } from '../../config/config.js';
import { ID_COLUMNS } from '../../ground/fields.js';
import { ASSIGNMENTS } from '../../ground/streams.js';
import { escaped } from '../../disk/duckdb.js';
import { describeOwn, type ownTables } from '../../warehouse/describe.js';
import { quoted, selectIn, statement, type Session } from '../../warehouse/session.js';

export type People = Pick<Config, 'conversions' | 'audiences' | 'holdouts'>;
type Tables = Awaited<ReturnType<typeof ownTables>>;
type View = 'conversions' | 'segments' | 'holdouts';

/** The select statement for a part of a view, or a sentence why the part is left out. */
type Part = { readonly select: string } | { readonly fault: string };

/** Creates the views, and records the holdouts. Call it inside a transaction. Resolves with a sentence for each part that is left out. */
export async function makeViews(session: Session, tables: Tables, people: People): Promise<string[]> {
  const { conversions, audiences, holdouts } = people;
  const parts: Readonly<Record<View, readonly Part[]>> = {
    conversions: conversions === undefined ? [] : [conversionsIn(tables, conversions)],
    segments: audiences.flatMap((one) => segmentsIn(tables, one)),
    holdouts: holdouts.flatMap((one) => holdoutIn(tables, one)),
  };
  for (const view of ['conversions', 'segments', 'holdouts'] as const) {
    const selects = parts[view].flatMap((part) => ('select' in part ? [part.select] : []));
    const all = [selectOf(`no_${view}`, {}), ...selects].join('\nunion all\n');
    // An order without a person still counts as a conversion.
    const whose = selectOf(view === 'conversions' ? 'anybody' : 'somebody', {});
    await session.run('streams/own/load/view', { view, people: all, whose });
    await describeOwn(session, view);
  }
  await session.run('streams/own/load/holdouts', {
    holdouts: holdouts.map(({ name, audience, campaign, share, start, end, smallest_effect, exempt }) =>
      JSON.stringify({
        ...{ holdout: name, share, first_day: start, last_day: end, smallest_effect, exempt },
        campaign_id: campaign,
        kind: audience === undefined ? (campaign === undefined ? 'table' : 'campaign') : 'audience',
      }),
    ),
  });
  return Object.values(parts).flatMap((all) => all.flatMap((part) => ('fault' in part ? [part.fault] : [])));
}

function conversionsIn(
  tables: Tables,
  { table, person, at, value, currency, goal }: NonNullable<Config['conversions']>,
): Part {
  const fault = faultIn(tables, table, person, [
    { column: at, setting: 'conversions.at', form: INSTANT },
    ...(value === undefined ? [] : [{ column: value, setting: 'conversions.value', form: NUMBER }]),
  ]);
  if (fault !== undefined) return { fault: `No conversions: ${fault}` };
  const select = selectOf('converted', {
    ...{ table, persons: personsOf(person), at: quoted(at), goal: escaped(goal) },
    value: value === undefined ? 'null' : quoted(value),
    currency: currency === undefined ? 'null' : `'${escaped(currency)}'`,
  });
  return { select };
}

/** The people in the segments of an audience. Empty if its table was never loaded, which the run reports. */
function segmentsIn(
  tables: Tables,
  { name, table, person, segments }: Config['audiences'][number],
): readonly Part[] {
  if (!tables.some((one) => one.name === table)) return [];
  return segments.map((segment): Part => {
    const fault = faultIn(tables, table, person, [
      { column: segment, setting: `audiences.${name}.segments` },
    ]);
    if (fault !== undefined) return { fault: `The audience ${name} has no segment ${segment}: ${fault}` };
    const names = { audience: name, segment: escaped(segment), column: quoted(segment), table };
    return { select: selectOf('segmented', { ...names, persons: personsOf(person) }) };
  });
}

/** The people of a holdout. A holdout of an audience is empty before the first assignment. */
function holdoutIn(tables: Tables, holdout: Config['holdouts'][number]): readonly Part[] {
  const { name, table, campaign, share = 'null', arm = '', assigned = '', person = 'user_id' } = holdout;
  const names = { holdout: name, share: String(share) };
  if (campaign !== undefined) {
    const named = { campaign: escaped(campaign), value: escaped(holdout.variant ?? '') };
    return [{ select: selectOf('assigned_by_campaign', { ...names, ...named }) }];
  }
  if (table === undefined)
    return tables.some((one) => one.name === ASSIGNMENTS) ? [{ select: selectOf('assigned', names) }] : [];
  const fault = faultIn(tables, table, person, [
    { column: arm, setting: `holdouts.${name}.arm` },
    { column: assigned, setting: `holdouts.${name}.assigned`, form: DAY },
  ]);
  if (fault !== undefined) return [{ fault: `The holdout ${name} is left out: ${fault}` }];
  const select = selectOf('assigned_by_table', {
    ...{ ...names, table, persons: personsOf(person) },
    ...{ arm: quoted(arm), assigned: quoted(assigned), value: escaped(holdout.holdout ?? '') },
  });
  return [{ select }];
}

const selectOf = (
  part:
    | `no_${View}`
    | 'anybody'
    | 'somebody'
    | 'converted'
    | 'segmented'
    | 'assigned'
    | 'assigned_by_table'
    | 'assigned_by_campaign',
  names: Readonly<Record<string, string>>,
): string => selectIn(statement(`streams/own/load/${part}`, names));

const personsOf = (person: string): string =>
  ID_COLUMNS.map((kind) => (kind === person ? `"${kind}"` : `null::varchar as ${kind}`)).join(', ');

/** The types that a setting accepts for its column, in words and as an example. */
interface Form {
  readonly types: RegExp;
  readonly what: string;
  readonly example: string;
}

const DAY: Form = { types: /^(DATE|TIMESTAMP)/, what: 'a day or an instant', example: '2026-11-01' };
const INSTANT: Form = { ...DAY, example: '2026-11-01 09:30:00' };
const NUMBER: Form = {
  types: /^(U?(TINY|SMALL|BIG|HUGE)?INT|DECIMAL|DOUBLE|FLOAT)/,
  what: 'a number',
  example: '39000 or 39,000.50',
};

/** Why a table does not fit the settings, in sentences; undefined if it fits. */
function faultIn(
  tables: Tables,
  table: string,
  person: string,
  wanted: readonly { readonly column: string; readonly setting: string; readonly form?: Form }[],
): string | undefined {
  const columns = tables.find(({ name }) => name === table)?.columns;
  if (columns === undefined) return `own.${table} was never loaded. The next run that can read it makes it.`;
  const typeOf = (column: string): string | undefined => columns.find(({ name }) => name === column)?.type;
  if (typeOf(person) === undefined) return `own.${table} has no ${person}.`;
  for (const { column, setting, form } of wanted) {
    const type = typeOf(column);
    if (type === undefined)
      return `own.${table} has no column ${column} (${setting}); it has ${columns.map(({ name }) => name).join(', ')}.`;
    if (form?.types.test(type) === false)
      return `the column ${column} of own.${table} is ${type}, and ${setting} must be ${form.what}. Each value must look like ${form.example}.`;
  }
  return undefined;
}

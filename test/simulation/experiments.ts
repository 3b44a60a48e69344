/**
 * How often the shipped SQL, asked on every day, names a winner of A/B tests: worlds of people who get messages and click, drawn
 * by DuckDB as events, and read by the models from the ids of people to the verdict.
 */
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { models } from '../../src/warehouse/models.js';
import { migrations } from '../../src/warehouse/opening.js';
import { statement } from '../../src/warehouse/session.js';

export interface Cell {
  readonly name: string;
  /** Tests, days of each, and people of each, who begin on a day by chance. */
  readonly tests?: number;
  readonly days?: number;
  readonly people: number;
  /** Messages that each person gets. */
  readonly messages: number;
  /** The share of each variant; the first is the baseline. */
  readonly split: readonly number[];
  /** The shares of the last day, which they reach at once in the middle, or a little every day. */
  readonly becomes?: readonly number[];
  readonly moves?: 'once' | 'daily';
  /** Whether `split` has the shares of each day, their mean, or nothing. */
  readonly intended?: 'by day' | 'mean' | 'unsaid';
  /** How often a message is clicked, or converts, and how often on the last day, if that differs. */
  readonly rate: number;
  readonly rises?: number;
  /** How much better all others are than the baseline, as a share of it. */
  readonly lift?: number;
  /** The correlation of two messages to one person: so many click all or none. */
  readonly likeness?: number;
  /** The share of these people who get a message of the next variant within three days; of all variants, or of the baseline. */
  readonly crossing?: {
    readonly share: number;
    readonly of: 'clickers' | 'others';
    readonly from: 'all' | 'baseline';
  };
  /** Whether a person has accepted the crossing. */
  readonly accepts?: boolean;
  /** Whether a twentieth of the people share a device, which alone is known of a third of their records. */
  readonly sharesDevice?: boolean;
}

const COMMON = { people: 500, messages: 2, split: [0.5, 0.5], rate: 0.15 } as const;

const CROSSING: readonly Cell[] = ([0.02, 0.1] as const).flatMap((share) =>
  (['clickers', 'others'] as const).flatMap((of) =>
    (['all', 'baseline'] as const).map((from) => ({
      ...COMMON,
      name: `${share * 100} % of the ${of === 'clickers' ? 'clickers' : 'non-clickers'} of ${from === 'all' ? 'both' : 'one'} cross, accepted`,
      ...{ crossing: { share, of, from }, accepts: true },
    })),
  ),
);

const MOVING: readonly Cell[] = (['once', 'daily'] as const).flatMap((moves) =>
  (
    [
      [0.15, 'by day'],
      [0.45, 'by day'],
      [0.45, 'mean'],
      [0.45, 'unsaid'],
    ] as const
  ).map(([rises, intended]) => ({
    ...COMMON,
    name: `90 : 10 to 50 : 50, ${moves}, ${rises > COMMON.rate ? 'rising' : 'even'} rates, split ${intended}`,
    ...{ split: [0.9, 0.1], becomes: [0.5, 0.5], moves, intended, rises },
  })),
);

/** Tests without a difference. */
export const ALIKE: readonly Cell[] = [
  { ...COMMON, name: 'nobody crosses' },
  { ...COMMON, name: 'nobody crosses, rising rates', rises: 0.45 },
  {
    ...COMMON,
    name: '10 % of the clickers of both cross, not accepted',
    crossing: { share: 0.1, of: 'clickers', from: 'all' },
  },
  ...CROSSING,
  ...MOVING,
  { ...COMMON, name: 'one device shared', messages: 3, sharesDevice: true },
  {
    ...COMMON,
    name: '4 variants, 5 messages',
    people: 800,
    messages: 5,
    split: [0.25, 0.25, 0.25, 0.25],
    likeness: 0.05,
  },
  { ...COMMON, name: '80 : 20, 5 messages', people: 300, messages: 5, split: [0.8, 0.2], likeness: 0.05 },
  { ...COMMON, name: '50 : 30 : 15 : 5', split: [0.5, 0.3, 0.15, 0.05], likeness: 0.05 },
  { ...COMMON, name: '2 variants, 20 messages', people: 100, messages: 20, likeness: 0.05 },
  { ...COMMON, name: '2 variants, a rate of 2%', people: 3000, messages: 1, rate: 0.02 },
  { ...COMMON, name: '2 variants, a rate of 30%', rate: 0.3, likeness: 0.05 },
];

/** Tests whose other variant is better by three tenths. */
export const BETTER: readonly Cell[] = [1000, 2000, 4000].map((people) => ({
  ...COMMON,
  name: `${people} people, 1 message each`,
  ...{ people, messages: 1, lift: 0.3, tests: 150 },
}));

export interface Told {
  /** Shares of the tests in which a winner or loser was ever named, by clicks or conversions, and in which there was an alarm. */
  readonly judged: number;
  readonly alarmed: number;
  /** Days until the first verdict, at the median of those that got one. */
  readonly medianDays: number | undefined;
}

export async function simulate(given: Cell, seed: number): Promise<Told> {
  const cell = { tests: 500, days: 21, ...given };
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    // Chance is the same again in one thread only.
    await connection.run('set threads = 1');
    await prepare(connection, cell);
    await draw(connection, cell, seed);
    await connection.run('set threads = 2');
    await model(connection);
    for (let day = 0; day < cell.days; day += 1) await look(connection, day);
    return await told(connection, cell.tests);
  } finally {
    connection.closeSync();
  }
}

type Drawn = Cell & { readonly tests: number; readonly days: number };

/** What the share of each variant is on a day. */
function sharesOn({ split, becomes = split, moves, days }: Drawn, day: number): number[] {
  const way = moves === 'once' ? Number(day >= days / 2) : day / (days - 1);
  return split.map((share, variant) => share + way * ((becomes[variant] ?? share) - share));
}

const nameOf = (variant: number): string => String.fromCharCode(65 + variant);

const mapOf = (shares: readonly number[]): string =>
  `map {${shares.map((share, variant) => `'${nameOf(variant)}': ${share}`).join(', ')}}`;

async function prepare(connection: DuckDBConnection, cell: Drawn): Promise<void> {
  for (const { file } of migrations()) await connection.run(statement(file));
  await connection.run(
    `insert into verdict_words from read_csv('${join(PACKAGE_ROOT, 'sql', 'seeds', 'verdict_words.csv')}', header = true, comment = '#')`,
  );
  const all = Array.from({ length: cell.days }, (_, day) => sharesOn(cell, day));
  const mean = cell.split.map((_, variant) => all.reduce((sum, shares) => sum + (shares[variant] ?? 0), 0));
  const split = {
    'by day': all.map((shares, day) => `date '2026-01-01' + ${day}: ${mapOf(shares)}`).join(', '),
    mean: `date '2026-01-01': ${mapOf(mean)}`,
    unsaid: '',
  }[cell.intended ?? 'mean'];
  await connection.run(
    `update ops.experiments set
      split = ${split === '' ? 'null' : `map {${split}}`}, conversions_per_person = 1, accept_crossing = ${cell.accepts === true}`,
  );
  const shares = all.flatMap((of, day) =>
    of.map(
      (share, variant) =>
        `(${day}, ${variant}, ${of.slice(0, variant).reduce((sum, one) => sum + one, 0)}, ${share})`,
    ),
  );
  await connection.run(
    `create table shares as
    select day, variant, low, low + share as high
    from (values ${shares.join(', ')}) as given (day, variant, low, share)`,
  );
}

/** Draws people, their messages and clicks, and writes them as events and daily statistics. */
async function draw(connection: DuckDBConnection, cell: Drawn, seed: number): Promise<void> {
  const { tests, days, people, messages, rate, rises = rate, lift = 0, likeness = 0, crossing } = cell;
  const chance = `(${rate} + (${rises} - ${rate}) * day / ${days - 1}) * if(variant = 0, 1, 1 + ${lift})`;
  const decided = `if(random() < ${likeness}, (random() < ${rate})::integer, null)`;
  const crosses = `${crossing?.of === 'others' ? 'not ' : ''}clicks and (${crossing?.from !== 'baseline'} or variant = 0)`;
  const isShared = cell.sharesDevice === true ? `person < ${people} / 20` : 'false';
  await connection.run(`
    select setseed(${(seed % 1000) / 1000});
    create table begun as
    select test, person, floor(random() * ${days})::integer as first_day, random() as point, ${decided} as clicker, ${decided} as buyer
    from range(${tests}) as tests (test), range(${people}) as people (person);
    create table sent as
    select
      test, person, first_day, variant, clicker, buyer,
      if(message = 0, first_day, first_day + floor(random() * (${days} - first_day))::integer) as day
    from begun
    inner join shares on first_day = shares.day and point >= low and point < high
    cross join range(${messages}) as all_of (message);
    create table received as
    select
      *, random() < coalesce(clicker, ${chance}) as clicked, random() < coalesce(buyer, ${chance}) as converted,
      least(day + floor(-ln(1 - random()) / 2), ${days - 1})::integer as clicked_on
    from sent;
    create table crossers as
    select *, first_day + 1 + floor(3 * random())::integer as day, random() < ${chance.replaceAll('day', 'first_day')} as clicked
    from (
      select test, person, any_value(first_day) as first_day, any_value(variant) as variant, bool_or(clicked) as clicks
      from received
      group by test, person
    ) as readers
    where random() < ${crossing?.share ?? 0} and ${crosses};
    insert into received by name
    select test, person, first_day, (variant + 1) % ${cell.split.length} as variant, day, clicked, false as converted, day as clicked_on
    from crossers
    where day < ${days};
    insert into events by name
    select
      row_number() over ()::varchar as event_id,
      if(not (${isShared}) or place = 1 or random() < 0.67, test || ' ' || person, null) as user_id,
      if(${isShared}, 'device ' || test, null) as device_id,
      'push-notification' as channel, event_name, 'campaign' as resource_type, 't' || test as campaign_id,
      chr(65 + variant) as experiment_group_name, date '2026-01-01' + day as date,
      (date '2026-01-01' + day)::timestamptz + to_seconds(40000 + place + if(event_name = 'push_click', 600, 0)) as occurred_at
    from (
      select *, row_number() over (partition by test, person order by day, event_name desc) as place
      from (
        select test, person, variant, day, 'send_success' as event_name from received
        union all
        select test, person, variant, clicked_on, 'push_click' from received where clicked
      ) as records
    ) as numbered;
    create table statistics as
    select test, variant, day, sum(sent) as sent, sum(clicked) as clicked, sum(converted) as converted
    from (
      select test, variant, day, 1 as sent, 0 as clicked, converted::integer as converted from received
      union all
      select test, variant, clicked_on, 0, 1, 0 from received where clicked
    ) as counted
    group by test, variant, day`);
}

/** The shipped models: tables of all days, of which the views read those up to today. */
async function model(connection: DuckDBConnection): Promise<void> {
  const day = `date '2026-01-01' + getvariable('today')::integer`;
  await connection.run(`
    create table batch_days as select distinct date from events;
    create table lookback_days as from batch_days;
    set variable first_batch_day = (select min(date) from batch_days);
    set variable first_lookback_day = getvariable('first_batch_day');
    set variable last_batch_day = (select max(date) from batch_days);
    create table campaigns as
    select distinct 't' || test as campaign_id, campaign_id as campaign_name from statistics;
    create table campaign_variants as
    select distinct 't' || test as campaign_id, variant::varchar as variant_id, chr(65 + variant) as variant_name,
      []::varchar[] as former_names
    from statistics;
    create view marts.message_days as
    select
      date '2026-01-01' + day as date, 't' || test as campaign_id, 'push-notification' as channel, variant::varchar as variant_id,
      sent::bigint as sent, sent::bigint as succeeded, sent::bigint as clickable, clicked::bigint as clicked,
      converted::bigint as conversions
    from statistics
    where day <= getvariable('today');
    create table said (campaign_id varchar, day integer, judged boolean, alarmed boolean);
    insert into ops.coverage (stream, date) select 'events', date from batch_days`);
  const wanted = models().filter(({ relation }) => SHIPPED.has(relation));
  for (const { relation, select } of wanted) {
    const kept = SHIPPED.get(relation);
    if (kept === 'view') await connection.run(`create view ${relation} as ${select}`);
    else await connection.run(`create table ${relation} as ${select}`);
  }
  for (const relation of ['daily_variant_people', 'identities']) {
    await connection.run(`
      alter table marts.${relation} rename to all_${relation};
      create view marts.${relation} as from marts.all_${relation} where date <= ${day}`);
  }
}

const SHIPPED = new Map<string, 'view' | 'table'>([
  ['variant_names', 'view'],
  ['marts.identities', 'table'],
  ['marts.daily_identities', 'table'],
  ['marts.event_people', 'view'],
  ['marts.message_responses', 'table'],
  ['marts.daily_variant_people', 'table'],
  ['marts.people', 'view'],
  ['marts.experiment_arms', 'view'],
  ['marts.ab_tests', 'view'],
]);

async function look(connection: DuckDBConnection, day: number): Promise<void> {
  await connection.run(`set variable today = ${day};
    delete from ops.coverage where stream = 'statistics';
    insert into ops.coverage (stream, date) values ('statistics', date '2026-01-01' + ${day});
    insert into said
    select
      campaign_id, ${day},
      bool_or(verdict_code in ('better', 'worse')), bool_or(verdict_code in ('unequal_groups', 'people_crossed'))
    from marts.ab_tests
    group by campaign_id`);
}

async function told(connection: DuckDBConnection, tests: number): Promise<Told> {
  const first = async (sql: string): Promise<number> =>
    Number((await connection.runAndReadAll(sql)).value(0, 0));
  const judged = await first('select count(distinct campaign_id) from said where judged');
  const days = 'select min(day) + 1 as days from said where judged group by campaign_id';
  return {
    judged: judged / tests,
    alarmed: (await first('select count(distinct campaign_id) from said where alarmed')) / tests,
    medianDays: judged === 0 ? undefined : await first(`select median(days) from (${days})`),
  };
}

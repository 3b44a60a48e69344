/**
 * Simulated holdouts, each drawn from a seed of its own. The shipped statements assign the people to their arms, and the shipped question
 * `uplift` looks at all holdouts of a batch together, day by day. Without an effect, every winner is a false one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { shiftDay } from '../../src/ground/calendar.js';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { fieldsFor } from '../../src/ground/fields.js';
import { openInstance } from '../../src/disk/duckdb.js';
import { FIELDS } from '../../src/streams/index.js';
import { keepMacros, migrate } from '../../src/warehouse/opening.js';
import { Session } from '../../src/warehouse/session.js';
import { prepareSearch } from '../../src/warehouse/warehouse.js';

export interface World {
  readonly name: string;
  /** People in a holdout, and the share of them without messages. */
  readonly people: number;
  readonly share: number;
  /** The share of those who are assigned in the second half of the first week. */
  readonly becomes?: number;
  /** Purchases of a person in 28 days, and how much people differ: 0 for not at all, 1 for an exponential distribution. */
  readonly purchases: number;
  readonly likeness: number;
  /** The standard deviation of the logarithm of the value: 1.5 has few that are hundreds of times the others. */
  readonly tail: number;
}

const COMMON = { people: 2000, share: 0.1, purchases: 0.4, likeness: 1, tail: 0.8 } as const;

/** Holdouts whose messages change nothing. */
export const ALIKE: readonly World[] = [
  { ...COMMON, name: 'a tenth of 2,000 people' },
  { ...COMMON, name: 'a half of 1,000 people', people: 1000, share: 0.5 },
  { ...COMMON, name: 'a tenth of 2,000 people, from the fourth day on a half', becomes: 0.5 },
  { ...COMMON, name: '2,000 people who buy alike', likeness: 0 },
  { ...COMMON, name: '2,000 people, rare large values', tail: 1.5 },
];

/** Holdouts to find an effect with, and how much more often people with messages buy from their assignment on. */
export const SIZES: readonly World[] = [
  { ...COMMON, name: 'a tenth of 20,000 people', people: 20_000 },
  { ...COMMON, name: 'a half of 20,000 people who buy twice', people: 20_000, share: 0.5, purchases: 2 },
  { ...COMMON, name: 'a tenth of 100,000 people', people: 100_000 },
];
export const LIFTS = [0.02, 0.05, 0.1] as const;

/** What a holdout is said to show. */
export interface Told {
  readonly seed: number;
  /** The first verdict of more or fewer; undefined without one on any day. */
  readonly winner:
    | { readonly day: number; readonly metric: string; readonly code: 'more' | 'fewer' }
    | undefined;
}

const QUESTION = readFileSync(join(PACKAGE_ROOT, 'sql', 'queries', 'uplift.sql'), 'utf8').replace(
  /;\s*$/,
  '',
);

const FIRST_DAY = '2026-02-01';
/** People of all holdouts that are drawn together: more of them need more memory. */
const MOST_PEOPLE = 1_000_000;
const AUDIENCE = 'members';

/** The days of four weeks on which there may be a verdict: before the seventh it is too early. */
export const DAILY = Array.from({ length: 22 }, (_, day) => day + 6);
export const WEEKLY = [6, 13, 20, 27] as const;

/**
 * Draws a holdout for each seed, and looks at it on these days of four weeks. The same people are drawn for each lift. Resolves with what is
 * said of each, by lift and seed.
 */
export async function simulateHoldouts(
  world: World,
  seeds: readonly number[],
  {
    lifts = [0],
    looks = DAILY,
  }: { readonly lifts?: readonly number[]; readonly looks?: readonly number[] } = {},
): Promise<Told[][]> {
  const size = Math.max(1, Math.floor(MOST_PEOPLE / world.people));
  const told: Told[][] = lifts.map(() => []);
  for (let from = 0; from < seeds.length; from += size) {
    const batch = seeds.slice(from, from + size);
    await using database = await Database.open();
    await drawPeople(database, world, batch);
    for (const [nth, lift] of lifts.entries()) {
      await drawPurchases(database, world, lift);
      told[nth]?.push(...(await look(database, batch, looks)));
    }
  }
  return told;
}

async function look(
  { connection }: Database,
  seeds: readonly number[],
  looks: readonly number[],
): Promise<Told[]> {
  for (const day of looks)
    await connection.run(`
      set variable today = ${day};
      set variable "end" = '${shiftDay(FIRST_DAY, day)}';
      insert into said
      select holdout, ${day}, metric, verdict_code from (${QUESTION}) as answer where verdict_code in ('more', 'fewer');
      -- The first winner is the one that counts.
      delete from ops.holdouts where holdout in (select holdout from said)`);
  const winners = await connection.runAndReadAll(
    'select distinct on (holdout) holdout, day, metric, verdict_code as code from said order by holdout, metric desc',
  );
  const found = z.array(winner).parse(winners.getRowObjectsJson());
  const bySeed = new Map(found.map(({ holdout, ...one }) => [holdout, one]));
  return seeds.map((seed) => ({ seed, winner: bySeed.get(holdoutOf(seed)) }));
}

const winner = z.object({
  holdout: z.string(),
  day: z.number(),
  metric: z.string(),
  code: z.enum(['more', 'fewer']),
});

const holdoutOf = (seed: number): string => `seed_${seed}`;

/** An empty warehouse in memory, whose session hashes persons with a fixed key. */
class Database implements AsyncDisposable {
  private constructor(
    readonly session: Session,
    readonly connection: DuckDBConnection,
  ) {}

  static async open(): Promise<Database> {
    const instance = await openInstance(':memory:', { threads: '2' });
    const session = await Session.open(instance);
    await session.run('session/1_settings');
    await keepMacros(session);
    await migrate(session, { now: () => new Date(`${FIRST_DAY}T00:00:00Z`) });
    await prepareSearch(session, {
      ...{ brand: 'service', messenger: 'chatapp', fields: fieldsFor('service', FIELDS) },
      privacy: { recipients: 'keep', key: Buffer.alloc(32, 'holdouts') },
    });
    const connection = await instance.connect();
    // Nobody of these worlds gets a message of the service: what the question reads of them has no rows.
    await connection.run(`
      set timezone = 'Asia/Seoul';
      create table marts.held_out_messages (date date, holdout varchar, person bigint, resource_id varchar);
      create table marts.resources (resource_id varchar, resource_name varchar)`);
    return new Database(session, connection);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.connection.closeSync();
    this.session.close();
    return Promise.resolve();
  }
}

/**
 * A number from 0 to 1. It depends on the seed, the person and what it is for alone, so a seed gives the same holdout in any batch and on any
 * thread. Without the outer hash, two draws of one person would differ by a constant.
 */
const chance = (of: string): string => `((hash(hash(seed, person, ${of})) >> 11) / 9007199254740992.0)`;

/** Draws people, and assigns each on a day of the first week. */
async function drawPeople(
  { session, connection }: Database,
  { people, share, becomes = share, purchases, likeness }: World,
  seeds: readonly number[],
): Promise<void> {
  // An exponential rate for everybody, mixed with the mean: people with a high rate bought before, and will buy again.
  const rate = `${purchases / 28} * (1 - ${likeness} + ${likeness} * -ln(1 - ${chance('100')}))`;
  await connection.run(`
    create table people as
    select seed, person, 's' || seed || ' ' || person as user_id, floor(7 * ${chance('101')})::integer as first_day, ${rate} as rate
    from (select unnest([${seeds.join(', ')}]) as seed) as seeds, range(${people}) as persons (person)
    order by seed;
    create table own.${AUDIENCE} (user_id varchar);
    create table arms (holdout varchar, user_id varchar, arm varchar, share double, assigned_on date)`);
  for (const seed of seeds) {
    await session.run('streams/own/assign/none');
    for (let day = 0; day < 7; day += 1) {
      await connection.run(`
        create or replace table own.${AUDIENCE} as
        select user_id from people where seed = ${seed} and first_day = ${day}`);
      await session.run('streams/own/assign/add', {
        ...{ holdout: holdoutOf(seed), table: AUDIENCE, person: 'user_id', day: shiftDay(FIRST_DAY, day) },
        share: String(day < 4 ? share : becomes),
      });
    }
    await session.runText('insert into arms select holdout, user_id, arm, share, assigned_on from assigned');
  }
  await connection.run(`
    create or replace view own.holdouts as
    select
      holdout, user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
      arm, share, assigned_on
    from arms`);
}

/** Draws what people buy in the four weeks before the first day, and in those after it. */
async function drawPurchases({ connection }: Database, { tail }: World, lift: number): Promise<void> {
  const value = `exp(10 + ${tail} * sqrt(-2 * ln(1 - ${chance('1000 + day')})) * cos(2 * pi() * ${chance('2000 + day')}))`;
  await connection.run(`
    create or replace table bought as
    select user_id, day, ${value} as value
    from people inner join arms using (user_id), range(-28, 28) as days (day)
    where ${chance('day')} < rate * if(day >= first_day and arm = 'messages', 1 + ${lift}, 1);
    create or replace view own.conversions as
    select
      user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
      null::timestamptz as converted_at, date '${FIRST_DAY}' + day::integer as date, value, 'KRW' as currency, null::varchar as goal
    from bought
    where day <= getvariable('today');
    create or replace table said (holdout varchar, day integer, metric varchar, verdict_code varchar);
    delete from ops.holdouts;
    insert into ops.holdouts by name
    select distinct holdout, 'audience' as kind, 0.05 as smallest_effect from arms`);
}

/** What the question says of the revenue of shops, each with the orders.csv that `write` makes of its seed, and one groups.csv. */
export async function* toldOfShops(
  folder: string,
  last: string,
  seeds: readonly number[],
  write: (seed: number) => Promise<void>,
): AsyncGenerator<{
  readonly seed: number;
  readonly low: number;
  readonly high: number;
  readonly code: string;
}> {
  await using database = await Database.open();
  const { connection } = database;
  await connection.run(`
      create or replace view own.holdouts as
      select
        'members' as holdout, member_id as user_id, null::varchar as service_user_id, null::varchar as device_id,
        null::varchar as service_device_id, if("group" = 'C', 'holdout', 'messages') as arm, 0.1::double as share, assigned_on
      from read_csv('${join(folder, 'groups.csv')}');
      insert into ops.holdouts by name select 'members' as holdout, 'table' as kind, 0.1 as share, 0.05 as smallest_effect;
      set variable "end" = '${last}'`);
  for (const seed of seeds) {
    await write(seed);
    await connection.run(`
      create or replace view own.conversions as
      select
        member_id as user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
        ordered_at::timestamptz as converted_at, ordered_at::date as date, amount::double as value, 'KRW' as currency, '구매' as goal
      from read_csv('${join(folder, 'orders.csv')}')`);
    const sql = `select incremental_low, incremental_high, verdict_code from (${QUESTION}) where metric = 'revenue'`;
    const [[low, high, code] = []] = (await connection.runAndReadAll(sql)).getRows();
    yield { seed, low: Number(low), high: Number(high), code: String(code) };
  }
}

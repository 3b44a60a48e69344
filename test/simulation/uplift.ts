/** Simulated holdouts, on which the shipped question `uplift` looks every day. Without an effect, every winner is a false one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { migrations } from '../../src/warehouse/opening.js';
import { statement } from '../../src/warehouse/session.js';

interface Cell {
  readonly name: string;
  /** People of a holdout, the share of them without messages, and days of looking. */
  readonly people: number;
  readonly share: number;
  readonly days?: number;
  /** The share of those who are assigned in the second half of the first week. */
  readonly becomes?: number;
  /** Purchases of a person in 28 days, and how much people differ: 0 for not at all, 1 for an exponential distribution. */
  readonly purchases: number;
  readonly likeness: number;
  /** The standard deviation of the logarithm of the value: 1.5 has few that are hundreds of times the others. */
  readonly tail: number;
  readonly lift?: number;
}

const COMMON = { people: 2000, share: 0.1, purchases: 0.4, likeness: 1, tail: 0.8 } as const;

/** Holdouts whose messages change nothing. */
export const ALIKE: readonly Cell[] = [
  { ...COMMON, name: 'a tenth of 2,000 people' },
  { ...COMMON, name: 'a half of 1,000 people', people: 1000, share: 0.5 },
  { ...COMMON, name: 'a tenth, from the fourth day on a half', becomes: 0.5 },
  { ...COMMON, name: 'people who buy alike', likeness: 0 },
  { ...COMMON, name: 'rare large values', tail: 1.5 },
];

/** Holdouts whose messages make people buy more often. */
export const EFFECTS: readonly Cell[] = [20_000, 100_000, 400_000].flatMap((people) =>
  [0.02, 0.05, 0.1].map((lift) => ({
    ...COMMON,
    name: `${people.toLocaleString('en')} people, ${lift * 100}%`,
    ...{ people, lift },
  })),
);

export interface Told {
  /** Holdouts with a verdict of more or fewer on any day, by number, and those of them with one that is wrong. */
  readonly named: readonly number[];
  readonly wrong: readonly number[];
}

const QUESTION = readFileSync(join(PACKAGE_ROOT, 'sql', 'queries', 'uplift.sql'), 'utf8');

/** Draws holdouts and looks at all of them each day. */
export async function simulateHoldouts(cell: Cell, holdouts: number, seed: number): Promise<Told> {
  const { days = 28, lift = 0 } = cell;
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  try {
    for (const { file } of migrations()) await connection.run(statement(file));
    // Chance is the same again in one thread only.
    await connection.run('set threads = 1');
    await draw(connection, cell, holdouts, seed);
    await connection.run('set threads = 2');
    const asked = QUESTION.replace(/;\s*$/, '');
    for (let day = 6; day < days; day += 1)
      await connection.run(`
        set variable today = ${day};
        set variable "end" = (date '2026-02-01' + ${day})::varchar;
        insert into said
        select holdout, verdict_code from (${asked}) as answer where verdict_code in ('more', 'fewer')`);
    const numbers = async (condition: string): Promise<number[]> => {
      const sql = `select distinct holdout[2:]::integer as holdout from said where ${condition} order by 1`;
      return (await connection.runAndReadAll(sql)).getRows().map(([holdout]) => Number(holdout));
    };
    const wrong = lift === 0 ? 'true' : "verdict_code = 'fewer'";
    return { named: await numbers('true'), wrong: await numbers(wrong) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function draw(
  connection: DuckDBConnection,
  { people, share, becomes = share, purchases, likeness, tail, lift = 0 }: Cell,
  holdouts: number,
  seed: number,
): Promise<void> {
  const value = `exp(10 + ${tail} * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))`;
  // An exponential rate for everybody, mixed with the mean: people with a high rate bought before, and will buy again.
  const rate = `${purchases / 28} * (1 - ${likeness} + ${likeness} * -ln(1 - random()))`;
  await connection.run(`
    select setseed(${(seed % 1000) / 1000});
    create table people as
    select
      'h' || holdout as holdout, 'h' || holdout || ' ' || person as user_id, floor(random() * 7)::integer as first_day, ${rate} as rate,
      random() as point
    from range(${holdouts}) as all_of (holdout), range(${people}) as persons (person);
    create or replace view own.holdouts as
    select
      holdout, user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
      if(point < if(first_day < 4, ${share}, ${becomes}), 'holdout', 'messages') as arm,
      if(first_day < 4, ${share}, ${becomes})::double as share, date '2026-02-01' + first_day as assigned_on
    from people;
    create table bought as
    select user_id, day, ${value} as value
    from people, range(-28, 28) as days (day)
    where
      random() < rate * if(
        day >= first_day and point >= if(first_day < 4, ${share}, ${becomes}), 1 + ${lift}, 1
      );
    create or replace view own.conversions as
    select
      user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
      null::timestamptz as converted_at, date '2026-02-01' + day::integer as date, value, 'KRW' as currency, null::varchar as goal
    from bought
    where day <= getvariable('today');
    create table said (holdout varchar, verdict_code varchar);
    insert into ops.holdouts
    select distinct holdout, 'audience', ${share}, null::date, null::date, 0.05 from people`);
}

/** What the question says of the revenue of a shop's orders.csv and groups.csv. */
export async function toldOfShop(
  folder: string,
  last: string,
): Promise<{ readonly low: number; readonly high: number; readonly code: string }> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  try {
    for (const { file } of migrations()) await connection.run(statement(file));
    await connection.run(`
      set timezone = 'Asia/Seoul';
      create or replace view own.holdouts as
      select
        'members' as holdout, member_id as user_id, null::varchar as service_user_id, null::varchar as device_id,
        null::varchar as service_device_id, if("group" = 'C', 'holdout', 'messages') as arm, 0.1::double as share, assigned_on
      from read_csv('${join(folder, 'groups.csv')}');
      create or replace view own.conversions as
      select
        member_id as user_id, null::varchar as service_user_id, null::varchar as device_id, null::varchar as service_device_id,
        ordered_at::timestamptz as converted_at, ordered_at::date as date, amount::double as value, 'KRW' as currency, '구매' as goal
      from read_csv('${join(folder, 'orders.csv')}');
      insert into ops.holdouts values ('members', 'table', 0.1, null, null, 0.05);
      set variable "end" = '${last}'`);
    const sql = `select incremental_low, incremental_high, verdict_code from (${QUESTION.replace(/;\s*$/, '')}) where metric = 'revenue'`;
    const [[low, high, code] = []] = (await connection.runAndReadAll(sql)).getRows();
    return { low: Number(low), high: Number(high), code: String(code) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Asks the shipped `marts.ab_tests` every morning about simulated tests, and counts what it ever said. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { join } from 'node:path';
import { models } from '../../src/warehouse/model.js';
import { PACKAGE_ROOT } from '../../src/ground/package.js';
import { statement, statementsIn } from '../../src/warehouse/session.js';
import { chance, draw, type Cell, type Increment } from './people.js';

export interface Told {
  /** Shares of the tests in which a winner or loser was ever named, and in which the split was ever distrusted. */
  readonly judged: number;
  readonly distrusted: number;
  /** Days until the first verdict, at the median of those that got one. */
  readonly medianDays: number | undefined;
  /** The share that one look at the end, with a fixed-sample test of the same size, calls significant. */
  readonly fixed: number;
}

export async function simulate(cell: Cell, seed: number): Promise<Told> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    await prepare(connection, cell);
    await fill(connection, draw(cell, chance(seed)));
    for (let day = 0; day < cell.days; day += 1) await look(connection, day);
    return await told(connection, cell);
  } finally {
    connection.closeSync();
  }
}

/** The shipped schema and view, on arms that are simulated. */
async function prepare(connection: DuckDBConnection, { split }: Cell): Promise<void> {
  for (const name of statementsIn('schema')) await connection.run(statement(name));
  await connection.run(
    `insert into verdict_words from read_csv('${join(PACKAGE_ROOT, 'sql', 'seeds', 'verdict_words.csv')}', header = true, comment = '#')`,
  );
  const shares = split.map((share, variant) => `'${nameOf(variant)}': ${share}`).join(', ');
  await connection.run(`update ops.experiments set split = map {${shares}}, conversions_per_person = 1`);
  await connection.run(
    `create table increments (test integer, variant integer, day integer, people bigint, clickers bigint,
      messages bigint, conversions bigint, squares bigint)`,
  );
  await connection.run(
    `create view marts.experiment_arms as
    select
      't' || test as campaign_id, 't' || test as campaign_name, 'push-notification' as channel,
      variant::varchar as variant_id, chr(65 + variant) as variant_name, [variant_name] as names,
      date '2026-01-01' as first_date,
      sum(messages)::bigint as sent, sum(messages)::bigint as succeeded, sum(messages)::bigint as clickable,
      sum(clickers)::bigint as clicked, sum(conversions)::bigint as conversions,
      sum(people) as people_sent, sum(people) as people, sum(clickers) as clickers,
      sum(squares) / nullif(sum(messages), 0) as messages_per_person,
      0 as days_without_events
    from increments
    where day <= getvariable('today')
    group by test, variant`,
  );
  const view = models().find(({ relation }) => relation === 'marts.ab_tests');
  await connection.run(`create view marts.ab_tests as ${view?.select ?? ''}`);
  await connection.run(
    'create table said (campaign_id varchar, day integer, judged boolean, distrusted boolean)',
  );
}

const nameOf = (variant: number): string => String.fromCharCode(65 + variant);

async function fill(connection: DuckDBConnection, increments: Iterable<Increment>): Promise<void> {
  const appender = await connection.createAppender('increments');
  for (const { test, variant, day, people, clickers, messages, conversions, squares } of increments) {
    for (const whole of [test, variant, day]) appender.appendInteger(whole);
    for (const number of [people, clickers, messages, conversions, squares]) {
      appender.appendBigInt(BigInt(number));
    }
    appender.endRow();
  }
  appender.closeSync();
}

async function look(connection: DuckDBConnection, day: number): Promise<void> {
  await connection.run(`set variable today = ${day}`);
  await connection.run('delete from ops.coverage');
  await connection.run(
    `insert into ops.coverage (stream, date) values ('statistics', date '2026-01-01' + ${day})`,
  );
  await connection.run(
    `insert into said
    select
      campaign_id, ${day},
      bool_or(verdict_code in ('better', 'worse')), bool_or(verdict_code = 'unequal_groups')
    from marts.ab_tests
    group by campaign_id
    having bool_or(verdict_code in ('better', 'worse', 'unequal_groups'))`,
  );
}

async function told(connection: DuckDBConnection, { tests, split }: Cell): Promise<Told> {
  const first = async (sql: string): Promise<number> =>
    Number((await connection.runAndReadAll(sql)).value(0, 0));
  const judged = await first('select count(distinct campaign_id) from said where judged');
  const days = 'select min(day) + 1 as days from said where judged group by campaign_id';
  // Two proportions of people, by the same macros, corrected for the same comparisons.
  const fixed = await first(
    `select count(distinct a.campaign_id) from marts.experiment_arms as a
    join marts.experiment_arms as b on a.campaign_id = b.campaign_id and a.variant_id = '0' and b.variant_id <> '0'
    where marts.normal_two_sided_p(
      (b.clickers / b.people - a.clickers / a.people)
      / sqrt(
        (a.clickers + b.clickers) / (a.people + b.people) * (1 - (a.clickers + b.clickers) / (a.people + b.people))
        * (1 / a.people + 1 / b.people)
      )
    ) < 0.05 / ${2 * (split.length - 1)}`,
  );
  return {
    judged: judged / tests,
    distrusted: (await first('select count(distinct campaign_id) from said where distrusted')) / tests,
    medianDays: judged === 0 ? undefined : await first(`select median(days) from (${days})`),
    fixed: fixed / tests,
  };
}

/** How often the shipped query `revenue`, asked every morning, ever names a winner among variants that are equal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { statement, statementsIn } from '../../src/warehouse/session.js';
import { chance, variantOf } from './people.js';

interface RevenueCell {
  readonly name: string;
  /** The share of each variant. */
  readonly split: readonly number[];
  /** Messages of a day, and how many of them are followed by a purchase. */
  readonly messages: number;
  readonly rate: number;
  /** The spread of the logarithm of an amount: at 2 one purchase in a hundred is a hundred times the usual one. */
  readonly spread: number;
}

export const REVENUE_CELLS: readonly RevenueCell[] = [
  { name: '2 variants, amounts alike', split: [0.5, 0.5], messages: 200, rate: 0.03, spread: 0.5 },
  { name: '2 variants, few and large purchases', split: [0.5, 0.5], messages: 100, rate: 0.01, spread: 2 },
  { name: '10 : 90, large purchases', split: [0.1, 0.9], messages: 200, rate: 0.03, spread: 2 },
  {
    name: '4 variants, large purchases',
    split: [0.25, 0.25, 0.25, 0.25],
    messages: 200,
    rate: 0.03,
    spread: 2,
  },
];

const FIRST = '2026-01-01';

/** The share of the tests in which a winner was ever named. */
export async function falseWinners(
  cell: RevenueCell,
  { tests, mornings }: { readonly tests: number; readonly mornings: number },
  seed: number,
): Promise<number> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    await prepare(connection);
    await fill(connection, cell, tests, mornings, chance(seed));
    const query = readFileSync(join(PACKAGE_ROOT, 'sql', 'queries', 'revenue.sql'), 'utf8').replace(
      /;\s*$/,
      '',
    );
    for (let morning = 0; morning < mornings; morning++) {
      await connection.run(`set variable "end" = (date '${FIRST}' + ${morning})::varchar`);
      await connection.run(`insert into named select campaign_id from (${query}) where is_winner`);
    }
    const named = await connection.runAndReadAll('select count(distinct campaign_id) from named');
    return Number(named.value(0, 0)) / tests;
  } finally {
    connection.closeSync();
  }
}

async function prepare(connection: DuckDBConnection): Promise<void> {
  for (const name of statementsIn('schema')) await connection.run(statement(name));
  await connection.run('create table campaigns (campaign_id varchar, campaign_name varchar)');
  await connection.run(
    'create table variant_names (campaign_id varchar, variant_id varchar, variant_name varchar)',
  );
  await connection.run('create table campaign_variants as from variant_names');
  await connection.run('create table marts.goals (resource_id varchar, goal varchar, is_main boolean)');
  await connection.run('create table named (campaign_id varchar)');
  await connection.run(
    'create table sold (campaign_id varchar, variant varchar, day integer, messages integer, revenue double)',
  );
}

/** Every message is as likely to be followed by a purchase, of an amount by chance, whatever its variant is. */
async function fill(
  connection: DuckDBConnection,
  cell: RevenueCell,
  tests: number,
  days: number,
  random: () => number,
): Promise<void> {
  const appender = await connection.createAppender('sold');
  for (let test = 0; test < tests; test++) {
    for (let day = 0; day < days; day++) {
      const variants = cell.split.map(() => ({ messages: 0, revenue: 0 }));
      for (let left = 1 + Math.floor(2 * random() * cell.messages); left > 0; left--) {
        const variant = variants[variantOf(cell.split, random())];
        if (variant === undefined) continue;
        variant.messages++;
        if (random() < cell.rate) variant.revenue += Math.exp(cell.spread * normal(random));
      }
      for (const [variant, { messages, revenue }] of variants.entries()) {
        appender.appendVarchar(`t${test}`);
        appender.appendVarchar(`v${variant}`);
        appender.appendInteger(day);
        appender.appendInteger(messages);
        appender.appendDouble(revenue);
        appender.endRow();
      }
    }
  }
  appender.closeSync();
  const dated = `date '${FIRST}' + day as date`;
  const sales = `'conversion' as metric_type, '구매' as metric_name, 'sales_conversion' as conversion_type`;
  const sends = `'standard' as metric_type, 'send_success' as metric_name, null as conversion_type`;
  for (const [kind, value] of [
    [sales, 'revenue'],
    [sends, 'messages'],
  ]) {
    await connection.run(
      `insert into campaign_metrics by name
      select campaign_id, ${kind}, ${dated}, sum(${value}) as value from sold group by campaign_id, day`,
    );
    await connection.run(
      `insert into campaign_metric_dimensions by name
      select
        campaign_id, ${kind}, ${dated}, 'experiment_group_name' as dimension_key, variant as dimension_value,
        ${value} as value
      from sold`,
    );
  }
  await connection.run(
    `insert into ops.coverage (stream, date) select 'campaigns', date '${FIRST}' + n::integer from range(${days}) as days (n)`,
  );
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The lake beside the published file: every table row by row, by DuckDB, and bundled questions as people would ask them on Spark. */
import { reading } from '../support/dawnload.js';
import type { Spark } from './spark.js';

/** Types that Iceberg lacks; all others are the same on both sides. */
const MAPPED: Readonly<Record<string, string>> = { JSON: 'VARCHAR', UBIGINT: 'DECIMAL(20,0)' };

/** Tables that only the lake has: they tell of its commits. */
const LAKE_ONLY = /_ops\.(lake_commits|lake_parts)$/;

export interface Compared {
  /** As in the lake: `dawnload_marts.channel_days`. */
  readonly table: string;
  readonly rows: number;
  /** Rows that the other side does not have. */
  readonly onlyHere: number;
  readonly onlyThere: number;
  /** Why rows cannot be compared. */
  readonly problem?: string;
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * @param lake its tables, as `dawnload_marts.channel_days`, each with what reads it in SQL
 * @param namespace of the tables of `main`
 */
export async function compare(
  file: string,
  lake: { readonly attach?: string; readonly tables: ReadonlyMap<string, string> },
  namespace: string,
): Promise<Compared[]> {
  return reading(':memory:', async (ask) => {
    await ask(`attach '${file}' as warehouse (read_only)`);
    if (lake.attach !== undefined) await ask(lake.attach);
    await ask('use warehouse');
    // As commands ask it.
    await ask(`set TimeZone = 'Asia/Seoul'`);
    const relations = (await ask(
      `select schema_name as schema, table_name as name,
         list(struct_pack(name := column_name, type := data_type) order by column_index) as columns
       from duckdb_columns()
       where database_name = 'warehouse' and not internal and schema_name in ('main', 'ops', 'marts')
         and (schema_name, table_name) not in (('marts', 'messages'), ('marts', 'message_texts'), ('marts', 'person_ids'),
           ('marts', 'counted_events'), ('marts', 'conversion_people'), ('marts', 'held_out_messages'),
           ('ops', 'excluded_people'), ('ops', 'excluded_ids'), ('ops', 'excluded_events'))
         and (schema_name <> 'main' or table_name not in (
           select view_name from duckdb_views() where database_name = 'warehouse' and schema_name = 'marts'))
       group by all order by all`,
    )) as unknown as Relation[];
    const unread = new Map([...lake.tables].filter(([table]) => !LAKE_ONLY.test(table)));
    const compared: Compared[] = [];
    for (const relation of relations) {
      const table = `${namespace}${relation.schema === 'main' ? '' : `_${relation.schema}`}.${relation.name}`;
      const there = unread.get(table);
      const found =
        there === undefined ? cannot('is not in the lake') : await compareRows(ask, relation, there);
      compared.push({ table, ...found });
      unread.delete(table);
    }
    return [...compared, ...[...unread.keys()].map((table) => ({ table, ...cannot('is not in the file') }))];
  });
}

/** Whether the rows of a table are the same on both sides. */
export const isEqual = ({ problem, onlyHere, onlyThere }: Compared): boolean =>
  problem === undefined && onlyHere + onlyThere === 0;

async function compareRows(
  ask: Ask,
  { schema, name, columns }: Relation,
  lake: string,
): Promise<Omit<Compared, 'table'>> {
  const wanted = columns.map((column) => ({
    name: `"${column.name}"`,
    type: column.type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word),
  }));
  const described = (list: typeof wanted): string => list.map((one) => `${one.name} ${one.type}`).join(', ');
  const found = (await ask(`describe from ${lake}`)).map((column) => ({
    name: `"${String(column['column_name'])}"`,
    type: String(column['column_type']),
  }));
  if (described(found) !== described(wanted)) {
    return cannot(`has other columns: ${described(found)} instead of ${described(wanted)}`);
  }
  const [counts] = await ask(
    `with
       here as materialized (
         select ${wanted.map((one) => `${one.name}::${one.type}`).join(', ')} from warehouse.${schema}."${name}"
       ),
       there as materialized (from ${lake})
     select
       (select count(*) from here)::int as rows,
       (select count(*) from (from here except all from there))::int as only_here,
       (select count(*) from (from there except all from here))::int as only_there`,
  );
  return {
    rows: Number(counts?.['rows']),
    onlyHere: Number(counts?.['only_here']),
    onlyThere: Number(counts?.['only_there']),
  };
}

function cannot(problem: string): Omit<Compared, 'table'> {
  return { rows: 0, onlyHere: 0, onlyThere: 0, problem };
}

// Bundled questions, written by hand for the pushed tables, with some of the columns of the bundled query of the same name.
// Numbers and the order of rows must be those that DuckDB gives.

export interface Asked {
  readonly name: string;
  readonly spark: readonly string[];
  readonly duckdb: readonly string[];
  readonly columns: readonly string[];
  /** An answer without rows says nothing. */
  readonly isEqual: boolean;
}

type Row = Record<string, unknown>;

/** Conversions of several goals are not added up. */
const ONE_GOAL = 'size(array_distinct(flatten(collect_list(goals)))) <= 1';

/** For GROUP BY: what `marts.performance` sums in DuckDB. */
const performance = `
  sum(sent) as sent, sum(clicked) as clicked, if(${ONE_GOAL}, sum(conversions), null) as conversions,
  round(sum(failed) / nullif(sum(sent), 0), 4) as failure_rate,
  round(sum(clicked) / nullif(sum(clickable), 0), 4) as click_rate,
  if(${ONE_GOAL}, round(sum(conversions) / nullif(sum(convertible), 0), 4), null) as conversion_rate`;

/** In SQL of Spark; `$days` becomes a condition on `date`, and `marts.` and `main.` the namespaces. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'campaign-performance': `
    select coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name, channel, ${performance}, resource_id
    from marts.message_days
    left join main.campaigns on resource_type = 'campaign' and resource_id = campaigns.campaign_id
    left join main.user_journeys on resource_type = 'user-journey' and resource_id = user_journeys.user_journey_id
    where $days
    group by resource_type, resource_id, channel, campaigns.campaign_name, user_journeys.user_journey_name
    order by sent desc nulls last, resource_id, channel`,
  'ab-tests': `
    select campaign_name, metric, variant_name, size, round(rate, 4) as rate, round(difference_low, 4) as difference_low,
      round(difference_high, 4) as difference_high, verdict_code, verdict, unit, round(p_value, 4) as p_value, campaign_id
    from marts.ab_tests
    order by campaign_id, channel, metric, is_baseline desc, variant_name nulls last, variant_id nulls last`,
  'template-performance': `
    with sums as (
      select template_kind, template, template_id, sender_key, channel, version_from, template_known, sum(sent) as sent,
        sum(failed) as failed, sum(succeeded) as succeeded, sum(clicked) as clicked, min(date) as first_date,
        sum(sum(sent)) over (partition by template_kind, template) as all_sent
      from marts.template_days where $days
      group by template_kind, template, template_id, channel_id, sender_key, channel, version_from, template_known)
    select template_kind, template, template_known, sent, failed, if(counts_clicks, clicked, null) as clicked,
      round(failed / nullif(sent, 0), 4) as failure_rate,
      if(counts_clicks, round(clicked / nullif(succeeded, 0), 4), null) as click_rate, first_date, template_id
    from sums left join marts.channel_counters as counters on sums.channel <=> counters.channel
    where sent >= 1
    order by all_sent desc, template_kind, template, first_date desc, sent desc,
      sums.channel, sender_key nulls last, version_from desc nulls last, template_id nulls last`,
};

/** @param bundled asks the bundled query of a name, with parameters, and returns its rows */
export async function askAll(
  spark: Spark,
  namespace: string,
  days: { readonly start: string; readonly end: string },
  bundled: (name: string, params: readonly string[]) => Promise<Row[]>,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const sql = question
      .replaceAll('$days', `date between date '${days.start}' and date '${days.end}'`)
      .replaceAll('marts.', `lake.${namespace}_marts.`)
      .replaceAll('main.', `lake.${namespace}.`);
    const params = question.includes('$days') ? [`start=${days.start}`, `end=${days.end}`] : [];
    const [here, there] = await Promise.all([bundled(name, params), spark.ask(sql)]);
    const columns = Object.keys(there[0] ?? {});
    const line = (row: Row): string =>
      columns.map((column) => JSON.stringify(row[column] ?? null)).join(' | ');
    const [onSpark, onDuckDB] = [there.map(line), here.map(line)];
    const isEqual = onSpark.length > 0 && JSON.stringify(onSpark) === JSON.stringify(onDuckDB);
    asked.push({ name, columns, spark: onSpark, duckdb: onDuckDB, isEqual });
  }
  return asked;
}

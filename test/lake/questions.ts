/**
 * Bundled questions as people would ask them on Spark: written by hand for the pushed tables, with some of the columns of
 * the bundled query of the same name. Numbers and the order of rows must be those that DuckDB gives.
 */
import type { Spark } from './spark.js';

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
  'channel-summary': `
    select date, channel, sent, failed, delivered, clicked, conversions, round(failure_rate, 4) as failure_rate,
      round(click_rate, 4) as click_rate, round(conversion_rate, 4) as conversion_rate
    from marts.channel_days where $days order by date, channel`,
  'campaign-performance': `
    select coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name, channel, ${performance}, resource_id
    from marts.message_days
    left join main.campaigns on resource_type = 'campaign' and resource_id = campaigns.campaign_id
    left join main.user_journeys on resource_type = 'user-journey' and resource_id = user_journeys.user_journey_id
    where $days
    group by resource_type, resource_id, channel, campaigns.campaign_name, user_journeys.user_journey_name
    order by sent desc nulls last, resource_id, channel`,
  'campaign-days': `
    select date, campaign_name, channel, sent, clicked, round(click_rate, 4) as click_rate, conversions, goal, campaign_id
    from marts.campaign_days where $days order by date, campaign_name nulls last, channel, campaign_id`,
  conversions: `
    select conversion_name, channel, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions,
      count(distinct resource_id) filter (where conversions > 0) as campaigns_and_journeys
    from marts.conversions where $days
    group by conversion_name, channel order by conversion_name nulls last, channel nulls last`,
  contents: `
    select channel, content_kind, content, sent, failed, delivered, clicked, round(failure_rate, 4) as failure_rate,
      round(click_rate, 4) as click_rate, first_date, last_date
    from marts.content_performance where sent >= 1 order by channel, sent desc, content`,
  'failure-reasons': `
    select channel, failure_reason, failures, round(failure_rate, 4) as failure_rate, trend, recent_failures, event_name
    from marts.failure_reasons
    order by channel nulls last, event_name nulls last, failures desc, failure_reason nulls last`,
  'ab-tests': `
    select campaign_name, metric, variant_name, size, round(rate, 4) as rate, round(difference_low, 4) as difference_low,
      round(difference_high, 4) as difference_high, verdict_code, verdict, unit, round(p_value, 4) as p_value, campaign_id
    from marts.ab_tests
    order by campaign_id, channel, metric, is_baseline desc, variant_name nulls last, variant_id nulls last`,
  tags: `
    select tag, channel, ${performance}, count(distinct date) filter (where sent > 0) as days_sent
    from marts.tag_days where $days group by tag, channel order by tag, channel`,
  'message-pressure': `
    select messages_per_person, users, round(share_of_users, 4) as share_of_users, messages, clicks,
      round(click_rate, 4) as click_rate, date, days_held
    from marts.message_pressure
    where window_days = 28 and date = (select max(date) from marts.message_pressure) order by at_least`,
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

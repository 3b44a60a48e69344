-- grain: one KST day, campaign or user journey, variant or node, channel and conversion name (E17).
-- materialized: incremental
-- depends_on: statistics
--
-- Direct conversions are included in the conversions, so don't add them up.

with counted as (
    select
        statistic_id,
        name,
        coalesce(sum(count) filter (type = 'total_count_conversion'), 0) as total,
        count(*) filter (type = 'total_count_conversion') as total_rows,
        bool_or(count is null) filter (type = 'total_count_conversion') as lacks_total,
        coalesce(sum(count) filter (type = 'direct_count_conversion'), 0) as direct,
        bool_or(count is null) filter (type = 'direct_count_conversion') as lacks_direct,
        -- Types that the specification does not define.
        sum(count) filter (type not in ('total_count_conversion', 'direct_count_conversion')) as other
    from daily_conversions
    where date in (select date from batch_days)
    group by statistic_id, name
)

select
    daily_statistics.date,
    daily_statistics.resource_type,
    coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) as resource_id,
    coalesce(daily_statistics.campaign_name, daily_statistics.user_journey_name) as resource_name,
    daily_statistics.variant_id,
    daily_statistics.variant_name,
    daily_statistics.user_journey_node_id,
    daily_statistics.channel,
    counted.name as conversion_name,
    -- Without a row of the type, conversions are 0, unless some are direct; a count that is not a number is unknown.
    if(lacks_total or (total_rows = 0 and direct > 0), null, total)::bigint as conversions,
    -- A direct conversion follows a click, so a channel that counts no clicks has no number of them.
    if(lacks_direct or (daily_statistics.click is null and direct = 0), null, direct)::bigint as direct_conversions,
    counted.other::bigint as other_conversions,
    daily_statistics.statistic_id
from counted
inner join (from daily_statistics where date in (select date from batch_days)) as daily_statistics
    on counted.statistic_id = daily_statistics.statistic_id;

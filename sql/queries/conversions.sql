-- title: Conversions
-- question: Which conversions did the messages bring, by name and type?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of one campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign
    from ops.coverage
    where stream = 'statistics'
),
statistics as (
    select
        daily_statistics.statistic_id,
        daily_statistics.date,
        coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) as resource_id
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
    where params.only_campaign is null or daily_statistics.campaign_id = params.only_campaign
),
conversions as (
    select
        statistics.date,
        statistics.resource_id,
        daily_conversions.name,
        daily_conversions.type,
        daily_conversions.count
    from daily_conversions
    inner join statistics on daily_conversions.statistic_id = statistics.statistic_id
)
-- One conversion is counted under both types (total and direct), so types must not be added up.
select
    name,
    type,
    sum(count)::bigint as conversions,
    count(distinct resource_id) filter (where count > 0) as campaigns_and_journeys,
    min(date) filter (where count > 0) as first_day,
    max(date) filter (where count > 0) as last_day
from conversions
group by name, type
order by name, type;

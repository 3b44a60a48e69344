-- title: Restated counts
-- question: Which counts did the service change after it had given them, and by how much?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day
    from ops.coverage
    where stream = 'statistics'
),
-- A statistic that has vanished since is no longer there to be joined; its change is shown all the same.
statistics as (
    select
        statistic_id,
        channel,
        coalesce(campaign_id, user_journey_id) as resource_id,
        coalesce(campaign_name, user_journey_name) as resource_name
    from daily_statistics
)
select
    restatements.date,
    restatements.detected_at at time zone 'Asia/Seoul' as detected_at_kst,
    statistics.channel,
    statistics.resource_name,
    restatements.counter,
    restatements.kind,
    restatements.before,
    restatements.after,
    coalesce(restatements.after, 0) - coalesce(restatements.before, 0) as change,
    statistics.resource_id,
    restatements.statistic_id
from ops.restatements
inner join params on restatements.date between params.first_day and params.last_day
left join statistics on restatements.statistic_id = statistics.statistic_id
order by restatements.date, restatements.detected_at, restatements.statistic_id, restatements.counter;

-- severity: stop
-- Every covered day has the rows that its load brought, and no other day has any.

with held as (
    select 'statistics' as stream, date, count(*) as rows from daily_statistics group by date
    union all
    select 'statistics_by_subchannel', date, count(*) from daily_statistics_by_subchannel group by date
    union all
    select 'events', export_date, count(*)
    from (
        select export_date from events
        union all
        select export_date from ops.set_aside where table_name = 'events'
    ) as records
    group by export_date
    union all
    -- Days of incomplete pulls have rows without being covered.
    select 'campaigns', campaign_metrics.date, count(*)
    from campaign_metrics
    semi join ops.coverage on coverage.stream = 'campaigns' and campaign_metrics.date = coverage.date
    group by campaign_metrics.date
)

select
    coalesce(coverage.date, held.date) as date,
    coalesce(coverage.stream, held.stream) as subject,
    'The rows of a day are not those that were loaded.' as finding,
    coalesce(coverage.rows, 0) as expected,
    coalesce(held.rows, 0) as actual
from ops.coverage
full join held on coverage.stream = held.stream and coverage.date = held.date
where coalesce(coverage.rows, 0) <> coalesce(held.rows, 0) or coverage.date is null;

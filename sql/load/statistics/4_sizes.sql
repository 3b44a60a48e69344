-- The size of each day in each pull, and of the day that it would replace: from an earlier pull of this load, or the warehouse.

create or replace temp table sizes as
with given as (
    select pull, date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from staged_statistics
    group by pull, date
),

there as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from {table}
    where date between getvariable('first_day') and getvariable('last_day')
    group by date
),

steps as (
    select
        versions.date,
        versions.pulled_at,
        coalesce(given.rows, 0) as rows,
        coalesce(given.messages, 0) as messages,
        coalesce(lag(coalesce(given.rows, 0)) over by_version, there.rows) as rows_before,
        coalesce(lag(coalesce(given.messages, 0)) over by_version, there.messages) as messages_before
    from versions
    left join given using (pull, date)
    left join there on versions.date = there.date
    window by_version as (partition by versions.date order by versions.version)
)

select *, null::varchar as campaign_id
from steps
where rows_before is not null;

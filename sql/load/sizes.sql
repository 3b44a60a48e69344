-- What the warehouse holds of the days that a pull is to replace, and what the pull holds of them.

create or replace temp table sizes as
with held as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from {table}
    where date between getvariable('first_day') and getvariable('last_day')
    group by date
),

given as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from staged_statistics
    group by date
)

select
    days.date,
    null::varchar as campaign_id,
    held.rows as rows_before,
    held.messages as messages_before,
    coalesce(given.rows, 0) as rows,
    coalesce(given.messages, 0) as messages
from days
inner join held on days.date = held.date
left join given on days.date = given.date;

-- Where a day is replaced that was there before: each counter that has another value now.

insert into ops.restatements by name
with replaced_days as (
    select days.date
    from days
    inner join ops.coverage on coverage.stream = 'statistics' and days.date = coverage.date
),

old_counters as (
    select date, statistic_id, counter, value
    from (
        select date, statistic_id, message_sent, message_failed, delivered, click
        from daily_statistics
        where date in (select date from replaced_days)
    )
    unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
),

new_counters as (
    select date, statistic_id, counter, value
    from (
        select date, statistic_id, message_sent, message_failed, delivered, click
        from staged_statistics
        where date in (select date from replaced_days)
    )
    unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
),

old_conversions as (
    select date, statistic_id, concat_ws(':', 'conversion', type, name) as counter, sum(count)::bigint as value
    from daily_conversions
    where date in (select date from replaced_days)
    group by all
),

new_conversions as (
    select date, statistic_id, concat_ws(':', 'conversion', type, name) as counter, sum(count)::bigint as value
    from staged_conversions
    where date in (select date from replaced_days)
    group by all
),

before as (
    select date, statistic_id, counter, value from old_counters
    union all
    select date, statistic_id, counter, value from old_conversions
),

after as (
    select date, statistic_id, counter, value from new_counters
    union all
    select date, statistic_id, counter, value from new_conversions
)

select
    getvariable('pulled_at') as detected_at,
    coalesce(before.date, after.date) as date,
    coalesce(before.statistic_id, after.statistic_id) as statistic_id,
    coalesce(before.counter, after.counter) as counter,
    case
        when before.statistic_id is null then 'appeared'
        when after.statistic_id is null then 'vanished'
        else 'changed'
    end as kind,
    before.value as before,
    after.value as after,
    getvariable('pull') as pull
from before
full join after on before.statistic_id = after.statistic_id and before.counter = after.counter
where before.value is distinct from after.value;

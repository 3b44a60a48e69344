-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: A mart does not add up to the rows that it is made of, so its answers are wrong. Run `dawnload rebuild`;
--   report it if it persists.

with records as (
    select
        date,
        count(*) as "marts.daily_events events",
        count(*) filter (
            failure_reason is not null or marts.event_kind(event_name) in ('failed', 'failover_failed')
        ) as "marts.daily_failures failed",
        count(*) filter (
            marts.event_kind(event_name) = 'succeeded' and occurred_at is not null
        ) as "marts.daily_send_hours succeeded",
        count(*) filter (
            marts.event_kind(event_name) = 'succeeded'
            and marts.is_reaching('succeeded', channel)
            and coalesce(user_id, service_user_id, device_id, service_device_id) is not null
            and marts.counts_people()
        ) as "marts.daily_fatigue messages"
    from marts.counted_events
    semi join batch_days using (date)
    group by date
),

counted as (
    from (unpivot records on columns(* exclude (date)) into name subject value expected)
    union all
    select date, 'marts.daily_response_times responses', count(*)
    from marts.message_responses semi join batch_days using (date) group by date
),

summed as (
    select date, 'marts.daily_events events' as subject, sum(events) as actual
    from marts.daily_events semi join batch_days using (date) group by date
    union all
    select date, 'marts.daily_failures failed', sum(failed)
    from marts.daily_failures semi join batch_days using (date) group by date
    union all
    select date, 'marts.daily_send_hours succeeded', sum(succeeded)
    from marts.daily_send_hours semi join batch_days using (date) group by date
    union all
    select date, 'marts.daily_response_times responses', sum(responses + machine_clicks)
    from marts.daily_response_times semi join batch_days using (date) group by date
    union all
    select date, 'marts.daily_fatigue messages', sum(messages)
    from marts.daily_fatigue semi join batch_days using (date) group by date, window_days
)

select
    date,
    subject,
    'The mart does not add up to its rows.' as finding,
    coalesce(expected, 0)::varchar as expected,
    coalesce(actual, 0)::varchar as actual
from counted
full join summed using (date, subject)
where coalesce(expected, 0) <> coalesce(actual, 0);

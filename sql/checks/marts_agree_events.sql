-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: A mart does not add up to the rows that it is made of, so its answers are wrong. Run `dawnload rebuild`;
--   report it if it persists.

with records as (
    select
        date,
        count(*) as events,
        count(*) filter (
            failure_reason is not null or marts.event_kind(event_name) in ('failed', 'failover_failed')
        ) as failures,
        count(*) filter (marts.event_kind(event_name) = 'succeeded' and occurred_at is not null) as succeeded,
        count(*) filter (
            marts.event_kind(event_name) = 'succeeded'
            and not marts.is_display(channel)
            and coalesce(user_id, service_user_id, device_id, service_device_id) is not null
            and marts.counts_people()
        ) as readers
    from events
    semi join batch_days using (date)
    group by date
),

daily_events as (
    select date, sum(events) as events from marts.daily_events semi join batch_days using (date) group by date
),

daily_failures as (
    select date, sum(failures) as failures from marts.daily_failures semi join batch_days using (date) group by date
),

daily_send_hours as (
    select date, sum(succeeded) as succeeded
    from marts.daily_send_hours
    semi join batch_days using (date)
    group by date
),

message_responses as (
    select date, count(*) as responses from marts.message_responses semi join batch_days using (date) group by date
),

daily_response_times as (
    select date, sum(responses) as responses
    from marts.daily_response_times
    semi join batch_days using (date)
    group by date
),

daily_fatigue as (
    select date, window_days, sum(messages) as messages
    from marts.daily_fatigue
    semi join batch_days using (date)
    group by date, window_days
),

compared as (
    select date, 'marts.daily_events events' as subject, records.events as expected, daily_events.events as actual
    from records
    full join daily_events using (date)
    union all
    select date, 'marts.daily_failures failures', records.failures, daily_failures.failures
    from records
    full join daily_failures using (date)
    union all
    select date, 'marts.daily_send_hours succeeded', records.succeeded, daily_send_hours.succeeded
    from records
    full join daily_send_hours using (date)
    union all
    select date, 'marts.daily_response_times responses', message_responses.responses, daily_response_times.responses
    from message_responses
    full join daily_response_times using (date)
    union all
    select date, 'marts.daily_fatigue messages', records.readers, daily_fatigue.messages
    from records
    full join daily_fatigue using (date)
)

select
    date,
    subject,
    'The mart does not add up to its rows.' as finding,
    coalesce(expected, 0)::varchar as expected,
    coalesce(actual, 0)::varchar as actual
from compared
where coalesce(expected, 0) <> coalesce(actual, 0);

-- grain: one channel, event name and failure reason, over all days held.
--
-- recent_ and previous_ are the last seven days and the seven before them; null where no day of them is held.

with latest as (
    select
        max(date) as last_date,
        count(*) filter (date between last_held - 13 and last_held - 7) > 0 as has_previous
    from (select date, max(date) over () as last_held from ops.coverage where stream = 'events') as held
),

reasons as (
    select
        daily_failures.channel,
        daily_failures.event_name,
        daily_failures.failure_reason,
        sum(daily_failures.failures)::bigint as failures,
        coalesce(
            sum(daily_failures.failures) filter (daily_failures.date > latest.last_date - 7), 0
        )::bigint as recent_failures,
        case
            when bool_or(latest.has_previous) then coalesce(
                sum(daily_failures.failures) filter (
                    daily_failures.date between latest.last_date - 13 and latest.last_date - 7
                ),
                0
            )::bigint
        end as previous_failures,
        min(daily_failures.date) as first_date,
        max(daily_failures.date) as last_date
    from marts.daily_failures
    cross join latest
    group by daily_failures.channel, daily_failures.event_name, daily_failures.failure_reason
),

-- The failures of a channel say little without the messages that did not fail.
attempts as (
    select channel, sum(events)::bigint as attempts
    from marts.daily_events
    where kind in ('succeeded', 'failed')
    group by channel
)

select
    reasons.channel,
    reasons.event_name,
    reasons.failure_reason,
    reasons.failures,
    reasons.failures / sum(reasons.failures) over (
        partition by reasons.channel, reasons.event_name
    ) as share_of_failures,
    reasons.failures / nullif(attempts.attempts, 0) as failure_rate,
    reasons.recent_failures,
    reasons.previous_failures,
    reasons.recent_failures / nullif(reasons.previous_failures, 0) - 1 as change,
    case
        when reasons.previous_failures is null then null
        when reasons.recent_failures = 0 and reasons.previous_failures = 0 then 'quiet'
        when reasons.previous_failures = 0 then 'new'
        when reasons.recent_failures = 0 then 'gone'
        when reasons.recent_failures >= 1.5 * reasons.previous_failures then 'rising'
        when reasons.recent_failures <= reasons.previous_failures / 1.5 then 'falling'
        else 'steady'
    end as trend,
    reasons.first_date,
    reasons.last_date
from reasons
left join attempts on reasons.channel is not distinct from attempts.channel;

-- grain: one channel, event name and key of the failure reason, over all loaded days.
-- also_in: main
--
-- Reasons with the same code share a key; so do reasons whose words differ only by addresses and numbers. cause groups reasons by
-- their words. All spellings of "the template does not match" are one reason, which lists them. A failure rate is the share of
-- failures among the attempts of the channel; texts sent in place of a failed message are attempts too. recent_ is about the last
-- seven days, previous_ about the seven days before. previous_ is null unless all of its days are loaded; change and trend are null
-- unless all 14 days are.
--
-- A trend needs a significant difference and a factor of 1.5. Significant: the recent failures are three standard deviations from
-- what equal rates would give for the failures of both windows. Failures come in bursts, so the variance is multiplied by the
-- dispersion of a window's days (Pearson's, at least 1). A large difference that may be due to chance is `unclear`.

with latest as (
    select
        max(date) as last_date,
        7 - count(*) filter (date > last_held - 7) as recent_days_without_events,
        7 - count(*) filter (date between last_held - 13 and last_held - 7) as previous_days_without_events
    from (select date, max(date) over () as last_held from ops.coverage where stream = 'events') as held
),

attempts as (
    select
        channel,
        kind in ('failover_succeeded', 'failover_failed') as is_failover,
        date,
        sum(events) as attempts
    from marts.daily_events
    where kind in ('succeeded', 'failed', 'failover_succeeded', 'failover_failed')
    group by all
),

channels as (
    select channel, is_failover, sum(attempts) as attempts
    from attempts
    group by channel, is_failover
),

failed as (
    select
        struct_pack(
            channel,
            event_name,
            reason := if(
                regexp_matches(failure_key, 'no ?match\w* ?template|template.{0,8}(mismatch|not match)|템플릿.{0,3}(불일치|일치하지)'),
                'template mismatch',
                failure_key
            )
        ) as one_reason,
        coalesce(kind = 'failover_failed', false) as is_failover,
        date,
        sum(failed) as failed,
        any_value(code) as code,
        count(distinct failure_key) as spellings,
        if(
            spellings > 1,
            string_agg(distinct failure_reason, ' · ' order by failure_reason),
            max_by(failure_reason, {'has_words': failure_reason is distinct from code, 'failures': failed})
        ) as failure_reason
    from marts.daily_failures
    group by one_reason, is_failover, date
),

reasons as (
    select
        one_reason,
        is_failover,
        any_value(code) as code,
        max_by(failure_reason, {'spellings': spellings, 'has_words': failure_reason is distinct from code, 'date': date}) as failure_reason,
        sum(failed)::bigint as failed,
        min(date) as first_date,
        max(date) as last_date
    from failed
    group by one_reason, is_failover
),

-- Includes days without such a failure.
days as (
    select
        one_reason,
        attempts.date > latest.last_date - 7 as is_recent,
        attempts.attempts,
        coalesce(failed.failed, 0) as failed,
        sum(coalesce(failed.failed, 0)) over same_window
        / sum(attempts.attempts) over same_window * attempts.attempts as expected
    from reasons
    cross join latest
    inner join attempts
        on
            one_reason.channel is not distinct from attempts.channel
            and reasons.is_failover = attempts.is_failover
            and attempts.date > latest.last_date - 14
    left join failed using (one_reason, date)
    window same_window as (partition by one_reason, is_recent)
),

windows as (
    select
        one_reason,
        coalesce(sum(failed) filter (is_recent), 0) as recent_failed,
        coalesce(sum(failed) filter (not is_recent), 0) as previous_failed,
        sum(attempts) filter (is_recent) as recent_attempts,
        sum(attempts) filter (not is_recent) as previous_attempts,
        -- A window without failures has no dispersion.
        greatest(
            1,
            coalesce(
                sum(pow(failed - expected, 2) / expected) filter (expected > 0)
                / nullif(count(*) filter (expected > 0) - count(distinct is_recent) filter (expected > 0), 0),
                1
            )
        ) as dispersion
    from days
    group by one_reason
),

compared as (
    select
        *,
        recent_failed / recent_attempts as recent_failure_rate,
        previous_failed / previous_attempts as previous_failure_rate,
        recent_failure_rate / nullif(previous_failure_rate, 0) as ratio,
        recent_attempts / (recent_attempts + previous_attempts) as recent_share,
        (recent_failed - (recent_failed + previous_failed) * recent_share)
        / sqrt(dispersion * (recent_failed + previous_failed) * recent_share * (1 - recent_share)) as deviations
    from windows
)

select
    one_reason.channel as channel,
    one_reason.event_name as event_name,
    reasons.failure_reason,
    reasons.code,
    marts.failure_cause(reasons.failure_reason) as cause,
    reasons.failed,
    reasons.failed / sum(reasons.failed) over (partition by one_reason.channel, one_reason.event_name) as share_of_failed,
    reasons.failed / nullif(channels.attempts, 0) as failure_rate,
    coalesce(compared.recent_failed, 0)::bigint as recent_failed,
    compared.recent_failure_rate,
    if(latest.previous_days_without_events = 0, coalesce(compared.previous_failed, 0)::bigint, null) as previous_failed,
    if(latest.previous_days_without_events = 0, compared.previous_failure_rate, null) as previous_failure_rate,
    if(latest.recent_days_without_events + latest.previous_days_without_events = 0, compared.ratio - 1, null) as change,
    case
        when latest.recent_days_without_events + latest.previous_days_without_events > 0 then null
        when coalesce(compared.recent_failed + compared.previous_failed, 0) = 0 then 'quiet'
        -- No messages were sent in one of the windows.
        when compared.deviations is null then null
        when compared.ratio between 1 / 1.5 and 1.5 then 'steady'
        when abs(compared.deviations) < 3 then 'unclear'
        when compared.recent_failed = 0 then 'gone'
        when compared.deviations < 0 then 'falling'
        when reasons.first_date > latest.last_date - 7 then 'new'
        else 'rising'
    end as trend,
    latest.recent_days_without_events,
    latest.previous_days_without_events,
    reasons.first_date,
    reasons.last_date
from reasons
cross join latest
left join compared using (one_reason)
left join channels
    on one_reason.channel is not distinct from channels.channel and reasons.is_failover = channels.is_failover;

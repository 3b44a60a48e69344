-- title: Reasons of failed sends
-- question: Why do sends fail, and are the reasons growing?
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable channel = 'push-notification';
-- example:
--   channel           failure_reason    failures  failure_rate  change   trend    recent_failures  …
--   chatapp-alimtalk  수신 거부된 번호  19        0.064         0.1633   steady   8                …
--   chatapp-alimtalk  단말기 전원 꺼짐  18        0.0606        0.425    steady   7                …
--   chatapp-alimtalk  수신번호 오류     18        0.0606        -0.4345  unclear  5                …

-- The trend compares the failure rates of the last seven days and the seven before. It is null unless all 14 days are held.
select
    failure_reasons.channel,
    failure_reasons.failure_reason,
    failure_reasons.failures,
    round(failure_reasons.failure_rate, 4) as failure_rate,
    round(failure_reasons.change, 4) as change,
    failure_reasons.trend,
    failure_reasons.recent_failures,
    failure_reasons.previous_failures,
    failure_reasons.event_name,
    round(failure_reasons.share_of_failures, 4) as share_of_failures,
    round(failure_reasons.recent_failure_rate, 4) as recent_failure_rate,
    round(failure_reasons.previous_failure_rate, 4) as previous_failure_rate,
    failure_reasons.recent_days_missing,
    failure_reasons.previous_days_missing,
    failure_reasons.first_date,
    failure_reasons.last_date
from marts.failure_reasons
where marts.matches('channel', failure_reasons.channel)
order by
    failure_reasons.channel,
    failure_reasons.event_name,
    failure_reasons.failures desc,
    failure_reasons.failure_reason;

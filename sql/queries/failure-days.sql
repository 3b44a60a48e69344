-- title: Failures by day
-- question: On which days did sends fail more than usual, and why?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   date        channel           event_name                          failure_reason          failures  …
--   2026-11-02  chatapp-alimtalk  failover_text_message_send_failure  단말기 전원 꺼짐        1         …
--   2026-11-02  chatapp-alimtalk  failover_text_message_send_failure  수신 거부된 번호        1         …
--   2026-11-02  chatapp-alimtalk  send_failure                        템플릿과 일치하지 않음  3         …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'events'
)
select
    daily_failures.date,
    daily_failures.channel,
    daily_failures.event_name,
    daily_failures.failure_reason,
    sum(daily_failures.failures)::bigint as failures,
    round(
        sum(daily_failures.failures)
        / sum(sum(daily_failures.failures)) over (
            partition by daily_failures.date, daily_failures.channel, daily_failures.event_name
        ),
        4
    ) as share_of_failures
from marts.daily_failures
inner join params on daily_failures.date between params.first_day and params.last_day
where params.only_channel is null or daily_failures.channel = params.only_channel
group by daily_failures.date, daily_failures.channel, daily_failures.event_name, daily_failures.failure_reason
order by
    daily_failures.date,
    daily_failures.channel,
    daily_failures.event_name,
    failures desc,
    daily_failures.failure_reason;

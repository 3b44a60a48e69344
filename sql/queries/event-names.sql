-- title: Event names
-- question: Which events does each channel report, and how often?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   channel           event_name                          kind           events  first_date  last_date
--   chatapp-alimtalk  send_success                        succeeded      7334    2026-11-02  2026-11-20
--   chatapp-alimtalk  send_failure                        failed         297     2026-11-02  2026-11-20
--   chatapp-alimtalk  failover_text_message_send_success  failover_sent  215     2026-11-02  2026-11-20

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'events'
)
select
    daily_events.channel,
    daily_events.event_name,
    daily_events.kind,
    sum(daily_events.events)::bigint as events,
    min(daily_events.date) as first_date,
    max(daily_events.date) as last_date
from marts.daily_events
inner join params on daily_events.date between params.first_day and params.last_day
where params.only_channel is null or daily_events.channel = params.only_channel
group by daily_events.channel, daily_events.event_name, daily_events.kind
order by daily_events.channel, events desc, daily_events.event_name;

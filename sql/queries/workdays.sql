-- title: Workdays, weekends and holidays
-- question: Do messages do better on workdays, weekends or public holidays?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   channel                day_kind  days  sent  sent_per_day  failure_rate  click_rate  conversion_rate
--   chatapp-alimtalk       workday   20    8626  431.3         0.041                     0.0319
--   chatapp-alimtalk       weekend   8     2286  285.8         0.0324                    0.0365
--   chatapp-brand-message  workday   20    3915  195.8         0.0868                    0.0249

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel,
        -- The marts heed it.
        getvariable('goal')::varchar as goal
    from ops.coverage
    where stream = 'statistics'
),
days as (
    select
        channel_days.*,
        case
            when calendar.is_public_holiday then 'public holiday'
            when calendar.is_weekend then 'weekend'
            else 'workday'
        end as day_kind
    from marts.channel_days
    inner join params on channel_days.date between params.first_day and params.last_day
    inner join calendar on channel_days.date = calendar.date
    where params.only_channel is null or channel_days.channel = params.only_channel
),
kinds as (
    select channel, day_kind, count(distinct date) as days, unnest(marts.performance(days))
    from days
    group by channel, day_kind
)
select
    channel,
    day_kind,
    days,
    sent,
    round(sent / days, 1) as sent_per_day,
    round(failure_rate, 4) as failure_rate,
    round(click_rate, 4) as click_rate,
    round(conversion_rate, 4) as conversion_rate
from kinds
order by channel, day_kind desc;

-- title: Fatigue by campaign
-- subject: people
-- question: Do readers of a campaign click less when they had many messages in the days before?
-- counts: people
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   window_days (bigint, default 28, one of 7 28): days before a message in which the messages to its reader count
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): id of the one campaign or user journey to look at
-- In other DuckDB clients, set parameters before: set variable window_days = 7;
-- example:
--   resource_name     channel            messages_before  messages  clicked  click_rate  days_held  days_needed  …
--   11월 재구매 유도  push-notification  0                323       10       0.031       19         56           …
--   11월 재구매 유도  push-notification  1                182       9        0.0495      19         56           …
--   11월 재구매 유도  push-notification  2                185       10       0.0541      19         56           …

with params as (
    select *, coalesce(getvariable('window_days')::bigint, 28) as length
    from marts.period('events', days := 28)
),
-- Messages before the first day held are unknown, so days close to it would undercount what readers received.
held as (
    select count(*) as days_held
    from ops.coverage
    cross join params
    where stream = 'events' and date between first_day - params.length::integer and last_day
),
readers as (
    select
        daily_fatigue.channel,
        daily_fatigue.campaign_id,
        daily_fatigue.user_journey_id,
        daily_fatigue.at_least,
        sum(daily_fatigue.messages)::bigint as messages,
        sum(daily_fatigue.clicked)::bigint as clicked
    from marts.daily_fatigue
    inner join params
        on
            daily_fatigue.date between params.first_day and params.last_day
            and daily_fatigue.window_days = params.length
    -- Fatigue cannot be measured on channels that count no clicks.
    inner join marts.channel_counters
        on daily_fatigue.channel = channel_counters.channel and channel_counters.counts_clicks
    where
        marts.matches('channel', daily_fatigue.channel)
        and marts.matches('campaign', coalesce(daily_fatigue.campaign_id, daily_fatigue.user_journey_id))
    group by all
)
select
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    readers.channel,
    marts.message_step_name(readers.at_least) as messages_before,
    readers.messages,
    readers.clicked,
    round(readers.clicked / nullif(readers.messages, 0), 4) as click_rate,
    held.days_held,
    params.length + (params.last_day - params.first_day) + 1 as days_needed,
    coalesce(readers.campaign_id, readers.user_journey_id) as resource_id
from readers
cross join params
cross join held
left join campaigns on readers.campaign_id = campaigns.campaign_id
left join user_journeys on readers.user_journey_id = user_journeys.user_journey_id
order by
    sum(readers.messages) over (partition by resource_id, readers.channel) desc,
    resource_id,
    readers.channel,
    readers.at_least;

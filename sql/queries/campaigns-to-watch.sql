-- title: Campaigns to look at
-- question: Which campaigns do clearly better or worse than others on their channel, and which got worse this week?
-- params:
--   end (date, default max(date)): last KST day of the 28 that are looked at; unless given, the last one held
--   top (bigint, default 5): how many campaigns of each group
--   least_messages (bigint, default 100, from 0): only campaigns with so many messages that could be clicked
-- In other DuckDB clients, set parameters before: set variable top = 3;
-- example:
--   kind  campaign_name     channel            messages  click_rate  click_rate_of_others  week_click_rate  …
--   best  11월 재구매 유도  push-notification  4942      0.051       0.0392                0.0536           …
--   best  웹 첫 방문 쿠폰   in-web-message     2339      0.0774      0.0666                0.0846           …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('top')::bigint, 5) as top,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages
    from ops.coverage
    where stream = 'statistics'
),
-- A week is compared with the one before only if all of both are held.
held as (
    select count(*) = 14 as has_two_weeks
    from ops.coverage
    inner join params on coverage.date between params.last_day - 13 and params.last_day
    where coverage.stream = 'statistics'
),
days as (
    select message_days.*, params.last_day - message_days.date as age
    from marts.message_days
    inner join params on message_days.date between params.last_day - 27 and params.last_day
    where message_days.campaign_id is not null and message_days.clickable > 0
),
campaign_counts as (
    select
        campaign_id,
        channel,
        sum(clickable) as messages,
        least(sum(clicked), messages) as clicked,
        sum(clickable) filter (age < 7) as week_messages,
        least(sum(clicked) filter (age < 7), week_messages) as week_clicked,
        sum(clickable) filter (age between 7 and 13) as previous_messages,
        least(sum(clicked) filter (age between 7 and 13), previous_messages) as previous_clicked
    from days
    group by campaign_id, channel
),
-- A rate of few messages may be luck, so what counts is how far off it is at the least: the nearer end of its interval.
rates as (
    select
        *,
        clicked / messages as click_rate,
        marts.wilson_interval(clicked, messages) as likely,
        -- All other campaigns of the channel.
        (sum(clicked) over channel - clicked) / nullif(sum(messages) over channel - messages, 0) as click_rate_of_others,
        week_clicked / nullif(week_messages, 0) as week_click_rate,
        previous_clicked / nullif(previous_messages, 0) as previous_click_rate,
        marts.wilson_interval(week_clicked, week_messages) as likely_this_week,
        marts.wilson_interval(previous_clicked, previous_messages) as likely_before
    from campaign_counts
    window channel as (partition by channel)
),
groups as (
    select 'best' as kind, likely.low / click_rate_of_others - 1 as at_least, rates.*
    from rates
    where messages >= (select least_messages from params)
    union all
    select 'worst', 1 - likely.high / click_rate_of_others, rates.*
    from rates
    where messages >= (select least_messages from params)
    union all
    select 'falling', 1 - likely_this_week.high / likely_before.low, rates.*
    from rates
    where
        (select has_two_weeks from held)
        and least(week_messages, previous_messages) >= (select least_messages from params)
)
select
    groups.kind,
    campaigns.campaign_name,
    groups.channel,
    groups.messages::bigint as messages,
    round(groups.click_rate, 4) as click_rate,
    round(groups.click_rate_of_others, 4) as click_rate_of_others,
    round(groups.week_click_rate, 4) as week_click_rate,
    round(groups.previous_click_rate, 4) as previous_click_rate,
    round(groups.at_least, 4) as at_least,
    groups.clicked::bigint as clicked,
    groups.campaign_id
from groups
cross join params
inner join campaigns on groups.campaign_id = campaigns.campaign_id
where groups.at_least > 0 and isfinite(groups.at_least)
qualify row_number() over (partition by groups.kind order by groups.at_least desc, groups.campaign_id) <= params.top
order by list_position(['best', 'worst', 'falling'], groups.kind), groups.at_least desc, groups.campaign_id;

-- grain: one campaign and channel, over all days held.
--
-- recent_ and previous_ compare the last 28 days with the 28 before them; null where no day of them is held.

with latest as (
    select
        max(date) as last_date,
        count(*) filter (date between last_held - 55 and last_held - 28) > 0 as has_previous
    from (select date, max(date) over () as last_held from ops.coverage where stream = 'statistics') as held
),

days as (
    select
        message_days.*,
        message_days.date > latest.last_date - 28 as is_recent,
        message_days.date between latest.last_date - 55 and latest.last_date - 28 as is_previous,
        latest.has_previous
    from marts.message_days
    cross join latest
    where message_days.campaign_id is not null
),

sums as (
    select
        campaign_id,
        channel,
        min(date) filter (sent > 0) as first_sent_date,
        max(date) filter (sent > 0) as last_sent_date,
        count(distinct date) filter (sent > 0) as days_sent,
        unnest(marts.performance(days)),
        coalesce(sum(sent) filter (is_recent), 0)::bigint as recent_sent,
        case when bool_or(has_previous) then coalesce(sum(sent) filter (is_previous), 0)::bigint end as previous_sent,
        sum(clicked) filter (is_recent) / nullif(sum(clickable) filter (is_recent), 0) as recent_click_rate,
        sum(clicked) filter (is_previous) / nullif(sum(clickable) filter (is_previous), 0) as previous_click_rate,
        sum(conversions) filter (is_recent) / nullif(sum(convertible) filter (is_recent), 0) as recent_conversion_rate,
        sum(conversions) filter (is_previous)
        / nullif(sum(convertible) filter (is_previous), 0) as previous_conversion_rate
    from days
    group by campaign_id, channel
)

select
    sums.campaign_id,
    campaigns.campaign_name,
    sums.channel,
    campaigns.tags,
    sums.* exclude (campaign_id, channel),
    sums.recent_sent / nullif(sums.previous_sent, 0) - 1 as sent_change,
    sums.recent_click_rate / nullif(sums.previous_click_rate, 0) - 1 as click_rate_change,
    sums.recent_conversion_rate / nullif(sums.previous_conversion_rate, 0) - 1 as conversion_rate_change
from sums
inner join campaigns on sums.campaign_id = campaigns.campaign_id;

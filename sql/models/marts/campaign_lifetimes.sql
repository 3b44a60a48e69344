-- grain: one campaign and channel, over all days held.
-- also_in: main
--
-- recent_ covers the last 28 days, previous_ the 28 before. previous_ is null unless all of its days are held, and the changes
-- are null unless all 56 days are. The changes are also null for a campaign that was first sent after the first week of the 56
-- days, since its previous window is not whole.

with latest as (
    select
        max(date) as last_date,
        28 - count(*) filter (date > last_held - 28) as recent_days_missing,
        28 - count(*) filter (date between last_held - 55 and last_held - 28) as previous_days_missing
    from (select date, max(date) over () as last_held from ops.coverage where stream = 'statistics') as held
),

days as (
    select
        message_days.*,
        message_days.date > latest.last_date - 28 as is_recent,
        message_days.date between latest.last_date - 55 and latest.last_date - 28
        and latest.previous_days_missing = 0 as is_previous
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
        coalesce(sum(sent) filter (is_previous), 0)::bigint as previous_sent,
        sum(clicked) filter (is_recent) / nullif(sum(clickable) filter (is_recent), 0) as recent_click_rate,
        sum(clicked) filter (is_previous) / nullif(sum(clickable) filter (is_previous), 0) as previous_click_rate,
        sum(conversions) filter (is_recent) / nullif(sum(convertible) filter (is_recent), 0) as recent_conversion_rate,
        sum(conversions) filter (is_previous)
        / nullif(sum(convertible) filter (is_previous), 0) as previous_conversion_rate
    from days
    group by campaign_id, channel
),

compared as (
    select
        sums.* replace (if(latest.previous_days_missing = 0, sums.previous_sent, null) as previous_sent),
        latest.recent_days_missing,
        latest.previous_days_missing,
        latest.recent_days_missing + latest.previous_days_missing = 0
        and sums.first_sent_date <= latest.last_date - 49 as is_comparable
    from sums
    cross join latest
)

select
    compared.campaign_id,
    campaigns.campaign_name,
    compared.channel,
    campaigns.tags,
    compared.* exclude (campaign_id, channel, recent_days_missing, previous_days_missing, is_comparable),
    case
        when compared.is_comparable then compared.recent_sent / nullif(compared.previous_sent, 0) - 1
    end as sent_change,
    case
        when compared.is_comparable then compared.recent_click_rate / nullif(compared.previous_click_rate, 0) - 1
    end as click_rate_change,
    case
        when compared.is_comparable
        then compared.recent_conversion_rate / nullif(compared.previous_conversion_rate, 0) - 1
    end as conversion_rate_change,
    compared.recent_days_missing,
    compared.previous_days_missing
from compared
inner join campaigns on compared.campaign_id = campaigns.campaign_id;

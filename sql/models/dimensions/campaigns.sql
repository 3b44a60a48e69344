-- grain: one campaign that the daily statistics know, by its latest name, or by its id where it never had one.

with statistics as (
    select campaign_id, campaign_name, tags, channel, date, statistic_id
    from daily_statistics
    where campaign_id is not null
),

names as (
    select campaign_id, campaign_name, max((date, statistic_id)) as last_used
    from statistics
    where campaign_name is not null
    group by campaign_id, campaign_name
),

names_of_each as (
    select campaign_id, list(campaign_name order by last_used desc) as names
    from names
    group by campaign_id
),

seen as (
    select
        campaign_id,
        arg_max(tags, (date, statistic_id)) as tags,
        list_sort(list(distinct channel) filter (channel is not null)) as channels,
        min(date) as first_date,
        max(date) as last_date
    from statistics
    group by campaign_id
)

select
    seen.campaign_id,
    coalesce(names_of_each.names[1], seen.campaign_id) as campaign_name,
    coalesce(names_of_each.names[2:], []) as former_names,
    seen.tags,
    seen.channels,
    seen.first_date,
    seen.last_date
from seen
left join names_of_each on seen.campaign_id = names_of_each.campaign_id;

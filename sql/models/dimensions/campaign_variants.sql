-- grain: one variant of a campaign that is an A/B test, by its latest name, or by its id where it never had one.

with statistics as (
    select campaign_id, variant_id, variant_name, channel, date, statistic_id
    from daily_statistics
    where campaign_id is not null and variant_id is not null
),

names as (
    select campaign_id, variant_id, variant_name, max((date, statistic_id)) as last_used
    from statistics
    where variant_name is not null
    group by campaign_id, variant_id, variant_name
),

names_of_each as (
    select campaign_id, variant_id, list(variant_name order by last_used desc) as names
    from names
    group by campaign_id, variant_id
),

seen as (
    select
        campaign_id,
        variant_id,
        list_sort(list(distinct channel) filter (channel is not null)) as channels,
        min(date) as first_date,
        max(date) as last_date
    from statistics
    group by campaign_id, variant_id
)

select
    seen.campaign_id,
    seen.variant_id,
    coalesce(names_of_each.names[1], seen.variant_id) as variant_name,
    coalesce(names_of_each.names[2:], []) as former_names,
    seen.channels,
    seen.first_date,
    seen.last_date
from seen
left join names_of_each
    on seen.campaign_id = names_of_each.campaign_id and seen.variant_id = names_of_each.variant_id;

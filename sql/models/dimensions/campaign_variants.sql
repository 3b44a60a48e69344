-- grain: one variant of a campaign that is an A/B test, by its latest name, or by its id where it never had one.

with by_name as (
    select
        campaign_id,
        variant_id,
        variant_name,
        max((date, statistic_id)) as last_used,
        list(distinct channel) filter (channel is not null) as channels,
        min(date) as first_date,
        max(date) as last_date
    from daily_statistics
    where campaign_id is not null and variant_id is not null
    group by campaign_id, variant_id, variant_name
)

select
    campaign_id,
    variant_id,
    coalesce(arg_max(variant_name, last_used), variant_id) as variant_name,
    coalesce(list(variant_name order by last_used desc) filter (variant_name is not null)[2:], []) as former_names,
    marts.members_of(list(channels)) as channels,
    min(first_date) as first_date,
    max(last_date) as last_date
from by_name
group by campaign_id, variant_id;

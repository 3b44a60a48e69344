-- grain: one campaign that the daily statistics know, by its latest name, or by its id where it never had one.

with by_name as (
    select
        campaign_id,
        campaign_name,
        max((date, statistic_id)) as last_used,
        max({'used': (date, statistic_id), 'tags': tags}) filter (tags is not null) as tagged,
        list(distinct channel) filter (channel is not null) as channels,
        min(date) as first_date,
        max(date) as last_date
    from daily_statistics
    where campaign_id is not null
    group by campaign_id, campaign_name
)

select
    campaign_id,
    coalesce(arg_max(campaign_name, last_used), campaign_id) as campaign_name,
    coalesce(list(campaign_name order by last_used desc) filter (campaign_name is not null)[2:], []) as former_names,
    max(tagged).tags as tags,
    marts.members_of(list(channels)) as channels,
    min(first_date) as first_date,
    max(last_date) as last_date
from by_name
group by campaign_id;

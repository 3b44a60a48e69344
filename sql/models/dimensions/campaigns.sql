-- grain: one campaign in the daily statistics, with its latest name, or its id if it never had one.

with tagged as (
    select campaign_id, arg_max(tags, (date, statistic_id)) as tags
    from daily_statistics
    where tags is not null
    group by campaign_id
)

select named.id as campaign_id, named.name as campaign_name, former_names, tagged.tags, named.* exclude (id, part, name, former_names)
from marts.named(campaign_id, campaign_id, campaign_name) as named
left join tagged on named.id = tagged.campaign_id;

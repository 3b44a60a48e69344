-- grain: one tag that a campaign has had.

with tagged as (
    select campaign_id, unnest(tags) as tag, channel, date
    from daily_statistics
    where campaign_id is not null
)

select
    campaign_id,
    tag,
    list_sort(list(distinct channel) filter (channel is not null)) as channels,
    min(date) as first_date,
    max(date) as last_date
from tagged
where tag is not null
group by campaign_id, tag;

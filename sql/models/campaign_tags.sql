-- grain: one tag that a campaign has had.

create or replace view campaign_tags as
with tagged as (
    select campaign_id, unnest(tags) as tag, date
    from daily_statistics
    where campaign_id is not null
)

select
    campaign_id,
    tag,
    min(date) as first_date,
    max(date) as last_date
from tagged
where tag is not null
group by campaign_id, tag;

comment on view campaign_tags is 'Tags of campaigns: one row per campaign and tag.';
comment on column campaign_tags.campaign_id is 'Campaign.';
comment on column campaign_tags.tag is 'Tag.';
comment on column campaign_tags.first_date is 'First KST day on which the campaign had it.';
comment on column campaign_tags.last_date is 'Last KST day on which the campaign had it.';

-- grain: one campaign that the daily statistics know, by its latest name.

create or replace view campaigns as
with statistics as (
    select campaign_id, campaign_name, tags, channel, date, statistic_id
    from daily_statistics
    where campaign_id is not null
)

select
    campaign_id,
    arg_max(campaign_name, (date, statistic_id)) as campaign_name,
    arg_max(tags, (date, statistic_id)) as tags,
    list_sort(list(distinct channel) filter (channel is not null)) as channels,
    min(date) as first_date,
    max(date) as last_date
from statistics
group by campaign_id;

comment on view campaigns is 'Campaigns with messages in the daily statistics: one row each, by the latest name.';
comment on column campaigns.campaign_id is 'Campaign.';
comment on column campaigns.campaign_name is 'Its latest name.';
comment on column campaigns.tags is 'Its latest tags.';
comment on column campaigns.channels is 'Channels that it sent through.';
comment on column campaigns.first_date is 'First KST day with a count.';
comment on column campaigns.last_date is 'Last KST day with a count.';

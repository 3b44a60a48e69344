-- grain: one variant of a campaign that is an A/B test, by its latest name.

create or replace view campaign_variants as
with statistics as (
    select campaign_id, variant_id, variant_name, channel, date, statistic_id
    from daily_statistics
    where campaign_id is not null and variant_id is not null
)

select
    campaign_id,
    variant_id,
    arg_max(variant_name, (date, statistic_id)) as variant_name,
    list_sort(list(distinct channel) filter (channel is not null)) as channels,
    min(date) as first_date,
    max(date) as last_date
from statistics
group by campaign_id, variant_id;

comment on view campaign_variants is 'Variants of campaigns that are A/B tests: one row each, by the latest name.';
comment on column campaign_variants.campaign_id is 'Campaign.';
comment on column campaign_variants.variant_id is 'Variant.';
comment on column campaign_variants.variant_name is 'Its latest name.';
comment on column campaign_variants.channels is 'Channels that it sent through.';
comment on column campaign_variants.first_date is 'First KST day with a count.';
comment on column campaign_variants.last_date is 'Last KST day with a count.';

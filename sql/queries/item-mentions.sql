-- title: Catalog items in messages
-- question: Which catalog items do messages mention most, and how are such messages clicked?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   catalog (varchar, default null): only items of this catalog
--   per (varchar, default 'item', one of item campaign): rows by item, or by item and campaign
--   top (bigint, default 100): how many rows, those with most messages
-- In other DuckDB clients, set parameters before: set variable per = 'campaign';
-- example:
--   catalog_name  item_id  item_name           resource_name  sent   clicked  click_rate  click_rate_low  …
--   products      kn-1024  램스울 크루넥 니트                 10914  627      0.0753      0.0698          …
--   products      ct-2210  핸드메이드 울 코트                 9037   418      0.0641      0.0585          …
--   products      sh-0307  옥스퍼드 셔츠                      7955   222      0.0404      0.0355          …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('catalog')::varchar as only_catalog,
        coalesce(getvariable('per')::varchar, 'item') as per,
        coalesce(getvariable('top')::bigint, 100) as top
    from ops.coverage
    where stream = 'events'
),
-- Clicks are held against the messages of channels that count them.
days as (
    select
        mentions.*,
        coalesce(channel_counters.counts_clicks, false) as counts_clicks,
        case params.per
            when 'item' then null
            when 'campaign' then coalesce(mentions.campaign_id, mentions.user_journey_id)
            else error('per must be one of item, campaign')
        end as resource_id
    from marts.daily_item_mentions as mentions
    inner join params on mentions.date between params.first_day and params.last_day
    left join marts.channel_counters on mentions.channel is not distinct from channel_counters.channel
    where params.only_catalog is null or mentions.catalog_name = params.only_catalog
),
sums as (
    select
        catalog_name,
        item_id,
        resource_id,
        sum(sent)::bigint as sent,
        sum(succeeded) filter (counts_clicks)::bigint as clickable,
        sum(clicked) filter (counts_clicks)::bigint as clicks,
        count(distinct coalesce(campaign_id, user_journey_id)) as campaigns_and_journeys,
        string_agg(distinct channel, ', ' order by channel) as channels,
        min(date) as first_date,
        max(date) as last_date,
        case
            when sum(succeeded) filter (counts_clicks) > 0 then marts.wilson_interval(least(clicks, clickable), clickable)
        end as likely
    from days
    group by catalog_name, item_id, resource_id
),
named as (
    select catalog_name, item_id, arg_max(coalesce(item ->> '$.name', item ->> '$.title'), valid_from) as item_name
    from catalog_items_history
    where item_id in (select item_id from sums)
    group by catalog_name, item_id
)
select
    sums.catalog_name,
    sums.item_id,
    named.item_name,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    sums.sent,
    sums.clicks as clicked,
    round(sums.clicks / nullif(sums.clickable, 0), 4) as click_rate,
    round(if(sums.likely.low < 0, 0, sums.likely.low), 4) as click_rate_low,
    round(sums.likely.high, 4) as click_rate_high,
    sums.campaigns_and_journeys,
    sums.channels,
    sums.first_date,
    sums.last_date,
    sums.resource_id
from sums
left join named on sums.catalog_name = named.catalog_name and sums.item_id = named.item_id
left join campaigns on sums.resource_id = campaigns.campaign_id
left join user_journeys on sums.resource_id = user_journeys.user_journey_id
qualify row_number() over (order by sums.sent desc, sums.catalog_name, sums.item_id, sums.resource_id)
<= (select params.top from params)
order by sums.sent desc, sums.catalog_name, sums.item_id, sums.resource_id;

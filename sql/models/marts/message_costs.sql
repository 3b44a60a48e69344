-- grain: one KST day, channel, sub-channel (if prices are set by sub-channel), and campaign or user journey.
--
-- A successful message costs the price of its channel or, if prices are set by sub-channel, of its sub-channel; then the statistics
-- by sub-channel are needed for that day and channel. A text sent in place of a failed message costs the price `failover` of text
-- messages, or else their only price; it is a cost of the channel that failed. Texts are counted on days with events. Without a
-- price, a cost is null.

with prices as (
    select channel, sub_channel, price, count(sub_channel) over (partition by channel) > 0 as is_split
    from ops.message_prices
),
split_days as (
    select date, channel
    from daily_statistics_by_subchannel
    where channel in (select channel from prices where is_split)
    group by all
),
messages as (
    select date, channel, null as sub_channel, resource_type, resource_id, succeeded
    from marts.message_days
    anti join split_days using (date, channel)
    union all
    select
        date,
        channel,
        marts.sub_channel_name(channel_sub),
        resource_type,
        resource_id,
        if(message_failed > message_sent, null, message_sent - message_failed)
    from daily_statistics_by_subchannel
    semi join split_days using (date, channel)
),
costs as (
    select
        messages.date,
        messages.channel,
        messages.sub_channel,
        messages.resource_type,
        messages.resource_id,
        messages.succeeded,
        if(prices.price is null, null, messages.succeeded) as priced,
        if(prices.price is null, null, marts.price_of(messages.succeeded, prices.price)) as message_cost,
        0 as failover_texts,
        null as failover_cost
    from messages
    left join prices
        on messages.channel = prices.channel and messages.sub_channel is not distinct from prices.sub_channel
    union all
    select
        failovers.date,
        failovers.channel,
        null,
        failovers.resource_type,
        coalesce(failovers.campaign_id, failovers.user_journey_id),
        0,
        null,
        null,
        failovers.failover_succeeded,
        if(text_price.price is null, null, marts.price_of(failovers.failover_succeeded, text_price.price))
    from marts.failovers
    left join (
        select price
        from prices
        where channel = 'text-message' and (sub_channel is null or sub_channel = 'failover')
    ) as text_price on true
)

select
    costs.date,
    costs.channel,
    costs.sub_channel,
    costs.resource_type,
    costs.resource_id,
    resources.resource_name,
    coalesce(sum(succeeded), 0)::bigint as succeeded,
    coalesce(sum(priced), 0)::bigint as priced,
    sum(message_cost)::double as message_cost,
    sum(failover_texts)::bigint as failover_texts,
    sum(failover_cost)::double as failover_cost,
    -- Texts without a price are left out, so the total may be too low.
    if(
        count(message_cost) + count(failover_cost) > 0,
        coalesce(sum(message_cost), 0) + coalesce(sum(failover_cost), 0),
        null
    )::double as cost
from costs
left join marts.resources on costs.resource_type = resources.resource_type and costs.resource_id = resources.resource_id
group by costs.date, costs.channel, costs.sub_channel, costs.resource_type, costs.resource_id, resources.resource_name;

-- grain: one channel, kind of content and content, over all loaded days.

with sums as (
    select
        contents.channel,
        contents.content_kind,
        contents.content,
        any_value(counters.counts_deliveries) as counts_deliveries,
        any_value(counters.counts_clicks) as counts_clicks,
        sum(contents.succeeded) filter (contents.date >= counters.deliveries_since) as deliverable,
        sum(
            marts.clickable_messages(
                contents.channel,
                contents.succeeded,
                if(contents.date >= counters.deliveries_since, contents.delivered, null)
            )
        ) filter (contents.date >= counters.clicks_since) as clickable,
        sum(sent)::bigint as sent,
        sum(failed)::bigint as failed,
        sum(succeeded)::bigint as succeeded,
        sum(delivered)::bigint as delivered,
        sum(clicked)::bigint as clicked,
        sum(machine_clicks)::bigint as machine_clicks,
        min(contents.date) as first_date,
        max(contents.date) as last_date
    from marts.daily_contents as contents
    left join marts.channel_counters as counters on contents.channel is not distinct from counters.channel
    group by contents.channel, contents.content_kind, contents.content
)

select
    * exclude (counts_deliveries, counts_clicks, deliverable) replace (
        if(counts_deliveries, delivered, null) as delivered,
        if(counts_clicks, clicked, null) as clicked,
        if(counts_clicks, clickable, null)::bigint as clickable
    ),
    failed / nullif(sent, 0) as failure_rate,
    if(counts_deliveries and not marts.is_display(channel), delivered / nullif(deliverable, 0), null) as delivery_rate,
    if(counts_clicks, clicked / nullif(clickable, 0), null) as click_rate
from sums;

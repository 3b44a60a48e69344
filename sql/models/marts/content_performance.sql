-- grain: one channel, kind of content and content, over all days held.

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
    sums.channel,
    sums.content_kind,
    sums.content,
    sums.sent,
    sums.failed,
    sums.succeeded,
    case when counts_deliveries then sums.delivered end as delivered,
    case when counts_clicks then sums.clicked end as clicked,
    sums.machine_clicks,
    sums.failed / nullif(sums.sent, 0) as failure_rate,
    case when counts_deliveries then sums.delivered / nullif(sums.deliverable, 0) end as delivery_rate,
    case when counts_clicks then sums.clicked / nullif(sums.clickable, 0) end as click_rate,
    sums.first_date,
    sums.last_date
from sums;

-- grain: one channel, kind of content and content, over all days held.

with sums as (
    select
        channel,
        content_kind,
        content,
        sum(sent)::bigint as sent,
        sum(failed)::bigint as failed,
        sum(succeeded)::bigint as succeeded,
        sum(delivered)::bigint as delivered,
        sum(clicked)::bigint as clicked,
        min(date) as first_date,
        max(date) as last_date
    from marts.daily_contents
    group by channel, content_kind, content
)

select
    sums.channel,
    sums.content_kind,
    sums.content,
    sums.sent,
    sums.failed,
    sums.succeeded,
    case when channel_counters.counts_deliveries then sums.delivered end as delivered,
    case when channel_counters.counts_clicks then sums.clicked end as clicked,
    sums.failed / nullif(sums.sent, 0) as failure_rate,
    case when channel_counters.counts_deliveries then sums.delivered / nullif(sums.succeeded, 0) end as delivery_rate,
    case when channel_counters.counts_clicks then sums.clicked / nullif(sums.succeeded, 0) end as click_rate,
    sums.first_date,
    sums.last_date
from sums
left join marts.channel_counters on sums.channel is not distinct from channel_counters.channel;

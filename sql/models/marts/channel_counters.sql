-- grain: one channel.
--
-- The counters of a channel, as far as any day held shows: its statistics have the counter, or its events the kind. A rate of
-- what nobody counts is null rather than zero, and one of what is counted but did not happen is zero. Messages of the days before
-- a counter's first one (deliveries_since, clicks_since) belong to no rate of it.

with known as (
    select channel, date, delivered is not null as counts_deliveries, click is not null as counts_clicks
    from daily_statistics
    union all
    select channel, date, coalesce(kind = 'delivered', false), coalesce(kind = 'clicked', false)
    from marts.daily_events
)

select
    channel,
    bool_or(counts_deliveries) as counts_deliveries,
    bool_or(counts_clicks) as counts_clicks,
    min(date) filter (counts_deliveries) as deliveries_since,
    min(date) filter (counts_clicks) as clicks_since
from known
group by channel;

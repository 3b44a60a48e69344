-- grain: one channel.
--
-- A channel has a counter if its statistics of any loaded day have it, or its events have the kind. The rate of an uncounted event
-- is null; the rate of a counted event that did not happen is zero. Rates leave out messages of the days before the counter began
-- (deliveries_since, clicks_since).

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

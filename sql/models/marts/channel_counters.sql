-- grain: one channel.
--
-- A channel has a counter if its statistics have it on any loaded day, or if its events have that kind. The rate of an event that
-- is not counted is null; the rate of a counted event that did not happen is zero. Rates leave out messages from before the
-- counter's first day (deliveries_since, clicks_since).

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

-- grain: one channel, weekday (1 for Monday) and hour of sending in Korea, over all loaded days.
--
-- A click counts for the hour in which its message was sent, from the first day on which the channel counts clicks.

with sums as (
    select
        channel,
        weekday,
        hour,
        sum(clickable)::bigint as clickable,
        sum(succeeded)::bigint as succeeded,
        sum(failed)::bigint as failed,
        sum(clicked)::bigint as clicked,
        sum(machine_clicks)::bigint as machine_clicks
    from marts.send_hours
    group by channel, weekday, hour
)

select
    channels.channel,
    weekdays.weekday,
    hours.hour,
    coalesce(sums.succeeded, 0) as succeeded,
    coalesce(sums.failed, 0) as failed,
    case when channel_counters.counts_clicks then coalesce(sums.clickable, 0) end as clickable,
    case when channel_counters.counts_clicks then coalesce(sums.clicked, 0) end as clicked,
    coalesce(sums.machine_clicks, 0) as machine_clicks,
    case when channel_counters.counts_clicks then sums.clicked / nullif(sums.clickable, 0) end as click_rate
from (select distinct channel from sums) as channels
cross join (select unnest(range(1, 8))::integer as weekday) as weekdays
cross join (select unnest(range(24))::integer as hour) as hours
left join sums
    on
        channels.channel is not distinct from sums.channel
        and weekdays.weekday = sums.weekday
        and hours.hour = sums.hour
left join marts.channel_counters on channels.channel is not distinct from channel_counters.channel;

select distinct channel as value, null::varchar as name
from (
    select channel from daily_statistics
    union all
    select channel from daily_statistics_by_subchannel
    union all
    select channel from marts.daily_events
)
where channel is not null;

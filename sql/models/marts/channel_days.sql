-- grain: one KST day and channel.

select date, channel, unnest(marts.performance(message_days))
from marts.message_days
group by date, channel;

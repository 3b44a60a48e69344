-- grain: one KST day and channel.
-- also_in: main

select date, channel, unnest(marts.performance(message_days))
from marts.message_days
group by date, channel;

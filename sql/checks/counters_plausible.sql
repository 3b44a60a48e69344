-- severity: warn
-- stream: statistics
-- Counters are not negative, and no more messages fail than are sent.

select
    date,
    statistic_id as subject,
    case
        when least(message_sent, message_failed, delivered, click) < 0 then 'A counter is negative.'
        else 'More messages failed than were sent.'
    end as finding,
    message_sent as expected,
    if(message_failed > message_sent, message_failed, least(message_sent, message_failed, delivered, click)) as actual
from daily_statistics
where least(message_sent, message_failed, delivered, click) < 0 or message_failed > message_sent;

-- grain: one KST day and channel.

select
    date,
    channel,
    sum(sent)::bigint as sent,
    sum(failed)::bigint as failed,
    sum(succeeded)::bigint as succeeded,
    sum(delivered)::bigint as delivered,
    sum(clicked)::bigint as clicked,
    sum(conversions)::bigint as conversions,
    sum(direct_conversions)::bigint as direct_conversions,
    sum(failed) / nullif(sum(sent), 0) as failure_rate,
    sum(delivered) / nullif(sum(deliverable), 0) as delivery_rate,
    sum(clicked) / nullif(sum(clickable), 0) as click_rate,
    sum(conversions) / nullif(sum(succeeded), 0) as conversion_rate
from marts.message_days
group by date, channel;

-- grain: one counter of one statistic that changed after it was first given.

select
    restatements.date,
    restatements.statistic_id,
    message_days.resource_type,
    message_days.resource_id,
    message_days.resource_name,
    message_days.channel,
    restatements.counter,
    count(*) as changes,
    arg_min(restatements.before, restatements.detected_at) as first_value,
    arg_max(restatements.after, restatements.detected_at) as last_value,
    coalesce(last_value, 0) - coalesce(first_value, 0) as difference,
    min(restatements.detected_at) as first_changed_at,
    max(restatements.detected_at) as last_changed_at,
    -- How long after the day was over the last change came.
    (last_changed_at at time zone 'Asia/Seoul')::date - restatements.date as days_after
from ops.restatements as restatements
left join marts.message_days on restatements.statistic_id = message_days.statistic_id
group by
    restatements.date,
    restatements.statistic_id,
    message_days.resource_type,
    message_days.resource_id,
    message_days.resource_name,
    message_days.channel,
    restatements.counter;

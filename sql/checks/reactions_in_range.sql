-- severity: warn
-- stream: statistics
-- scope: incremental
-- lookback: 3 days
-- meaning: On one day more messages were delivered or clicked than were sent on that day and the three before, so a
--   rate is above 1. Either people react more than once, or sends are missing; compare with the events of that day.
-- Events have the time at which they happen: a message sent at 23:59 may be delivered and clicked on the next day. So the rate of
-- one day may exceed 1, but the rate of four days together hardly can. Checks only days for which all four days are loaded and have
-- sends, because old messages may be clicked at any time.

with near_days as (from days_before(3)),

days_to_compare as (
    select near_days.date
    from near_days
    semi join ops.coverage on coverage.stream = 'statistics' and near_days.near_date = coverage.date
    group by near_days.date
    having count(*) = 4
),

counted as (
    select
        date,
        concat_ws(' ', campaign_id, variant_id, user_journey_id, user_journey_node_id, channel) as sender,
        sum(message_sent - coalesce(message_failed, 0)) as succeeded,
        sum(delivered) as delivered,
        sum(click) as clicked
    from daily_statistics
    where date in (select near_date from near_days)
    group by all
),

compared as (
    select
        today.date,
        today.sender,
        any_value(today.delivered) as delivered,
        any_value(today.clicked) as clicked,
        sum(recent.succeeded) as succeeded
    from counted as today
    semi join days_to_compare using (date)
    inner join counted as recent
        on today.sender = recent.sender and recent.date between today.date - 3 and today.date
    group by today.date, today.sender
)

select
    date,
    sender as subject,
    'More messages were ' || reaction || ' than were sent on four days.' as finding,
    'at most ' || succeeded as expected,
    reactions::varchar as actual
from (unpivot compared on delivered, clicked into name reaction value reactions) as reactions_of_day
where reactions > succeeded and succeeded > 0;

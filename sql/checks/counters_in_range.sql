-- severity: warn
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel, campaigns
-- meaning: The service gave an impossible count: below zero, or more failures than sends in one row of a day. Rates of
--   that row are wrong. Pull the day again with `dawnload backfill`; ask the service if it persists.
-- A failure is dated by its attempt, so it falls on the day of the send. Deliveries and clicks may come later; reactions_in_range
-- checks them. Sums of sales may be below zero because of returns.

with counted as (
    select 'daily_statistics' as place, date, statistic_id, message_sent, message_failed, delivered, click
    from daily_statistics
    semi join batch_days using (date)

    union all
    select
        'daily_statistics_by_subchannel', date, statistic_id, message_sent, message_failed, delivered, click
    from daily_statistics_by_subchannel
    semi join batch_days using (date)
)

select
    date,
    place || ' ' || statistic_id as subject,
    'A counter is below zero.' as finding,
    '0 or more' as expected,
    least(message_sent, message_failed, delivered, click)::varchar as actual
from counted
where least(message_sent, message_failed, delivered, click) < 0

union all
select
    date,
    place || ' ' || statistic_id,
    'More messages failed than were sent.',
    'at most ' || message_sent,
    message_failed::varchar
from counted
where message_failed > message_sent

union all
select date, 'daily_conversions ' || statistic_id, 'A number of conversions is below zero.', '0 or more', count::varchar
from daily_conversions
semi join batch_days using (date)
where count < 0

union all
select
    date,
    'daily_conversions_by_subchannel ' || statistic_id,
    'A number of conversions is below zero.',
    '0 or more',
    count::varchar
from daily_conversions_by_subchannel
semi join batch_days using (date)
where count < 0

union all
select
    date,
    concat_ws(' ', 'campaign_metrics', campaign_id, metric_name),
    'A metric that counts is below zero.',
    '0 or more',
    value::varchar
from campaign_metrics
semi join batch_days using (date)
where value < 0 and metric_type = 'standard';

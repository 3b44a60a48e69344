-- severity: warn
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel, campaigns
-- meaning: The service gave an impossible count: below zero, or more failures than sends in one row of a day. Rates of
--   that row are wrong. Pull the day again with `dawnload backfill`; ask the service if it persists.
-- A failure has the time of its attempt, so it is on the day of the send. Deliveries and clicks may come later; reactions_in_range
-- checks them. Sums of sales may be negative because of returns.

with statistics as (
    select *, 'daily_statistics ' || statistic_id as subject, least(message_sent, message_failed, delivered, click) as lowest
    from daily_statistics
    union all by name
    select
        *,
        'daily_statistics_by_subchannel ' || statistic_id as subject,
        least(message_sent, message_failed, delivered, click) as lowest
    from daily_statistics_by_subchannel
),

found as (
    select date, subject, 'A counter is negative.' as finding, lowest::varchar as actual
    from statistics
    where lowest < 0
    union all
    select date, 'daily_conversions ' || statistic_id, 'A number of conversions is negative.', count::varchar
    from daily_conversions
    where count < 0
    union all
    select date, 'daily_conversions_by_subchannel ' || statistic_id, 'A number of conversions is negative.', count::varchar
    from daily_conversions_by_subchannel
    where count < 0
    union all
    select date, concat_ws(' ', 'campaign_metrics', campaign_id, metric_name), 'A count is negative.', value::varchar
    from campaign_metrics
    where value < 0 and metric_type = 'standard'
)

select date, subject, finding, '0 or more' as expected, actual
from found
semi join batch_days using (date)
union all
select date, subject, 'More messages failed than were sent.', 'at most ' || message_sent, message_failed::varchar
from statistics
semi join batch_days using (date)
where message_failed > message_sent;

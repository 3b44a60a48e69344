-- severity: warn
-- stream: campaigns
-- scope: incremental
-- depends_on: statistics, campaigns
-- meaning: The detailed statistics of a campaign (E19) and the daily statistics (E17), which the service gives
--   separately, count different numbers of successful sends. Pull both again with `dawnload backfill`; ask the service if
--   it persists.
-- Leaves out days on which no campaign has the metric, because it may have another name; and campaigns for which E19 never
-- answered, because they were deleted at the service.

with detailed as (
    select date, campaign_id, sum(value) as sends
    from campaign_metrics
    semi join both_covered('statistics', 'campaigns') using (date)
    where metric_type = 'standard' and metric_name = 'send_success'
    group by date, campaign_id
),

counted as (
    -- If more messages failed than were sent, counters_in_range reports that.
    select date, campaign_id, sum(greatest(message_sent - coalesce(message_failed, 0), 0)) as sends
    from daily_statistics
    semi join both_covered('statistics', 'campaigns') using (date)
    where campaign_id is not null and date in (select date from detailed)
    group by date, campaign_id
),

answered as (
    select
        campaign_id,
        min((window_start at time zone 'Asia/Seoul')::date) as first_date,
        max((window_end at time zone 'Asia/Seoul')::date) as day_after
    from campaign_collections_history
    group by campaign_id
)

select
    date,
    campaign_id as subject,
    'The detailed statistics count other successful sends than the daily statistics.' as finding,
    coalesce(counted.sends, 0)::bigint as expected,
    -- E19 may have fractions.
    regexp_replace(coalesce(detailed.sends, 0)::varchar, '\.0+$', '') as actual
from counted
full join detailed using (date, campaign_id)
join answered on answered.campaign_id = coalesce(counted.campaign_id, detailed.campaign_id) and date >= first_date and date < day_after
where coalesce(counted.sends, 0) <> coalesce(detailed.sends, 0);

-- severity: warn
-- stream: campaigns
-- scope: full
-- meaning: The days of a metric do not add up to the total that the service gives with them, so one of the two is
--   wrong. Pull those days again with `dawnload backfill --streams campaigns`; ask the service if it persists.
-- Checks only pulls whose days no later pull has replaced; other totals no longer match the loaded days. Also leaves out campaigns
-- that a later, incomplete pull has brought. Few pulls are left, however old the warehouse is.

with whole_pulls as (
    select pull
    from ops.loads
    left join ops.coverage using (pull)
    where loads.stream = 'campaigns' and loads.complete
    group by pull, loads.first_date, loads.last_date
    having count(coverage.date) = loads.last_date - loads.first_date + 1
),

collected as (
    -- If a request for a range timed out, it was repeated in parts, each with its own total.
    select
        asked.campaign_id,
        asked.pull,
        max(korean_day(epoch_us(asked.window_end) - 1)) as date,
        count(*) as parts
    from campaign_collections_history as asked
    semi join whole_pulls on asked.pull = whole_pulls.pull
    anti join campaign_collections_history as later
        on
            asked.campaign_id = later.campaign_id
            and asked.pulled_at < later.pulled_at
            and asked.window_start < later.window_end
            and later.window_start < asked.window_end
    group by asked.campaign_id, asked.pull
),

totals as (
    select campaign_id, pull, metric_type, metric_name, conversion_type, sum(total) as total, count(*) as times
    from campaign_metric_totals_history
    semi join whole_pulls using (pull)
    group by all
),

sums as (
    select campaign_id, pull, metric_type, metric_name, conversion_type, sum(value) as value
    from campaign_metrics
    semi join whole_pulls using (pull)
    group by all
)

select
    collected.date,
    totals.campaign_id as subject,
    if(totals.times > collected.parts, 'More than one total was given: ', 'The days do not add up to the total: ')
    || concat_ws(' ', totals.metric_type, totals.metric_name, totals.conversion_type) as finding,
    totals.total as expected,
    coalesce(sums.value, 0) as actual
from totals
inner join collected using (campaign_id, pull)
left join sums
    on
        totals.campaign_id = sums.campaign_id
        and totals.pull = sums.pull
        and totals.metric_type is not distinct from sums.metric_type
        and totals.metric_name is not distinct from sums.metric_name
        and totals.conversion_type is not distinct from sums.conversion_type
-- Sums of money are binary fractions, so differences up to a thousandth are ignored.
where abs(totals.total - coalesce(sums.value, 0)) > 0.001 or totals.times > collected.parts;

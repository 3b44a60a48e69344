-- grain: one KST day, campaign, channel, variant name and person: who got messages of an A/B test, and who clicked.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- A test divides people, so its unit is people. Rows are kept by day, so that any range of days can be counted.

select
    date,
    campaign_id,
    channel,
    experiment_group_name as variant_name,
    person,
    count(*) filter (kind in ('succeeded', 'failed')) as sent,
    count(*) filter (kind = 'succeeded') as succeeded,
    count(*) filter (kind = 'delivered') as delivered,
    count(*) filter (kind = 'clicked') as clicked
from marts.event_people
where
    date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and date in (select date from batch_days)
    and campaign_id is not null
    and experiment_group_name is not null
    and person is not null
    and kind in ('succeeded', 'failed', 'delivered', 'clicked')
group by all;

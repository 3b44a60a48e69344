-- grain: one KST day, weekday and hour of sending, channel, and campaign or user journey.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- A click counts for the weekday and hour in which its message was sent, that is the last one before it to that person,
-- from the same campaign or node and on the same channel, within seven days: so the hours answer when to send.

with occurred as (
    select
        date,
        person,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        kind,
        hash(channel, campaign_id, user_journey_id, user_journey_node_id) as sender,
        occurred_at
    from marts.event_people
    where date in (select date from lookback_days) and occurred_at is not null
),

sends as (
    select *
    from occurred
    where kind in ('succeeded', 'failed')
),

clicks as (
    select *, row_number() over () as click
    from occurred
    where kind = 'clicked' and person is not null and date in (select date from batch_days)
),

-- Of messages to an id that was not linked yet: whose it is on the days after.
linked_since as (
    select batch_days.date, identities.stronger_id as person, identities.weaker_id as person_then
    from marts.identities
    cross join range(7) as steps (step)
    inner join batch_days on identities.date + steps.step::integer = batch_days.date
    where
        identities.date in (select date from lookback_days)
        and identities.weaker_id in (select person from sends)
),

known_as as (
    select date, person, person as person_then from clicks
    union
    select date, person, person_then from linked_since
),

sends_of_clicks as (
    select clicks.click, max(sends.occurred_at) as sent_at
    from clicks
    inner join known_as on clicks.date = known_as.date and clicks.person = known_as.person
    asof inner join (select person, sender, occurred_at from sends where kind = 'succeeded') as sends
        on
            known_as.person_then = sends.person
            and clicks.sender = sends.sender
            and clicks.occurred_at >= sends.occurred_at
    where sends.occurred_at > clicks.occurred_at - interval 7 days
    group by clicks.click
),

counted as (
    select * from sends where date in (select date from batch_days)
    union all by name
    select clicks.* exclude (click) replace (sends_of_clicks.sent_at as occurred_at)
    from clicks
    inner join sends_of_clicks on clicks.click = sends_of_clicks.click
)

select
    date,
    isodow(occurred_at at time zone 'Asia/Seoul')::integer as weekday,
    hour(occurred_at at time zone 'Asia/Seoul')::integer as hour,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    count(*) filter (kind = 'succeeded') as succeeded,
    count(*) filter (kind = 'failed') as failed,
    count(*) filter (kind = 'clicked') as clicked
from counted
group by all;

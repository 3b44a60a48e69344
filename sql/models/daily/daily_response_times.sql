-- grain: one KST day of the response, channel, campaign or user journey, node, kind of response, and time that it took.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- How long after sending people are reached (delivered) and click (clicked). The send is the last one before it to that
-- person, from the same campaign or node and on the same channel, within seven days. Percentiles of days cannot be added
-- up, and these counts can: times are rounded by at most 2 %, so a percentile of any days is right to that.

with occurred as (
    select
        date,
        person,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        user_journey_node_id,
        kind,
        hash(channel, campaign_id, user_journey_id, user_journey_node_id) as sender,
        occurred_at
    from marts.event_people
    where date in (select date from lookback_days) and person is not null and occurred_at is not null
),

responses as (
    select *, row_number() over () as response
    from occurred
    where kind in ('delivered', 'clicked') and date in (select date from batch_days)
),

sends as (
    select person, sender, occurred_at
    from occurred
    where kind = 'succeeded'
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
    select date, person, person as person_then from responses
    union
    select date, person, person_then from linked_since
),

delays as (
    select
        responses.response,
        date_diff('millisecond', max(sends.occurred_at), any_value(responses.occurred_at)) / 1000 as seconds
    from responses
    inner join known_as on responses.date = known_as.date and responses.person = known_as.person
    asof inner join sends
        on
            known_as.person_then = sends.person
            and responses.sender = sends.sender
            and responses.occurred_at >= sends.occurred_at
    where sends.occurred_at > responses.occurred_at - interval 7 days
    group by responses.response
)

select
    responses.date,
    responses.channel,
    responses.resource_type,
    responses.campaign_id,
    responses.user_journey_id,
    responses.user_journey_node_id,
    responses.kind as response,
    marts.rounded_seconds(delays.seconds) as seconds,
    count(*) as responses
from delays
inner join responses on delays.response = responses.response
group by all;

-- grain: one delivery or click whose message is known.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- The message of a response is the last one to that person in the seven days before, from the same campaign or node and on the
-- same channel.

-- Sends and responses are read separately: DuckDB would materialize a shared CTE, with all columns of a week.
with sends as (
    select
        person,
        hash(channel, campaign_id, user_journey_id, user_journey_node_id) as sender,
        occurred_at as sent_at
    from marts.event_people
    where
        date between getvariable('first_lookback_day') and getvariable('last_batch_day')
        and date in (select date from lookback_days)
        and kind = 'succeeded'
        and person is not null
        and occurred_at is not null
),

responses as (
    select
        date,
        occurred_at,
        person,
        kind,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        user_journey_node_id,
        hash(channel, campaign_id, user_journey_id, user_journey_node_id) as sender,
        row_number() over () as response_number
    from marts.event_people
    where
        date between getvariable('first_batch_day') and getvariable('last_batch_day')
        and date in (select date from batch_days)
        and kind in ('delivered', 'clicked')
        and person is not null
        and occurred_at is not null
),

-- Messages to an id before it was linked belong to its owner of the following days.
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

answered as (
    select responses.response_number, max(sends.sent_at) as sent_at
    from responses
    inner join known_as on responses.date = known_as.date and responses.person = known_as.person
    asof inner join sends
        on
            known_as.person_then = sends.person
            and responses.sender = sends.sender
            and responses.occurred_at >= sends.sent_at
    -- Instants are compared as numbers: subtracting an interval from an instant consults a time zone's calendar for every row.
    where epoch_us(responses.occurred_at) - epoch_us(sends.sent_at) < 7 * 86_400_000_000
    group by responses.response_number
)

select
    responses.date,
    responses.channel,
    responses.resource_type,
    responses.campaign_id,
    responses.user_journey_id,
    responses.user_journey_node_id,
    responses.kind as response,
    responses.person,
    answered.sent_at,
    (epoch_ms(responses.occurred_at) - epoch_ms(answered.sent_at)) / 1000 as seconds
from answered
inner join responses on answered.response_number = responses.response_number;

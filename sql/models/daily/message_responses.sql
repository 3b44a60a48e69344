-- grain: one delivery or click whose message is known.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- Its message is the last one before it to that person, from the same campaign or node and on the same channel, within
-- seven days.

-- Two lists, not two looks at one: that one would be held whole, with all columns of a week.
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

-- Messages to an id that was not linked yet: its owner on the days after.
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
    -- Numbers: taking an interval from an instant asks the calendar of a time zone, row by row.
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

-- grain: one delivery or click whose message is known.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- A response belongs to the last message to that person in the previous seven days, from the same campaign or node, on the same
-- channel. is_machine: a machine, such as a mail scanner, clicked on the e-mail (ops.machine_clicks). The click came within
-- seconds_after of sending, or of a delivery on the same day. Or it was one of several clicks on the message within
-- within_seconds. is_machine and event_id are null for deliveries.

-- Sends and responses are read separately, because DuckDB would materialize a shared CTE with all columns of a week.
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
        if(kind = 'clicked', event_id, null) as event_id,
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

-- Messages to an id before it was linked belong to the person who owns the id on the following days.
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
    -- Instants are compared as numbers, because subtracting an interval from an instant looks up a time zone for every row.
    where epoch_us(responses.occurred_at) - epoch_us(sends.sent_at) < 7 * 86_400_000_000
    group by responses.response_number
),

timed as (
    select
        responses.*,
        answered.sent_at,
        (epoch_ms(responses.occurred_at) - epoch_ms(answered.sent_at)) / 1000 as seconds
    from answered
    inner join responses on answered.response_number = responses.response_number
),

machines as (
    select response_number
    from (
        select
            emails.*,
            thresholds.*,
            min(emails.seconds) filter (emails.kind = 'delivered') over message as delivered_after,
            count(*) filter (emails.kind = 'clicked') over (
                message order by emails.seconds range between current row and thresholds.within_seconds following
            ) as clicks_from_here
        from timed as emails
        cross join ops.machine_clicks as thresholds
        where emails.channel = 'email'
        window message as (partition by emails.date, emails.person, emails.sender, emails.sent_at)
    ) as counted
    where kind = 'clicked'
    qualify
        seconds <= seconds_after
        or abs(seconds - delivered_after) <= seconds_after
        or max(clicks_from_here) over (
            partition by date, person, sender, sent_at
            order by seconds range between within_seconds preceding and current row
        ) >= clicked
)

select
    timed.date,
    timed.channel,
    timed.resource_type,
    timed.campaign_id,
    timed.user_journey_id,
    timed.user_journey_node_id,
    timed.kind as response,
    timed.person,
    timed.event_id,
    timed.sent_at,
    timed.seconds,
    if(timed.kind = 'clicked', machines.response_number is not null, null) as is_machine
from timed
left join machines on timed.response_number = machines.response_number;

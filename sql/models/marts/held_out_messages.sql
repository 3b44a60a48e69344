-- grain: one KST day, holdout, person who should get no messages, channel, and campaign or user journey whose message reached the person.
-- lake: none
--
-- The day of the assignment does not count, because the service learns the group only in the morning of that day. The group of a
-- campaign's variant comes from its events, so all days of that campaign count. Campaigns and user journeys that the settings
-- exempt may reach everybody.

with held_out as (
    select
        people.holdout,
        coalesce(known.person, people.strongest_id) as person,
        min(people.assigned_on) as assigned_on
    from (
        select *, marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
        from own.holdouts
    ) as people
    left join marts.people as known on people.strongest_id = known.weaker_id
    group by people.holdout, coalesce(known.person, people.strongest_id)
    having bool_and(people.arm = 'holdout')
)

select
    received.date,
    held_out.holdout,
    held_out.person,
    received.channel,
    received.resource_type,
    coalesce(received.campaign_id, received.user_journey_id) as resource_id,
    received.messages + received.shown as messages
from marts.daily_people as received
left join marts.people as known on received.person = known.weaker_id
inner join held_out on coalesce(known.person, received.person) = held_out.person
inner join ops.holdouts as holdouts on held_out.holdout = holdouts.holdout
where
    received.messages + received.shown > 0
    and if(
        holdouts.campaign_id is null,
        received.date > held_out.assigned_on,
        received.campaign_id is not distinct from holdouts.campaign_id
    )
    and received.date between coalesce(holdouts.first_day, received.date) and coalesce(holdouts.last_day, received.date)
    and not coalesce(
        list_contains(holdouts.exempt, coalesce(received.campaign_id, received.user_journey_id)),
        false
    );

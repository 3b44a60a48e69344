-- grain: one export record, by the person whom it is about.
--
-- A person is the user, or as long as no user is known of an id: the service's user, the device, or the service's device.
-- An id belongs to the person known on the day of the record. Bounds of dates reach both tables, where a list of days
-- reaches the events alone: models ask for both.

with identified as (
    select
        *,
        marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
    from events
)

select
    identified.date,
    identified.occurred_at,
    coalesce(daily_identities.person, identified.strongest_id) as person,
    identified.channel,
    identified.event_name,
    marts.event_kind(identified.event_name) as kind,
    identified.resource_type,
    identified.campaign_id,
    identified.experiment_group_name,
    identified.user_journey_id,
    identified.user_journey_node_id,
    identified.event_id
from identified
left join marts.daily_identities
    on identified.date = daily_identities.date and identified.strongest_id = daily_identities.strongest_id;

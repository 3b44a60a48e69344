-- grain: one export record, with its person.
--
-- A person is the user, or if unknown the service's user, the device, or the service's device. An id belongs to the person known on
-- the day of the record. If privacy.columns drops an id, nobody is known. DuckDB passes a range of dates on to both tables, but a
-- list of days only to the events, so models filter by both.

with identified as (
    select
        *,
        marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
    from marts.counted_events
)

select
    identified.date,
    identified.occurred_at,
    if(marts.counts_people(), coalesce(daily_identities.person, identified.strongest_id), null) as person,
    identified.channel,
    identified.event_name,
    marts.event_kind(identified.event_name) as kind,
    identified.resource_type,
    identified.campaign_id,
    identified.experiment_group_name,
    identified.user_journey_id,
    identified.user_journey_node_id,
    identified.event_id,
    identified.channel_subtype,
    identified.failure_reason
from identified
left join marts.daily_identities
    on identified.date = daily_identities.date and identified.strongest_id = daily_identities.strongest_id;

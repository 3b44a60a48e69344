-- grain: one conversion in your own table, with the person it belongs to now.
-- lake: none
--
-- Weaker ids are replaced by stronger ones, so that a person's conversions and messages can be joined.

select
    coalesce(people.person, identified.strongest_id) as person,
    identified.id,
    identified.converted_at,
    identified.date,
    identified.value,
    identified.currency,
    identified.goal
from (
    select
        *,
        coalesce(user_id, service_user_id, device_id, service_device_id) as id,
        marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
    from own.conversions
) as identified
left join marts.people on identified.strongest_id = people.weaker_id;

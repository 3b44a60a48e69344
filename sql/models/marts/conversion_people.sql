-- grain: one conversion of your own table, by the person as of now.
-- lake: none
--
-- An id that has appeared with a stronger one is that person's, so conversions and messages of a person meet.

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

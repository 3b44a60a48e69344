-- grain: one person and id of that person.
-- lake: none
--
-- All current ids of the persons in marts.messages and other tables, as `events` has them (privacy.columns).

with ids as (
    select distinct user_id, service_user_id, device_id, service_device_id
    from marts.counted_events
),
numbered as (
    select *, marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
    from ids
),
named as (
    select
        coalesce(people.person, numbered.strongest_id) as person,
        unnest(
            [
                {'kind': 'user_id', 'id': marts.real_id(numbered.user_id)},
                {'kind': 'service_user_id', 'id': marts.real_id(numbered.service_user_id)},
                {'kind': 'device_id', 'id': marts.real_id(numbered.device_id)},
                {'kind': 'service_device_id', 'id': marts.real_id(numbered.service_device_id)}
            ],
            recursive := true
        )
    from numbered
    left join marts.people on numbered.strongest_id = people.weaker_id
    where numbered.strongest_id is not null and marts.counts_people()
)
select distinct person, kind, id
from named
where id is not null;

-- grain: one id that has appeared with a stronger one.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: weaker_id
--
-- Ids that appear together in a record belong to one person. user_id is stronger than service_user_id, that than device_id,
-- and that than service_device_id. A weaker id belongs to the strongest one of the first record in which it had one: so
-- two users of one device stay two people, and what the device does alone is held to be its first user's. A link holds
-- from its day on: what is learned later changes no earlier day.

with records as (
    select
        date,
        user_id,
        service_user_id,
        device_id,
        service_device_id,
        min(occurred_at) as occurred_at
    from events
    where date in (select date from batch_days)
    group by all
),

together as (
    select
        date,
        coalesce(occurred_at, 'infinity') as occurred_at,
        marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as stronger_id,
        unnest([
            case when user_id is not null then {'kind': 'service_user_id', 'id': service_user_id} end,
            case
                when coalesce(user_id, service_user_id) is not null then {'kind': 'device_id', 'id': device_id}
            end,
            case
                when coalesce(user_id, service_user_id, device_id) is not null
                then {'kind': 'service_device_id', 'id': service_device_id}
            end
        ]) as weaker
    from records
)

select
    md5_number_lower(weaker.kind || ' ' || weaker.id) as weaker_id,
    weaker.kind as weaker_kind,
    arg_min(stronger_id, (date, occurred_at, stronger_id)) as stronger_id,
    min(date) as date
from together
where weaker.id is not null
group by weaker.kind, weaker.id;

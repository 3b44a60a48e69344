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

-- Most people have the same ids in all of their records, so each set of ids is looked at once.
with records as (
    select
        date,
        min(coalesce(occurred_at, 'infinity')) as occurred_at,
        'user_id ' || nullif(user_id, '') as of_user,
        'service_user_id ' || nullif(service_user_id, '') as of_service_user,
        'device_id ' || nullif(device_id, '') as of_device,
        'service_device_id ' || nullif(service_device_id, '') as of_service_device
    from events
    where date in (select date from batch_days)
    group by date, user_id, service_user_id, device_id, service_device_id
),

links as (
    select
        of_service_user as weaker,
        'service_user_id' as weaker_kind,
        of_user as stronger,
        date,
        occurred_at
    from records
    union all
    select of_device, 'device_id', coalesce(of_user, of_service_user), date, occurred_at
    from records
    union all
    select of_service_device, 'service_device_id', coalesce(of_user, of_service_user, of_device), date, occurred_at
    from records
)

select
    md5_number_lower(weaker) as weaker_id,
    weaker_kind,
    md5_number_lower(arg_min(stronger, (date, occurred_at, stronger))) as stronger_id,
    min(date) as date
from links
where weaker is not null and stronger is not null
group by weaker, weaker_kind;

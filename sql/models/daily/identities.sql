-- grain: one id that has appeared with a stronger one.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: weaker_id
--
-- Ids that appear together in a record belong to one person. From strongest to weakest they are user_id, service_user_id, device_id
-- and service_device_id. A weaker id belongs to the strongest id of the first record that links it. So two users of one device stay
-- two people, and records with only the device belong to its first user. A link applies from its day on; earlier days do not
-- change.

-- Most people have the same ids in all records, so each set of ids is read only once.
with records as (
    select
        date,
        min(coalesce(occurred_at, 'infinity')) as occurred_at,
        marts.real_id(user_id) as user_id,
        marts.real_id(service_user_id) as service_user_id,
        marts.real_id(device_id) as device_id,
        marts.real_id(service_device_id) as service_device_id
    from marts.counted_events
    where date in (select date from batch_days)
    group by date, user_id, service_user_id, device_id, service_device_id
),

-- Ids of different kinds are never equal, even if their texts are.
numbered as (
    select
        *,
        (md5_number_lower('user_id ' || user_id) >> 1)::bigint as of_user,
        (md5_number_lower('service_user_id ' || service_user_id) >> 1)::bigint as of_service_user,
        (md5_number_lower('device_id ' || device_id) >> 1)::bigint as of_device,
        (md5_number_lower('service_device_id ' || service_device_id) >> 1)::bigint as of_service_device
    from records
),

links as (
    select of_service_user as weaker_id, 'service_user_id' as weaker_kind, of_user as stronger_id, date, occurred_at
    from numbered
    where service_user_id is not null and user_id is not null
    union all
    select of_device, 'device_id', coalesce(of_user, of_service_user), date, occurred_at
    from numbered
    where device_id is not null and coalesce(user_id, service_user_id) is not null
    union all
    select of_service_device, 'service_device_id', coalesce(of_user, of_service_user, of_device), date, occurred_at
    from numbered
    where service_device_id is not null and coalesce(user_id, service_user_id, device_id) is not null
)

select
    weaker_id,
    weaker_kind,
    arg_min(stronger_id, (date, occurred_at, stronger_id)) as stronger_id,
    min(date) as date
from links
group by weaker_id, weaker_kind;

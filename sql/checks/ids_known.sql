-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: events
-- meaning: Many records have an id such as undefined or 0 instead of the id of a person. They count as nobody, so
--   counts of people are too low. Your app or the import into the service sends these ids.

with placeholders as (
    select
        date,
        case
            when marts.is_placeholder(user_id) then user_id
            when marts.is_placeholder(service_user_id) then service_user_id
            when marts.is_placeholder(device_id) then device_id
            when marts.is_placeholder(service_device_id) then service_device_id
        end as id
    from events
    where date in (select date from batch_days)
),
days as (
    select *, count(*) over (partition by date) as records
    from placeholders
)

select
    date,
    id as subject,
    'More than 1% of the records have this id, which is nobody’s.' as finding,
    '0' as expected,
    count(*) as actual
from days
where id is not null and id <> ''
group by date, id
having count(*) > 0.01 * any_value(records) and count(*) >= 10;

-- grain: one KST day and id that was the strongest of a record of that day, but belongs to a stronger one.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- The person to whom an id belonged on that day. Events are joined by day, so links learned later do not matter. A device may
-- belong to a service user, who may belong to a user, so links are followed three times.

with alone as (
    select distinct
        date,
        marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as strongest_id
    from marts.counted_events
    where date in (select date from batch_days) and marts.real_id(user_id) is null
)

select
    alone.date,
    alone.strongest_id,
    coalesce(third.stronger_id, second.stronger_id, first.stronger_id) as person
from alone
inner join marts.identities as first on alone.strongest_id = first.weaker_id and alone.date >= first.date
left join marts.identities as second on first.stronger_id = second.weaker_id and alone.date >= second.date
left join marts.identities as third on second.stronger_id = third.weaker_id and alone.date >= third.date;

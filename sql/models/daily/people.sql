-- grain: one id that has appeared with a stronger one, with the person it belongs to now.
--
-- A device may belong to a service user, who may belong to a user, so links are followed three times. Ranges of days count people
-- by this view, so a person first seen as a device and later as a user counts once.

select
    first.weaker_id,
    coalesce(third.stronger_id, second.stronger_id, first.stronger_id) as person
from marts.identities as first
left join marts.identities as second on first.stronger_id = second.weaker_id
left join marts.identities as third on second.stronger_id = third.weaker_id;

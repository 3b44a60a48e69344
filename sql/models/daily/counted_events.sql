-- grain: one export record, except those of staff and test people (exclude).
-- lake: none
--
-- Models and questions read this view, so that staff and test people are not counted. `events` has their records.

select events.*
from events
anti join ops.excluded_ids
    on
        (events.user_id, events.service_user_id, events.device_id, events.service_device_id)
        is not distinct from (excluded_ids.user_id, excluded_ids.service_user_id, excluded_ids.device_id, excluded_ids.service_device_id);

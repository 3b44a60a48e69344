-- grain: one counter of one statistic that changed after it was first given.
--
-- The first value is the one before the first change, and the last value the one after the last change; null if the service gave
-- none. kind describes the change. difference counts a missing value as 0, as sums do.

with changes as (
    select
        date,
        statistic_id,
        counter,
        count(*) as changes,
        -- arg_min and arg_max would skip nulls, so the value is in a struct.
        arg_min({'value': before}, detected_at).value as first_value,
        arg_max({'value': after}, detected_at).value as last_value,
        min(detected_at) as first_changed_at,
        max(detected_at) as last_changed_at,
        arg_max(
            struct_pack(resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel), detected_at
        ) as subject
    from ops.restatements
    group by date, statistic_id, counter
)

select
    changes.date,
    changes.statistic_id,
    changes.subject.resource_type as resource_type,
    coalesce(changes.subject.campaign_id, changes.subject.user_journey_id) as resource_id,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name, resource_id) as resource_name,
    changes.subject.variant_id as variant_id,
    coalesce(campaign_variants.variant_name, changes.subject.variant_id) as variant_name,
    changes.subject.user_journey_node_id as user_journey_node_id,
    coalesce(user_journey_nodes.user_journey_node_name, changes.subject.user_journey_node_id) as user_journey_node_name,
    changes.subject.channel as channel,
    changes.counter,
    changes.changes,
    case
        when changes.last_value is null then 'vanished'
        when changes.first_value is null then 'appeared'
        else 'changed'
    end as kind,
    changes.first_value,
    changes.last_value,
    coalesce(changes.last_value, 0) - coalesce(changes.first_value, 0) as difference,
    changes.first_changed_at,
    changes.last_changed_at,
    -- The days from the end of the day to the last change.
    (changes.last_changed_at at time zone 'Asia/Seoul')::date - changes.date as days_after
from changes
left join campaigns on changes.subject.campaign_id = campaigns.campaign_id
left join campaign_variants
    on
        changes.subject.campaign_id = campaign_variants.campaign_id
        and changes.subject.variant_id = campaign_variants.variant_id
left join user_journeys on changes.subject.user_journey_id = user_journeys.user_journey_id
left join user_journey_nodes
    on
        changes.subject.user_journey_id = user_journey_nodes.user_journey_id
        and changes.subject.user_journey_node_id = user_journey_nodes.user_journey_node_id;

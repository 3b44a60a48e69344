-- Values of the records' own fields that may hold an address or a number. Few records have any, so fields of a
-- record are looked at together, and the same value is judged once.

create or replace temp table hidden_values as
with suspects as (
    select
        event_id,
        user_id,
        service_user_id,
        device_id,
        service_device_id,
        channel,
        event_name,
        failure_reason,
        resource_title,
        resource_type,
        campaign_id,
        experiment_group_name,
        user_journey_id,
        user_journey_node_id,
        channel_subtype,
        brand_message_target
    from staged
    where
        may_be_personal(
            concat_ws(
                ' ',
                event_id,
                user_id,
                service_user_id,
                device_id,
                service_device_id,
                channel,
                event_name,
                failure_reason,
                resource_title,
                resource_type,
                campaign_id,
                experiment_group_name,
                user_journey_id,
                user_journey_node_id,
                channel_subtype,
                brand_message_target
            )
        )
)

select distinct field, value, null::varchar as hidden_value
from (unpivot suspects on columns(*) into name field value value) as fields
where
    may_be_personal(value)
    -- Ids are full of digits.
    and not regexp_full_match(value, getvariable('plain_id'));

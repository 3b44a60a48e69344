-- What marts are made with; sql/models makes the marts themselves.

create schema marts;

-- What an event means, by its name. Names are an open vocabulary: of unknown ones the ending tells, or null.
create macro marts.event_kind(event_name) as case
    when event_name = 'send_success' then 'succeeded'
    when event_name = 'send_failure' then 'failed'
    when event_name = 'failover_text_message_send_success' then 'failover_sent'
    when event_name = 'failover_text_message_send_failure' then 'failover_failed'
    -- Closing a message is no interest in it.
    when event_name = 'close_button_click' then 'closed'
    when ends_with(event_name, '_click') then 'clicked'
    when ends_with(event_name, '_delivered') or ends_with(event_name, '_show') then 'delivered'
    when ends_with(event_name, '_open') then 'opened'
end;

create table public_holidays (
    date date,
    name varchar,
    name_ko varchar
);

-- The strongest id of a record, as a number that never changes. An id of one kind is never one of another.
create macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as md5_number_lower(
    case
        when user_id is not null then 'user_id ' || user_id
        when service_user_id is not null then 'service_user_id ' || service_user_id
        when device_id is not null then 'device_id ' || device_id
        when service_device_id is not null then 'service_device_id ' || service_device_id
    end
);

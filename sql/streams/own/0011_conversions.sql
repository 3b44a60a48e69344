-- Conversions from one of your own tables. Empty until the settings name the table (conversions).

create view own.conversions as
select
    null::varchar as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id,
    null::timestamptz as converted_at,
    null::date as date,
    null::double as value,
    null::varchar as currency,
    null::varchar as goal
where false;

-- The people of audiences, by the columns that divide them (segments of audiences). Empty until the settings define such columns.
create view own.segments as
select
    null::varchar as audience,
    null::varchar as segment,
    null::varchar as value,
    null::varchar as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id
where false;

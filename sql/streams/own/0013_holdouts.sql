-- People who get no messages, and those with whom they are compared.

-- The holdouts in the settings.
create table ops.holdouts (
    holdout varchar,
    kind varchar,
    share double,
    first_day date,
    last_day date,
    smallest_effect double,
    campaign_id varchar,
    exempt varchar[]
);

-- The people of each holdout. Empty until the settings define one (holdouts).
create view own.holdouts as
select
    null::varchar as holdout,
    null::varchar as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id,
    null::varchar as arm,
    null::double as share,
    null::date as assigned_on
where false;

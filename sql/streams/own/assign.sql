-- Statements that assign each new person of an audience to an arm, once. The session has the macros of erasures, and hashes persons
-- whatever the privacy settings are.

-- name: none
create or replace temp table assigned (
    holdout varchar,
    user_id varchar,
    service_user_id varchar,
    device_id varchar,
    service_device_id varchar,
    arm varchar,
    share double,
    assigned_on date
);

-- name: earlier
-- Reads the persons who have an arm already from the landed file.
insert into assigned by name
select * replace ({replaced})
from read_parquet('{file}') as earlier;

-- name: add
-- params: day date
-- Assigns new persons. The arm depends only on person and holdout: their digest, as a number below 1, is compared with the share.
insert into assigned by name
select
    '{holdout}' as holdout,
    given.id as {person},
    if(
        ('0x' || left(_digest('holdout {holdout} ' || stored_digest('{person}', given.id)), 12))::bigint / pow(16, 12) < {share},
        'holdout',
        'messages'
    ) as arm,
    {share} as share,
    $day as assigned_on
from (select distinct {person} as id from own."{table}") as given
where
    given.id is not null
    and not marts.is_placeholder(given.id)
    and not exists (from assigned where assigned.holdout = '{holdout}' and assigned.{person} = given.id);

-- name: unhashed
(
    select any_value(given.{person})
    from own."{table}" as given
    where person_digest('{person}', given.{person}) = earlier.{person}
)

-- name: unknown
-- Deletes persons whose stored id cannot be translated, because they have left the audience.
delete from assigned
where coalesce(user_id, service_user_id, device_id, service_device_id) is null;

-- name: count
select count(*) as rows
from assigned;

-- name: copy
-- The file is not compressed, so that an erasure finds ids by searching its bytes.
copy (
    from assigned order by holdout, assigned_on, user_id, service_user_id, device_id, service_device_id
) to '{to}' (format parquet, compression uncompressed);

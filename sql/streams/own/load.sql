-- Loads the landed copy of an own table, and records facts about it.
-- needs: day_contents, days, loaded_rows

-- name: latest
-- params: stream text, pulled_at timestamptz
-- True if the warehouse has no later copy.
select not exists (from ops.coverage where stream = $stream and pulled_at > $pulled_at) as is_latest;

-- name: rows
select count(*) as rows
from read_parquet('{file}')
where {condition};

-- name: replace
create or replace table own."{table}" as
from read_parquet('{file}');

-- name: cover
-- params: stream text, pull text, loaded_at timestamptz
-- Only the latest copy counts as covered. It makes no day of models dirty.
delete from ops.coverage where stream = $stream;

insert into ops.coverage by name
select $stream as stream, date, rows, $loaded_at as loaded_at, pull, pulled_at
from days
cross join (select count(*) as rows from own."{table}") as counted
where pull = $pull;

insert into loaded_rows
select $pull, count(*) from own."{table}";

insert into day_contents
select date, 0 from days
union all
select date, 0 from days;

-- name: tables
select tables.table_name as name, list({'name': columns.column_name, 'type': columns.data_type} order by columns.column_index) as columns
from duckdb_tables() as tables
inner join duckdb_columns() as columns using (database_name, schema_name, table_name)
where tables.database_name = current_database() and tables.schema_name = 'own'
group by tables.table_name
order by tables.table_name;

-- name: drop
-- params: stream text
drop table own."{table}";

delete from ops.coverage where stream = $stream;

delete from ops.loads where stream = $stream;

delete from ops.dictionary where schema_name = 'own' and relation_name = '{table}';

-- name: clear
delete from ops.own_tables;

-- name: note
-- params: stream text, source text, keys text[], unique_columns text[]
insert into ops.own_tables by name
with coverage as (
    select max(pulled_at) as pulled_at from ops.coverage where stream = $stream
)

select
    '{table}' as table_name,
    $source as source,
    $keys as keys,
    $unique_columns as unique_columns,
    (select count(*) from own."{table}") as rows,
    (
        select max(instant)
        from (select unnest([{dated}]::timestamptz[]) as instant from own."{table}") as instants
        where instant <= (select pulled_at from coverage)
    ) as newest_at,
    coverage.pulled_at,
    if($unique_columns = [], null, (select count(*) - count(distinct ({columns})) from own."{table}")) as repeated,
    if($keys = [], null, (select count(distinct {key}) from own."{table}")) as persons,
    if($keys = [], null, (select count(distinct {key}) from own."{table}" where {key} in ({known}))) as known_persons
from coverage;

-- name: known
select {key} from events

-- name: known_recipients
select recipient_no from text_messages
union all
select recipient_no from friendtalk_messages
union all
select recipient_no from alimtalk_messages

-- name: view
-- Creates a view of conversions, or of the people of all holdouts or segments, without staff and test people. It is a view, so that
-- erasures apply to it.
create or replace view own.{view} as
with people as (
{people}
)

select people.*
from people
anti join ops.excluded_people
    on
        marts.strongest_id(people.user_id, people.service_user_id, people.device_id, people.service_device_id)
        = excluded_people.person
where {whose};

-- name: anybody
true

-- name: somebody
-- An id that is not null, 'undefined', zeros or another text that programs write if the id is missing.
nullif(lower(trim(coalesce(people.user_id, people.service_user_id, people.device_id, people.service_device_id))), '')
not in (select placeholders.id from ops.placeholder_ids as placeholders)

-- name: no_conversions
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
where false

-- name: converted
-- The day does not depend on the reader's time zone. A value that is infinite, not a number, or too large to square becomes null.
select
    {persons},
    if(typeof({at}) = 'DATE', {at}::timestamp at time zone 'Asia/Seoul', {at}::timestamptz),
    if(typeof({at}) = 'DATE', {at}::date, ({at}::timestamptz at time zone 'Asia/Seoul')::date),
    if(abs({value}::double) < 1e100, {value}::double, null),
    {currency},
    '{goal}'
from own."{table}"
where {at} is not null

-- name: holdouts
-- params: holdouts text[]
delete from ops.holdouts;

insert into ops.holdouts
select row.*
from (
    select from_json(
        unnest($holdouts::varchar[]),
        '{
            "holdout": "VARCHAR", "kind": "VARCHAR", "share": "DOUBLE", "first_day": "DATE", "last_day": "DATE",
            "smallest_effect": "DOUBLE", "campaign_id": "VARCHAR", "exempt": ["VARCHAR"]
        }'
    ) as row
) as given;

-- name: no_segments
select
    null::varchar as audience,
    null::varchar as segment,
    null::varchar as value,
    null::varchar as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id
where false

-- name: segmented
select '{audience}', '{segment}', {column}::varchar, {persons}
from own."{table}"

-- name: no_holdouts
select
    null::varchar as holdout,
    null::varchar as user_id,
    null::varchar as service_user_id,
    null::varchar as device_id,
    null::varchar as service_device_id,
    null::varchar as arm,
    null::double as share,
    null::date as assigned_on
where false

-- name: assigned
select
    holdout, user_id, service_user_id, device_id, service_device_id, arm, share, assigned_on
from own.assignments
where holdout = '{holdout}'

-- name: assigned_by_table
select
    '{holdout}',
    {persons},
    if(trim({arm}::varchar) = '{value}', 'holdout', 'messages'),
    {share}::double,
    if(typeof({assigned}) = 'DATE', {assigned}::date, ({assigned}::timestamptz at time zone 'Asia/Seoul')::date)
from own."{table}"
where {arm} is not null and {assigned} is not null

-- name: assigned_by_campaign
select
    '{holdout}',
    user_id,
    service_user_id,
    device_id,
    service_device_id,
    if(lower(trim(experiment_group_name)) = lower(trim('{value}')), 'holdout', 'messages'),
    {share}::double,
    min(date)
from events
where campaign_id = '{campaign}' and experiment_group_name is not null
group by all

-- Statements that find a person. Ids are compared by keyed digests (HMAC-SHA-256). The digest of a number or address is the one
-- that privacy.recipients: hash stores. The digest of another id depends on its kind and value. Models have an id as a number
-- (marts.strongest_id), which has a digest of its own. The connection hashes persons whatever the privacy settings are.

-- name: id_digest
create or replace temp macro person_digest(kind, given) as
    if(kind = 'recipient', _recipient(given, 'hash'), _id_digest(kind, given));

-- The rule of privacy.columns for a column; null if its values are kept.
create or replace temp macro rule_of(key) as
    map_extract_value(map(getvariable('settings').ruled_keys, getvariable('settings').rules), key);

create or replace temp macro number_digest(kind, stored) as
    _digest('person ' || (md5_number_lower(kind || ' ' || stored) >> 1)::bigint::varchar);

-- The digests of an id. A number or address may also be used as a user id, so its digests as other kinds are included.
create or replace temp macro person_digests(kind, given) as
    list_distinct(
        [person_digest(kind, given)]
        || regexp_extract_all(_redacted_field(given, 'hash'), '^[0-9a-f]{64}$')
        || case
            when kind = 'recipient'
            then list_transform(
                ['user_id', 'service_user_id', 'device_id', 'service_device_id'],
                lambda other: _digest(other || ' ' || _recipient(given, 'hash'))
            )
            when rule_of(kind) = 'drop' then []
            else [number_digest(kind, _ruled(kind, given))]
        end
    );

-- The digest of an id as the file stores it. A hashed column has digests already.
create or replace temp macro stored_digest(kind, stored) as
    if(rule_of(kind) = 'hash', stored, person_digest(kind, stored));

create or replace temp macro linked(kind, given) as
    if(rule_of(kind) = 'hash', _id_digest(kind, given), _redacted_field(given, 'hash'));

-- name: open
-- Not `union`, which would keep all numbers in memory.
create or replace temp view numbers as
select event_id, recipient_no from text_messages where recipient_no is not null
union all
select event_id, recipient_no from friendtalk_messages where recipient_no is not null
union all
select event_id, recipient_no from alimtalk_messages where recipient_no is not null;

-- name: ids
-- params: erased_ids text[]
create or replace temp table erased_ids as
select distinct unnest($erased_ids::varchar[]) as id;

-- name: origins
-- params: kinds text[], named text[]
-- The digest of each requested id, in the same order.
select person_digest(named.kind, named.value) as origin
from (
    select unnest($kinds::varchar[]) as kind, unnest($named::varchar[]) as value
) as named;

-- name: scan
-- params: files text[], largest_object bigint
-- The records on pages of E12 and E21 with an erased id, as their own id or in their text.
create or replace temp table scanned as
with pages as (
    select filename, data
    from read_json(
        $files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON[]'},
        maximum_object_size = $largest_object,
        filename = true
    )
),

unfolded as (
    select filename, generate_subscripts(data, 1) - 1 as position, unnest(data) as record
    from pages
)

select
    row_number() over () as row_id,
    filename,
    position,
    record::varchar as record,
    json_extract_string(
        record,
        [
            '/user_id', '/' || getvariable('settings').brand || '_user_id',
            '/device_id', '/' || getvariable('settings').brand || '_device_id'
        ]
    ) as ids,
    regexp_extract(record::varchar, '"recipientNo"\s*:\s*"[^"\\]*"') as recipient_member
from unfolded;

create or replace temp table redacted_documents as
select row_id, _redacted_document(record, 'record', 'hash') as document
from (select *, if(recipient_member = '', record, replace(record, recipient_member, '')) as rest from scanned) as records
where regexp_matches(rest, getvariable('patterns').personal) and json_valid(record);

-- name: matches
with ids_written as (
    select
        row_id,
        unnest(['user_id', 'service_user_id', 'device_id', 'service_device_id', 'recipient']) as kind,
        unnest(ids || [regexp_extract(recipient_member, '"([^"\\]*)"$', 1)]) as written
    from scanned
),

erased as (
    select kind, written, person_digest(kind, written) as id
    from (select distinct kind, written from ids_written where written <> '') as different
    where id in (select id from erased_ids)
),

-- A number under a recipient's key is an id of the record.
hidden as (
    select
        row_id,
        unnest(regexp_extract_all(document, '"' || getvariable('patterns').recipient_key || '"\s*:\s*"?([0-9a-f]{64})', 1)) as id,
        true as own
    from redacted_documents
    union all
    select row_id, unnest(regexp_extract_all(document, '[0-9a-f]{64}')), false
    from redacted_documents
),

matches as (
    select row_id, erased.id, true as own, written
    from ids_written
    inner join erased using (kind, written)
    union all
    select row_id, id, own, null
    from hidden
    where id in (select id from erased_ids)
)

select
    scanned.filename,
    scanned.position,
    any_value(scanned.record) as record,
    bool_or(matches.own) as own,
    coalesce(list(distinct matches.written) filter (matches.written is not null), []) as written
from matches
inner join scanned using (row_id)
group by scanned.filename, scanned.position;

-- name: links
-- The different sets of ids that occur together in a record.
create or replace temp table links as
select row_number() over () as link, *
from (
    select distinct
        nullif(events.user_id, '') as user_id,
        nullif(events.service_user_id, '') as service_user_id,
        nullif(events.device_id, '') as device_id,
        nullif(events.service_device_id, '') as service_device_id,
        numbers.recipient_no as recipient
    from events
    left join numbers using (event_id)
) as sets;

create or replace temp table link_ids (link bigint, kind varchar, value varchar, id varchar);

-- name: own_links
-- The sets of ids that occur together in a row of an own table.
insert into links
select (select count(*) from links) + row_number() over (), *
from (select distinct {columns} from {table});

-- name: own_columns
-- The columns of a landed copy that may have text.
select column_name as name, column_type = 'JSON' as is_document
from (describe from read_parquet('{file}'))
where column_type in ('VARCHAR', 'JSON');

-- name: own_written
select coalesce(list(distinct id) filter (id <> ''), []) as written
from (select unnest([{keys}]) as id from read_parquet('{file}') where {own});

-- name: landed_links
-- params: landed_ids json
-- Adds the ids of landed records as the warehouse stores them. Ids that the settings drop are included, too.
insert into links
select
    (select count(*) from links) + row_number() over (),
    linked('user_id', user_id),
    linked('service_user_id', service_user_id),
    linked('device_id', device_id),
    linked('service_device_id', service_device_id),
    recipient
from (
    select unnest(
        from_json(
            $landed_ids,
            '[{
                "user_id": "varchar", "service_user_id": "varchar", "device_id": "varchar",
                "service_device_id": "varchar", "recipient": "varchar"
            }]'
        ),
        recursive := true
    )
);

-- name: link_ids
-- The ids in the added links, each with its digest.
insert into link_ids
with members as (
    from (
        unpivot (from links where link > coalesce((select max(link) from link_ids), 0))
        on user_id, service_user_id, device_id, service_device_id, recipient
        into name kind value value
    )
)

select members.link, members.kind, members.value, digests.id
from members
inner join (
    -- A hashed column has digests already.
    select kind, value, stored_digest(kind, value) as id
    from (select distinct kind, value from members) as different
) as digests using (kind, value);

-- name: follow
-- params: include_shared boolean, kinds text[], named text[], forms text[]
-- Follows ids: starting from the requested ids in all their forms, finds ids that occur in the same record. Ids of more than three
-- persons are shared, and are not followed.
create or replace temp table shared_ids as
select id
from link_ids
inner join links using (link)
where not $include_shared
group by id
having count(distinct coalesce(links.user_id, links.service_user_id)) > 3;

create or replace temp table person_ids as
with recursive named as (
    select
        unnest($kinds::varchar[]) as kind,
        unnest($named::varchar[]) as value,
        unnest($forms::varchar[]) as form
),

reached as (
    select person_digest(kind, value) as origin, unnest(person_digests(kind, form)) as id
    from named
    union
    select reached.origin, others.id
    from reached
    inner join link_ids as own using (id)
    inner join link_ids as others on own.link = others.link
    where reached.id not in (select id from shared_ids) and others.id not in (select id from shared_ids)
)

from reached;

-- name: person
-- Every id found, including shared ones, which are not followed.
select distinct
    person_ids.origin,
    person_ids.id,
    link_ids.kind,
    link_ids.value,
    if(link_ids.kind <> 'recipient', number_digest(link_ids.kind, link_ids.value), null) as person,
    false as shared
from person_ids
left join link_ids using (id)
union all
select distinct person_ids.origin, others.id, others.kind, others.value, null, true
from person_ids
inner join link_ids as own using (id)
inner join link_ids as others on own.link = others.link
where others.id in (select id from shared_ids) and others.id not in (select id from person_ids)
order by all;

-- name: found
-- The events of erased persons in the file, by the ids of the record and by the recipient of the message.
create or replace temp table found_links as
select distinct link from link_ids where id in (select id from erased_ids);

create or replace temp table found_events as
with found as (
    select links.* from links semi join found_links using (link)
)

select distinct events.rowid as row_id, events.event_id, events.export_date
from events
left join numbers using (event_id)
semi join found
    on
        nullif(events.user_id, '') is not distinct from found.user_id
        and nullif(events.service_user_id, '') is not distinct from found.service_user_id
        and nullif(events.device_id, '') is not distinct from found.device_id
        and nullif(events.service_device_id, '') is not distinct from found.service_device_id
        and numbers.recipient_no is not distinct from found.recipient;

create or replace temp table found_opt_outs as
select rowid as row_id, valid_from
from opt_outs_history
where recipient is not null and _recipient(recipient, 'hash') in (select id from erased_ids);

select
    (select coalesce(list(distinct export_date::varchar), []) from found_events) as days,
    (select min(valid_from)::varchar from found_opt_outs) as first_opt_out;

-- name: computed
-- The tables in which models identify persons by numbers; and in them, the persons on days whose events were removed from the file.
create or replace temp table computed_numbers as
{numbers};

create or replace temp table erased_numbers as
with recursive erased as (
    select number
    from computed_numbers
    where _digest('person ' || number::varchar) in (select id from erased_ids)
    union
    select identities.weaker_id
    from erased
    inner join marts.identities on erased.number = identities.stronger_id
)

from erased;

-- name: computed_columns
select
    columns.schema_name || '.' || columns.table_name as "table",
    list(columns.column_name) filter (columns.column_name in ({persons})) as persons,
    max(columns.column_name) filter (columns.column_name in ('date', 'week')) as day
from duckdb_columns() as columns
inner join duckdb_tables() using (database_name, schema_name, table_name)
where
    columns.database_name = current_database()
    and columns.schema_name = 'marts'
    and exists (from ops.removed_days)
group by all
having len(persons) > 0
order by "table";

-- name: computed_relinked
-- If an id once belonged to an erased person but still has events, it now belongs to the person of these events.
insert into ops.touched_days
select distinct 'events', date
from (
    select min(date) as date
    from events
    where
        (md5_number_lower('service_user_id ' || service_user_id) >> 1)::bigint in (select number from erased_numbers)
        or (md5_number_lower('device_id ' || device_id) >> 1)::bigint in (select number from erased_numbers)
        or (md5_number_lower('service_device_id ' || service_device_id) >> 1)::bigint in (select number from erased_numbers)
) as first
where date is not null;

create temp table if not exists dirty_days (date date);

-- name: found_rows
-- The rows of one table that belong to the found events, as JSON.
select to_json(rows)::varchar as row
from {table} as rows
where {condition};

-- name: found_count
select count(*) as rows from {table} as rows where {condition};

-- name: delete_rows
delete from {table} as rows where {condition};

-- name: touch
-- params: days date[]
insert into ops.touched_days
select 'events', unnest($days::varchar[])::date;

-- name: recount
-- params: days date[]
-- Counts the rows of these days again. No load will do so, because their pages are gone or the journal lacks their exports.
update ops.coverage
set rows = (select count(*) from events where export_date = coverage.date)
where stream = 'events' and date in (select unnest($days::varchar[])::date);

-- name: note
-- params: erasures text[]
-- Replaces the erasures by those of the journal, each as JSON with the digests of the erased ids. The digests are written
-- backwards, so that a search of the file's bytes for a digest finds only rows of the person.
delete from ops.erasures;

delete from ops.erased_ids;

create or replace temp table given_erasures as
select row.*
from (
    select from_json(
        unnest($erasures::varchar[]),
        '{"line": "BIGINT", "key": "VARCHAR", "erasedAt": "TIMESTAMPTZ", "persons": "BIGINT", "records": "BIGINT", "rows": "BIGINT",
          "lateRecords": "BIGINT", "ids": ["VARCHAR"]}'
    ) as row
) as given;

insert into ops.erasures select * exclude (ids) from given_erasures;

insert into ops.erased_ids select line, reverse(unnest(ids)) from given_erasures;

-- name: remembered
select line::integer as line from ops.erasures order by line desc limit 1;

-- name: known
-- The erasures that a file lists, with the digests of the erased ids, in case the journal was lost.
select
    erasures.line::double as line,
    any_value(erasures.key_fingerprint) as key,
    any_value(erasures.people)::double as persons,
    any_value(erasures.records)::double as records,
    any_value(erasures.rows)::double as rows,
    to_json(list(reverse(erased_ids.id) order by erased_ids.id))::varchar as ids
from ops.erasures as erasures
inner join ops.erased_ids as erased_ids on erasures.line = erased_ids.line
group by erasures.line
order by erasures.line;

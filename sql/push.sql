-- Statements of pushes. Some run on the published file. The others run in a separate database, which writes the rows of a query
-- (table answer) as JSON, hashes them, and compares them with earlier pushes. The session hashes with the key of the data folder.

-- name: pushes
-- params: pushes text[]
-- Replaces all pushes by those of the ledger, each as JSON.
delete from ops.pushes;

insert into ops.pushes
select row.*
from (
    select from_json(
        unnest($pushes::varchar[]),
        '{
            "id": "VARCHAR", "target": "VARCHAR", "name": "VARCHAR", "state": "VARCHAR",
            "begunAt": "TIMESTAMPTZ", "updatedAt": "TIMESTAMPTZ", "rows": "BIGINT", "sent": "BIGINT",
            "unchanged": "BIGINT", "rejected": "BIGINT", "unknown": "BIGINT", "erased": "BIGINT",
            "calls": "BIGINT", "note": "VARCHAR"
        }'
    ) as row
) as given;

-- name: macros
-- JSON with its texts replaced by 0.
create or replace macro bare(json_text) as
    regexp_replace(json_text, '"(?:[^"\\]|\\.)*"', '0', 'g');

-- True if JSON is nested too deeply. Each step removes the innermost brackets; after 49 steps none may be left.
create or replace macro is_deep(json_text) as
    length(
        list_reduce(
            list_prepend(
                regexp_replace(bare(json_text), '[^\[\]{}]', '', 'g'),
                list_transform(range(49), lambda level: '')
            ),
            lambda brackets, level: regexp_replace(brackets, '\[\]|\{\}', '', 'g')
        )
    ) > 0;

create or replace macro is_long(json_text) as
    left(json_text, 1) = '"' and strlen(json_text) > 5000 and length(json_text ->> '$') > 5000;

create or replace macro is_hash(json_text) as regexp_matches(json_text, '(?i)[0-9a-f]{64}');

create or replace macro wrong_list(json_text) as case
    when left(json_text, 1) <> '[' then null
    when json_array_length(json_text) > 100 then 'must have at most 100 elements'
    when
        strlen(json_text) > 5000
        and len(list_filter(json_extract(json_text, '$[*]'), lambda one: is_long(one::varchar))) > 0
    then 'must have elements of at most 5000 characters'
end;

-- The rule that a value breaks, without the value; null if it breaks none. The specification has the rules (Limits, Catalog item).
create or replace macro wrong_size(json_text) as case
    when json_text is null then null
    -- NaN, infinity, a type without a JSON form, or an extra comma.
    when
        not regexp_full_match(bare(json_text), '(?:[-+0-9.eE,:{}\[\]\s]|true|false|null)*')
        or regexp_matches(bare(json_text), ',\s*[\]}]')
    then 'is no value of JSON, such as NaN, infinity or a blob'
    when is_long(json_text) then 'must have at most 5000 characters'
    when left(json_text, 1) not in ('[', '{') then null
    when wrong_list(json_text) is not null then wrong_list(json_text)
    when strlen(json_text) > 98 and is_deep(json_text) then 'must have at most 50 levels'
end;

-- The reason why an id is not valid; null if it is. A value that is neither text nor a whole number gives an empty id.
create or replace macro wrong_id(kind, id, json_text, is_text) as case
    when id = '' and json_text <> '""' then 'must be a text or a whole number'
    when trim(id) = '' then 'is empty'
    when kind = 'catalog-items' and not regexp_full_match(id, '[A-Za-z0-9_-]{1,250}')
    then 'must have 1 to 250 letters, digits, _ and -'
    when kind = 'opt-outs' and not (is_text and regexp_full_match(id, '[+0-9][0-9 -]{5,24}'))
    then 'must be a telephone number of at most 25 characters'
end;

-- name: remembered
-- params: file text, calls json
-- The complete lines in the file of a target (push/ledger.ts): a call with its rows, an acknowledgement (taken), or rejected rows (reason).
-- k and r are the hashes of a row's key and content. columns are the digests of the columns that the call writes. They include * if
-- the call replaces or deletes the whole item. They are empty for calls that reach people, and for rows that only have an id.
create or replace table lines as
select
    row_number() over () as nth,
    json ->> 'push' as push,
    try_cast(json ->> 'call' as integer) as call,
    json ->> 'columns' as columns,
    json ->> 'reason' as reason,
    coalesce(try_cast(json ->> 'taken' as boolean), false) as taken,
    from_json(json -> 'k', '["varchar"]') as k,
    from_json(json -> 'r', '["varchar"]') as r
from read_ndjson_objects($file, ignore_errors = true, maximum_object_size = 1073741824)
where json is not null;

-- For each key and set of columns, the last row that the service has, or may have (doubt). The journal has the outcome of the calls of
-- E13 and E16; for the others, the file has their acknowledgement. If a later call writes one of the columns, or the whole item (*), the
-- service's value is unknown (r is null), even if that call was not acknowledged.
create or replace table remembered as
with states as (
    select unnest(
        from_json(
            $calls,
            '[{"push": "varchar", "call": "integer", "state": "varchar"}]'
        ),
        recursive := true
    )
),
calls as (
    select
        lines.nth,
        lines.columns,
        coalesce(states.state not in ('acknowledged', 'taken'), false) as doubt,
        states.state in ('acknowledged', 'taken', 'ambiguous', 'in_doubt', 'open')
        or exists (from lines as ends where ends.taken and ends.push = lines.push and ends.call = lines.call) as is_known,
        lines.k,
        lines.r
    from lines
    left join states on lines.push = states.push and lines.call = states.call
    where lines.k is not null and lines.reason is null
),
-- An unacknowledged call that writes columns counts, too, because it may have changed them.
written as (
    select
        columns, unnest(k) as k, unnest(r) as r, nth, doubt, coalesce(is_known, false) as is_known
    from calls
    where is_known or columns <> ''
),
newest as (
    select
        k,
        columns,
        arg_max(r, nth) filter (is_known) as r,
        arg_max(doubt, nth) filter (is_known) as doubt,
        max(nth) filter (is_known) as known_at,
        max(nth) as written_at
    from written
    group by k, columns
)
select
    k,
    columns,
    if(
        exists (
            from newest as later
            where
                later.k = newest.k
                and later.written_at > newest.known_at
                and list_has_any(string_split(later.columns, ','), string_split(newest.columns || ',*', ','))
        ),
        null,
        r
    ) as r,
    doubt,
    known_at as nth
from newest
where
    known_at is not null
    and columns <> '*'
    and not exists (
        from newest as gone
        where gone.k = newest.k and gone.columns = '*' and gone.known_at > newest.known_at
    );

-- For each key, the last rejected row that the service has not taken since, and how often it was tried.
create or replace table rejected as
with rows_rejected as (
    select nth, reason, unnest(k) as k, unnest(r) as r
    from lines
    where reason is not null
),
newest as (
    select k, r, arg_max(reason, nth) as reason, count(*)::integer as tries, max(nth) as nth
    from rows_rejected
    group by k, r
    qualify row_number() over (partition by k order by max(nth) desc) = 1
)
from newest
where not exists (from remembered where remembered.k = newest.k and remembered.nth > newest.nth);

create or replace table rows_found (k varchar, key varchar);

-- name: rejections
-- The rejected rows. If a query found them (rows_found), with their keys; otherwise with the hashes of the keys.
select coalesce(rows_found.key, rejected.k) as row, rejected.reason, rejected.tries, rejected.tries < 4 as tried_again
from rejected
left join rows_found using (k)
order by rejected.k;

-- name: rows
-- True for patches and properties, in which null sets a value to null. Elsewhere, null is left out.
create or replace macro sends_null() as
    getvariable('target').kind = 'user-properties' or coalesce(getvariable('target').mode = 'patch', false);

-- The column of this name. If there are two, the last one.
create or replace macro cell_of(cells, wanted) as list_filter(cells, lambda cell: cell.name = wanted)[-1];

-- Each row as JSON, with the hashes of its key and content, and the reason if it cannot be sent. The members are the columns other
-- than the id.
create or replace table rows_found as
with parts as (
    select
        nth,
        cells,
        cell_of(cells, getvariable('target').identity) as id_cell,
        coalesce(struct_extract(id_cell, 'id'), '') as id,
        to_json(id)::varchar as id_text,
        list_transform(getvariable('target').keys, lambda name: cell_of(cells, name)) as key_cells,
        coalesce(
            case
                when len(key_cells) = 1 then key_cells[1].text
                when len(list_filter(key_cells, lambda cell: cell.json is null)) > 0 then null
                else '[' || array_to_string(list_transform(key_cells, lambda cell: cell.json), ',') || ']'
            end,
            ''
        ) as key,
        list_filter(
            cells, lambda cell: not getvariable('target').is_bare and cell.name <> getvariable('target').identity
        ) as member_cells,
        list_transform(
            list_filter(
                member_cells, lambda cell: sends_null() or cell.json is not null
            ),
            lambda cell: to_json(cell.name)::varchar || ':' || coalesce(cell.json, 'null')
        ) as members,
        array_to_string(members, ',') as text_of_members
    from found
),
texts as (
    select
        *,
        case
            when getvariable('target').head = '' then id_text
            when getvariable('target').field <> ''
            then getvariable('target').head || id_text || ',' || getvariable('target').field || ':{' || text_of_members || '}}'
            else getvariable('target').head || id_text || if(text_of_members = '', '}', ',' || text_of_members || '}')
        end as item
    from parts
)
select
    nth,
    key,
    if(getvariable('target').kind = 'catalog-items' and getvariable('target').key = 'id', key, '#' || left(_digest('key ' || getvariable('target').key || ' ' || key), 32)) as k,
    left(_digest('row ' || concat_ws(',', id_text, array_to_string(list_sort(members), ','))), 32) as r,
    item,
    strlen(item) + 1 as bytes,
    if(sends_null(), len(list_filter(member_cells, lambda cell: cell.json is null)), 0) as nulls,
    case
        when key = '' then getvariable('target').key || ': is empty'
        when row_number() over (partition by key order by nth) > 1
        then getvariable('target').key || ': occurs more than once'
        -- The maximum size of a catalog's item.
        when strlen(item) + 1 > 1048576 then 'the row: is too long'
        else coalesce(
            getvariable('target').identity || ': '
            || wrong_id(getvariable('target').kind, id, id_cell.json, id_cell.is_text),
            list_filter(
                list_transform(
                    list_append(member_cells, id_cell),
                    lambda cell: cell.name || ': ' || case
                        when len(list_filter(cells, lambda other: other.name = cell.name)) > 1
                        then 'is the name of two columns'
                        when getvariable('target').hashes and (is_hash(cell.json) or is_hash(cell.name))
                        then 'is a hash, which the service does not know'
                        else wrong_size(cell.json)
                    end
                ),
                lambda reason: reason is not null
            )[1]
        )
    end as wrong
from texts;

-- name: compared
-- params: erased_ids text[]
-- The rows that have an id of an erased person, of any kind, in a column of ids.
create table erased as
with given as (
    select nth, unnest(cells) as cell
    from found
),
kinds as (
    select unnest(['user_id', 'service_user_id', 'device_id', 'service_device_id', 'recipient']) as kind
)
select distinct given.nth
from given
cross join kinds
where
    len($erased_ids::varchar[]) > 0
    and (
        cell.name = getvariable('target').identity
        or regexp_full_match(cell.name, '(service_)?(user|device)_id|recipient_no|\$phone_number|\$email')
    )
    and cell.text <> ''
    and list_has_any(person_digests(kinds.kind, cell.text), $erased_ids::varchar[]);

-- Decides what happens to each row. If rows must not be sent twice (once), a known key is left out even if its values changed.
create table compared as
select
    found.nth,
    found.k,
    found.wrong,
    found.nulls,
    case
        when exists (from erased where erased.nth = found.nth) then 'erased'
        when found.wrong is not null then 'invalid'
        when remembered.doubt then 'unknown'
        when remembered.r = found.r then 'unchanged'
        when rejected.r = found.r and rejected.tries >= 4 then 'left'
        when exists (from remembered as others where others.k = found.k) then 'changed'
        else 'new'
    end as outcome
from rows_found as found
left join remembered on found.k = remembered.k and remembered.columns = getvariable('columns')
left join rejected on found.k = rejected.k;

-- The rows to send in the order of the query, and then the items to delete: items that earlier pushes of the same columns sent, but
-- that the query lacks. A call has a maximum number of rows, and of bytes so that its body stays below 4 MiB.
create table sending as
with found as (
    select false as deletes, nth, k, r, item, bytes
    from compared
    inner join rows_found using (nth, k)
    where outcome = 'new' or (outcome = 'changed' and not getvariable('target').once)
    union all
    select true, 0, k, left(_digest('row ' || k), 32), '{"id":"' || k || '"}', length(k) + 10
    from remembered
    where
        getvariable('target').delete_missing
        and columns = getvariable('columns')
        and regexp_full_match(k, '[A-Za-z0-9_-]{1,250}')
        and not exists (from compared where compared.k = remembered.k)
),
numbered as (
    select
        *,
        (row_number() over (partition by deletes order by nth, k) - 1) // getvariable('target').most as part,
        sum(bytes) over (partition by deletes order by nth, k) // (3 * 1048576 - 4096) as bytes_part
    from found
)
select deletes, nth, k, r, item, dense_rank() over (order by deletes, part, bytes_part)::integer as call
from numbered
order by call, nth, k;

drop table rows_found;
drop table found;

-- name: plan
-- The counts of a push, and for each reason the number of rows that cannot be sent, as JSON.
select
    count(*)::integer as rows,
    count(*) filter (outcome = 'new')::integer as new,
    count(*) filter (outcome = 'changed')::integer as changed,
    count(*) filter (outcome = 'unchanged')::integer as unchanged,
    count(*) filter (outcome = 'unknown')::integer as unknown,
    count(*) filter (outcome = 'left')::integer as left,
    count(*) filter (outcome = 'erased')::integer as erased,
    (
        select coalesce(json_group_object(wrong, rows), '{}')::varchar
        from (
            select wrong, count(*) as rows
            from compared
            where outcome = 'invalid'
            group by wrong
            order by wrong
        )
    ) as invalid,
    (select count(*) filter (deletes) from sending)::integer as missing,
    (select count(*) from sending)::integer as to_send,
    coalesce(sum(nulls) filter (outcome in ('new', 'changed')), 0)::integer as set_to_null,
    (select coalesce(max(call), 0) from sending)::integer as calls
from compared;

-- name: call
-- params: call bigint
select k, r, item, deletes
from sending
where call = $call
order by nth, k;

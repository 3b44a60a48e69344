-- Statements of pushes: those on the published file, and those of the database in which the rows of a query (table answer)
-- are written as JSON, hashed and compared with what is remembered of earlier pushes. The session hashes with the key of the
-- data folder.

-- name: known
-- The pushes that the file remembers.
select push_id as id, target
from ops.pushes;

-- name: pushes
-- Replaces all pushes by those of the ledger, given as JSON.
delete from ops.pushes;

insert into ops.pushes
select unnest(
    json_transform(
        getvariable('given').pushes,
        '[{
            "id": "VARCHAR", "target": "VARCHAR", "name": "VARCHAR", "state": "VARCHAR",
            "begunAt": "TIMESTAMPTZ", "updatedAt": "TIMESTAMPTZ", "rows": "BIGINT", "sent": "BIGINT",
            "unchanged": "BIGINT", "rejected": "BIGINT", "unknown": "BIGINT", "erased": "BIGINT",
            "calls": "BIGINT", "note": "VARCHAR"
        }]'
    ),
    recursive := true
);

-- name: macros
-- The JSON text with 0 in place of its texts.
create macro bare(json_text) as
    regexp_replace(json_text, '"(?:[^"\\]|\\.)*"', '0', 'g');

-- The brackets of a JSON text, of which each step removes the innermost; 49 levels leave none.
create macro is_deep(json_text) as
    length(
        list_reduce(
            list_prepend(
                regexp_replace(bare(json_text), '[^\[\]{}]', '', 'g'),
                list_transform(range(49), lambda level: '')
            ),
            lambda brackets, level: regexp_replace(brackets, '\[\]|\{\}', '', 'g')
        )
    ) > 0;

create macro is_long(json_text) as
    left(json_text, 1) = '"' and strlen(json_text) > 5000 and length(json_text ->> '$') > 5000;

create macro is_texts(json_text) as
    left(json_text, 1) = '['
    and len(list_filter(json_extract(json_text, '$[*]'), lambda one: left(one::varchar, 1) <> '"')) = 0;

-- The keys of all objects in a JSON text, with their quotes.
create macro keys_in(json_text) as
    list_filter(
        regexp_extract_all(json_text, '"(?:[^"\\]|\\.)*"\s*:?'), lambda found: right(found, 1) = ':'
    );

create macro is_hash(json_text) as regexp_matches(json_text, '(?i)[0-9a-f]{64}');

create macro wrong_list(json_text) as case
    when left(json_text, 1) <> '[' then null
    when json_array_length(json_text) > 100 then 'must have at most 100 elements'
    when
        strlen(json_text) > 5000
        and len(list_filter(json_extract(json_text, '$[*]'), lambda one: is_long(one::varchar))) > 0
    then 'must have elements of at most 5000 characters'
end;

-- The rule that a value breaks, without the value; null if it fits. The rules of the specification: Limits, Catalog item.
create macro wrong_size(json_text) as case
    when json_text is null then null
    -- A number that is none, such as NaN and infinity, a type that JSON has no form for, and a comma too many.
    when
        not regexp_full_match(bare(json_text), '(?:[-+0-9.eE,:{}\[\]\s]|true|false|null)*')
        or regexp_matches(bare(json_text), ',\s*[\]}]')
    then 'is no value of JSON, such as NaN, infinity or a blob'
    when is_long(json_text) then 'must have at most 5000 characters'
    when left(json_text, 1) not in ('[', '{') then null
    when wrong_list(json_text) is not null then wrong_list(json_text)
    when strlen(json_text) > 98 and is_deep(json_text) then 'must have at most 50 levels'
end;

-- The rule of a declared type of a catalog's field that a value breaks. Arrays may be changed by $add and $remove.
create macro wrong_type(json_text, declared, is_patch) as case
    when json_text is null then null
    when declared = 'string' and left(json_text, 1) <> '"' then 'must be a text'
    when declared = 'number' and not regexp_full_match(json_text, '[-0-9.eE+]+') then 'must be a number'
    when declared = 'boolean' and json_text not in ('true', 'false') then 'must be true or false'
    when
        declared = 'time'
        and not regexp_full_match(json_text, '[-0-9.eE+]+')
        and not (
            regexp_full_match(
                json_text,
                '"\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?"'
            )
            and try_cast(json_text[2:11] as date) is not null
        )
    then 'must be an ISO 8601 time or Unix seconds'
    when
        declared = 'geo'
        and (
            left(json_text, 1) <> '['
            or json_array_length(json_text) <> 2
            or contains(json_text, '"')
            or not coalesce(try_cast(json_text ->> '$[0]' as double) between -180 and 180, false)
            or not coalesce(try_cast(json_text ->> '$[1]' as double) between -90 and 90, false)
        )
    then 'must be [longitude, latitude]'
    when declared = 'object' and left(json_text, 1) <> '{' then 'must be an object'
    when
        declared = 'object'
        and len(list_filter(keys_in(json_text), lambda key: regexp_matches(key, '[.$]'))) > 0
    then 'must have keys without . and $'
    when declared <> 'array' then null
    when not is_patch or left(json_text, 1) <> '{'
    then if(is_texts(json_text), null, 'must be an array of strings')
    when
        len(json_keys(json_text)) = 0
        or len(list_filter(json_keys(json_text), lambda key: key not in ('$add', '$remove'))) > 0
        or not coalesce(is_texts((json_text -> '$."$add"')::varchar), true)
        or not coalesce(is_texts((json_text -> '$."$remove"')::varchar), true)
    then 'must be an array of strings, or $add and $remove with such arrays'
    else
        coalesce(
            wrong_list((json_text -> '$."$add"')::varchar), wrong_list((json_text -> '$."$remove"')::varchar)
        )
end;

-- name: remembered
-- The lines of the file of a target (landing/pushed-rows.ts). A line that was torn or altered is none.
create or replace table lines as
select
    row_number() over () as nth,
    sha256(json::varchar) as line,
    json ->> 'target' as target,
    json ->> 'push' as push,
    try_cast(json ->> 'call' as integer) as call,
    json ->> 'made_with' as made_with,
    json ->> 'columns' as columns,
    json ->> 'reason' as reason,
    coalesce(try_cast(json ->> 'taken' as boolean), false) as taken,
    from_json(json -> 'k', '["varchar"]') as k,
    from_json(json -> 'r', '["varchar"]') as r
from read_ndjson_objects(getvariable('file'), ignore_errors = true, maximum_object_size = 1073741824)
where json is not null;

-- The last row of each key that the service has, or may have (doubt). The journal knows the calls of E13 and E16; calls that
-- may be repeated are in the file. A later row of the key with one of its columns, or of the whole item (*), leaves nobody
-- knowing what the service has (r is null), also where its call was not acknowledged.
create or replace table remembered as
with states as (
    select unnest(
        from_json(
            getvariable('calls'),
            '[{"push": "varchar", "call": "integer", "state": "varchar"}]'
        ),
        recursive := true
    )
),
calls as (
    select
        lines.nth,
        if(regexp_matches(lines.target, '^(events|journey) '), '', lines.columns) as columns,
        list_contains(getvariable('unfinished')::varchar[], lines.push) as unfinished,
        coalesce(states.state <> 'acknowledged', false) as doubt,
        states.state in ('acknowledged', 'ambiguous', 'in_doubt', 'open')
        or exists (from lines as ends where ends.taken and ends.push = lines.push and ends.call = lines.call) as is_known,
        lines.k,
        lines.r
    from lines
    left join states on lines.push = states.push and lines.call = states.call
    where lines.k is not null and lines.reason is null
),
-- An intended call without an acknowledgement counts only if it may be repeated.
written as (
    select
        columns, unnest(k) as k, unnest(r) as r, nth, unfinished, doubt, coalesce(is_known, false) as is_known
    from calls
    where is_known or columns <> ''
),
newest as (
    select
        k,
        columns,
        arg_max(r, nth) filter (is_known) as r,
        arg_max(doubt, nth) filter (is_known) as doubt,
        arg_max(unfinished, nth) filter (is_known) as unfinished,
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
    unfinished,
    known_at as nth
from newest
where
    known_at is not null
    and columns <> '*'
    and not exists (
        from newest as gone
        where gone.k = newest.k and gone.columns = '*' and gone.known_at > newest.known_at
    );

create or replace table rejected as
with rows_rejected as (
    select nth, push, reason, unnest(k) as k, unnest(r) as r
    from lines
    where reason is not null
),
newest as (
    select k, arg_max(r, nth) as r, arg_max(reason, nth) as reason, max(nth) as nth
    from rows_rejected
    group by k
)
select newest.k, newest.r, newest.reason, list(distinct rows_rejected.push) as pushes
from newest
inner join rows_rejected on newest.k = rows_rejected.k and newest.r = rows_rejected.r
where not exists (from remembered where remembered.k = newest.k and remembered.nth > newest.nth)
group by newest.k, newest.r, newest.reason;

-- name: calls
-- The calls whose rows are remembered, and the keys with which they were hashed.
select
    target,
    push,
    call,
    len(k)::integer as rows,
    exists (from lines as ends where ends.taken and ends.push = sent.push and ends.call = sent.call) as taken,
    line,
    made_with
from lines as sent
where
    k is not null
    and reason is null
    and target is not null
    and push is not null
    and call is not null
    and made_with is not null
order by nth;

-- name: rejections
select k, reason, len(pushes)::integer as tries
from rejected
order by k;

-- name: values
-- The values of each row as JSON texts (j0, j1, …), and the texts of its key and of its id.
create table row_values as
select
    rowid as nth, {values}, coalesce({key}, '') as key, coalesce({id}, '') as id,
    [{persons}]::varchar[] as persons
from answer
where {only};

drop table answer;

-- name: rows
-- Each row as the text of a call, with the hashes of its key and of its content, and the reason why it cannot be sent.
create table rows_found as
with texts as (
    select
        nth,
        key,
        {nulls} as nulls,
        {item} as item,
        concat_ws(',', {content}) as content,
        coalesce({wrong}) as wrong
    from row_values
)
select
    nth,
    key,
    {key_hash} as k,
    left(digest('row ' || content), 32) as r,
    item,
    strlen(item) + 1 as bytes,
    nulls,
    case
        when key = '' then {key_name} || ': is empty'
        when row_number() over (partition by key order by nth) > 1
        then {key_name} || ': occurs more than once'
        when strlen(item) + 1 > {most_bytes} then 'the row: is too long'
        else wrong
    end as wrong
from texts;

-- name: erased
-- The rows that name an erased person in a column for ids, whatever the kind of the id.
create table erased as
with given as (
    select nth, unnest(persons) as value
    from row_values
),
kinds as (
    select unnest(['user_id', 'service_user_id', 'device_id', 'service_device_id', 'recipient']) as kind
)
select distinct given.nth
from given
cross join kinds
where
    len(getvariable('erased_ids')::varchar[]) > 0
    and given.value <> ''
    and list_has_any(person_digests(kinds.kind, given.value), getvariable('erased_ids')::varchar[]);

-- name: compared
-- Decides about each row. Where a row must not arrive twice (once), its key alone counts while its outcome is unknown or
-- its push unfinished, since other columns may have changed.
create table compared as
select
    found.nth,
    found.k,
    found.wrong,
    found.nulls,
    case
        when exists (from erased where erased.nth = found.nth) then 'erased'
        when found.wrong is not null then 'invalid'
        when remembered.doubt and (getvariable('compared').once or remembered.r = found.r) then 'unknown'
        when remembered.r = found.r or (getvariable('compared').once and remembered.unfinished) then 'unchanged'
        when rejected.r = found.r and list_contains(rejected.pushes, getvariable('compared').push) then 'tried'
        when rejected.r = found.r and len(rejected.pushes) >= getvariable('compared').tries then 'left'
        when exists (from remembered as others where others.k = found.k) then 'changed'
        else 'new'
    end as outcome,
    remembered.k is not null as alike
from rows_found as found
left join remembered on found.k = remembered.k and remembered.columns = getvariable('compared').columns
left join rejected on found.k = rejected.k;

-- The rows to send in the order of the query, and the items that earlier pushes of the same columns sent and the query lacks
-- (deletes); numbered from 1, so that the rows of a call are found without a search.
create table sending as
with found as (
    select false as deletes, nth, k, r, item, bytes
    from compared
    inner join rows_found using (nth, k)
    where outcome in ('new', 'changed')
    union all
    select true, 0, k, left(digest('row ' || k), 32), '{"id":"' || k || '"}', length(k) + 10
    from remembered
    where
        columns = getvariable('compared').columns
        and regexp_full_match(k, '[A-Za-z0-9_-]{1,250}')
        and not exists (from compared where compared.k = remembered.k)
)

select row_number() over (partition by deletes order by nth, k) as nth, deletes, k, r, item, bytes
from found
order by deletes, 1;

drop table rows_found;
drop table row_values;

-- name: counts
select
    count(*)::integer as rows,
    count(*) filter (outcome = 'new')::integer as new,
    count(*) filter (outcome = 'changed')::integer as changed,
    count(*) filter (outcome = 'unchanged')::integer as unchanged,
    count(*) filter (outcome = 'unknown')::integer as unknown,
    count(*) filter (outcome = 'left')::integer as left,
    count(*) filter (outcome = 'erased')::integer as erased,
    count(*) filter (alike)::integer as alike,
    count(*) filter (exists (from remembered where remembered.k = compared.k))::integer as known,
    count(*) filter (ends_with(wrong, ': is empty'))::integer as empty,
    count(*) filter (ends_with(wrong, ': occurs more than once'))::integer as repeated,
    coalesce(sum(nulls) filter (outcome in ('new', 'changed')), 0)::integer as nulls,
    (select count(*) filter (deletes) from sending)::integer as missing
from compared;

-- name: invalid
select wrong as reason, count(*)::integer as rows
from compared
where outcome = 'invalid'
group by wrong
order by wrong;

-- name: call
-- The rows of the next call: as many as the target takes, and no more bytes than a body may have.
select nth::integer as nth, k, r, item
from sending
where deletes = $deletes and nth > $after and nth <= $after + $most
qualify sum(bytes) over (order by nth) <= $bytes
order by nth;

-- name: keys
select k, key
from rows_found;

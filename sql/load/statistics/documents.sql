-- The answers of E17 and E18.

-- name: read
-- E17 and E18: the records of the answers, bare arrays.

create or replace temp table documents as
select
    row_number() over () as row_id,
    asked.pull,
    asked.first_day,
    asked.last_day,
    coalesce(record, 'null'::json) as document,
    null::json as extra
from (
    select map_extract_value(map(getvariable('paths'), getvariable('path_pulls')), filename) as pull, unnest(answer) as record
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = false,
        columns = {answer: 'JSON[]'},
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
) as answers
inner join asked using (pull);

-- name: conversions
create or replace temp table staged_conversions as
select
    pull,
    statistic_id,
    date,
    c.name,
    c.type,
    counter(c.count) as count,
    position,
    extra
from (
    select
        *,
        json_transform(document, shape('conversion')) as c
    from documents
) as read;

-- name: sizes
-- The size of each day in each pull, and of the day that it would replace: from an earlier pull of this load, or the warehouse.

create or replace temp table sizes as
with given as (
    select pull, date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from staged_statistics
    group by pull, date
),

there as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from {table}
    where date between getvariable('first_day') and getvariable('last_day')
    group by date
),

steps as (
    select
        versions.date,
        versions.pulled_at,
        coalesce(given.rows, 0) as rows,
        coalesce(given.messages, 0) as messages,
        coalesce(lag(coalesce(given.rows, 0)) over by_version, there.rows) as rows_before,
        coalesce(lag(coalesce(given.messages, 0)) over by_version, there.messages) as messages_before
    from versions
    left join given using (pull, date)
    left join there on versions.date = there.date
    window by_version as (partition by versions.date order by versions.version)
)

select *, null::varchar as campaign_id
from steps
where rows_before is not null;

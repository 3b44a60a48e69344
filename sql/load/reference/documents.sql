-- The documents of the lists of reference data.

-- name: read
-- E2, E4, E10, E12: reads each row of the lists as a document. Variables hold the files, their lists and their pulls,
-- in the same order.

create or replace temp table documents as
with files as (
    select
        unnest(getvariable('landed').paths) as file,
        unnest(getvariable('landed').path_lists) as list,
        unnest(getvariable('landed').path_pulls) as pull
),

unfolded as (
    select filename, unnest(rows_in(data, "templateListResponse")) as document
    from read_json(
        getvariable('landed').files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', "templateListResponse": 'JSON'},
        maximum_object_size = getvariable('landed').largest_object,
        filename = true
    )
)

select
    row_number() over () as row_id,
    files.list,
    files.pull,
    asked.first_day as date,
    unfolded.document,
    -- The fallback number of a brand message is the sender's own: it stays when other numbers are redacted.
    case
        when getvariable('load').stream = 'brand_templates'
        then coalesce(
            unfolded.document ->> '$.template.failoverTextMessage.senderPhoneNumber',
            unfolded.document ->> '$.failoverTextMessage.senderPhoneNumber'
        )
    end as sender_number,
    null::json as extra
from unfolded
inner join files on unfolded.filename = files.file
inner join asked using (pull);

-- Removes duplicate rows; in the other streams, rows are distinguished by an id.
delete from documents
where row_id in (
    select row_id
    from documents
    where getvariable('load').stream in ('alimtalk_templates', 'opt_outs')
    qualify row_number() over (partition by list, pull, hash(document::varchar) order by row_id) > 1
);

-- The names of the catalogs in the pulls' lists of catalogs; empty in other streams.
create or replace temp table named_catalogs (pull varchar, catalog_name varchar);

-- name: stage
-- Creates a staged table: the columns of its history, for the rows of each list and pull.

create or replace temp table staged_{table} as
select null::varchar as list, null::date as date, null::varchar as pull, * exclude (valid_from, valid_to)
from {table}_history
limit 0;

create or replace table attachments as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select event_id, date, export_date, message -> '$.attachFileList[*]' as given
    from staged
    where carries = 'text-message'
) as lists;

create or replace temp table odd as
select rowid as row_id, 'attachment' as place, document
from attachments
where is_odd(document, 'attachment');

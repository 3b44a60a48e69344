create or replace table buttons as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select event_id, date, export_date, message -> '$.buttons[*]' as given
    from staged
    where carries in ('chatapp-friendtalk', 'chatapp-alimtalk', 'in-app-message', 'in-web-message')
) as lists;

create or replace temp table odd as
select rowid as row_id, 'button' as place, document
from buttons
where
    is_odd(document, 'button')
    or (json_type(document, '/ordering') not in ('UBIGINT', 'NULL') and not fits('whole', document -> 'ordering'));

-- What has no column may be anything, credentials too.

create or replace temp table suspects as
select row_id, masked(extra::varchar) as document, null::varchar as own, null::varchar as sender
from tidied
where may_be_personal_json(extra::varchar) or masked(extra::varchar) <> extra::varchar;

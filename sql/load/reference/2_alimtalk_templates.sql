-- E10. The shape of a template is open in the specification, so all of it is kept; the columns take what stands under the
-- likely keys. Templates without a code, or with one of another sender in the same list, are counted.

insert into staged_alimtalk_templates by name
select
    list,
    date,
    pull,
    nullif(list, '*') as channel_id,
    coalesce(document ->> '$.templateCode', document ->> '$.code') as template_code,
    coalesce(document ->> '$.templateName', document ->> '$.name') as template_name,
    coalesce(
        document ->> '$.templateStatusCode',
        document ->> '$.statusCode',
        document ->> '$.templateStatus',
        document ->> '$.status'
    ) as status_code,
    coalesce(document ->> '$.templateContent', document ->> '$.content') as content,
    document as template,
    row_number() over (partition by list, date, pull, template_code order by document::varchar) as copy
from documents;

create or replace temp table extras as
select null::varchar as place, null::date as date, null::json as extra
limit 0;

-- Brand templates (E4) with their status (E5) and buttons, and alimtalk templates (E10).

-- name: status
-- E5: the status of each template, whose key contains the messenger's name. Variables hold the files, and the templates
-- that they answer.

create or replace temp table template_status as
with reads as (
    select
        unnest(getvariable('landed_templates').paths) as file,
        unnest(getvariable('landed_templates').path_lists) as list,
        unnest(getvariable('landed_templates').path_templates) as template_id,
        unnest(getvariable('landed_templates').path_pulls) as pull
),

answers as (
    select
        filename,
        json -> '$.data' as data,
        list_filter(json_keys(json -> '$.data'), lambda key: ends_with(key, 'Template'))[1] as key
    -- Reads whole answers, since columns would reject a duplicate key.
    from read_json_objects(
        getvariable('landed_templates').files,
        format = 'unstructured',
        maximum_object_size = getvariable('landed').largest_object,
        filename = true
    )
)

select reads.list, reads.template_id, reads.pull, json_extract(answers.data, pointer(answers.key)) ->> '$.status' as status
from answers
inner join reads on answers.filename = reads.file;

-- name: no_status
create or replace temp table template_status (list varchar, template_id varchar, pull varchar, status varchar);

-- name: brand
-- E4, with the status from E5. The contents depend on the type and are not specified (N4), so the whole template is
-- kept beside the columns.

insert into staged_brand_templates by name
with read as (
    select
        *,
        json_transform(document, shape('brand_template')) as t,
        document -> '$.template' as template,
        coalesce(document -> '$.template.failoverTextMessage', document -> '$.failoverTextMessage') as failover
    from documents
)

select
    read.list,
    read.date,
    read.pull,
    read.t.id as template_id,
    read.t."templateName" as template_name,
    read.list as sender_key,
    read.template ->> '$.type' as template_type,
    read.template ->> '$.content.text' as content_text,
    read.template ->> '$.content.image.url' as image_url,
    read.template ->> '$.content.image.link' as image_link,
    read.template -> '$.content.coupon' as coupon,
    read.failover ->> '$.type' as failover_type,
    read.failover ->> '$.title' as failover_title,
    read.failover ->> '$.body' as failover_body,
    read.sender_number as failover_sender,
    coalesce(read.template ->> '$.unsubscribeNumber', read.t."unsubscribeNumber") as unsubscribe_number,
    template_status.status,
    korean_time(read.t."createdAt") at time zone 'Asia/Seoul' as created_at,
    korean_time(read.t."updatedAt") at time zone 'Asia/Seoul' as updated_at,
    read.document as template,
    read.extra
from read
left join template_status
    on
        read.list = template_status.list
        and read.t.id = template_status.template_id
        and read.pull = template_status.pull;

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        list,
        date,
        pull,
        template_id,
        unnest(template -> '$.template.content.buttons[*]') as document,
        generate_subscripts(template -> '$.template.content.buttons[*]', 1) as position,
        null::json as extra
    from staged_brand_templates
    -- The buttons of a template without an id could not be joined to it.
    where template_id is not null
) as unfolded;

-- name: buttons
insert into staged_brand_template_buttons by name
select
    documents.list,
    documents.date,
    documents.pull,
    documents.template_id,
    documents.list as sender_key,
    documents.position,
    b."buttonType" as button_type,
    b."buttonName" as button_name,
    b."linkMo" as link_mo,
    b."linkPc" as link_pc,
    b."linkAnd" as link_and,
    b."linkIos" as link_ios,
    documents.extra
from (
    select *, json_transform(document, shape('brand_template_button')) as b
    from documents
) as documents;

create or replace temp table extras as
select 'brand_template' as place, date, extra from staged_brand_templates semi join days using (pull, date) where extra is not null
union all
select 'brand_template_button', date, extra from staged_brand_template_buttons semi join days using (pull, date) where extra is not null;

-- name: alimtalk
-- E10. The structure of a template is not specified, so the whole template is kept; the columns take the values of the
-- likely keys. Templates without a code, or with the code of another sender in the same list, are numbered.

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

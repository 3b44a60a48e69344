-- E4, with the status from E5. What the content holds depends on the type and is open in the specification (N4), so the whole
-- template stands beside the columns.

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
    -- Nothing could join the buttons of others.
    where template_id is not null
) as unfolded;

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

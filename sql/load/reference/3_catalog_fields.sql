insert into staged_catalog_fields by name
select
    documents.list,
    documents.date,
    documents.pull,
    documents.catalog_name,
    documents.position,
    f.name,
    f.type,
    documents.extra
from (
    select *, json_transform(document, shape('catalog_field')) as f
    from documents
) as documents;

create or replace temp table extras as
select 'catalog' as place, date, extra from staged_catalogs semi join days using (pull, date) where extra is not null
union all
select 'catalog_field', date, extra from staged_catalog_fields semi join days using (pull, date) where extra is not null;

-- Catalogs (E2) and their fields.

-- name: catalogs
-- E2: catalogs and their items. The fields of a catalog are staged as separate documents (section fields).

insert into staged_catalogs by name
select
    documents.list,
    documents.date,
    documents.pull,
    c.name as catalog_name,
    c.description,
    c.data_classification,
    counter(c.num_items) as num_items,
    c.fields,
    documents.extra
from (
    select *, json_transform(document, shape('catalog')) as c
    from documents
    where list = '*'
) as documents;

-- The fields of an item are defined by its catalog, so the whole item is kept unchanged.
insert into staged_catalog_items by name
select
    list,
    date,
    pull,
    list as catalog_name,
    document ->> '$.id' as item_id,
    document as item
from documents
where list <> '*';

insert into named_catalogs select pull, catalog_name from staged_catalogs;

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        list,
        date,
        pull,
        catalog_name,
        unnest(fields -> '$[*]') as document,
        generate_subscripts(fields -> '$[*]', 1) as position,
        null::json as extra
    from staged_catalogs
) as unfolded;

-- name: fields
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

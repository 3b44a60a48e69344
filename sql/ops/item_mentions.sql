-- The catalogs whose items are looked for in messages, in the place of what was there before. Where they changed, or a catalog
-- has its first snapshot, all days are looked at again.

create or replace temp table wanted_mentions as
select named.catalog_name, min(items.valid_from) as items_since
from (select distinct unnest(getvariable('item_mentions')::varchar[]) as catalog_name) as named
left join catalog_items_history as items on named.catalog_name = items.catalog_name
group by named.catalog_name;

delete from ops.models
where
    relation = 'marts.daily_item_mentions'
    and exists (
        (from wanted_mentions except from ops.item_mentions)
        union all
        (from ops.item_mentions except from wanted_mentions)
    );

delete from ops.item_mentions;
insert into ops.item_mentions from wanted_mentions;
drop table wanted_mentions;

-- severity: warn
-- scope: full
-- depends_on: catalogs, brand_templates, alimtalk_templates, opt_outs
-- meaning: A list of reference data has fewer or more rows than its own count. If it changed during the reading, the
--   next run reads it again; if the finding stays, compare the landed pages with the service.
-- Reads only the last snapshot of each list.

with latest as (
    select *
    from ops.snapshots
    qualify row_number() over (partition by stream, list order by date desc, pulled_at desc) = 1
),

announced as (
    select
        date,
        stream || ' ' || list as subject,
        'The service announced a different number of rows than it sent.' as finding,
        announced as expected,
        rows as actual
    from latest
    where announced <> rows
),

items as (
    select catalog_name, count(*) as items
    from catalog_items
    group by catalog_name
),

counted as (
    select
        catalogs.valid_from as date,
        'catalogs ' || catalogs.catalog_name as subject,
        'The number of items in the catalog differs from num_items.' as finding,
        catalogs.num_items as expected,
        coalesce(items.items, 0) as actual
    from catalogs
    -- Items from another night may differ from the catalog's number.
    semi join latest
        on
            latest.stream = 'catalogs'
            and catalogs.catalog_name = latest.list
            and latest.date = (select max(date) from ops.snapshots where stream = 'catalogs')
    left join items on catalogs.catalog_name = items.catalog_name
    where catalogs.num_items <> coalesce(items.items, 0)
)

select * from announced
union all
select counted.*
from counted
-- Each list is reported once.
anti join announced on counted.subject = announced.subject;

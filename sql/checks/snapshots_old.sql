-- severity: warn
-- scope: full
-- depends_on: catalogs, brand_templates, alimtalk_templates, opt_outs, statistics
-- meaning: The last snapshot of a list is three nights old or older, so its data may be outdated. Later runs could not
--   read it completely, or it is no longer in the settings under `reference`.

with streams as (
    select stream, list, max(date) as date
    from ops.snapshots
    group by stream, list
),

latest as (
    select greatest((select max(date) + 1 from ops.coverage where not marts.is_snapshot(stream)), max(date)) as date
    from streams
)

select
    streams.date,
    streams.stream || ' ' || streams.list as subject,
    'The last snapshot is several nights old.' as finding,
    'at most 2' as expected,
    latest.date - streams.date as actual
from streams
cross join latest
where latest.date - streams.date >= 3;

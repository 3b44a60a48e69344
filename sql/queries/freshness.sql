-- title: Freshness
-- question: How far does each stream reach, and how many of its days are missing?
-- params:
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events catalogs brand_templates alimtalk_templates opt_outs): only this stream
-- In other DuckDB clients, set parameters before: set variable stream = 'events';
-- example:
--   stream              first_date  last_date   days_held  days_missing  days_behind_newest  last_pulled_at_kst   …
--   alimtalk_templates  2026-11-21  2026-11-21  1          0             0                   2026-11-21 07:30:00  …
--   brand_templates     2026-11-21  2026-11-21  1          0             0                   2026-11-21 07:30:00  …
--   campaigns           2026-09-26  2026-11-20  56         0             0                   2026-11-21 07:30:00  …

select
    freshness.stream,
    freshness.first_date,
    freshness.last_date,
    freshness.days_held,
    freshness.days_missing,
    freshness.days_behind_newest,
    freshness.last_pulled_at at time zone 'Asia/Seoul' as last_pulled_at_kst,
    freshness.rows
from marts.freshness
where marts.matches('stream', freshness.stream)
order by freshness.stream;

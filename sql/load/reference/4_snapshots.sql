-- The snapshot of a list on a day has the rows of the latest pull of that day. Variables hold the lists that the pulls
-- read completely, in the same order. Snapshots are loaded in the order of their days (ops/set_aside), so only the
-- first day may have a snapshot already.

create or replace temp table snapshots as
with asked_lists as (
    select
        unnest(getvariable('landed').lists) as list,
        unnest(getvariable('landed').list_pulls) as pull,
        unnest(getvariable('landed').list_rows)::bigint as rows,
        nullif(unnest(getvariable('landed').list_announced), '')::bigint as announced
),

given as (
    select asked_lists.*, asked.first_day as date, asked.pulled_at
    from asked_lists
    inner join asked using (pull)
),

-- An earlier catalog that is missing from the list of catalogs has no items.
gone as (
    select distinct held.list, given.pull, 0 as rows, null::bigint as announced, given.date, given.pulled_at
    from given
    inner join (
        select list, pulled_at from ops.snapshots where stream = 'catalogs'
        union all
        select list, pulled_at from given
    ) as held
        on held.list <> '*' and held.pulled_at < given.pulled_at
    where
        getvariable('load').stream = 'catalogs'
        and given.list = '*'
        and (given.pull, held.list) not in (select (pull, catalog_name) from named_catalogs)
        and (given.pull, held.list) not in (select (pull, list) from given)
),

latest as (
    select *
    from (select * from given union all by name select * from gone) as found
    qualify row_number() over (partition by list, date order by pulled_at desc, pull desc) = 1
)

select latest.*, row_number() over (partition by latest.list order by latest.date) as nth
from latest
anti join ops.snapshots as later
    on
        later.stream = getvariable('load').stream
        and later.list = latest.list
        and later.date = latest.date
        and (later.pulled_at, later.pull) > (latest.pulled_at, latest.pull);

-- The first day of each list in this load, and the day of the snapshot before it.
create or replace temp table first_snapshots as
select
    firsts.list,
    firsts.date,
    firsts.last_nth,
    (
        select max(held.date)
        from ops.snapshots as held
        where held.stream = getvariable('load').stream and held.list = firsts.list and held.date < firsts.date
    ) as previous
from (select list, min(date) as date, max(nth) as last_nth from snapshots group by list) as firsts;

delete from ops.snapshots
using first_snapshots
where
    snapshots.stream = getvariable('load').stream
    and snapshots.list = first_snapshots.list
    and snapshots.date >= first_snapshots.date;

insert into ops.snapshots by name
select getvariable('load').stream as stream, * exclude (nth)
from snapshots;

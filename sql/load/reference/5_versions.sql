-- Updates the history of a table with the snapshots of this load: a row that is equal in consecutive snapshots is one
-- version. Rows without an id are identified by all of their columns. First the history is reset to the snapshot before
-- this load.

delete from {table}_history
using first_snapshots
where {list} = first_snapshots.list and valid_from >= first_snapshots.date;

update {table}_history
set valid_to = null
from first_snapshots
where {list} = first_snapshots.list and valid_to >= first_snapshots.previous;

create or replace temp table versions_found as
with given as (
    select rowid as row_id, list, date, pull, {key}, {unnamed} as unnamed, hash(*columns(* exclude (list, date, pull))) as content
    from staged_{table}
),

held as (
    select rowid as row_id, {list} as list, {key}, {unnamed} as unnamed, hash(*columns(* exclude (valid_from, valid_to))) as content
    from {table}_history
    where valid_to is null
),

seen as (
    select given.row_id, given.list, snapshots.nth, {key}, given.unnamed, given.content
    from given
    inner join snapshots using (list, date, pull)

    union all by name

    select held.row_id, held.list, 0 as nth, {key}, held.unnamed, held.content
    from held
    semi join first_snapshots using (list)
),

begun as (
    select
        *,
        content is distinct from lag(content) over by_key or nth <> lag(nth) over by_key + 1 as begins
    from seen
    window by_key as (partition by list, {key}, unnamed order by nth)
),

numbered as (
    select *, count_if(begins) over (partition by list, {key}, unnamed order by nth) as version
    from begun
)

select list, arg_min(row_id, nth) as row_id, min(nth) as first_nth, max(nth) as last_nth
from numbered
group by list, {key}, unnamed, version;

-- Closes the versions that are missing in the next snapshot.

update {table}_history
set valid_to = coalesce(last_snapshot.date, first_snapshots.previous)
from versions_found
inner join first_snapshots using (list)
left join snapshots as last_snapshot
    on versions_found.list = last_snapshot.list and versions_found.last_nth = last_snapshot.nth
where
    {table}_history.rowid = versions_found.row_id
    and versions_found.first_nth = 0
    and versions_found.last_nth < first_snapshots.last_nth;

insert into {table}_history by name
select
    staged.* exclude (list, date, pull),
    first_snapshot.date as valid_from,
    case when versions_found.last_nth < first_snapshots.last_nth then last_snapshot.date end as valid_to
from versions_found
inner join staged_{table} as staged on staged.rowid = versions_found.row_id
inner join first_snapshots on versions_found.list = first_snapshots.list
inner join snapshots as first_snapshot
    on versions_found.list = first_snapshot.list and versions_found.first_nth = first_snapshot.nth
inner join snapshots as last_snapshot
    on versions_found.list = last_snapshot.list and versions_found.last_nth = last_snapshot.nth
where versions_found.first_nth > 0;

-- A load takes several pulls of one stream at a time; of a day that several of them hold, the latest counts. Whatever order
-- pulls are loaded in, the warehouse is the same in the end.

create or replace temp table asked as
select
    unnest(getvariable('pulls')) as pull,
    unnest(getvariable('first_days'))::date as first_day,
    unnest(getvariable('last_days'))::date as last_day,
    unnest(getvariable('instants'))::timestamptz as pulled_at;

-- The days that each pull may replace: those that no later pull has replaced already, in the order in which they would.
create or replace temp table versions as
with asked_days as (
    select pull, pulled_at, unnest(generate_series(first_day, last_day, interval 1 day))::date as date
    from asked
)

select
    asked_days.*,
    row_number() over (partition by date order by pulled_at, pull) as version,
    row_number() over (partition by date order by pulled_at desc, pull desc) = 1 as latest
from asked_days
anti join ops.coverage as later
    on
        later.stream = getvariable('stream')
        and later.date = asked_days.date
        and (later.pulled_at, later.pull) > (asked_days.pulled_at, asked_days.pull);

-- Each day that changes, with the pull that it belongs to afterwards.
create or replace temp table days as
select date, pull, pulled_at
from versions
where latest;

-- Notes without a date are recorded on the first day of the pull.
create or replace temp view first_days as
select pull, min(date) as date
from versions
group by pull;

set variable first_day = (select min(date) from days);
set variable last_day = (select max(date) from days);

create or replace temp table loaded_rows (pull varchar, rows bigint);

-- Nothing is held back yet (load/hold_back).
create or replace temp table held_sizes (date date, campaign_id varchar, rows bigint, messages bigint);

select distinct pull from versions;

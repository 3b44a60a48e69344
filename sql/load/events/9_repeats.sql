-- Ids that several records have: of these exports, or of those of the days around them, beyond which nothing is searched. The
-- hash spares the memory of the ids themselves.

create or replace temp table repeated_ids as
with own as (
    select hash(event_id) as hashed
    from events
    where
        export_date between getvariable('first_day') and getvariable('last_day')
        and export_date in (select date from days)
        and event_id is not null
),

others as (
    select hash(event_id) as hashed
    from events
    where
        export_date between getvariable('first_day') - interval 31 days and getvariable('last_day') + interval 31 days
        and export_date not in (select date from days)
        and event_id is not null
)

select hashed
from own
group by hashed
having count(*) > 1
union
select hashed
from others
where hashed in (select hashed from own);

create or replace temp table repeats as
select export_date, count(*) as shared_id, sum(records - different) as repeated
from (
    select export_date, event_id, count(*) as records, count(distinct (event_name, occurred_at)) as different
    from events
    where export_date in (select date from days) and hash(event_id) in (select hashed from repeated_ids)
    group by export_date, event_id
    having count(*) > 1
) as ids
group by export_date;

-- Beside their number the records of each day, before any goes.
select
    (select count(*) from repeated_ids) as ids,
    coalesce(list(date), []) as dates,
    coalesce(list(records), []) as records
from (
    select export_date::varchar as date, count(*) as records
    from events
    where export_date in (select date from days)
    group by export_date
) as days_filled;

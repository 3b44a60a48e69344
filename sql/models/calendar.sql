-- grain: one KST day, from the first to the last day that any stream covers.

create or replace view calendar as
with span as (
    select min(date) as first_date, max(date) as last_date
    from ops.coverage
),

all_days as (
    select unnest(generate_series(first_date, last_date, interval 1 day))::date as date
    from span
)

select
    date,
    isodow(date)::integer as weekday,
    strftime(date, '%G-W%V') as iso_week,
    strftime(date, '%Y-%m') as month,
    isodow(date) in (6, 7) as is_weekend
from all_days;

comment on view calendar is 'The KST days that the warehouse spans, gaps included: one row per day.';
comment on column calendar.date is 'KST day.';
comment on column calendar.weekday is '1 for Monday to 7 for Sunday.';
comment on column calendar.iso_week is 'ISO week, such as 2026-W47.';
comment on column calendar.month is 'Month, such as 2026-11.';
comment on column calendar.is_weekend is 'Whether it is a Saturday or a Sunday.';

-- grain: one KST day, from the first to the last day of any stream with days.

with span as (
    select min(date) as first_date, max(date) as last_date
    from ops.coverage
    where not marts.is_snapshot(stream)
),

all_days as (
    select unnest(generate_series(first_date, last_date, interval 1 day))::date as date
    from span
)

select
    all_days.date,
    isodow(all_days.date)::integer as weekday,
    ['월', '화', '수', '목', '금', '토', '일'][isodow(all_days.date)] as weekday_ko,
    strftime(all_days.date, '%G-W%V') as iso_week,
    strftime(all_days.date, '%Y-%m') as month,
    isodow(all_days.date) in (6, 7) as is_weekend,
    public_holidays.date is not null as is_public_holiday,
    public_holidays.name as public_holiday,
    public_holidays.name_ko as public_holiday_ko,
    isodow(all_days.date) not in (6, 7) and public_holidays.date is null as is_workday
from all_days
left join public_holidays on all_days.date = public_holidays.date;

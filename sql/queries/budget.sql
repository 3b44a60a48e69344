-- title: Budget of the month
-- question: How much of the budget of exports is left this month, and will it last?
-- params:
--   now (timestamptz, default now()): the present, for a look at another time
-- In other DuckDB clients, set parameters before: set variable now = '2026-11-21T07:30:00+09:00';
-- example:
--   month    records_left  tonight_records  tonight_cost  forecast_records  forecast_cost  is_enough  records_used  …
--   2026-11  941198        2170             217           83505             8350.5         true       58802         …

with clock as (
    select coalesce(getvariable('now')::timestamptz, now()) at time zone 'Asia/Seoul' as now_in_korea
),
-- What may have been billed counts: the records received, or as many as were expected.
requests as (
    select
        date,
        date_trunc('month', coalesce(requested_at, updated_at) at time zone 'Asia/Seoul')::date as month,
        state in ('landed', 'loaded') as is_received,
        if(is_received, records, greatest(1, records, estimated_records)) as records,
        price_per_record
    from ops.exports
    where state not in ('failed', 'withdrawn')
),
-- Days that no run asks for: those that were asked for, and those of which the statistics hold nothing.
settled as (
    select date from requests
    union
    select date from ops.coverage where stream = 'statistics' and rows = 0
),
-- A run asks for the last complete day (from 07:00 in Korea on, E17), unless that is settled, then for the next one.
months as (
    select
        date_trunc('month', now_in_korea)::date as month,
        last_day(now_in_korea::date) as last_of_month,
        (now_in_korea - interval 7 hours)::date - 1 as last_complete,
        last_complete + if(last_complete in (select date from settled), 1, 0) as tonight
    from clock
),
used as (
    select
        coalesce(sum(requests.records), 0)::bigint as records,
        coalesce(sum(requests.records * requests.price_per_record), 0) as cost
    from months
    left join requests on months.month = requests.month
),
-- The forecast: a day holds as many records as the last four of its weekday on average, else as those of four weeks.
history as (
    select date, isodow(date) as weekday, max(records) as records
    from requests
    where is_received
    group by date
),
weekdays as (
    select weekday, avg(records) as records
    from (from history qualify row_number() over (partition by weekday order by date desc) <= 4) as latest
    group by weekday
),
usual as (
    select avg(records) as records
    from history
    where date > (select max(date) - 28 from history)
),
-- Days that are not settled. The last day of a month is asked for on the first of the next, whose budget pays for it.
days as (
    select
        wanted.date,
        coalesce(weekdays.records, usual.records) as records,
        wanted.date <= months.tonight as is_tonight,
        wanted.date < months.last_of_month and months.tonight < months.last_of_month as is_this_month
    from months
    cross join ops.budget
    cross join usual
    cross join unnest(
        generate_series(
            budget.start_date::timestamp, greatest(months.tonight, months.last_of_month - 1)::timestamp, interval 1 day
        )
    ) as wanted (date)
    left join weekdays on isodow(wanted.date) = weekdays.weekday
    anti join settled on wanted.date = settled.date
),
-- Without any history nothing is forecast.
forecast as (
    select
        count(*) filter (is_tonight) as days_tonight,
        if(days_tonight = 0, 0, round(sum(records) filter (is_tonight)))::bigint as tonight_records,
        if(bool_or(is_this_month), round(sum(records) filter (is_this_month)), 0)::bigint as coming_records
    from days
)
select
    strftime(months.month, '%Y-%m') as month,
    budget.records_per_month - used.records as records_left,
    forecast.tonight_records,
    round(forecast.tonight_records * budget.price_per_record, 2) as tonight_cost,
    used.records + forecast.coming_records as forecast_records,
    round(used.cost + forecast.coming_records * budget.price_per_record, 2) as forecast_cost,
    forecast_records <= budget.records_per_month
    and forecast.tonight_records <= budget.records_per_run as is_enough,
    used.records as records_used,
    round(used.cost, 2) as cost_used,
    budget.records_per_month,
    budget.records_per_run,
    forecast.days_tonight
from ops.budget
cross join months
cross join used
cross join forecast
where budget.records_per_month is not null;

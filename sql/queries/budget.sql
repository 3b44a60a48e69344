-- title: Export budget of the month
-- question: How much of the budget of exports is left this month, and will it last?
-- params:
--   now (timestamptz, default now()): the present, for a look at another time
-- In other DuckDB clients, set parameters before: set variable now = '2026-11-21T07:30:00+09:00';
-- sentences:
--   from answer
--     en: In {month}, {records_used} of {records_per_month} records of the export budget are used.
--     ko: {month}에 내보내기 예산 {records_per_month}건 중 {records_used}건을 사용했습니다.
--   select greatest(forecast_records - records_used, 0) as more, forecast_records from answer where forecast_records is not null
--     en: The runs until the end of the month will request about {more} more, {forecast_records} in all.
--     ko: 이달 말까지 약 {more}건을 더 요청해 모두 {forecast_records}건이 될 것으로 예상합니다.
--   select 1 from answer where forecast_records is null
--     en: How much the rest of the month needs is not known yet.
--     ko: 이달 말까지 얼마나 더 필요한지는 아직 알 수 없습니다.
--   select 1 from answer where is_enough
--     en: The budget lasts.
--     ko: 예산은 충분합니다.
--   select days_over_budget as days from answer where is_enough = false and days_over_budget is not null
--     en: The budget does not last: {days} {days#day|days} do not fit, and wait for the next month or for a larger budget.
--     ko: 예산이 부족합니다. {days}일은 예산에 들어가지 않아 다음 달까지 기다리거나 예산을 늘려야 합니다.
--   select month from answer where is_enough = false
--     en: The export budget of {month} does not last; `dawnload plan` shows what waits.
--     ko: {month}의 내보내기 예산이 부족합니다. 대기 중인 날짜는 `dawnload plan`으로 확인하세요.
--     as: to do
--   select 1 where not exists (from answer)
--     en: No monthly budget for exports is set, so it cannot be said whether it lasts.
--     ko: 월 내보내기 예산이 설정되지 않아 충분한지 알 수 없습니다.
-- example:
--   month    records_left  tonight_records  tonight_cost  forecast_records  forecast_cost  is_enough  records_used  …
--   2026-11  941198        2170             217           83505             8350.5         true       58802         …

with recursive clock as (
    select coalesce(getvariable('now')::timestamptz, now()) at time zone 'Asia/Seoul' as now_in_korea
),
-- Every export that may be billed counts, with the records received or, until they are, with the records expected.
requests as (
    select
        date,
        date_trunc('month', coalesce(requested_at, updated_at) at time zone 'Asia/Seoul')::date as month,
        coalesce((window_start at time zone 'Asia/Seoul')::date, date) as first_day,
        coalesce((window_end at time zone 'Asia/Seoul' - interval 1 millisecond)::date, date) as last_day,
        state,
        state in ('landed', 'loaded') as is_received,
        if(is_received, records, greatest(1, records, estimated_records)) as records,
        is_received or records is not null or estimated_records is not null or state = 'abandoned' as is_size_known,
        price_per_record
    from ops.exports
    where state not in ('failed', 'withdrawn')
),
-- No run requests a day that an export covers, or a day for which the statistics hold nothing.
settled as (
    select unnest(generate_series(first_day::timestamp, last_day::timestamp, interval 1 day))::date as date from requests
    union
    select date from ops.coverage where stream = 'statistics' and rows = 0
),
-- A run requests the last complete day (complete from 07:00 KST, E17), or the next one if that day is settled.
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
        coalesce(sum(marts.price_of(requests.records, requests.price_per_record)), 0) as cost,
        coalesce(bool_or(not requests.is_size_known), false) as waits_for_size
    from months
    left join requests on months.month = requests.month
),
-- The messages of each day in the free statistics, and the records of its export as `plan` estimates them.
counted as (
    select
        coverage.date,
        sum(daily.message_sent) as sent,
        coalesce(sum(daily.delivered), 0) + coalesce(sum(daily.click), 0) as answered
    from ops.coverage as coverage
    join daily_statistics as daily on coverage.date = daily.date
    where coverage.stream = 'statistics'
    group by coverage.date
),
learned as (
    select if(count(*) = 0, null, greatest(1, sum(exports.records) / sum(counted.sent))) as records_per_message
    from ops.exports as exports
    join counted on exports.date = counted.date
    where exports.records > 0 and counted.sent > 0
),
estimates as (
    select
        counted.date,
        if(
            learned.records_per_message is null,
            coalesce(counted.sent, 0) + counted.answered,
            greatest(ceil(coalesce(counted.sent, 0) * learned.records_per_message), counted.answered)
        ) as records
    from counted
    cross join learned
),
-- A day that is not counted yet is forecast from the mean of the last four days of the same weekday, or else of the last four
-- weeks. Before the first export is received, the estimate is the forecast.
received as (
    select date, max(records) as records
    from requests
    where is_received
    group by date
),
history as (
    select date, isodow(date) as weekday, records
    from (from received union all from estimates where not exists (from received)) as known
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
-- Unsettled days, newest first, with the forecast number of records. The last day of a month is requested on the first day of the
-- next month and charged to that month's budget.
days as (
    select
        wanted.date,
        round(coalesce(estimates.records, weekdays.records, usual.records)) as expected,
        if(expected is null, null, greatest(1, expected))::bigint as records
    from months
    cross join ops.budget
    cross join usual
    cross join unnest(
        generate_series(
            budget.start_date::timestamp, greatest(months.tonight, months.last_of_month - 1)::timestamp, interval 1 day
        )
    ) as wanted (date)
    left join estimates on wanted.date = estimates.date
    left join weekdays on isodow(wanted.date) = weekdays.weekday
    anti join settled on wanted.date = settled.date
),
-- Each night requests the newest days that fit into the remaining budget of the run and of the month. It requests nothing while
-- the size of an export is unknown or, before the first export is received, while another export is pending.
nights as (
    select
        months.tonight as night,
        null::date as asked,
        null::bigint as records,
        months.tonight + 1 as before_day,
        if(
            used.waits_for_size
            or (
                not exists (from learned where records_per_message is not null)
                and exists (from requests where state in ('requested', 'processing', 'ready'))
            ),
            0, budget.records_per_run
        ) as left_in_run,
        greatest(
            0, if(months.tonight = months.last_of_month, budget.records_per_month, budget.records_per_month - used.records)
        ) as left_in_month,
        (select list({date: date, records: records} order by date desc) from days where records is not null) as waiting,
        months.last_of_month
    from months
    cross join used
    cross join ops.budget
    union all
    select
        if(next is null, night + 1, night) as night,
        next.date as asked,
        next.records as records,
        coalesce(next.date, night + 2) as before_day,
        if(next is null, records_per_run, left_in_run - next.records) as left_in_run,
        left_in_month - coalesce(next.records, 0) as left_in_month,
        if(next is null, waiting, list_filter(waiting, lambda day: day.date <> next.date)) as waiting,
        last_of_month
    from (
        select
            nights.*,
            budget.records_per_run,
            list_filter(
                waiting,
                lambda day: day.date < before_day and day.records <= least(left_in_run, left_in_month)
            )[1] as next
        from nights
        cross join ops.budget
    ) as tried
    where next is not null or night + 1 < last_of_month
),
-- There is no forecast without history.
forecast as (
    select
        exists (from days where records is not null) or not exists (from days) as is_known,
        count(nights.asked) filter (nights.night = months.tonight) as days_tonight,
        coalesce(sum(nights.records) filter (nights.night = months.tonight), 0)::bigint as tonight_records,
        coalesce(sum(nights.records) filter (nights.night < months.last_of_month), 0)::bigint as coming_records,
        (select count(*) from days where records is not null) - count(nights.asked) as days_over_budget
    from nights
    cross join months
)
select
    strftime(months.month, '%Y-%m') as month,
    budget.records_per_month - used.records as records_left,
    if(forecast.is_known, forecast.tonight_records, null) as tonight_records,
    -- Without a price there is no fee, which is not a fee of 0.
    if(
        forecast.is_known and budget.price_per_record > 0,
        marts.price_of(forecast.tonight_records, budget.price_per_record),
        null
    )::double as tonight_cost,
    if(forecast.is_known, used.records + forecast.coming_records, null) as forecast_records,
    if(
        forecast.is_known and budget.price_per_record > 0,
        used.cost + marts.price_of(forecast.coming_records, budget.price_per_record),
        null
    )::double as forecast_cost,
    if(forecast.is_known, forecast.days_over_budget = 0, null) as is_enough,
    used.records as records_used,
    if(budget.price_per_record > 0 or used.cost > 0, used.cost, null)::double as cost_used,
    budget.records_per_month,
    budget.records_per_run,
    if(forecast.is_known, forecast.days_tonight, null) as days_tonight,
    if(forecast.is_known, forecast.days_over_budget, null) as days_over_budget,
    budget.currency
from ops.budget
cross join months
cross join used
cross join forecast
where budget.records_per_month is not null;

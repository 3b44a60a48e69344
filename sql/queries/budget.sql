-- title: Export budget of the month
-- title_ko: 이번 달 내보내기 예산
-- subject: the data
-- question: How much of the budget of exports is left this month, and will it last?
-- question_ko: 이번 달 내보내기 예산은 얼마나 남았고, 월말까지 충분한가요?
-- words: export limit, near the limit, limit of exports, 내보내기 한도, budget left, 남은 예산, next month cost, what will exports cost, 다음 달 내보내기
-- params:
--   now (timestamptz, default now()): the time to use as now
-- sentences:
--   from answer
--     en: {records_used} of {records_per_month} records of the export budget are used in {month}.
--     ko: {month}에 내보내기 예산 {records_per_month}건 중 {records_used}건을 사용했습니다.
--   select 1 from answer where forecast_records <= records_used
--     en: No more events need to be exported this month.
--     ko: 이번 달에 더 내보낼 이벤트는 없습니다.
--   select forecast_records - records_used as more, forecast_records from answer where forecast_records > records_used
--     en: About {more} more records are needed until the end of the month, {forecast_records} in total.
--     ko: 이달 말까지 약 {more}건이 더 필요하며, 예상 합계는 {forecast_records}건입니다.
--   select 1 from answer where forecast_records is null
--     en: The records needed for the rest of the month cannot be estimated yet.
--     ko: 이달 말까지 내보낼 이벤트가 몇 건일지는 아직 예상할 수 없습니다.
--   select 1 from answer where is_enough
--     en: The budget is sufficient.
--     ko: 예산이 충분합니다.
--   select days_over_budget as days from answer where is_enough = false and days_over_budget is not null
--     en: The budget is too small: {days} {days#day|days} must wait for the next month or a larger budget.
--     ko: 예산이 부족합니다. {days}일분을 내보내려면 다음 달까지 기다리거나 예산을 늘려야 합니다.
--   select month from answer where is_enough = false
--     en: The export budget of {month} is too small. `dawnload plan` shows the days that wait.
--     ko: {month}의 내보내기 예산이 부족합니다. 대기 중인 날짜는 `dawnload plan`으로 확인하세요.
--     as: to do
--   select 1 where not exists (from answer)
--     en: No monthly budget for exports is set, so it is unknown whether it is sufficient.
--     ko: 월 내보내기 예산이 설정되지 않아 충분한지 알 수 없습니다.

with clock as (
    select
        coalesce(getvariable('now')::timestamptz, now()) at time zone 'Asia/Seoul' as now_in_korea,
        date_trunc('month', now_in_korea)::date as month,
        last_day(now_in_korea::date) as last_of_month
),
-- Every export that may be billed counts: with its received records or, until all have arrived, with its expected ones. An export
-- of unknown size is not used for the forecast of its weekday.
requests as (
    select
        date,
        date_trunc('month', requested_at at time zone 'Asia/Seoul')::date as month,
        coalesce(billed_records, records, estimated_records) as records,
        price_per_record
    from ops.exports
    where billed <> 'no'
),
used as (
    select
        coalesce(sum(requests.records), 0)::bigint as records,
        coalesce(sum(marts.price_of(requests.records, requests.price_per_record)), 0) as fee
    from clock
    left join requests on clock.month = requests.month
),
known as (
    select max(date) as last_known
    from (
        select date from requests
        union all
        select date from ops.days where stream = 'events' and state <> 'not_complete'
    )
),
-- A day without statistics is forecast: the mean of the last four days of its weekday, or else of the last 28 days.
weekdays as (
    select isodow(date) as weekday, avg(records) as records
    from (from requests qualify row_number() over (partition by isodow(date) order by date desc) <= 4) as latest
    group by weekday
),
-- The days that coming runs request: missing days, then the days until the end of the month. The last day of a month is requested
-- on the first day of the next month, and counts there.
days as (
    select date, expected_records as records from ops.days where stream = 'events' and state = 'missing'
    union all
    select
        coming::date as date,
        round(coalesce(weekdays.records, (select avg(records) from requests where date > last_known - 28))) as records
    from clock
    cross join known
    cross join ops.budget
    cross join unnest(
        generate_series(
            greatest(budget.start_date, last_known + 1)::timestamp, (last_of_month - 1)::timestamp, interval 1 day
        )
    ) as days (coming)
    left join weekdays on isodow(coming) = weekdays.weekday
),
-- As in a run, the newest days come first.
needed as (
    select days.records, sum(days.records) over (order by days.date desc) as records_from_here
    from days
    inner join clock on days.date < clock.last_of_month
),
-- A forecast needs history.
forecast as (
    select
        coalesce(sum(needed.records), 0)::bigint as coming_records,
        count(*) filter (needed.records_from_here > budget.records_per_month - used.records) as days_over_budget
    from needed
    cross join used
    cross join ops.budget
    having coalesce(bool_and(needed.records is not null), true)
)
select
    strftime(clock.month, '%Y-%m') as month,
    budget.records_per_month - used.records as records_left,
    used.records + forecast.coming_records as forecast_records,
    -- If the price is unknown, so is the fee; it is not 0.
    if(
        budget.price_per_record > 0,
        used.fee + marts.price_of(forecast.coming_records, budget.price_per_record),
        null
    )::double as forecast_fee,
    forecast.days_over_budget = 0 as is_enough,
    used.records as records_used,
    if(budget.price_per_record > 0 or used.fee > 0, used.fee, null)::double as fee_used,
    budget.records_per_month,
    budget.records_per_run,
    forecast.days_over_budget,
    budget.currency
from ops.budget
cross join clock
cross join used
left join forecast on true
where budget.records_per_month is not null;

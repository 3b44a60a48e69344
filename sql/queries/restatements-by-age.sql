-- title: How much recent counts rise
-- title_ko: 집계 후 늘어난 수치
-- chart: line age_days median_rise by counter
-- subject: the data
-- question: How much do a day's counts still rise after the first morning, and after how many days are they final?
-- question_ko: 수치는 처음 집계된 뒤 얼마나 더 늘고, 며칠 뒤에 확정되나요?
-- words: late data, how late do numbers change, 늦게 바뀌는
-- also: excluded
-- params:
--   start (date, default last_date - 55): first KST day; by default the range has 56 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   least_days (bigint, default 7, from 1): no result for fewer days than this
-- sentences:
--   select max(median_rise) filter (counter = 'click') as rate, max(days) as days from answer where age_days = 1 having rate > 0
--     en: The latest days are not final: clicks usually rise by {rate} after the first morning (median of {days} days).
--     ko: 최근 수치는 아직 확정된 값이 아닙니다. 클릭은 다음 날 아침에 처음 집계된 뒤에도 대체로 {rate} 더 늘어납니다({days}일 기준 중앙값).
--     as: note
--   select max(days) as days from answer where age_days = 1 having max(median_rise) = 0
--     en: Counts usually do not change after the first morning (median of {days} days).
--     ko: 수치는 다음 날 아침에 처음 집계된 뒤로 대체로 달라지지 않습니다({days}일 기준 중앙값).
--     as: note
--   select 1 where not exists (from answer where age_days = 1 and median_rise is not null)
--     en: It is not yet known how much the latest days will rise.
--     ko: 최근 수치가 앞으로 얼마나 더 늘어날지는 아직 알 수 없습니다.
--     as: note

with params as (
    select
        *,
        -- Later days may still be requested again.
        least(last_date, last_held - 7) as last_settled_day,
        coalesce(getvariable('least_days')::bigint, 7) as least_days
    from marts.period('statistics', days := 56)
),
-- The day's age when it was first and last requested.
pulled as (
    select
        coverage.date,
        min((loads.pulled_at at time zone 'Asia/Seoul')::date - coverage.date) as first_age,
        max((loads.pulled_at at time zone 'Asia/Seoul')::date - coverage.date) as last_age
    from ops.coverage
    inner join params on coverage.date between params.first_date and params.last_settled_day
    inner join ops.loads on loads.stream = 'statistics' and coverage.date between loads.first_date and loads.last_date
    where coverage.stream = 'statistics'
    group by coverage.date
),
ages as (
    select pulled.date, ages.age_days
    from pulled
    inner join (select unnest(range(1, 8)) as age_days) as ages
        on ages.age_days >= pulled.first_age and ages.age_days < pulled.last_age
),
totals as (
    select date, counter, sum(value) as total
    from (select date, message_sent, message_failed, delivered, click from daily_statistics)
    unpivot (value for counter in (message_sent, message_failed, delivered, click))
    group by date, counter
    union all
    select date, 'conversion', sum(count)
    from daily_conversions
    where type = 'total_count_conversion'
    group by date
),
changes as (
    select
        date,
        if(starts_with(counter, 'conversion:total_count_conversion:'), 'conversion', counter) as counter,
        (detected_at at time zone 'Asia/Seoul')::date - date as age,
        coalesce(after, 0) - coalesce(before, 0) as change
    from ops.restatements
),
-- The count of a day at an age is its present count minus all later additions.
rises as (
    select
        ages.date,
        ages.age_days,
        totals.counter,
        any_value(totals.total) as total,
        any_value(totals.total) - coalesce(sum(changes.change) filter (changes.age > ages.age_days), 0) as total_then
    from ages
    inner join totals on ages.date = totals.date
    left join changes on ages.date = changes.date and totals.counter = changes.counter
    group by ages.date, ages.age_days, totals.counter
)
select
    rises.counter,
    rises.age_days,
    count(*) as days,
    round(if(count(*) >= any_value(params.least_days), median(rises.total / rises.total_then - 1), null), 6) as median_rise,
    round(if(count(*) >= any_value(params.least_days), max(rises.total / rises.total_then - 1), null), 6) as largest_rise
from rises
cross join params
where rises.total_then > 0
group by rises.counter, rises.age_days
order by list_position(['message_sent', 'message_failed', 'delivered', 'click', 'conversion'], rises.counter), rises.age_days;

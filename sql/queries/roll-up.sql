-- title: Channels by week or month
-- question: How did each channel do from week to week, or from month to month?
-- params:
--   start (date, default last_day - 83): first KST day; its week or month counts whole
--   end (date, default max(date)): last KST day; its week or month counts whole
--   by (varchar, default 'week', one of week month): how long a period is; weeks begin on Mondays
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select period, sum(sent) as sent, lag(sum(sent)) over (order by period) as previous, if(max(days) > 7, 'month', 'week') as
--   unit, if(max(days) > 7, '달', '주') as unit_ko from answer where days_held = days group by period qualify row_number() over
--   (order by period desc) = 1 and previous is not null
--     en: In the last {unit} that is held whole, from {period:day} on, {sent} messages were sent; in the one before {previous}.
--     ko: 모든 날짜가 있는 마지막 {unit_ko}({period:day}부터)에 {sent}건, 그 앞 {unit_ko}에 {previous}건을 발송했습니다.
--   select count(distinct period) as periods from answer where days_held < days having periods > 0
--     en: {periods} {periods#period is|periods are} not held whole: compare {periods#its|their} rates and messages a day, not {periods#its|their} sums.
--     ko: {periods}개 기간은 일부 날짜의 데이터가 없습니다. 합계가 아니라 비율과 하루 평균을 비교하세요.
--     as: note
-- example:
--   period      days_held  days  channel                sent  sent_per_day  failure_rate  click_rate  …
--   2026-09-21  2          7     chatapp-alimtalk       580   290           0.0397                    …
--   2026-09-21  2          7     chatapp-brand-message  227   113.5         0.0749                    …
--   2026-09-21  2          7     chatapp-friendtalk     71    35.5          0.0704                    …

with params as (
    select *, coalesce(getvariable('by')::varchar, 'week') as period_kind
    from marts.period('statistics', days := 84)
),
bounds as (
    select
        case period_kind
            when 'week' then interval 7 days
            when 'month' then interval 1 month
            else error('by must be one of week, month')
        end as length,
        date_trunc(period_kind, first_day) as first_period,
        date_trunc(period_kind, last_day) as last_period
    from params
),
starts as (
    select unnest(generate_series(first_period::timestamp, last_period::timestamp, length)) as starts_at, length
    from bounds
),
-- A period with missing days is shown with the days held, and with their number.
periods as (
    select
        starts.starts_at::date as period,
        (starts.starts_at + starts.length)::date as next_period,
        next_period - period as days,
        count(coverage.date) as days_held
    from starts
    left join ops.coverage
        on
            coverage.stream = 'statistics'
            and coverage.date >= starts.starts_at
            and coverage.date < starts.starts_at + starts.length
    group by all
),
performance as (
    select
        periods.period,
        periods.days_held,
        periods.days,
        message_days.channel,
        unnest(marts.performance(message_days))
    from marts.message_days
    inner join periods on message_days.date >= periods.period and message_days.date < periods.next_period
    where marts.matches('channel', message_days.channel)
    group by periods.period, periods.days_held, periods.days, message_days.channel
)
select
    period,
    days_held,
    days,
    channel,
    sent,
    round(sent / days_held, 1) as sent_per_day,
    round(failure_rate, 4) as failure_rate,
    round(click_rate, 4) as click_rate,
    round(delivery_rate, 4) as delivery_rate,
    round(conversion_rate, 4) as conversion_rate,
    failed,
    succeeded,
    delivered,
    clicked,
    conversions,
    array_to_string(goals, ', ') as goals
from performance
order by period, channel;

-- title: Workdays, weekends and holidays
-- subject: overview
-- question: Do messages do better on workdays, weekends or public holidays?
-- counts: people
-- params:
--   start (date, default last_date - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select a.channel, a.click_rate as workday_rate, b.click_rate as weekend_rate
--   from answer as a inner join answer as b using (channel)
--   where a.day_kind = 'workday' and b.day_kind = 'weekend' and least(a.days_with_events, b.days_with_events) >= 3
--   and marts.wilson_interval(a.clicked, nullif(a.messages, 0)).low > marts.wilson_interval(b.clicked, nullif(b.messages, 0)).high
--     en: On workdays more messages are clicked ({channel}): {workday_rate}, and {weekend_rate} at weekends.
--     ko: {channel}{은/는} 평일 메시지의 클릭률이 더 높습니다(평일 {workday_rate}, 주말 {weekend_rate}).
--   select a.channel, a.click_rate as workday_rate, b.click_rate as weekend_rate
--   from answer as a inner join answer as b using (channel)
--   where a.day_kind = 'workday' and b.day_kind = 'weekend' and least(a.days_with_events, b.days_with_events) >= 3
--   and marts.wilson_interval(b.clicked, nullif(b.messages, 0)).low > marts.wilson_interval(a.clicked, nullif(a.messages, 0)).high
--     en: At weekends more messages are clicked ({channel}): {weekend_rate}, and {workday_rate} on workdays.
--     ko: {channel}{은/는} 주말 메시지의 클릭률이 더 높습니다(주말 {weekend_rate}, 평일 {workday_rate}).
--   select a.channel, a.click_rate as workday_rate, b.click_rate as weekend_rate
--   from answer as a inner join answer as b using (channel)
--   where a.day_kind = 'workday' and b.day_kind = 'weekend' and least(a.days_with_events, b.days_with_events) >= 3
--   and marts.wilson_interval(a.clicked, nullif(a.messages, 0)).low <= marts.wilson_interval(b.clicked, nullif(b.messages, 0)).high and marts.wilson_interval(b.clicked, nullif(b.messages, 0)).low <= marts.wilson_interval(a.clicked, nullif(a.messages, 0)).high
--     en: On workdays {workday_rate} of the messages are clicked ({channel}), and {weekend_rate} at weekends; the difference may be chance.
--     ko: {channel}{은/는} 평일 {workday_rate}, 주말 {weekend_rate}의 클릭률을 보이며, 이 차이는 우연일 수 있습니다.
--   select a.channel, a.days_with_events as workdays, b.days_with_events as weekend_days
--   from answer as a inner join answer as b using (channel)
--   where a.day_kind = 'workday' and b.day_kind = 'weekend' and least(a.days_with_events, b.days_with_events) between 1 and 2
--     en: Clicks are not compared ({channel}): events are held of {workdays} {workdays#workday|workdays} and {weekend_days} {weekend_days#day|days} of weekends, and a comparison takes three of each.
--     ko: {channel}{은/는} 이벤트가 있는 날이 평일 {workdays}일, 주말 {weekend_days}일뿐이라 클릭을 비교하지 않습니다. 각각 3일 이상 있어야 합니다.
--     as: note
-- example:
--   channel                day_kind  days  sent  sent_per_day  failure_rate  click_rate  days_with_events  …
--   chatapp-alimtalk       workday   20    8626  431.3         0.041                     15                …
--   chatapp-alimtalk       weekend   8     2286  285.8         0.0324                    4                 …
--   chatapp-brand-message  workday   20    3915  195.8         0.0868                    15                …

with period as (from marts.period('statistics', days := 28)),
days as (
    select
        calendar.date,
        case
            when calendar.is_public_holiday then 'public holiday'
            when calendar.is_weekend then 'weekend'
            else 'workday'
        end as day_kind,
        exists (from ops.coverage where coverage.stream = 'events' and coverage.date = calendar.date) as has_events
    from calendar
    inner join period on calendar.date between period.first_date and period.last_date
),
kinds as (
    select
        channel_days.channel,
        days.day_kind,
        count(distinct days.date) as days,
        count(distinct days.date) filter (days.has_events) as days_with_events,
        unnest(marts.performance(channel_days))
    from marts.channel_days
    inner join days on channel_days.date = days.date
    where marts.matches('channel', channel_days.channel)
    group by channel_days.channel, days.day_kind
),
-- Daily statistics date a click by the click, and many clicks at the weekend are on Friday's messages. Only the events show the
-- day on which the message was sent, so the rate divides by their messages. Conversions are dated by the conversion, and have
-- no rate.
responses as (
    select
        sends.channel,
        days.day_kind,
        sum(sends.clickable)::bigint as messages,
        sum(sends.clicked)::bigint as clicked
    from marts.send_hours as sends
    inner join days on sends.sent_date = days.date
    group by sends.channel, days.day_kind
)
select
    kinds.channel,
    kinds.day_kind,
    kinds.days,
    kinds.sent,
    round(kinds.sent / kinds.days, 1) as sent_per_day,
    round(kinds.failure_rate, 4) as failure_rate,
    round(responses.clicked / nullif(responses.messages, 0), 4) as click_rate,
    kinds.days_with_events,
    responses.messages,
    responses.clicked,
    kinds.conversions,
    array_to_string(kinds.goals, ', ') as goals
from kinds
left join responses on kinds.channel = responses.channel and kinds.day_kind = responses.day_kind
order by kinds.channel, kinds.day_kind desc;

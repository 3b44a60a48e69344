-- title: Channels, week on week
-- title_ko: 채널별 전주 대비
-- subject: overview
-- question: Which channel became better or worse in the last week, and is the change significant?
-- question_ko: 최근 7일에 전주보다 좋아지거나 나빠진 채널은 무엇이고, 변화가 유의미한가요?
-- words: channel compared with last week, compare, vs, week over week, 비교, 전주 대비
-- also: excluded
-- params:
--   end (date, default max(date)): last KST day of the week; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign
-- given:
--   judged as (select *, case measure when 'failure_rate' then 'Failure rate' when 'delivery_rate' then 'Delivery rate' when
--   'click_rate' then 'Click rate' else 'Conversion rate' end as name_en, case measure when 'failure_rate' then '실패율' when
--   'delivery_rate' then '도달률' when 'click_rate' then '클릭률' else '전환율' end as name_ko from answer)
-- sentences:
--   select *, if(verdict_code = 'worse', '나빠졌습니다', '좋아졌습니다') as verdict_ko from judged where verdict_code in ('worse', 'better')
--   order by verdict_code desc, sent desc, channel, measure
--     en: {name_en} of {channel} is significantly {verdict_code}: {value:rate}, versus {previous:rate} the week before.
--     ko: {channel} {name_ko}{이/가} 전주 {previous:rate}에서 {value:rate}{으로/로} 유의미하게 {verdict_ko}.
--     as: finding
--   select count(*) as rates from answer having count(*) filter (verdict_code in ('better', 'worse')) = 0 and count(verdict_code) > 0
--     en: No rate of a channel changed significantly.
--     ko: 유의미하게 변한 채널 지표가 없습니다.
--   select 14 - any_value(days_held + previous_days_held) as days from answer having days > 0
--     en: The weeks cannot be compared, because {days} of their 14 days {days#has|have} no statistics.
--     ko: 두 주의 14일 중 {days}일의 통계가 없어 비교하지 않습니다.
--     as: note
--   select 1 from answer where verdict_code in ('better', 'worse') limit 1
--     en: Campaigns differ from week to week, and rates change with them.
--     ko: 주마다 캠페인이 달라 지표가 변할 수 있습니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'statistics')
--     en: No messages were sent in these two weeks.
--     ko: 이 두 주에 발송한 메시지가 없습니다.

with week as (select last_date from marts.period('statistics')),
spans as (
    select 'week' as span, last_date - 6 as from_day, last_date as to_day from week
    union all
    select 'previous', last_date - 13, last_date - 7 from week
),
held as (
    select
        count(*) filter (coverage.date > week.last_date - 7) as days_held,
        count(*) filter (coverage.date <= week.last_date - 7) as previous_days_held
    from ops.coverage
    inner join week on coverage.date between week.last_date - 13 and week.last_date
    where coverage.stream = 'statistics'
),
performance as (
    select spans.span, message_days.channel, unnest(marts.performance(message_days))
    from marts.message_days
    inner join spans on message_days.date between spans.from_day and spans.to_day
    where marts.matches('channel', message_days.channel)
    group by spans.span, message_days.channel
),
rates as (
    select span, channel, sent, goals, unnest([
        {'place': 0, 'measure': 'sent', 'rate': sent::double, 'base': null},
        {'place': 1, 'measure': 'failure_rate', 'rate': failure_rate, 'base': sent},
        {'place': 2, 'measure': 'delivery_rate', 'rate': delivery_rate, 'base': deliverable},
        {'place': 3, 'measure': 'click_rate', 'rate': click_rate, 'base': clickable},
        {'place': 4, 'measure': 'conversion_rate', 'rate': conversion_rate, 'base': convertible}
    ], recursive := true)
    from performance
),
compared as (
    select
        channel,
        place,
        measure,
        max(rate) filter (span = 'week') as value,
        -- Conversions of different goals are not compared.
        if(
            any_value(held.previous_days_held) < 7 or (measure = 'conversion_rate' and count(distinct goals) > 1),
            null,
            max(rate) filter (span = 'previous')
        ) as previous,
        max(base) filter (span = 'week') as base,
        max(base) filter (span = 'previous') as previous_base,
        coalesce(max(sent) filter (span = 'week'), 0) as sent
    from rates
    cross join held
    group by channel, place, measure
    having value is not null
)
select
    compared.channel,
    compared.measure,
    round(compared.value, 6) as value,
    round(compared.previous, 6) as previous,
    if(held.days_held = 7, round(marts.change_of(compared.measure, compared.value, compared.previous), 6), null) as change,
    if(
        held.days_held = 7,
        marts.rate_verdict(
            compared.value, compared.base, compared.previous, compared.previous_base, compared.measure = 'failure_rate'
        ),
        null
    ) as verdict_code,
    compared.sent,
    week.last_date,
    held.days_held,
    held.previous_days_held
from compared
cross join week
cross join held
order by compared.sent desc, compared.channel, compared.place;

-- title: Failure alarm
-- title_ko: 발송 실패 경보
-- chart: bar channel failure_rate
-- subject: failures
-- question: On which channels did more sends fail than on the same weekday in earlier weeks?
-- question_ko: 지난 몇 주의 같은 요일보다 발송 실패가 늘어난 채널은 무엇인가요?
-- words: bouncing more than usual, failing more than usual, unusual failures, higher than usual, sudden increase, 급증, failure rate, 실패율, 실패률
-- also: excluded
-- params:
--   day (date, default max(date)): the KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
-- sentences:
--   from answer where is_alarm
--     en: {channel} had more failures than usual on {date}: {failure_rate} of {sent} messages, versus at most {usual_high:rate}.
--     ko: {date} {channel} 채널의 실패율이 {failure_rate}로 평소 상한({usual_high:rate})보다 높습니다(발송 {sent}건).
--     as: finding
--   from answer where is_alarm
--     en: Check {channel}: {failed} messages failed on {date} ({failure_rate}; usually at most {usual_high:rate}).
--     ko: {channel} 채널을 점검하세요. {date}에 {failed}건이 실패해 실패율({failure_rate})이 평소 상한({usual_high:rate})을 넘었습니다.
--     as: to do
--   select any_value(date) as date from answer having bool_and(is_alarm = false)
--     en: No channel had more failures on {date} than usual for this weekday.
--     ko: {date}에는 평소 같은 요일보다 실패가 많은 채널이 없습니다.
--   select count(*) as channels from answer where is_alarm is null having channels > 0
--     en: {channels} {channels#channel|channels} cannot be judged yet, because fewer than four earlier days of the same weekday
--       have sends.
--     ko: 채널 {channels}개는 같은 요일 데이터가 아직 4주 치가 안 되어 실패 급증 여부를 판단할 수 없습니다.
--     as: note

with params as (
    select coalesce(getvariable('day')::date, max(date)) as this_day
    from ops.coverage
    where stream = 'statistics'
),
-- Compares with the same weekday of the previous eight weeks; at least four of them must have sends. Rates are compared as
-- asin(sqrt(rate)), whose chance variance is 1 / (4 × sends) for any rate.
days as (
    select
        channel_days.channel,
        channel_days.date = params.this_day as is_this_day,
        channel_days.sent,
        channel_days.failed,
        asin(sqrt((channel_days.failed + 0.375) / (channel_days.sent + 0.75))) as angle,
        1 / (4 * channel_days.sent + 2) as chance
    from marts.channel_days
    inner join params
        on
            channel_days.date between params.this_day - 56 and params.this_day
            and isodow(channel_days.date) = isodow(params.this_day)
    where
        channel_days.sent > 0
        and channel_days.failed between 0 and channel_days.sent
        and marts.matches('channel', channel_days.channel)
),
-- The 99% prediction interval for one more day has two parts. The first is the chance variation of the day and of the weeks' mean
-- (normal quantile). The second is the variation between weeks beyond chance, estimated from the weeks (Student's quantile with
-- weeks - 1 degrees of freedom).
usual as (
    select
        channel,
        count(*) as weeks,
        sum(failed) / sum(sent) as failure_rate,
        avg(angle) as angle,
        var_samp(angle) as scatter,
        avg(chance) as chance
    from days
    where not is_this_day
    group by channel
),
bounds as (
    select
        days.channel,
        days.sent,
        days.failed,
        coalesce(usual.weeks, 0) as weeks,
        -- With fewer than four weeks, nobody knows what is usual.
        if(usual.weeks >= 4, usual.failure_rate, null) as usual_rate,
        usual.angle,
        if(
            usual.weeks >= 4,
            sqrt(
                pow(2.576, 2) * (days.chance + usual.chance / usual.weeks)
                + pow([5.841, 4.604, 4.032, 3.707, 3.499][usual.weeks - 3], 2)
                * greatest(0, usual.scatter - usual.chance) * (1 + 1 / usual.weeks)
            ),
            null
        ) as margin
    from days
    left join usual on days.channel is not distinct from usual.channel
    where days.is_this_day
),
rates as (
    select
        *,
        failed / sent as failure_rate,
        if(margin is null, null, pow(sin(greatest(0, angle - margin)), 2)) as usual_low,
        if(margin is null, null, pow(sin(least(pi() / 2, angle + margin)), 2)) as usual_high
    from bounds
)
select
    rates.channel,
    rates.sent,
    rates.failed,
    round(rates.failure_rate, 6) as failure_rate,
    round(rates.usual_rate, 6) as usual_rate,
    round(rates.usual_low, 6) as usual_low,
    round(rates.usual_high, 6) as usual_high,
    rates.failure_rate > rates.usual_high as is_alarm,
    rates.weeks as weeks_compared,
    params.this_day as date
from rates
cross join params
order by is_alarm desc nulls last, rates.failed desc, rates.channel;

-- title: This period and the ones before
-- title_ko: 기간 비교
-- subject: overview
-- question: How did the last days compare with those before, and with the same days a year ago?
-- question_ko: 최근 기간은 직전 기간, 1년 전과 비교해 어떤가요?
-- words: last year, year over year, year on year, 작년, 작년 대비, compare, vs, versus, last week, week over week, 비교, 지난주 비교, 전주 대비, 전년 대비, year before, previous year, same period last year, black friday compared, trend over weeks, 작년 같은 기간, this week vs last week, this week versus last week
-- also: excluded no_messages first_day webhooks
-- params:
--   start (date, default last_date - 6): first KST day of the period; by default the period has 7 days
--   end (date, default max(date)): last KST day of the period; by default the latest available day
--   by (varchar, default 'channel', one of channel campaign all): what each row covers; campaigns are shown by channel, all is everything together
--   measure (varchar, default null, one of sent failure_rate delivery_rate click_rate conversion_rate): only this measure
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): only the campaign with this id
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign
-- given:
--   spans as (select *, last_date - first_date < 6 as is_short, if(is_short, 'on the same weekday' || if(first_date = last_date, '', 's') ||
--   ' of the week before', 'in the previous period') as before_en, if(is_short, '전주 같은 요일', '직전 기간') as before_ko from marts.period('statistics', days := 7)),
--   sums as (select sum(value) as sent, max(days_without_statistics) as lacking, if(max(days_without_statistics + previous_days_without_statistics) = 0
--   and sum(previous) > 0, sent / sum(previous) - 1, null) as change from answer where measure = 'sent' and coalesce(getvariable('by')::varchar,
--   'channel') <> 'campaign')
-- sentences:
--   select spans.*, sum(revenue) filter (date >= first_date) as revenue, sum(revenue) filter (date < first_date) as previous, any_value(days.currencies[1]) as currency from
--   marts.revenue_days as days, (select *, marts.days_back(first_date, last_date) as back from spans) as spans where exists (from answer) and
--   coalesce(getvariable('channel'), getvariable('campaign'), getvariable('measure')) is null and (date between first_date and last_date or date between first_date - back and last_date - back)
--   and marts.days_held('campaigns', first_date, last_date) + marts.days_held('campaigns', first_date - back, last_date - back) = 2 * (last_date - first_date + 1) group by all having
--   revenue > 0 and previous > 0 and len(marts.members_of(list(days.currencies))) <= 1
--     en: The messaging service credits campaigns with {revenue:money} of revenue {first_date~last_date}, versus {previous:money} {before_en}, without user journeys.
--     ko: {first_date~last_date} 캠페인 기여 매출은 {revenue:money}, {before_ko} {previous:money}입니다(메시지 서비스 집계, 유저 여정 제외).
--   from sums, spans where lacking = 0
--     en: {sent} messages were sent {first_date~last_date}, failed ones included.
--     ko: {first_date~last_date}에 메시지 {sent}건을 발송했습니다(실패 포함).
--   select *, last_date - first_date + 1 - lacking as days from sums, spans where lacking > 0
--     en: {sent} messages were sent on the {days} available {days#day|days} {first_date~last_date}, failed ones included.
--     ko: {first_date~last_date} 중 데이터가 있는 {days}일 동안 메시지 {sent}건을 발송했습니다(실패 포함).
--   from sums, spans where abs(change) < 0.01
--     en: That is about as many as {before_en} ({change}).
--     ko: {before_ko}{과/와} 비슷합니다({change}).
--   select *, abs(change) as rate, if(change > 0, 'more', 'fewer') as comparison from sums, spans where abs(change) >= 0.01
--     en: That is {rate} {comparison} than {before_en}.
--     ko: {before_ko}보다 {rate} {comparison}.
--   select max(days_without_statistics + previous_days_without_statistics) as days from answer having days > 0
--     en: The periods cannot be compared because {days} {days#day|days} of the two {days#has|have} no statistics.
--     ko: 두 기간 중 {days}일의 통계가 없어 직전 기간과 비교하지 않습니다.
--     as: note
--   select max(year_before_days_without_statistics) as days from answer having days > 0
--     en: The same days a year ago cannot be compared, because {days} of them {days#has|have} no statistics.
--     ko: 1년 전 같은 기간은 {days}일의 통계가 없어 비교하지 않습니다.
--     as: note
--   select 1 from answer where measure = 'conversion_rate' having bool_or(value is null and goals is not null)
--     en: Campaigns count different goals, so they have no common conversion rate.
--     ko: 캠페인마다 목표가 달라 전체 전환율은 계산하지 않습니다.
--     as: note
--   select 1 from answer having count(*) filter (channel_or_campaign = 'all') > 0
--     en: Rates cover all channels, so they also change with the mix of channels.
--     ko: 비율은 전체 채널 기준이어서 채널 구성이 바뀌어도 달라집니다.
--     as: note
--   select 1 from answer where channel_or_campaign = 'email' and measure = 'click_rate' and value > 0
--     en: E-mail clicks in daily statistics include clicks of mail scanners. Figures from events leave them out.
--     ko: 일별 통계의 이메일 클릭에는 메일 보안 솔루션의 자동 클릭이 포함됩니다. 이벤트 데이터로 집계한 수치에서는 제외합니다.
--     as: note

with params as (
    select *, marts.choice('by', ['channel', 'campaign', 'all']) as dimension
    from marts.period('statistics', days := 7)
),
-- The previous period has the same number of days. The period a year ago is 52 weeks earlier, so that weekdays match.
periods as (
    select 'this' as period, first_date, last_date from params
    union all
    select 'previous', first_date - marts.days_back(first_date, last_date), last_date - marts.days_back(first_date, last_date) from params
    union all
    select 'year_before', first_date - 364, last_date - 364 from params
),
missing as (
    select periods.period, any_value(last_date - first_date + 1) - count(coverage.date) as days
    from periods
    left join ops.coverage
        on coverage.stream = 'statistics' and coverage.date between periods.first_date and periods.last_date
    group by periods.period
),
days as (
    select
        periods.period,
        message_days.* replace (
            if(params.dimension = 'campaign', message_days.campaign_id, null) as campaign_id,
            if(params.dimension = 'all', null, message_days.channel) as channel
        )
    from marts.message_days
    cross join params
    inner join periods on message_days.date between periods.first_date and periods.last_date
    where
        (params.dimension <> 'campaign' or message_days.campaign_id is not null)
        and marts.matches('channel', message_days.channel)
        and marts.matches('campaign', message_days.campaign_id)
),
performance as (
    select period, channel, campaign_id, unnest(marts.performance(days))
    from days
    group by period, channel, campaign_id
),
-- Conversions of different goals are not compared.
measures as (
    select
        * replace (if(measure = 'conversion_rate' and goals <> goals_compared, null, value) as value),
        if(measure = 'conversion_rate', goals_compared, null) as goals_of_measure
    from (
        select
            period,
            channel,
            campaign_id,
            sent::double as sent,
            {'failure_rate': sent, 'delivery_rate': deliverable, 'click_rate': clickable, 'conversion_rate': convertible} as bases,
            failure_rate,
            delivery_rate,
            click_rate,
            conversion_rate,
            goals,
            first_value(goals) over (
                partition by channel, campaign_id
                order by goals is null, list_position(['this', 'previous', 'year_before'], period)
            ) as goals_compared
        from performance
    )
    unpivot include nulls (value for measure in (sent, failure_rate, delivery_rate, click_rate, conversion_rate))
),
-- Periods with missing days are not compared. The requested period is shown with its available days.
compared as (
    select
        measures.channel,
        measures.campaign_id,
        measures.measure,
        any_value(measures.goals_of_measure) as goals,
        any_value(missing.this) as days_without_statistics,
        any_value(missing.previous) as previous_days_without_statistics,
        any_value(missing.year_before) as year_before_days_without_statistics,
        -- Nothing was sent in a period without rows; in one with rows it may be unknown how much was.
        map(list(measures.period), list(measures.value)) as found,
        map(
            list(measures.period),
            list(case measures.measure
                when 'failure_rate' then measures.bases.failure_rate
                when 'delivery_rate' then measures.bases.delivery_rate
                when 'click_rate' then measures.bases.click_rate
                when 'conversion_rate' then measures.bases.conversion_rate
            end)
        ) as bases,
        if(measures.measure = 'sent', 0, null) as nothing,
        if(map_contains(found, 'this'), found['this'], nothing) as value,
        case when previous_days_without_statistics = 0 then if(map_contains(found, 'previous'), found['previous'], nothing) end as previous,
        case when year_before_days_without_statistics = 0 then if(map_contains(found, 'year_before'), found['year_before'], nothing) end as year_before
    from measures
    cross join (from missing pivot (max(days) for period in ('this', 'previous', 'year_before'))) as missing
    group by measures.channel, measures.campaign_id, measures.measure
)
select
    coalesce(campaigns.campaign_name, compared.channel, 'all') as channel_or_campaign,
    compared.measure,
    round(compared.value, 6) as value,
    round(compared.previous, 6) as previous,
    if(compared.days_without_statistics = 0, round(marts.change_of(compared.measure, compared.value, compared.previous), 6), null) as change,
    if(
        compared.days_without_statistics = 0,
        marts.rate_verdict(
            compared.value,
            compared.bases['this'],
            compared.previous,
            compared.bases['previous'],
            compared.measure = 'failure_rate'
        ),
        null
    ) as verdict_code,
    round(compared.year_before, 6) as year_before,
    if(compared.days_without_statistics = 0, round(marts.change_of(compared.measure, compared.value, compared.year_before), 6), null)
        as change_on_year,
    compared.days_without_statistics,
    compared.previous_days_without_statistics,
    compared.year_before_days_without_statistics,
    array_to_string(compared.goals, ', ') as goals,
    compared.channel,
    compared.campaign_id
from compared
left join campaigns on compared.campaign_id = campaigns.campaign_id
where
    marts.matches('measure', compared.measure)
    and (coalesce(compared.value, compared.previous, compared.year_before) is not null or len(compared.goals) > 1)
order by
    max(compared.value) filter (compared.measure = 'sent') over (
        partition by compared.channel, compared.campaign_id
    ) desc,
    compared.channel,
    compared.campaign_id,
    list_position(
        ['sent', 'failure_rate', 'delivery_rate', 'click_rate', 'conversion_rate'], compared.measure
    );

-- title: Content that wears out
-- title_ko: 콘텐츠 성과 추이
-- chart: line week click_rate by content
-- subject: contents
-- question: Which templates and titles lose clicks from week to week?
-- question_ko: 주마다 클릭률이 떨어지는 템플릿과 제목은 무엇인가요?
-- also: exports
-- params:
--   start (date, default last_date - 55): first KST day; by default the range has 56 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   least_messages (bigint, default 100): minimum number of messages per content and week
-- given:
--   steps as (select *, row_number() over (content order by week) as place, row_number() over (content order by week desc) as
--   place_from_end, sum(clickable) over content as messages from answer window content as (partition by channel, content_kind,
--   content)), ends as (select first.content, first.channel, first.trend, first.week as first_week, first.click_rate as first_rate,
--   last.week as last_week, last.click_rate as last_rate, first.messages from steps as first, steps as last where first.content =
--   last.content and first.channel = last.channel and first.content_kind = last.content_kind and first.place = 1 and
--   last.place_from_end = 1 and last.place > 1)
-- sentences:
--   from ends where trend = 'falling' and last_rate < first_rate order by messages desc limit 3
--     en: “{content}” ({channel}) loses clicks: {first_rate} of messages in the week of {first_week:day}, {last_rate} in the week of
--       {last_week:day}.
--     ko: ‘{content}’({channel})의 클릭률이 {first_week:day} 주 {first_rate}에서 {last_week:day} 주 {last_rate}로 떨어지고 있습니다.
--     as: finding
--   from ends where trend = 'rising' and last_rate > first_rate order by messages desc limit 3
--     en: “{content}” ({channel}) gains clicks: {first_rate} of messages in the week of {first_week:day}, {last_rate} in the week of
--       {last_week:day}.
--     ko: ‘{content}’({channel})의 클릭률이 {first_week:day} 주 {first_rate}에서 {last_week:day} 주 {last_rate}로 오르고 있습니다.
--   select count(distinct (channel, content_kind, content)) as contents from answer having count(trend) > 0 and count(*) filter
--   (trend in ('falling', 'rising')) = 0
--     en: No content shows a trend over its weeks.
--     ko: 클릭률이 꾸준히 오르거나 떨어지는 콘텐츠가 없습니다.
--   select 1 from answer where trend in ('falling', 'rising') limit 1
--     en: A trend covers all weeks of a content. Its readers may also have changed.
--     ko: 추세는 콘텐츠별로 전체 주를 비교해 판단합니다. 수신 대상이 달라졌을 수도 있습니다.
--     as: note
--   select 1 where exists (from answer) and not exists (from answer where trend is not null)
--     en: A trend needs three weeks of messages.
--     ko: 추세를 보려면 3주 이상의 발송이 필요합니다.
--     as: note

with period as (from marts.period('events', days := 56)),
days as (
    select
        daily_contents.channel,
        daily_contents.content_kind,
        daily_contents.content,
        daily_contents.date,
        date_trunc('week', daily_contents.date)::date as week,
        daily_contents.clicked,
        marts.clickable_messages(daily_contents.channel, daily_contents.succeeded, daily_contents.delivered) as clickable
    from marts.daily_contents
    inner join period on daily_contents.date between period.first_date and period.last_date
    inner join marts.channel_counters
        on daily_contents.channel = channel_counters.channel and channel_counters.counts_clicks
    where marts.matches('channel', daily_contents.channel)
),
weeks as (
    select
        *,
        row_number() over content as place,
        count(*) over same_content as weeks,
        sum(clickable) over same_content as messages_in_all,
        sum(clicked) over same_content / sum(clickable) over same_content as rate_in_all
    from (
        select channel, content_kind, content, week, sum(clicked) as clicked, sum(clickable) as clickable, count(*) as days
        from days
        group by channel, content_kind, content, week
        having sum(clickable) >= coalesce(getvariable('least_messages')::bigint, 100)
    )
    window
        same_content as (partition by channel, content_kind, content),
        content as (same_content order by week)
),
-- The days of a week vary more than random samples, so the variance of the trend is multiplied by that factor.
dispersions as (
    select
        weeks.channel,
        weeks.content_kind,
        weeks.content,
        greatest(
            1,
            sum(
                pow(days.clicked - days.clickable * weeks.clicked / weeks.clickable, 2)
                / nullif(days.clickable * weeks.clicked / weeks.clickable * (1 - weeks.clicked / weeks.clickable), 0)
            ) / nullif(count(*) - count(distinct weeks.week), 0)
        ) as dispersion
    from weeks
    inner join days using (channel, content_kind, content, week)
    group by all
),
-- The trend of the click rate over the weeks (Cochran-Armitage).
trends as (
    select
        channel,
        content_kind,
        content,
        sum(place * (clicked - clickable * rate_in_all)) / nullif(
            sqrt(
                any_value(dispersion) * any_value(rate_in_all) * (1 - any_value(rate_in_all))
                * (sum(clickable * place * place) - pow(sum(clickable * place), 2) / sum(clickable))
            ),
            0
        ) as deviations
    from weeks
    inner join dispersions using (channel, content_kind, content)
    where weeks >= 3 and rate_in_all < 1
    group by all
)
select
    weeks.channel,
    weeks.content_kind,
    weeks.content,
    weeks.week,
    round(weeks.clicked / weeks.clickable, 6) as click_rate,
    weeks.clicked::bigint as clicked,
    weeks.clickable::bigint as clickable,
    marts.trend_by_deviations(trends.deviations) as trend
from weeks
left join trends using (channel, content_kind, content)
order by
    list_position(['falling', 'rising', 'steady'], trend) nulls last,
    weeks.messages_in_all desc,
    weeks.channel,
    weeks.content_kind,
    weeks.content,
    weeks.week;

-- title: Key figures of the week
-- title_ko: 주간 핵심 지표
-- chart: tiles
-- subject: overview
-- question: How did the last seven days compare with the seven before, and how was each of the last 28 days?
-- question_ko: 최근 7일은 그 전 7일과 비교해 어떤가요? 최근 28일의 일별 추이는 어떤가요?
-- words: what did we earn, 얼마 벌었나, KPI, dashboard, overview, daily trend, yesterday, 어제, 핵심 지표, 대시보드, 요약, 추이, weekly report, weekly summary, how are we doing, unusual, was yesterday unusual, 주간 보고, 주간 보고서
-- also: people excluded goals_of_revenue one_goal no_messages webhooks
-- params:
--   end (date, default max(date)): last KST day of the week; by default the latest available day
-- given:
--   counts as (select *, case when figure in ('revenue', 'message_cost') then '' when figure = 'people' then '명' else '건' end as counter from answer where figure not like '%_rate' and
--   figure <> 'sent' and verdict_code <> 'same')
-- sentences:
--   select value as revenue, currency, last_date - 6 as first_date, last_date, change, if(verdict_code = 'same', ' (≈ normal variation)', '') as
--   usual_en, if(verdict_code = 'same', '(≈ 평소 수준의 변동)', '') as usual_ko from answer where figure = 'revenue' and value > 0 and days_held = 7
--     en: {first_date~last_date}: campaigns earned {revenue:money}, as counted by the messaging service (user journeys not included).[[ Change from the week
--       before: {change}{usual_en}.]]
--     ko: {first_date~last_date} 캠페인 기여 매출은 {revenue:money}입니다(메시지 서비스 집계, 유저 여정 제외).[[ 전주 대비 {change}입니다{usual_ko}.]]
--     as: finding
--   select daily_values[28] as latest, daily_values[21] as before, latest / before - 1 as change, currency, last_date, lower(dayname(last_date))
--   as weekday, list_transform(range(22, 28), lambda day: daily_values[day] - daily_values[day - 7]) as others, abs(latest - before) < 0.01 * before or
--   list_count(others) = 6 and abs(latest - before) <= 2.571 * list_stddev_samp(others) as is_usual, if(is_usual, ' (≈ normal variation)', '') as usual_en,
--   if(is_usual, '(≈ 평소 수준의 변동)', '') as usual_ko from answer where figure = 'revenue' and value > 0 and days_held = 7 and before > 0
--     en: {weekday}, {last_date}: campaigns were credited with {latest:money}, {change} from the {weekday} before{usual_en}.
--     ko: {last_date}({weekday}) 캠페인 기여 매출은 {latest:money}{으로/로}, 전주 같은 요일 대비 {change}입니다{usual_ko}.
--     as: finding
--   select value as conversions, goal, last_date - 6 as first_date, last_date from answer where figure = 'conversions' and days_held = 7
--     en: {first_date~last_date}: “{goal}” has {conversions} {conversions#conversion|conversions}.
--     ko: {first_date~last_date} ‘{goal}’ 전환은 {conversions}건입니다.
--   select value as sent, last_date - 6 as first_date, last_date from answer where figure = 'sent' and days_held = 7
--     en: {sent} messages were sent {first_date~last_date}, failed ones included.
--     ko: {first_date~last_date}에 메시지 {sent}건을 발송했습니다(실패 포함).
--   select value as sent, days_held, last_date from answer where figure = 'sent' and days_held < 7
--     en: {sent} messages were sent on the {days_held} available {days_held#day|days} of the week to {last_date}, failed ones included.
--     ko: {last_date}까지의 한 주 중 데이터가 있는 {days_held}일 동안 메시지 {sent}건을 발송했습니다(실패 포함).
--   select change from answer where figure = 'sent' and abs(change) < 0.01
--     en: That is about as many as the week before ({change}).
--     ko: 전주와 비슷합니다({change}).
--   select abs(change) as rate, if(change > 0, 'more', 'fewer') as comparison from answer where figure = 'sent' and abs(change) >=
--   0.01
--     en: That is {rate} {comparison} than the week before.
--     ko: 전주보다 {rate} {comparison}.
--   select last_date - 6 as first_date, last_date, len(list_filter(daily_values[15:], lambda day: day is null)) as days from answer
--   where figure = 'sent' and (days_held < 7 or previous is null)
--     en: The weeks cannot be compared: {days} of the 14 days to {last_date} have no statistics.
--     ko: {last_date}까지의 14일 중 {days}일의 통계가 없어 두 주를 비교하지 않습니다.
--   select * from counts where value > previous
--     en: {figure} rose significantly: {value:money}, versus {previous:money} the week before.
--     ko: {figure}{이/가} 전주 {previous:money}{counter}에서 {value:money}{counter}{으로/로} 유의미하게 늘었습니다.
--     as: finding
--   select * from counts where value < previous
--     en: {figure} fell significantly: {value:money}, versus {previous:money} the week before.
--     ko: {figure}{이/가} 전주 {previous:money}{counter}에서 {value:money}{counter}{으로/로} 유의미하게 줄었습니다.
--     as: finding
--   select *, if(verdict_code = 'better', 'improved significantly', 'became significantly worse') as verdict_en, if(verdict_code = 'better', '좋아졌습니다',
--   '나빠졌습니다') as verdict_ko from answer where verdict_code in ('better', 'worse') and figure like '%_rate' order by verdict_code, answer.rowid
--     en: {figure} {verdict_en}: {value:rate}, versus {previous:rate} the week before.
--     ko: {figure}{이/가} 전주 {previous:rate}에서 {value:rate}로 유의미하게 {verdict_ko}.
--   select 1 from answer where verdict_code is not null limit 1
--     en: “≈ Normal variation” means that the change is no larger than expected by chance. Counts are compared with the same weekdays a week
--       earlier, rates by their number of messages.
--     ko: ‘≈ 평소 수준의 변동’은 우연히 생길 수 있는 범위의 변화입니다. 건수와 금액은 전주 같은 요일과, 비율은 메시지 수를 고려해 비교합니다.
--     as: note
--   select max(last_date) as last_date, max(last_date) + 1 as next_date, max(last_date) + 2 as morning_date from answer having
--   max(last_date) = (select max(date) from ops.coverage where stream = 'statistics')
--     en: The latest available day is {last_date}. {next_date} is complete after 07:00 KST on {morning_date}.
--     ko: 최근 데이터는 {last_date}까지입니다. {next_date} 통계는 {morning_date} 오전 7시(한국 시간) 이후에 볼 수 있습니다.
--     as: note
--   select any_value(channels) filter (figure = 'delivery_rate') as delivering, any_value(channels) filter (figure = 'click_rate') as
--   clicking from answer having delivering is not null and clicking is not null
--     en: Delivery rate covers {delivering:channels}. Click rate covers {clicking:channels}. Other channels do not report them. Rates
--       also change with the mix of channels. For in-app and in-web messages, the base is messages shown, if known.
--     ko: 도달률을 집계하는 채널: {delivering:channels}. 클릭률을 집계하는 채널: {clicking:channels}. 나머지 채널은 집계하지 않습니다. 채널 구성이 바뀌면 비율도
--       달라집니다. 인앱·인웹 메시지의 클릭률은 노출 대비입니다(노출 수를 모르면 발송 성공 대비).
--     as: note
--   select string_agg(distinct channel, ', ' order by channel) filter (priced > 0) as priced, string_agg(distinct channel, ', ' order by
--   channel) filter (succeeded > priced) as unpriced from marts.message_costs where date > (select max(last_date) - 7 from answer where
--   figure = 'message_cost') having priced is not null and unpriced is not null
--     en: Cost covers {priced:channels}. Messages without a price are left out ({unpriced:channels}).
--     ko: 메시지 비용은 {priced:channels} 기준입니다. 단가가 없는 메시지({unpriced:channels})는 제외합니다.
--     as: note
--   select 1 where exists (from answer) and not exists (from answer where figure = 'conversion_rate')
--     en: Campaigns count different goals or none, so an overall conversion rate is not shown.
--     ko: 캠페인마다 목표가 다르거나 없어 전체 전환율은 계산하지 않습니다.
--     as: note
--   select 1 from answer where figure = 'click_rate' and exists (from marts.message_days where channel = 'email' and clicked > 0)
--     en: E-mail clicks in daily statistics include clicks of mail scanners. Figures from events leave them out.
--     ko: 일별 통계의 이메일 클릭에는 메일 보안 솔루션의 자동 클릭이 포함됩니다. 이벤트 데이터로 집계한 수치에서는 제외합니다.
--     as: note

with week as (select last_date from marts.period('statistics', days := 28)),
spans as (
    select 'day' as span, day::date as from_day, day::date as to_day
    from (select unnest(generate_series(last_date - 27, last_date, interval 1 day)) as day from week)
    union all
    select 'week', last_date - 6, last_date from week
    union all
    select 'previous', last_date - 13, last_date - 7 from week
),
-- The main goal with the most conversions, because conversions of different goals have no total.
top_goal as (
    select goal
    from marts.message_days
    inner join week on message_days.date between week.last_date - 27 and week.last_date
    where conversions > 0
    group by goal
    order by sum(conversions) desc, goal
    limit 1
),
performance as (
    select
        spans.span,
        spans.to_day,
        unnest(marts.performance(message_days)),
        sum(message_days.conversions) filter (message_days.goal = (select goal from top_goal)) as goal_conversions
    from marts.message_days
    inner join spans on message_days.date between spans.from_day and spans.to_day
    group by spans.span, spans.to_day
),
-- Each person counts once per span, as in reach.
reached as (
    select distinct daily_people.date, coalesce(people.person, daily_people.person) as person
    from marts.daily_people
    inner join week on daily_people.date between week.last_date - 27 and week.last_date
    left join marts.people on daily_people.person = people.weaker_id
    where daily_people.messages + daily_people.shown > 0
),
received as (
    select spans.span, spans.to_day, count(distinct reached.person) as people
    from reached
    inner join spans on reached.date between spans.from_day and spans.to_day
    group by spans.span, spans.to_day
),
mails as (
    select
        spans.span,
        spans.to_day,
        coalesce(sum(daily_events.events) filter (daily_events.kind = 'succeeded'), 0) as mails,
        -- If no opening was ever recorded, the service does not report openings.
        if(
            exists (from marts.daily_events where channel = 'email' and event_name = 'email_open'),
            coalesce(sum(daily_events.events) filter (daily_events.event_name = 'email_open'), 0),
            null
        ) as opens
    from marts.daily_events
    inner join spans on daily_events.date between spans.from_day and spans.to_day
    where daily_events.channel = 'email'
    group by spans.span, spans.to_day
),
opted_out as (
    select spans.span, spans.to_day, count(*) as requests
    from marts.opt_out_requests
    inner join spans on opt_out_requests.date between spans.from_day and spans.to_day
    group by spans.span, spans.to_day
),
-- Amounts of several currencies have no sum.
currencies as (
    select list_sort(list(distinct currency)) as names
    from (select unnest(currencies) as currency from marts.revenue_days, week where date > last_date - 28 and date <= last_date)
),
earned as (
    select spans.span, spans.to_day, if(len(any_value(currencies.names)) > 1, null, sum(revenue_days.revenue)) as revenue
    from marts.revenue_days
    cross join currencies
    inner join spans on revenue_days.date between spans.from_day and spans.to_day
    group by spans.span, spans.to_day
),
costs as (
    select spans.span, spans.to_day, sum(message_costs.cost) as cost, sum(message_costs.failover_cost) as failover_cost
    from marts.message_costs
    inner join spans on message_costs.date between spans.from_day and spans.to_day
    group by spans.span, spans.to_day
),
-- Texts sent in place of failed messages are known only on days with events. In a week without all of these days, the real cost is
-- higher.
lacking_texts as (
    select
        coalesce((select failover_cost from costs where span = 'week'), 0) > 0
        and (
            select count(*)
            from ops.coverage
            inner join spans on coverage.date between spans.from_day and spans.to_day
            where coverage.stream = 'events' and spans.span = 'previous'
        ) < 7 as is_true
),
reporting as (
    select
        string_agg(channel, ', ' order by channel) filter (counts_deliveries and not marts.is_display(channel)) as delivering,
        string_agg(channel, ', ' order by channel) filter (counts_clicks) as clicking
    from marts.channel_counters
    where
        channel in (
            select message_days.channel
            from marts.message_days
            inner join week on message_days.date between week.last_date - 6 and week.last_date
            where message_days.sent > 0
        )
),
-- Each figure is a count, or one count divided by another.
figures as (
    select span, from_day, to_day, unnest([
        {'place': 1, 'figure': 'revenue', 'stream': 'campaigns', 'amount': revenue, 'base': null::double},
        {'place': 2, 'figure': 'conversions', 'stream': 'statistics', 'amount': goal_conversions, 'base': null},
        {'place': 3, 'figure': 'message_cost', 'stream': 'statistics', 'amount': cost, 'base': null},
        {'place': 4, 'figure': 'sent', 'stream': 'statistics', 'amount': sent, 'base': null},
        {'place': 5, 'figure': 'people', 'stream': 'events', 'amount': people, 'base': null},
        {'place': 6, 'figure': 'delivery_rate', 'stream': 'statistics', 'amount': delivery_rate * deliverable, 'base': deliverable},
        {'place': 7, 'figure': 'click_rate', 'stream': 'statistics', 'amount': click_rate * clickable, 'base': clickable},
        {'place': 8, 'figure': 'open_rate', 'stream': 'events', 'amount': opens, 'base': mails},
        {'place': 9, 'figure': 'conversion_rate', 'stream': 'statistics', 'amount': conversion_rate * convertible, 'base': convertible},
        {'place': 10, 'figure': 'failure_rate', 'stream': 'statistics', 'amount': failure_rate * sent, 'base': sent},
        {'place': 11, 'figure': 'opt_outs', 'stream': 'opt_outs', 'amount': requests, 'base': null}
    ], recursive := true)
    from spans
    left join performance using (span, to_day)
    left join received using (span, to_day)
    left join mails using (span, to_day)
    left join opted_out using (span, to_day)
    left join costs using (span, to_day)
    left join earned using (span, to_day)
),
-- A list of opt-outs includes earlier ones, so each day before the last snapshot is available.
held as (
    select stream, date
    from ops.coverage
    where stream in ('statistics', 'campaigns', 'events')
    union all
    select 'opt_outs', from_day
    from spans
    where span = 'day' and from_day < (select max(date) from ops.snapshots where stream = 'opt_outs')
),
grid as (
    select figures.*, count(held.date) as days_held
    from figures
    left join held on figures.stream = held.stream and held.date between figures.from_day and figures.to_day
    group by all
),
figure_values as (
    select
        *,
        case
            when days_held = 0 then null
            when figure like '%_rate' then amount / nullif(base, 0)
            -- On an available day, a missing count is 0.
            when figure in ('revenue', 'conversions', 'message_cost', 'sent', 'opt_outs') then coalesce(amount, 0)
            else amount
        end as value
    from grid
),
compared as (
    select
        place,
        figure,
        max(value) filter (span = 'week') as value,
        -- Incomplete weeks are not compared.
        max(value) filter (
            span = 'previous' and days_held = 7 and not (figure = 'message_cost' and (select is_true from lacking_texts))
        ) as previous,
        max(days_held) filter (span = 'week') as days_held,
        max(days_held) filter (span = 'previous') as previous_days_held,
        max(to_day) as last_date,
        list(round(value, 6) order by to_day) filter (span = 'day') as daily_values,
        sum(1 / nullif(base, 0)) filter (span <> 'day') as inverse_bases
    from figure_values
    group by place, figure
    having count(value) > 0 and count(amount) > 0
),
judged as (
    select
        *,
        case
            -- A t-test of the seven differences from the same weekday a week earlier (5%, 6 degrees of freedom).
            when figure not like '%_rate'
                then if(
                    len(list_filter(differences, lambda one: one is not null)) = 7,
                    2.447 * sqrt(7) * list_stddev_samp(differences),
                    null
                )
            -- Three standard errors of the difference of two rates. A rate above 1 has none, because messages count more than once.
            when figure like '%_rate' and value between 0 and 1 and previous between 0 and 1
                then 3 * sqrt(value * (1 - value) * inverse_bases)
        end as margin
    from (
        select
            *,
            list_transform(range(22, 29), lambda day: daily_values[day] - daily_values[day - 7]) as differences
        from compared
    )
)
select
    figure,
    round(value, 6) as value,
    round(previous, 6) as previous,
    if(days_held = 7, round(marts.change_of(figure, value, previous), 6), null) as change,
    case
        when margin is null or previous is null or days_held < 7 then null
        when figure like '%_rate' and abs(value - previous) <= greatest(margin, 0.0005) then 'same'
        -- A person counts once per week, even with messages on several days. Changes below 1% are ignored.
        when figure not like '%_rate' and (abs(list_sum(differences)) <= margin or abs(value - previous) < 0.01 * previous) then 'same'
        when value = previous then 'same'
        when figure in ('message_cost', 'sent', 'people') then if(value > previous, 'more', 'fewer')
        when (value > previous) = (figure not in ('failure_rate', 'opt_outs')) then 'better'
        else 'worse'
    end as verdict_code,
    last_date,
    days_held,
    previous_days_held,
    daily_values,
    case figure
        when 'message_cost' then (select currency from ops.budget)
        when 'revenue' then (select names[1] from currencies)
    end as currency,
    if(figure = 'conversions', (select goal from top_goal), null) as goal,
    -- The channels that a figure covers, if not all.
    case figure
        when 'message_cost'
            then (
                select if(bool_or(succeeded > priced), string_agg(distinct channel, ', ' order by channel) filter (priced > 0), null)
                from marts.message_costs
                inner join week on message_costs.date between week.last_date - 6 and week.last_date
            )
        when 'delivery_rate' then (select delivering from reporting)
        when 'click_rate' then (select clicking from reporting)
    end as channels
from judged
order by place;

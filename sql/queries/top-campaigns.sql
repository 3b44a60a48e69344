-- title: Top campaigns
-- subject: campaigns
-- question: Which campaigns did best by one measure?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   measure (varchar, default 'clicked', one of sent delivered clicked click_rate conversions conversion_rate): what to rank by
--   top (bigint, default 10): how many ranks; campaigns that tie share one
--   least_messages (bigint, default 100, from 0): only campaigns with so many messages have a rank by a rate
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   from answer where rank = 1 and coalesce(getvariable('measure')::varchar, 'clicked') = 'clicked' limit 1
--     en: “{campaign_name}” was clicked most: {clicked} clicks, {click_rate} of its messages.
--     ko: 클릭이 가장 많은 캠페인은 ‘{campaign_name}’{으로/로}, {clicked}건(클릭률 {click_rate})입니다.
--   select 1 from answer where channels like '%email%' and clicked > 0 limit 1
--     en: Daily statistics count the clicks that mail scanners make on e-mails, and cannot be cleaned of them; events can.
--     ko: 일별 통계의 이메일 클릭에는 메일 검사기의 클릭이 포함되어 있으며 가려낼 수 없습니다. 이벤트에서는 가려낼 수 있습니다.
--     as: note
-- example:
--   rank  campaign_name           sent  clicked  click_rate  conversions  conversion_rate  goal       delivered  …
--   1     11월 재구매 유도        5094  270      0.0546      125          0.0253           구매 완료  4534       …
--   2     앱 첫 화면 기획전 배너  2494  201      0.1161      59           0.0237           구매 완료  1732       …
--   3     장바구니 이탈 알림      4734  188      0.041       77           0.0168           구매 완료  4250       …

with params as (
    select
        *,
        coalesce(getvariable('measure')::varchar, 'clicked') as measure,
        coalesce(getvariable('top')::bigint, 10) as top,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages
    from marts.period('statistics', days := 28)
),
campaign_totals as (
    select
        message_days.campaign_id,
        string_agg(distinct message_days.channel, ', ' order by message_days.channel) as channels,
        unnest(marts.performance(message_days))
    from marts.message_days
    inner join params on message_days.date between params.first_day and params.last_day
    where message_days.campaign_id is not null
    group by message_days.campaign_id
),
-- A high rate of a few messages may be chance, so rates rank by the lower end of their 95 % interval (Wilson's), with at most one
-- success per message. Rates of fewer than least_messages messages are not ranked.
bounds as (
    select
        *,
        nullif(
            case params.measure when 'click_rate' then clickable when 'conversion_rate' then convertible end, 0
        )::double as messages,
        greatest(0, least(1, case params.measure when 'click_rate' then clicked else conversions end / messages)) as rate,
        marts.wilson_interval(rate * messages, messages).low as lower_bound
    from campaign_totals
    cross join params
),
measured as (
    select
        *,
        case measure
            when 'sent' then sent
            when 'delivered' then delivered
            when 'clicked' then clicked
            when 'conversions' then conversions
            when 'click_rate' then case when messages >= least_messages then lower_bound end
            when 'conversion_rate' then case when messages >= least_messages then lower_bound end
            else error('measure must be one of sent, delivered, clicked, click_rate, conversions, conversion_rate')
        end as score
    from bounds
)
select
    rank() over (order by measured.score desc) as rank,
    campaigns.campaign_name,
    measured.sent,
    measured.clicked,
    round(measured.click_rate, 4) as click_rate,
    measured.conversions,
    round(measured.conversion_rate, 4) as conversion_rate,
    measured.goals[1] as goal,
    measured.delivered,
    measured.channels,
    measured.campaign_id
from measured
inner join campaigns on measured.campaign_id = campaigns.campaign_id
-- A campaign whose measure is unknown is not ranked.
where measured.score is not null
qualify rank <= measured.top
order by rank, measured.campaign_id;

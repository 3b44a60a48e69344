-- title: Top campaigns
-- question: Which campaigns did best by one measure?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   measure (varchar, default 'clicked', one of sent delivered clicked click_rate conversions): what to rank by
--   top (bigint, default 10): how many ranks; campaigns that tie share one
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   rank  campaign_name           channels           sent  delivered  clicked  click_rate  conversions  …
--   1     11월 재구매 유도        push-notification  5094  4534       270      0.0546      180          …
--   2     앱 첫 화면 기획전 배너  in-app-message     2494  1732       201      0.0808      93           …
--   3     장바구니 이탈 알림      push-notification  4734  4250       188      0.041       115          …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        coalesce(getvariable('measure')::varchar, 'clicked') as measure,
        coalesce(getvariable('top')::bigint, 10) as top
    from ops.coverage
    where stream = 'statistics'
),
campaign_totals as (
    select
        message_days.campaign_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(message_days.campaign_name, (message_days.date, message_days.statistic_id)) as campaign_name,
        string_agg(distinct message_days.channel, ', ' order by message_days.channel) as channels,
        sum(message_days.sent)::bigint as sent,
        sum(message_days.delivered)::bigint as delivered,
        sum(message_days.clicked)::bigint as clicked,
        -- A rate leaves out the messages that nobody counted clicks of.
        sum(message_days.clicked) / nullif(sum(message_days.clickable), 0) as click_rate,
        sum(message_days.conversions)::bigint as conversions
    from marts.message_days
    inner join params on message_days.date between params.first_day and params.last_day
    where message_days.campaign_id is not null
    group by message_days.campaign_id
),
measured as (
    select
        campaign_totals.*,
        params.top,
        case params.measure
            when 'sent' then campaign_totals.sent
            when 'delivered' then campaign_totals.delivered
            when 'clicked' then campaign_totals.clicked
            when 'click_rate' then campaign_totals.click_rate
            when 'conversions' then campaign_totals.conversions
            else error('measure must be one of sent, delivered, clicked, click_rate, conversions')
        end as measured
    from campaign_totals
    cross join params
)
select
    rank() over (order by measured desc) as rank,
    campaign_name,
    channels,
    sent,
    delivered,
    clicked,
    round(click_rate, 4) as click_rate,
    conversions,
    campaign_id
from measured
-- A campaign that the measure is not known of has no place among the best.
where measured is not null
qualify rank <= top
order by rank, campaign_id;

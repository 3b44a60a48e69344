-- title: Hours of sending compared
-- title_ko: 캠페인별 발송 시간대 비교
-- chart: bar resource_name shrunk_click_rate by channel
-- subject: times
-- question: At which hour do messages of each campaign get the most clicks on each channel?
-- question_ko: 캠페인별로 어느 시간대에 보낸 메시지의 클릭이 가장 많나요?
-- words: best time, send time, when to send push, 발송 시간, 최적 시간, 보내기 좋은 시간, send time optimization, best hour, hour of the day, 몇 시에
-- also: people exports
-- params:
--   start (date, default min(date)): first KST day of sending; by default the first available day
--   end (date, default max(date)): last KST day of sending; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): only the campaign or user journey with this id
--   top (bigint, default 1): how many hours of each campaign and channel to show
--   least_messages (bigint, default 100, from 0): only hours with at least this many messages
--   least_days (bigint, default 3, from 0): only hours with sends on at least this many days
-- sentences:
--   select *, count(*) over () as others from answer where hour is not null and shrunk_click_rate > 1.02 * click_rate_of_all order by (shrunk_click_rate / click_rate_of_all - 1) desc, messages desc limit 1
--     en: The largest difference is in “{resource_name}” ({channel}), sent from {hour}: an estimated click rate of {shrunk_click_rate},
--       versus {click_rate_of_all} at all hours.
--     ko: 시간대 차이는 ‘{resource_name}’({channel})에서 가장 큽니다. {hour}대에 보낸 메시지의 추정 클릭률은 {shrunk_click_rate}, 전체 시간대는 {click_rate_of_all}입니다.
--   select 1 from answer having count(*) > 0 and count(*) filter (shrunk_click_rate > 1.02 * click_rate_of_all) = 0
--     en: No hour is better than the others. The hours of each campaign differ no more than expected by chance.
--     ko: 다른 시간대보다 뚜렷하게 좋은 시간대는 없습니다. 캠페인별 시간대 차이는 우연히 생길 수 있는 수준입니다.
--   select channel, max(machine_clicks_of_all) as machines from answer group by channel having machines > 0
--     en: Not counted: {machines} clicks of mail scanners ({channel}).
--     ko: 메일 보안 솔루션의 자동 클릭 {machines}건은 제외했습니다({channel}).
--     as: note

with params as (
    select
        *,
        coalesce(getvariable('top')::bigint, 1) as top,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages,
        coalesce(getvariable('least_days')::bigint, 3) as least_days
    from marts.period('events')
),
-- A click counts for the day and hour in which its message was sent.
hours as (
    select
        send_hours.channel,
        send_hours.campaign_id,
        send_hours.user_journey_id,
        send_hours.hour,
        count(distinct send_hours.sent_date) as days,
        sum(send_hours.clickable)::bigint as messages,
        sum(send_hours.clicked)::bigint as clicked,
        sum(send_hours.machine_clicks)::bigint as machine_clicks
    from marts.send_hours
    inner join params on send_hours.sent_date between params.first_date and params.last_date
    where marts.matches('channel', send_hours.channel)
    group by all
    having messages > 0
),
rates as (
    select
        *,
        sum(messages) over sender as messages_of_all,
        sum(machine_clicks) over (partition by channel)::bigint as machine_clicks_of_all,
        sum(clicked) over sender / sum(messages) over sender as click_rate_of_all,
        -- If clicks are counted more than once, they are treated as if each message had at most one.
        least(click_rate_of_all, 0.999) as chance
    from hours
    window sender as (partition by channel, campaign_id, user_journey_id)
),
-- Estimates how much hours differ beyond chance, over all campaigns of a channel (method of moments). The variance of a
-- beta-binomial distribution is (1 + (n - 1) rho) times the binomial one. Its prior has the weight of 1 / rho - 1 messages at the
-- campaign's own rate.
spreads as (
    select
        channel,
        sum(
            pow(clicked - messages * chance, 2) / (chance * (1 - chance))
            - messages * (1 - messages / messages_of_all)
        )
        / nullif(sum(messages * (messages - 1)), 0) as rho
    from rates
    where click_rate_of_all > 0
    group by channel
),
-- Limits the weight of the prior to between ten and a hundred thousand messages. If hours differ by no more than chance, all get
-- the campaign's rate.
priors as (
    select channel, 1 / greatest(least(coalesce(rho, 0), 1 / 11), 1 / 100001) - 1 as prior_messages
    from spreads
),
shrunk as (
    select
        rates.*,
        priors.prior_messages,
        (rates.clicked + coalesce(priors.prior_messages, 0) * rates.click_rate_of_all)
        / (rates.messages + coalesce(priors.prior_messages, 0)) as shrunk_click_rate,
        row_number() over (
            partition by rates.channel, rates.campaign_id, rates.user_journey_id
            order by shrunk_click_rate desc, rates.messages desc, rates.hour
        ) as rank
    from rates
    left join priors on rates.channel = priors.channel
    -- A minimum number of days, because a single day may be good for other reasons than its hour.
    inner join params on rates.messages >= params.least_messages and rates.days >= params.least_days
)
select
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    shrunk.channel,
    shrunk.hour,
    shrunk.messages,
    round(shrunk.clicked / shrunk.messages, 6) as click_rate,
    round(shrunk.shrunk_click_rate, 6) as shrunk_click_rate,
    round(shrunk.click_rate_of_all, 6) as click_rate_of_all,
    shrunk.rank,
    shrunk.clicked,
    shrunk.machine_clicks,
    shrunk.machine_clicks_of_all,
    shrunk.days,
    round(shrunk.prior_messages)::bigint as prior_messages,
    coalesce(shrunk.campaign_id, shrunk.user_journey_id) as resource_id
from shrunk
inner join params on shrunk.rank <= params.top
left join campaigns on shrunk.campaign_id = campaigns.campaign_id
left join user_journeys on shrunk.user_journey_id = user_journeys.user_journey_id
where marts.matches('campaign', coalesce(shrunk.campaign_id, shrunk.user_journey_id))
order by shrunk.messages_of_all desc, resource_id, shrunk.channel, shrunk.rank;

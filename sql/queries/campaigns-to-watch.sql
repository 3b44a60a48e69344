-- title: Campaigns to look at
-- title_ko: 살펴볼 캠페인
-- chart: bar campaign_name click_rate by channel
-- subject: campaigns
-- question: Which campaigns do clearly better or worse than others on their channel, and which got worse this week?
-- question_ko: 같은 채널에서 뚜렷하게 좋거나 나쁜 캠페인, 이번 주에 나빠진 캠페인은 무엇인가요?
-- words: 떨어졌나, 왜 떨어졌나, click rate fell, underperforming, worse, 성과가 떨어진, 부진한 캠페인, 저조한
-- also: people excluded
-- params:
--   end (date, default max(date)): last KST day of the 28 days; by default the latest available day
--   top (bigint, default 5): how many campaigns of each group
--   least_messages (bigint, default 100, from 0): only campaigns with at least this many clickable messages
-- sentences:
--   select answer.*, last_date - greatest(first_date, first_held) + 1 as days, if(kind = 'best', 'more', 'fewer') as way_en, if(kind = 'best', '높습니다',
--   '낮습니다') as way_ko from answer, marts.period('statistics', days := 28) where kind in ('best', 'worst')
--   qualify row_number() over (partition by kind order by answer.rowid) = 1 order by kind
--     en: “{campaign_name}” has significantly {way_en} clicks per message than other campaigns on its channel ({channel}) in the last {days}
--       {days#day|days}: {click_rate}, versus {click_rate_of_others}.
--     ko: 최근 {days}일간 ‘{campaign_name}’의 메시지당 클릭률은 {click_rate}로, 같은 채널({channel})의 다른 캠페인({click_rate_of_others})보다 유의미하게 {way_ko}.
--     as: finding
--   select campaign_id, campaign_name, channel, week_click_rate, previous_click_rate from answer where kind = 'falling'
--     en: The click rate of “{campaign_name}” ({channel}) fell significantly this week: {week_click_rate}, versus {previous_click_rate} the
--       week before.
--     ko: ‘{campaign_name}’({channel})의 클릭률이 이번 주에 {previous_click_rate}에서 {week_click_rate}로 유의미하게 낮아졌습니다.
--     as: finding
--   select campaign_id, campaign_name, channel, messages, click_rate, click_rate_of_others, last_date - greatest(first_date, first_held) + 1 as days from
--   answer, marts.period('statistics', days := 28) where kind = 'worst' and campaign_id not in (select campaign_id from answer where
--   kind = 'falling') limit 1
--     en: Change the text or the audience of “{campaign_name}” ({channel}). Its click rate is {click_rate} for {messages} messages in the last
--       {days} {days#day|days}; other campaigns have {click_rate_of_others}.
--     ko: ‘{campaign_name}’({channel})의 문구나 대상을 바꿔 보세요. 최근 {days}일간 보낸 {messages}건의 클릭률은 {click_rate}이고 다른 캠페인은
--       {click_rate_of_others}입니다.
--     as: to do
--   select campaign_id, campaign_name, channel, messages, week_click_rate, previous_click_rate from answer where kind = 'falling' limit 2
--     en: Refresh “{campaign_name}” ({channel}): its click rate fell from {previous_click_rate} to {week_click_rate} within a week.
--     ko: ‘{campaign_name}’({channel}){을/를} 새로 구성해 보세요. 클릭률이 일주일 사이에 {previous_click_rate}에서 {week_click_rate}로 떨어졌습니다.
--     as: to do
--   select max(machine_click_share) as rate from answer where channel = 'email' having rate is not null
--     en: E-mail clicks in daily statistics include clicks of mail scanners. For campaigns with events, their share (up to {rate})
--       is left out.
--     ko: 일별 통계의 이메일 클릭에는 메일 보안 솔루션의 자동 클릭이 포함됩니다. 이벤트 데이터가 있는 캠페인은 그 비율(최대 {rate})만큼 제외했습니다.
--     as: note
--   select 1 from answer where channel = 'email' having count(*) > 0 and count(machine_click_share) = 0
--     en: E-mail clicks in daily statistics include clicks of mail scanners, which only events can identify.
--     ko: 일별 통계의 이메일 클릭에는 메일 보안 솔루션의 자동 클릭이 포함되어 있으며, 이벤트 없이는 가려낼 수 없습니다.
--     as: note
--   select last_date, count(*) as days from marts.period('statistics', days := 28), ops.coverage where not exists (from answer) and
--   stream = 'statistics' and date between first_date and last_date group by last_date
--     en: No campaign is significantly better or worse than the others on its channel in the 28 days to {last_date} ({days}
--       {days#day|days} available). Channels that do not count clicks are not compared.
--     ko: {last_date}까지 28일 중 데이터가 있는 {days}일 동안 같은 채널의 다른 캠페인과 유의미하게 차이 나는 캠페인이 없습니다. 클릭을 집계하지 않는 채널은 비교하지 않습니다.
--   select 1 from marts.period('statistics') where not exists (from answer) and marts.days_held('statistics', last_date - 13,
--   last_date) = 14
--     en: No click rate fell significantly in the last week.
--     ko: 최근 일주일간 클릭률이 유의미하게 하락한 캠페인은 없습니다.

with params as (
    select
        *,
        coalesce(getvariable('top')::bigint, 5) as top,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages,
        -- A week is compared with the previous one only if all days of both are available.
        marts.days_held('statistics', last_date - 13, last_date) = 14 as has_two_weeks
    from marts.period('statistics', days := 28)
),
days as (
    select message_days.*, params.last_date - message_days.date as age
    from marts.message_days
    inner join params on message_days.date between params.last_date - 27 and params.last_date
    where message_days.campaign_id is not null and message_days.clickable is not null
),
-- The share of clicks made by machines, among clicks whose message is in the events.
machines as (
    select times.campaign_id, times.channel, sum(times.machine_clicks) / sum(times.responses + times.machine_clicks) as share
    from marts.daily_response_times as times
    inner join params on times.date between params.last_date - 27 and params.last_date
    where times.response = 'clicked'
    group by all
),
campaign_counts as (
    select
        days.campaign_id,
        days.channel,
        any_value(machines.share) as machine_click_share,
        1 - coalesce(machine_click_share, 0) as human_share,
        sum(clickable) as messages,
        least(human_share * sum(clicked), messages) as clicked,
        sum(clickable) filter (age < 7) as week_messages,
        least(human_share * sum(clicked) filter (age < 7), week_messages) as week_clicked,
        sum(clickable) filter (age between 7 and 13) as previous_messages,
        least(human_share * sum(clicked) filter (age between 7 and 13), previous_messages) as previous_clicked
    from days
    left join machines on days.campaign_id = machines.campaign_id and days.channel is not distinct from machines.channel
    group by days.campaign_id, days.channel
    having sum(clickable) > 0
),
-- A person who clicks one message may click the others too. If each person clicked all or none, this number of messages would
-- behave as one (likeness): the mean number of messages per person, weighted by messages.
received as (
    select
        daily_people.channel,
        daily_people.campaign_id,
        coalesce(people.person, daily_people.person) as person,
        sum(daily_people.messages + daily_people.shown) as messages,
        sum(daily_people.messages + daily_people.shown) filter (params.last_date - daily_people.date < 7) as week_messages,
        sum(daily_people.messages + daily_people.shown)
            filter (params.last_date - daily_people.date between 7 and 13) as previous_messages,
        sum(daily_people.clicked) as clicked
    from marts.daily_people
    inner join params on daily_people.date between params.last_date - 27 and params.last_date
    left join marts.people on daily_people.person = people.weaker_id
    where daily_people.campaign_id is not null
    group by all
),
-- How alike the messages to a person are (intraclass correlation, by moments): 0 if they are clicked independently, 1 if a person
-- clicks all or none. The larger value of the campaign and the channel is used; 1 if too few people click to estimate it.
cells as (
    select channel, campaign_id, person, messages, clicked
    from received
    union all
    select channel, null, person, sum(messages), sum(clicked)
    from received
    group by channel, person
),
clicked_cells as (
    select *, least(1, sum(clicked) over together / nullif(sum(messages) over together, 0)) as rate
    from cells
    window together as (partition by channel, campaign_id)
),
alike as (
    select channel, if(min(clickers) >= 30, greatest(0, least(1, max(correlation))), 1) as estimate
    from (
        select
            channel,
            count(*) filter (clicked > 0) as clickers,
            (sum(pow(clicked - rate * messages, 2)) - sum(rate * (1 - rate) * messages))
            / nullif(sum(rate * (1 - rate) * messages * (messages - 1)), 0) as correlation
        from clicked_cells
        group by channel, campaign_id is null
    )
    group by channel
),
shared as (
    select *, sum(messages) over (partition by channel, person) - messages as messages_of_others
    from received
),
known as (
    select
        channel,
        campaign_id,
        sum(messages) as received,
        sum(week_messages) as week_received,
        sum(previous_messages) as previous_received,
        sum(messages * messages) / received as likeness,
        sum(week_messages * week_messages) / week_received as week_likeness,
        sum(previous_messages * previous_messages) / previous_received as previous_likeness,
        sum(messages * messages + 2 * messages * messages_of_others) as own_squares
    from shared
    group by channel, campaign_id
),
known_of_channels as (
    select channel, sum(messages) as received, sum(messages * messages) as squares
    from (select channel, person, sum(messages) as messages from received group by channel, person)
    group by channel
),
-- On days without events, messages are assumed to reach the people known from other days.
counted as (
    select
        campaign_counts.*,
        sum(campaign_counts.messages) over channel - campaign_counts.messages as other_messages,
        sum(campaign_counts.clicked) over channel - campaign_counts.clicked as other_clicked,
        coalesce(alike.estimate, 1) as correlation,
        -- The factors by which variances exceed those of independent messages.
        1 + (coalesce(known.likeness * greatest(1, campaign_counts.messages / known.received), 1) - 1) * correlation as likeness,
        1 + (coalesce(known.week_likeness * greatest(1, week_messages / known.week_received), 1) - 1) * correlation as week_likeness,
        1 + (coalesce(known.previous_likeness * greatest(1, previous_messages / known.previous_received), 1) - 1) * correlation
            as previous_likeness,
        1 + correlation * (
            coalesce(
                (of_channel.squares - coalesce(known.own_squares, 0)) / nullif(of_channel.received - coalesce(known.received, 0), 0)
                * greatest(1, other_messages / (of_channel.received - coalesce(known.received, 0))),
                1
            ) - 1
        ) as likeness_of_others
    from campaign_counts
    left join known
        on campaign_counts.campaign_id = known.campaign_id and campaign_counts.channel is not distinct from known.channel
    left join known_of_channels as of_channel on campaign_counts.channel is not distinct from of_channel.channel
    left join alike on campaign_counts.channel is not distinct from alike.channel
    window channel as (partition by campaign_counts.channel)
),
-- The rate of a few messages may be due to chance, so at_least is the distance to the nearer end of the interval.
rates as (
    select
        *,
        clicked / messages as click_rate,
        marts.wilson_interval(clicked / likeness, messages / likeness) as likely,
        other_clicked / nullif(other_messages, 0) as click_rate_of_others,
        week_clicked / nullif(week_messages, 0) as week_click_rate,
        previous_clicked / nullif(previous_messages, 0) as previous_click_rate,
        marts.wilson_interval(week_clicked / week_likeness, week_messages / week_likeness) as likely_this_week,
        marts.wilson_interval(previous_clicked / previous_likeness, previous_messages / previous_likeness) as likely_before
    from counted
),
tests as (
    select
        if(click_rate > click_rate_of_others, 'best', 'worst') as kind,
        if(
            click_rate > click_rate_of_others,
            likely.low / click_rate_of_others - 1,
            1 - likely.high / click_rate_of_others
        ) as at_least,
        marts.two_rates_p(
            clicked / likeness,
            messages / likeness,
            other_clicked / likeness_of_others,
            other_messages / likeness_of_others
        ) as p_alone,
        rates.*
    from rates
    where messages >= (select least_messages from params) and other_messages > 0
    union all
    select
        'falling',
        1 - likely_this_week.high / nullif(likely_before.low, 0),
        marts.two_rates_p(
            week_clicked / week_likeness,
            week_messages / week_likeness,
            previous_clicked / previous_likeness,
            previous_messages / previous_likeness
        ),
        rates.*
    from rates
    where
        (select has_two_weeks from params)
        and least(week_messages, previous_messages) >= greatest(1, (select least_messages from params))
),
-- Among many comparisons some look unusual by chance, so Holm's correction covers all campaigns and kinds.
ranked as (
    select *, row_number() over (order by p_alone, campaign_id, channel, kind) as place, count(*) over () as comparisons
    from tests
),
groups as (
    select *, max(least(1, p_alone * (comparisons - place + 1))) over (order by place rows unbounded preceding) as p_value
    from ranked
),
found as (
    select * from groups
    where p_value < 0.05 and at_least > 0 and isfinite(at_least)
),
opposite as (
    select channel, if(kind = 'best', 'worst', 'best') as kind, sum(messages) as messages, sum(clicked) as clicked
    from found
    where kind <> 'falling'
    group by all
),
-- A single unusual campaign moves the rate of the others. So a campaign is better or worse only if it also differs from the others
-- without those that are unusual on the other side. If no others are left, all are used.
standing as (
    select found.*, (other_clicked - opposite.clicked) / nullif(other_messages - opposite.messages, 0) as click_rate_of_rest
    from found
    left join opposite on found.kind = opposite.kind and found.channel is not distinct from opposite.channel
    where coalesce(if(found.kind = 'best', likely.low > click_rate_of_rest, likely.high < click_rate_of_rest), true)
)
select
    standing.kind,
    -- The id is added if several campaigns have the same name.
    campaigns.campaign_name || if(
        (select count(*) from campaigns as named where named.campaign_name = campaigns.campaign_name) > 1,
        ' (' || standing.campaign_id || ')',
        ''
    ) as campaign_name,
    standing.channel,
    standing.messages::bigint as messages,
    round(standing.click_rate, 6) as click_rate,
    round(standing.click_rate_of_others, 6) as click_rate_of_others,
    round(standing.week_click_rate, 6) as week_click_rate,
    round(standing.previous_click_rate, 6) as previous_click_rate,
    round(standing.at_least, 6) as at_least,
    standing.clicked::bigint as clicked,
    round(standing.machine_click_share, 6) as machine_click_share,
    round(standing.p_value, 6) as p_value,
    standing.campaign_id
from standing
cross join params
inner join campaigns on standing.campaign_id = campaigns.campaign_id
qualify row_number() over (partition by standing.kind order by standing.at_least desc, standing.campaign_id) <= params.top
order by list_position(['best', 'worst', 'falling'], standing.kind), standing.at_least desc, standing.campaign_id;

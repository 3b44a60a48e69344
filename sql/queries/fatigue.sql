-- title: Fatigue by campaign
-- title_ko: 캠페인별 피로도
-- subject: people
-- question: Do readers of a campaign click less when they had many messages in the days before?
-- also: people exports
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   window_days (bigint, default 28, one of 7 28): days before a message in which the messages to its reader count
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): only the campaign or user journey with this id
-- given:
--   largest as (select resource_id, channel from answer group by all order by sum(messages) desc, resource_id limit 1),
--   steps as (select *, if(click_rate <= 1, click_rate * (1 - click_rate) / messages, null) as variance, row_number() over (order by
--   rowid) as place, row_number() over (order by rowid desc) as place_from_end from answer semi join largest using (resource_id,
--   channel) where messages >= 100),
--   ends as (select few.resource_name, few.channel, few.messages_before as few, many.messages_before as many, few.click_rate as
--   few_click_rate, many.click_rate as many_click_rate, few.click_rate - many.click_rate > 3 * sqrt(few.variance + many.variance) as
--   is_clear from steps as few, steps as many where few.place = 1 and many.place_from_end = 1 and many.place > 1)
-- sentences:
--   select *, replace(many, '+', ' or more') as many_en, replace(many, '+', '건 이상') || if(many like '%+', '', '건') as many_ko from
--   ends where is_clear
--     en: People with {many_en} earlier messages click “{resource_name}” ({channel}) less: {many_click_rate}, versus
--       {few_click_rate} with {few}.
--     ko: ‘{resource_name}’({channel})에서는 그 전에 메시지를 {many_ko} 받은 사람의 클릭률이 {many_click_rate}로, {few}건 받은 사람({few_click_rate})보다 유의미하게
--       낮습니다.
--   from ends where not is_clear
--     en: People with many earlier messages do not click “{resource_name}” ({channel}) significantly less.
--     ko: ‘{resource_name}’({channel})에서는 메시지를 많이 받은 사람의 클릭률이 유의미하게 낮지 않습니다.
--   select any_value(days_held) as days_held, any_value(days_needed) as days_needed from answer having any_value(days_held) <
--   any_value(days_needed)
--     en: Only {days_held} of the {days_needed} days needed have events, so earlier messages are missing from the counts.
--     ko: 필요한 {days_needed}일 중 {days_held}일의 이벤트만 있어 그 전에 받은 메시지 수가 실제보다 적게 집계됩니다.
--     as: note

with params as (
    select *, coalesce(getvariable('window_days')::bigint, 28) as length
    from marts.period('events', days := 28)
),
-- Messages before the first day held are unknown, so days close to it would undercount what readers received.
held as (
    select count(*) as days_held
    from ops.coverage
    cross join params
    where stream = 'events' and date between first_date - params.length::integer and last_date
),
readers as (
    select
        daily_fatigue.channel,
        daily_fatigue.campaign_id,
        daily_fatigue.user_journey_id,
        daily_fatigue.at_least,
        sum(daily_fatigue.messages)::bigint as messages,
        sum(daily_fatigue.clicked)::bigint as clicked
    from marts.daily_fatigue
    inner join params
        on
            daily_fatigue.date between params.first_date and params.last_date
            and daily_fatigue.window_days = params.length
    -- Fatigue cannot be measured on channels that count no clicks.
    inner join marts.channel_counters
        on daily_fatigue.channel = channel_counters.channel and channel_counters.counts_clicks
    where
        marts.matches('channel', daily_fatigue.channel)
        and marts.matches('campaign', coalesce(daily_fatigue.campaign_id, daily_fatigue.user_journey_id))
    group by all
)
select
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    readers.channel,
    marts.message_step_name(readers.at_least) as messages_before,
    readers.messages,
    round(readers.clicked / nullif(readers.messages, 0), 4) as click_rate,
    readers.clicked,
    held.days_held,
    params.length + (params.last_date - params.first_date) + 1 as days_needed,
    coalesce(readers.campaign_id, readers.user_journey_id) as resource_id
from readers
cross join params
cross join held
left join campaigns on readers.campaign_id = campaigns.campaign_id
left join user_journeys on readers.user_journey_id = user_journeys.user_journey_id
order by
    sum(readers.messages) over (partition by resource_id, readers.channel) desc,
    resource_id,
    readers.channel,
    readers.at_least;

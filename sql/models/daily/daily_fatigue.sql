-- grain: one KST day, day of the message, channel, campaign or user journey, window of 7 or 28 days, and earlier messages.
-- materialized: incremental
-- depends_on: events
-- lookback: 35 days
-- dirties: all later days
--
-- Earlier messages are those to the same person in the window before the day of the message. A click counts on its own day, by the
-- number of messages before the clicked one, which is up to seven days older. In-app and in-web messages do not count.

with reached as (
    select date, person, sum(messages) as messages
    from marts.daily_people
    where date in (select date from lookback_days)
    group by date, person
),

counted as (
    select
        date,
        date as sent_date,
        person,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        messages - failover_texts as messages,
        0 as clicked
    from marts.daily_people
    where
        date in (select date from batch_days)
        and not marts.is_display(channel)
        and messages > failover_texts
    union all
    select
        date,
        (sent_at at time zone 'Asia/Seoul')::date as sent_date,
        person,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        0 as messages,
        count(*) as clicked
    from marts.message_responses
    where
        date in (select date from batch_days)
        and not marts.is_display(channel)
        and response = 'clicked'
        and not is_machine
    group by all
),

before as (
    select
        readers.person,
        readers.sent_date,
        coalesce(sum(reached.messages) filter (reached.date >= readers.sent_date - 7), 0) as within_7,
        coalesce(sum(reached.messages), 0) as within_28
    from (select distinct person, sent_date from counted) as readers
    left join reached
        on
            readers.person = reached.person
            and reached.date between readers.sent_date - 28 and readers.sent_date - 1
    group by all
),

windows as (
    select person, sent_date, 7 as window_days, within_7 as messages_before
    from before
    union all
    select person, sent_date, 28, within_28
    from before
)

select
    counted.date,
    counted.sent_date,
    counted.channel,
    counted.resource_type,
    counted.campaign_id,
    counted.user_journey_id,
    windows.window_days,
    marts.message_step(windows.messages_before) as at_least,
    sum(counted.messages)::bigint as messages,
    sum(counted.clicked)::bigint as clicked
from counted
inner join windows on counted.person = windows.person and counted.sent_date = windows.sent_date
group by all;

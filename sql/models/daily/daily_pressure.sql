-- grain: one KST day, window of 7 or 28 days that ends with it, and number of messages that reached a person in it.
-- materialized: incremental
-- depends_on: events
-- lookback: 27 days
-- dirties: all later days
--
-- Messages are those sent to the person, including texts sent instead of a failed message. In-app and in-web messages that were
-- shown are counted separately, as displays. clickable counts the messages on channels that reported a click within the window;
-- other channels show nothing about interest.

with person_days as (
    select
        date,
        person,
        channel,
        messages,
        failover_texts,
        shown,
        case when marts.is_display(channel) then 0 else clicked end as clicked
    from marts.daily_people
    where date in (select date from lookback_days)
),

windows as (
    select batch_days.date, window_days, batch_days.date - window_days + 1 as first_date
    from batch_days
    cross join (values (7), (28)) as lengths (window_days)
    -- A day that is not held has no window.
    where batch_days.date in (select date from ops.coverage where stream = 'events')
),

-- The person to whom an id belongs on the last day of a window. A device may belong to a service user, who may belong to a user.
owners as (
    select
        batch_days.date,
        earlier.person as earlier,
        coalesce(third.stronger_id, second.stronger_id, first.stronger_id) as person
    from (select distinct person from person_days) as earlier
    inner join marts.identities as first on earlier.person = first.weaker_id
    inner join batch_days on first.date <= batch_days.date
    left join marts.identities as second on first.stronger_id = second.weaker_id and second.date <= batch_days.date
    left join marts.identities as third on second.stronger_id = third.weaker_id and third.date <= batch_days.date
),

reporting as (
    select distinct windows.date, windows.window_days, person_days.channel
    from windows
    inner join person_days on person_days.date between windows.first_date and windows.date
    where person_days.clicked > 0
),

persons as (
    select
        windows.date,
        windows.window_days,
        coalesce(owners.person, person_days.person) as person,
        sum(person_days.messages) as messages,
        sum(person_days.shown) as shown,
        -- A text sent instead of a message is not clicked on the message's channel.
        sum(person_days.messages - person_days.failover_texts) filter (reporting.channel is not null) as clickable,
        sum(person_days.clicked) as clicked
    from windows
    inner join person_days on person_days.date between windows.first_date and windows.date
    left join owners on windows.date = owners.date and person_days.person = owners.earlier
    left join reporting
        on
            windows.date = reporting.date
            and windows.window_days = reporting.window_days
            and person_days.channel is not distinct from reporting.channel
    group by windows.date, windows.window_days, coalesce(owners.person, person_days.person)
)

select
    date,
    window_days,
    marts.message_step(messages) as at_least,
    marts.message_step_name(at_least) as messages_per_person,
    count(*) as people,
    sum(messages)::bigint as messages,
    sum(shown)::bigint as shown,
    coalesce(sum(clickable), 0)::bigint as clickable,
    sum(clicked)::bigint as clicked,
    count(*) filter (clicked > 0) as clickers
from persons
where messages > 0
group by all;

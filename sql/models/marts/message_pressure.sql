-- grain: one KST day, window of 7 or 28 days that ends with it, and number of messages that reached a person in it.
--
-- A window with missing days (days_held) shows too few messages. Where no channel of the messages counts clicks, clicks are unknown.

select
    daily_pressure.date,
    daily_pressure.window_days,
    daily_pressure.at_least,
    daily_pressure.messages_per_person,
    daily_pressure.people,
    daily_pressure.people / sum(daily_pressure.people) over (
        partition by daily_pressure.date, daily_pressure.window_days
    ) as share_of_people,
    daily_pressure.messages,
    daily_pressure.shown,
    if(daily_pressure.clickable > 0, daily_pressure.clicked, null) as clicked,
    daily_pressure.clicked / nullif(daily_pressure.clickable, 0) as click_rate,
    if(daily_pressure.clickable > 0, daily_pressure.clickers, null) as clickers,
    if(daily_pressure.clickable > 0, daily_pressure.clickers / daily_pressure.people, null) as clicker_share,
    (
        select count(*)
        from ops.coverage as held
        where
            held.stream = 'events'
            and held.date between daily_pressure.date - daily_pressure.window_days + 1 and daily_pressure.date
    ) as days_held
from marts.daily_pressure;

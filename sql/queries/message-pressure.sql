-- title: Message pressure
-- question: How many messages reach people, and do they click less when they get more?
-- counts: people
-- params:
--   day (date, default max(date)): last KST day of the window; unless given, the last one held
--   window_days (bigint, default 28, one of 7 28): length of the window in days
-- In other DuckDB clients, set parameters before: set variable window_days = 7;
-- example:
--   messages_per_person  users  share_of_users  messages  displays  clicks  click_rate  clicker_share  clickers  …
--   1                    2      0.004           2         0         0       0           0              0         …
--   2                    9      0.0181          18        0         1       0.0556      0.1111         1         …
--   3                    14     0.0282          42        0         3       0.0714      0.1429         2         …

with params as (
    select
        coalesce(getvariable('day')::date, max(date)) as last_day,
        coalesce(getvariable('window_days')::bigint, 28) as length
    from marts.message_pressure
)
select
    message_pressure.messages_per_person,
    message_pressure.users,
    round(message_pressure.share_of_users, 4) as share_of_users,
    message_pressure.messages,
    message_pressure.displays,
    message_pressure.clicks,
    round(message_pressure.click_rate, 4) as click_rate,
    round(message_pressure.clicker_share, 4) as clicker_share,
    message_pressure.clickers,
    message_pressure.date,
    message_pressure.window_days,
    message_pressure.days_held
from marts.message_pressure
inner join params
    on message_pressure.date = params.last_day and message_pressure.window_days = params.length
order by message_pressure.at_least;

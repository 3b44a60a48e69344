-- title: Heatmap of sending
-- question: On which weekday and hour do messages sent get the most clicks?
-- counts: people
-- params:
--   channel (varchar, default null): this channel, such as email; unless given, the one with most messages that counts clicks
--   measure (varchar, default 'click_rate', one of click_rate sent): what the cells show
--   least_messages (bigint, default 100, from 0): cells with fewer messages have no rate
-- In other DuckDB clients, set parameters before: set variable channel = 'push-notification';
-- example:
--   channel            hour  monday  tuesday  wednesday  thursday  friday  saturday  sunday
--   push-notification  0
--   push-notification  1
--   push-notification  2

with params as (
    select
        coalesce(getvariable('measure')::varchar, 'click_rate') as measure,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages
),
-- Channels are not mixed, since their rates are not comparable: an hour would look better or worse by its mix of channels.
shown as (
    select send_time_heatmap.channel
    from marts.send_time_heatmap
    where marts.matches('channel', send_time_heatmap.channel)
    group by send_time_heatmap.channel
    order by
        count(send_time_heatmap.clicked) > 0 desc, sum(send_time_heatmap.succeeded) desc, send_time_heatmap.channel
    limit 1
),
-- A click counts for the weekday and hour in which its message was sent. Channels that report no clicks have no rate.
cells as (
    select
        send_time_heatmap.channel,
        send_time_heatmap.weekday,
        send_time_heatmap.hour,
        case params.measure
            when 'click_rate'
            then
                case
                    when send_time_heatmap.clickable >= params.least_messages
                    then round(send_time_heatmap.click_rate, 4)
                end
            when 'sent' then send_time_heatmap.succeeded
            else error('measure must be one of click_rate, sent')
        end::double as cell
    from marts.send_time_heatmap
    inner join shown on send_time_heatmap.channel is not distinct from shown.channel
    cross join params
)
select
    channel,
    hour,
    max(cell) filter (weekday = 1) as monday,
    max(cell) filter (weekday = 2) as tuesday,
    max(cell) filter (weekday = 3) as wednesday,
    max(cell) filter (weekday = 4) as thursday,
    max(cell) filter (weekday = 5) as friday,
    max(cell) filter (weekday = 6) as saturday,
    max(cell) filter (weekday = 7) as sunday
from cells
group by channel, hour
order by hour;

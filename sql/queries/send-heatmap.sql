-- title: Heatmap of sending
-- question: On which weekday and hour do messages sent get the most clicks?
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   measure (varchar, default 'click_rate', one of click_rate sent): what the cells show
-- In other DuckDB clients, set parameters before: set variable channel = 'push-notification';
-- example:
--   hour  monday  tuesday  wednesday  thursday  friday  saturday  sunday
--   0     0.0714  0.1111   0.0625     0         0       0         0
--   1     0.0833  0.1111   0.2857     0         0.125   0.1667    0
--   2     0       0        0.3333     0.1667    0.5     0         0.5

with params as (
    select
        getvariable('channel')::varchar as only_channel,
        coalesce(getvariable('measure')::varchar, 'click_rate') as measure
),
-- A click counts for the weekday and hour in which its message was sent. Channels that report no clicks have no rate.
cells as (
    select
        send_time_heatmap.weekday,
        send_time_heatmap.hour,
        case any_value(params.measure)
            when 'click_rate'
            then round(
                sum(send_time_heatmap.clicked)
                / nullif(sum(send_time_heatmap.succeeded) filter (send_time_heatmap.clicked is not null), 0),
                4
            )
            when 'sent' then sum(send_time_heatmap.succeeded)
            else error('measure must be one of click_rate, sent')
        end::double as cell
    from marts.send_time_heatmap
    cross join params
    where params.only_channel is null or send_time_heatmap.channel = params.only_channel
    group by send_time_heatmap.weekday, send_time_heatmap.hour
)
select
    hour,
    max(cell) filter (weekday = 1) as monday,
    max(cell) filter (weekday = 2) as tuesday,
    max(cell) filter (weekday = 3) as wednesday,
    max(cell) filter (weekday = 4) as thursday,
    max(cell) filter (weekday = 5) as friday,
    max(cell) filter (weekday = 6) as saturday,
    max(cell) filter (weekday = 7) as sunday
from cells
group by hour
order by hour;

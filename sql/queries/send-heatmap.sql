-- title: Send times as a heatmap
-- title_ko: 발송 히트맵
-- chart: heatmap
-- subject: times
-- question: On which weekday and hour do messages sent get the most clicks?
-- question_ko: 어느 요일, 어느 시간대에 보낸 메시지의 클릭률이 가장 높나요?
-- words: best day of the week, weekday, when to send, monday, tuesday, wednesday, thursday, friday, saturday, sunday, 요일별 클릭률, 월요일, 화요일, 수요일, 목요일, 금요일, 토요일, 일요일
-- also: people exports
-- params:
--   channel (varchar, default null): this channel, such as email; by default the one with the most messages that counts clicks
--   measure (varchar, default 'click_rate', one of click_rate sent): what the cells show
--   least_messages (bigint, default 100, from 0): no rate for cells with fewer messages than this
-- given:
--   sent as (select sent_date, hour, clickable, clicked, sum(clicked) over level / nullif(sum(clickable) over level, 0) as usual,
--   sum(clickable) over level as messages from marts.send_hours where channel = (select any_value(channel) from answer) and
--   clickable > 0 window level as (partition by sent_date, campaign_id, user_journey_id)),
--   cells as (select isodow(sent_date) as day, hour, count(distinct sent_date) as days, sum(clickable) as messages, sum(clicked) as
--   clicked, sum(clickable * usual) as expected, sum(clickable * usual * (1 - usual) * (1 - clickable / messages)) as scatter,
--   sum(clicked) > expected and sum(clicked) - expected > 3.43 * sqrt(scatter) as is_clear from sent group by all having days >= 3
--   and sum(clickable) >= 100),
--   levels as (select sent_date, clickable, clicked, sum(clicked) over level / nullif(sum(clickable) over level, 0) as usual from marts.send_hours
--   where channel = (select any_value(channel) from answer) and clickable > 0 window level as (partition by campaign_id, user_journey_id)),
--   dates as (select sent_date, isodow(sent_date) as day, sum(clickable) as messages, sum(clicked) as clicked, sum(clickable * usual) as expected from levels group by sent_date),
--   weekdays as (select day, count(*) as days, sum(messages) as messages, sum(clicked) / sum(messages) as rate, sum(expected) / sum(messages) as
--   usual_rate, sum(clicked - expected) / nullif(sqrt(count(*)) * any_value(scatter), 0) as deviation, ['monday', 'tuesday', 'wednesday',
--   'thursday', 'friday', 'saturday', 'sunday'][day] as weekday from (select *, stddev_samp(clicked - expected) over () as scatter from dates)
--   group by day having days >= 3)
-- sentences:
--   select weekdays.*, (select any_value(channel) from answer) as channel from weekdays where deviation > 3 order by deviation desc limit 1
--     en: {channel} messages sent on {weekday} get significantly more clicks: {rate} of {messages}, versus {usual_rate} for the same campaigns on all days.
--     ko: {channel} 채널은 {weekday}에 보낸 메시지의 클릭률이 {rate}({messages}건)로, 같은 캠페인의 전체 평균({usual_rate})보다 유의미하게 높습니다.
--   select (select any_value(channel) from answer) as channel, arg_max(weekday, rate / usual_rate) as weekday, arg_max(rate, rate / usual_rate) as rate,
--   arg_max(usual_rate, rate / usual_rate) as usual_rate from weekdays having max(rate / usual_rate) > 1 and max(deviation) <= 3
--     en: No weekday on {channel} is significantly better than the others. The best one, {weekday}, has a click rate of {rate}, versus
--       {usual_rate} for the same campaigns on all days.
--     ko: {channel} 채널에서 유의미하게 좋은 요일은 없습니다. 가장 높은 {weekday}의 클릭률은 {rate}, 같은 캠페인의 전체 평균은 {usual_rate}입니다.
--   select (select any_value(channel) from answer) as channel, day, ['monday', 'tuesday', 'wednesday', 'thursday', 'friday',
--   'saturday', 'sunday'][day] as weekday, cells.hour, days, messages, clicked / messages as rate, expected / messages as
--   expected_rate from cells where is_clear order by (clicked - expected) / sqrt(nullif(scatter, 0)) desc limit 1
--     en: {channel} messages sent on {weekday} from {hour} get significantly more clicks than the same campaigns at other hours of
--       those days: {rate} of {messages}, versus {expected_rate} ({days} such days).
--     ko: {channel} 채널에서 {weekday} {hour}대에 보낸 메시지의 클릭률은 {rate}({messages}건, {days}일)로, 같은 날 같은 캠페인의 다른 시간대({expected_rate})보다
--       유의미하게 높습니다.
--     as: finding
--   select any_value(answer.channel) as channel from answer where exists (from cells) and not exists (from cells where is_clear)
--   having count(*) > 0
--     en: No hour of a weekday on {channel} has a significantly higher click rate than the same campaigns at other hours of those
--       days. Only hours with 100 messages on at least three days are compared.
--     ko: {channel} 채널에는 같은 날 같은 캠페인의 다른 시간대보다 클릭률이 유의미하게 높은 요일·시간대가 없습니다(3일 이상, 100건 이상 발송한 요일·시간대만 비교).
--   select true as not_compared where exists (from answer) and not exists (from cells)
--     en: Hours by weekday cannot be compared yet. Each needs at least 100 messages, sent on at least three days.
--     ko: 요일·시간대를 아직 비교할 수 없습니다. 같은 요일·시간대에 3일 이상, 100건 이상 발송해야 합니다.

with params as (
    select
        marts.choice('measure', ['click_rate', 'sent']) as measure,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages
),
-- Channels are not mixed, because their rates are not comparable: an hour would look better or worse only because of its channels.
shown as (
    select send_time_heatmap.channel
    from marts.send_time_heatmap
    where marts.matches('channel', send_time_heatmap.channel)
    group by send_time_heatmap.channel
    order by
        count(send_time_heatmap.clicked) > 0 desc, sum(send_time_heatmap.succeeded) desc, send_time_heatmap.channel
    limit 1
),
-- A click counts for the weekday and hour in which its message was sent. Channels that do not report clicks have no rate.
cells as (
    select
        send_time_heatmap.channel,
        send_time_heatmap.weekday,
        send_time_heatmap.hour,
        case
            when params.measure = 'sent' then send_time_heatmap.succeeded
            when send_time_heatmap.clickable >= params.least_messages then round(send_time_heatmap.click_rate, 6)
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
-- Hours before the first and after the last one with a value are left out.
qualify coalesce(hour between min(hour) filter (count(cell) > 0) over () and max(hour) filter (count(cell) > 0) over (), true)
order by hour;

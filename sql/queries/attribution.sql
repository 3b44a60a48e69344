-- title: Purchases after messages
-- title_ko: 메시지 이후 구매
-- chart: bar resource_name last_touch_7d by channel
-- first: resource_name preceded channel last_touch_7d last_touch_share_7d first_touch_7d last_touch_revenue_7d revenue_per_conversion
-- subject: conversions and costs
-- question: After which messages do people buy, and how soon, by the orders in your own table?
-- question_ko: 우리 주문 데이터 기준으로, 고객은 어떤 메시지를 받은 뒤 얼마 만에 구매하나요?
-- words: time from click to purchase, time to purchase, time to conversion, 클릭 후 구매까지, 구매까지 걸린 시간, how long after a click, purchases after a click, orders attributed to a message, last click, last touch, first touch, first click, multi-touch, unattributed, order value with and without a message, 기여도, 마지막 클릭 기여 매출, 첫 접촉, 첫 터치, 첫 클릭, 미귀속, 메시지 받은 고객 객단가, share of orders, attributed, orders after a click, what share of orders
-- also: people exports no_conversions
-- params:
--   start (date, default last_date - 27): first KST day of conversions; by default the range has 28 days
--   end (date, default max(date)): last KST day of conversions; by default the latest available day
--   after (varchar, default 'click', one of click send): which touch counts: a click, or a message that was sent or shown
--   by (varchar, default 'campaign', one of campaign channel message): one row per campaign or user journey, channel, or message
-- given:
--   touched as (select *, if(coalesce(getvariable('after'), 'click') = 'click', 'a click on a message', 'a message') as touch_en,
--   if(coalesce(getvariable('after'), 'click') = 'click', '메시지 클릭', '메시지 발송') as touch_ko from answer)
-- sentences:
--   select sum(last_touch_7d) as conversions, sum(last_touch_7d) filter (preceded = 'message') as credited, credited / conversions as credited_share,
--   nullif(conversions - credited, 0) as left_over, left_over / conversions as left_over_share, any_value(touch_en) as touch_en, any_value(touch_ko) as
--   touch_ko from touched having conversions > 0 and credited > 0
--     en: {credited} of {conversions} conversions ({credited_share}) came within 7 days after {touch_en}[[; no message is credited
--       with the other {left_over} ({left_over_share})]].
--     ko: 전환 {conversions}건 중 {credited}건({credited_share})이 {touch_ko} 후 7일 안에 발생했습니다.[[ 나머지 {left_over}건({left_over_share})은 메시지와 연결되지 않은 구매입니다.]]
--   select sum(last_touch_7d) as credited, any_value(p50_seconds_of_all) as p50_seconds, any_value(touch_ko) as touch_ko, if(coalesce(getvariable('after')::varchar, 'click') = 'click', 'click', 'message') as
--   touch from touched where preceded = 'message' having p50_seconds is not null
--     en: Half of the {credited} came within {p50_seconds} after the last {touch}.
--     ko: 이 {credited}건의 절반은 마지막 {touch_ko} 후 {p50_seconds} 안에 발생했습니다.
--   from answer where preceded = 'message' and resource_name is not null and last_touch_7d > 0 order by last_touch_7d desc, resource_name limit 1
--     en: “{resource_name}” is the last touch before {last_touch_7d} of them.
--     ko: 마지막으로 접한 메시지가 ‘{resource_name}’인 전환이 {last_touch_7d}건으로 가장 많습니다.
--   from answer where preceded = 'message' and resource_name is not null and first_touch_7d > 0 order by first_touch_7d desc, resource_name limit 1
--     en: “{resource_name}” is the first touch within 7 days before {first_touch_7d} of them.
--     ko: 7일 안에 처음 접한 메시지가 ‘{resource_name}’인 전환이 {first_touch_7d}건으로 가장 많습니다.
--   select sum(last_touch_revenue_7d) filter (preceded = 'message') / sum(last_touch_7d) filter (preceded = 'message') as after, sum(last_touch_revenue_7d)
--   filter (preceded = 'nothing') / sum(last_touch_7d) filter (preceded = 'nothing') as others, any_value(currency) as currency, any_value(touch_en) as
--   touch_en, any_value(touch_ko) as touch_ko from touched having after > 0 and others > 0
--     en: On average, a conversion after {touch_en} is worth {after:money}, and a conversion without one {others:money}.
--     ko: 건당 평균 금액은 {touch_ko} 이후 전환 {after:money}, 나머지 전환 {others:money}입니다.
--   select sum(last_touch_7d) as conversions from answer having conversions > 0 and coalesce(sum(last_touch_7d) filter (preceded = 'message'), 0) = 0
--     en: None of the {conversions} conversions came within 7 days after a message.
--     ko: 전환 {conversions}건 중 메시지 이후 7일 안에 발생한 전환이 없습니다.
--   select 1 from answer where preceded = 'message' limit 1
--     en: A conversion after a message may have another cause. Only a holdout (people who get no messages) shows what messages bring.
--     ko: 메시지 이후의 전환에는 다른 원인이 있을 수 있습니다. 효과는 홀드아웃의 미발송 그룹과 비교해야 알 수 있습니다.
--     as: note
--   select left_out from answer where left_out > 0 limit 1
--     en: Not counted: {left_out} {left_out#conversion|conversions} on days without events.
--     ko: 이벤트가 없는 날짜의 전환 {left_out}건은 제외했습니다.
--     as: note
--   select days_held, days from answer where days_held < days limit 1
--     en: Only {days_held} of the {days} relevant days have events, so more conversions may follow a message.
--     ko: 필요한 {days}일 중 이벤트 데이터가 있는 {days_held}일 기준이어서 메시지 이후 전환이 더 많을 수 있습니다.
--     as: note
--   select min(date) as first_date, max(date) as last_date from ops.coverage where stream = 'events' and not exists (from answer)
--   and exists (from own.conversions) having first_date is not null
--     en: No conversions on days with events. Events are available {first_date~last_date}.
--     ko: 이벤트가 있는 날짜에 발생한 전환이 없습니다. 이벤트 데이터는 {first_date~last_date}에 있습니다.

with params as (
    select
        *,
        marts.choice('after', ['click', 'send']) as after_what,
        marts.choice('by', ['campaign', 'channel', 'message']) as rows_by
    from marts.period('events', days := 28)
),
-- The seven days before the first day are included, because a conversion may follow one of their messages.
held as (
    select
        count(*) as days_held,
        any_value(params.last_date - params.first_date + 8) as days
    from ops.coverage
    inner join params on coverage.date between params.first_date - 7 and params.last_date
    where coverage.stream = 'events'
),
in_range as (
    select conversions.*, conversions.date in (select date from ops.coverage where stream = 'events') as has_events
    from marts.conversion_people as conversions
    inner join params on conversions.date between params.first_date and params.last_date
),
-- On a day without events, nobody knows what happened before a conversion.
converted as (
    select row_number() over () as conversion, person, epoch_us(converted_at) as converted_us, value, currency
    from in_range
    where has_events
),
-- Clicks of mail scanners are left out.
touched as (
    select
        coalesce(people.person, touches.person) as person,
        epoch_us(touches.occurred_at) as touched_us,
        touches.channel,
        if(params.rows_by = 'campaign', null, touches.channel) as channel_of_row,
        if(params.rows_by = 'channel', null, touches.resource_type) as resource_type,
        if(params.rows_by = 'channel', null, coalesce(touches.campaign_id, touches.user_journey_id)) as resource_id,
        if(params.rows_by = 'message', touches.experiment_group_name, null) as variant_name,
        if(params.rows_by = 'message', touches.user_journey_node_id, null) as user_journey_node_id
    from marts.event_people as touches
    inner join params on touches.date between params.first_date - 7 and params.last_date
    left join marts.people on touches.person = people.weaker_id
    left join marts.message_responses as clicks
        on touches.date = clicks.date and touches.event_id = clicks.event_id and clicks.response = 'clicked' and clicks.is_machine
    where
        touches.person in (select person from converted union select weaker_id from marts.people)
        and touches.occurred_at is not null
        and if(
            params.after_what = 'click',
            touches.kind = 'clicked' and clicks.event_id is null,
            marts.is_reaching(touches.kind, touches.channel)
        )
),
-- The first and the last touch of each conversion by each of the rows, and the days since the last.
pairs as (
    select
        converted.conversion,
        touched.channel_of_row,
        touched.resource_type,
        touched.resource_id,
        touched.variant_name,
        touched.user_journey_node_id,
        max(touched.touched_us) as touched_us,
        min(touched.touched_us) as first_touched_us,
        min(touched.touched_us) filter (touched.touched_us >= converted.converted_us - 86_400_000_000) as first_touched_1d_us,
        arg_max(touched.channel, touched.touched_us) as channel,
        (any_value(converted.converted_us) - max(touched.touched_us)) / 86_400_000_000 as days_before,
        any_value(converted.value) as value
    from converted
    inner join touched
        on
            converted.person = touched.person
            and touched.touched_us <= converted.converted_us
            and touched.touched_us > converted.converted_us - 7 * 86_400_000_000
    group by all
),
ranked as (
    select
        *,
        row_number() over (
            partition by conversion
            order by touched_us desc, channel_of_row, resource_id, variant_name, user_journey_node_id
        ) = 1 as is_last,
        row_number() over (
            partition by conversion
            order by first_touched_us, channel_of_row, resource_id, variant_name, user_journey_node_id
        ) = 1 as is_first,
        first_touched_1d_us is not null and row_number() over (
            partition by conversion
            order by first_touched_1d_us nulls last, channel_of_row, resource_id, variant_name, user_journey_node_id
        ) = 1 as is_first_1d
    from pairs
),
counted as (
    select
        'message' as preceded,
        channel_of_row,
        if(count(distinct channel) = 1, any_value(channel), null) as channel,
        resource_type,
        resource_id,
        variant_name,
        user_journey_node_id,
        count(*) filter (is_last and days_before <= 1) as last_touch_1d,
        count(*) filter (is_last and days_before <= 3) as last_touch_3d,
        count(*) filter (is_last) as last_touch_7d,
        count(*) filter (days_before <= 1) as any_touch_1d,
        count(*) filter (days_before <= 3) as any_touch_3d,
        count(*) as any_touch_7d,
        count(*) filter (is_first_1d) as first_touch_1d,
        count(*) filter (is_first) as first_touch_7d,
        86_400 * median(days_before) filter (is_last) as p50_seconds,
        sum(value) filter (is_last) as last_touch_revenue_7d,
        sum(value) filter (is_first) as first_touch_revenue_7d,
        sum(value) as any_touch_revenue_7d
    from ranked
    group by all
),
-- The conversions without a message before them.
nearest as (
    select converted.conversion, any_value(converted.value) as value, min(pairs.days_before) as days_before
    from converted
    left join pairs on converted.conversion = pairs.conversion
    group by converted.conversion
),
others as (
    select
        'nothing' as preceded,
        count(*) filter (days_before is null or days_before > 1) as one_day,
        count(*) filter (days_before is null or days_before > 3) as three_days,
        count(*) filter (days_before is null) as seven_days,
        sum(value) filter (days_before is null) as revenue
    from nearest
    having count(*) > 0
),
answered as (
    select * exclude (channel_of_row) from counted
    union all by name
    select
        preceded,
        one_day as last_touch_1d,
        three_days as last_touch_3d,
        seven_days as last_touch_7d,
        one_day as any_touch_1d,
        three_days as any_touch_3d,
        seven_days as any_touch_7d,
        one_day as first_touch_1d,
        seven_days as first_touch_7d,
        revenue as last_touch_revenue_7d,
        revenue as first_touch_revenue_7d,
        revenue as any_touch_revenue_7d
    from others
)
select
    answered.preceded,
    resources.resource_name,
    answered.channel,
    coalesce(answered.variant_name, user_journey_nodes.user_journey_node_name) as variant_or_node,
    answered.last_touch_1d,
    answered.last_touch_3d,
    answered.last_touch_7d,
    answered.any_touch_1d,
    answered.any_touch_3d,
    answered.any_touch_7d,
    answered.first_touch_1d,
    answered.first_touch_7d,
    round(answered.last_touch_7d / sum(answered.last_touch_7d) over (), 6) as last_touch_share_7d,
    round(answered.last_touch_revenue_7d, 2) as last_touch_revenue_7d,
    round(answered.first_touch_revenue_7d, 2) as first_touch_revenue_7d,
    round(answered.any_touch_revenue_7d, 2) as any_touch_revenue_7d,
    round(answered.last_touch_revenue_7d / nullif(answered.last_touch_7d, 0), 2) as revenue_per_conversion,
    round(answered.p50_seconds, 1) as p50_seconds,
    if(answered.preceded = 'message', (select round(86_400 * median(days_before), 1) from ranked where is_last), null) as p50_seconds_of_all,
    (select any_value(currency) from converted) as currency,
    held.days_held,
    held.days,
    (select count(*) from in_range where not has_events) as left_out,
    answered.resource_type,
    answered.resource_id
from answered
cross join held
left join marts.resources on answered.resource_id = resources.resource_id and answered.resource_type = resources.resource_type
left join user_journey_nodes
    on
        answered.resource_id = user_journey_nodes.user_journey_id
        and answered.user_journey_node_id = user_journey_nodes.user_journey_node_id
order by answered.preceded, answered.last_touch_7d desc, answered.any_touch_7d desc, resources.resource_name, answered.channel, variant_or_node;

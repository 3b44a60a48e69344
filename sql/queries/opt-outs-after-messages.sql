-- title: Opt-outs after messages
-- title_ko: 발송 후 수신거부
-- chart: interval item difference difference_low difference_high by channel
-- first: item channel verdict verdict_code per_thousand per_thousand_of_others messages opted_out
-- subject: opt-outs
-- question: Which campaigns, templates, hours or numbers of earlier messages have more opt-outs within 72 hours than the others?
-- question_ko: 발송 후 72시간 안에 수신거부가 유난히 많은 캠페인·템플릿·시간대·수신 건수는 무엇인가요?
-- words: 수신거부율 높은 메시지, unsubscribe rate per campaign, opt-outs by number of messages, opt-outs by frequency, 수신 건수별 수신거부, unsubscribe, unsubscribes, unsubscribed, why did opt-outs rise, 구독 취소, 구독 해지, 수신거부 증가 원인, 수신거부 왜 늘었나, causes the most unsubscribes, campaign causes unsubscribes, most unsubscribes, 수신거부 많은
-- params:
--   start (date, default last_date - 27): first KST day of sending; by default the range has 28 days
--   end (date, default max(date)): last KST day of sending; by default the latest with all 72 hours available
--   per (varchar, default 'campaign', one of campaign template hour messages_before): how messages are grouped; messages_before is the number that the person got in the 28 days before
--   campaign (varchar, default null): only the row of the campaign or user journey with this id
--   others (varchar, default 'channel', one of channel all): compared with all others of the channel, or of all channels
--   least_messages (bigint, default 100, from 0): no verdict for fewer messages than this
--   lang (varchar, default 'en', one of en ko): language of the verdict; --lang sets it too
-- given:
--   losing as (select answer.*, sold.* exclude (campaign_id) from answer left join (select campaign_id, sum(revenue) as revenue, any_value(currencies[1]) as
--   currency, min(date) as sold_from, max(date) as sold_to from marts.revenue_days where date > (select max(date) - 28 from ops.coverage where stream =
--   'campaigns') group by campaign_id having coalesce(len(marts.members_of(list(currencies))), 0) <= 1) as sold on answer.resource_id = sold.campaign_id where verdict_code
--   = 'more' order by opted_out desc)
-- sentences:
--   from losing where coalesce(getvariable('per'), '') <> 'messages_before' limit 3
--     en: “{item}” ({channel}) is followed by more opt-outs: {per_thousand} within 72 hours per 1,000 messages
--       {first_sent~last_sent}, versus {per_thousand_of_others} for other messages with an 080 number {first_date~last_date}.
--     ko: ‘{item}’({channel}): {first_sent~last_sent} 발송분은 1,000건당 {per_thousand}건이 72시간 안에 수신거부로 이어졌습니다. 080 번호가 있는 다른
--       메시지({first_date~last_date} {per_thousand_of_others}건)보다 유의미하게 많습니다.
--     as: finding
--   from losing where getvariable('per') = 'messages_before'
--     en: On {channel}, people with {item} messages in the 28 days before opt out more: {per_thousand} within 72 hours per 1,000 messages, versus
--       {per_thousand_of_others} of the others ({first_date~last_date}).
--     ko: {channel} 채널에서는 이전 28일 동안 {item}건을 받은 사람의 수신거부가 유의미하게 많습니다(72시간 내 1,000건당 {per_thousand}건, 나머지
--       {per_thousand_of_others}건, {first_date~last_date}).
--     as: finding
--   select any_value(marts.days_held('events', first_date - 28, last_date)) as held, any_value(last_date - first_date + 29) as days from answer
--   where getvariable('per') = 'messages_before' having held < days
--     en: Only {held} of the {days} days needed have events. People got more earlier messages than shown here.
--     ko: 필요한 {days}일 중 이벤트 데이터가 있는 {held}일 기준이어서, 실제로 받은 이전 메시지는 더 많습니다.
--     as: note
--   select any_value(first_date) as first_date, any_value(last_date) as last_date, count(*) filter (verdict_code not in ('too_few', 'alone')) as
--   compared from answer having count(*) filter (verdict_code
--   in ('more', 'unknown')) = 0 and count(*) filter (verdict_code not in ('too_few', 'alone')) > 0 and getvariable('campaign') is null
--     en: No messages {first_date~last_date} were followed by significantly more opt-outs within 72 hours than others ({compared} compared).
--     ko: {first_date~last_date} 발송 중 72시간 내 수신거부가 유의미하게 많은 메시지는 없습니다(비교 대상 {compared}개).
--   from answer where getvariable('campaign') is not null and verdict_code not in ('more', 'unknown') order by opted_out desc
--     en: Opt-outs within 72 hours followed {opted_out} of {messages} messages of “{item}” ({channel}, {first_date~last_date}).
--     ko: ‘{item}’({channel}): {first_date~last_date} 발송 {messages}건 중 {opted_out}건이 72시간 안에 수신거부로 이어졌습니다.
--   select any_value(verdict) as verdict from answer where verdict_code = 'unknown' having count(*) > 0
--     en: {verdict}
--     ko: {verdict}
--   select *, if(revenue > 0, revenue, null) as earned from losing where coalesce(getvariable('per'), 'campaign') in ('campaign', 'template') limit 2
--     en: Send “{item}” ({channel}) less often or to fewer people: {opted_out} of {messages} messages {first_sent~last_sent} were followed by an opt-out
--       within 72 hours ({per_thousand} per 1,000, other messages {first_date~last_date}: {per_thousand_of_others}).[[ The service credits it with
--       {earned:money} of revenue {sold_from~sold_to}.]]
--     ko: ‘{item}’({channel})의 발송 횟수나 대상을 줄이세요. {first_sent~last_sent} 발송 {messages}건 중 {opted_out}건이 72시간 안에
--       수신거부로 이어졌습니다(1,000건당 {per_thousand}건, {first_date~last_date} 다른 메시지는 {per_thousand_of_others}건).[[
--       {sold_from~sold_to} 기여 매출은 {earned:money}입니다.]]
--     as: to do
--   select 1 where not exists (from answer) and not exists (from ops.coverage where stream = 'opt_outs')
--     en: Opt-outs are not pulled: set reference.opt_outs in dawnload.yaml.
--     ko: 수신거부를 수집하지 않습니다. dawnload.yaml에 reference.opt_outs를 설정하세요.

with held as (
    select date
    from ops.coverage
    where stream = 'events'
),
-- The opt-outs after a message are known once a snapshot was taken three whole days after its day. The last message before an
-- opt-out is known only if the events of those days are available.
complete as (
    select held.date
    from held
    semi join held as next_day on held.date + 1 = next_day.date
    semi join held as second_day on held.date + 2 = second_day.date
    semi join held as third_day on held.date + 3 = third_day.date
    where held.date + 4 <= (select max(date) from ops.snapshots where stream = 'opt_outs')
),
params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_date,
        coalesce(getvariable('start')::date, last_date - (marts.days_asked(28) - 1)) as first_date,
        marts.choice('per', ['campaign', 'template', 'hour', 'messages_before']) as per,
        marts.choice('others', ['channel', 'all']) as others,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages,
        marts.choice('lang', ['en', 'ko']) as lang
    from complete
),
days as (
    select complete.date
    from complete
    inner join params on complete.date between params.first_date and params.last_date
),
-- Recipients that are dropped cannot be matched with opt-outs.
known as (
    select count(*) = 0 or count(recipient) > 0 as has_recipients
    from opt_outs_history
),
before as (
    select sends.event_id, sends.channel, marts.message_step(coalesce(sum(earlier.messages), 0)) as at_least
    from (
        select distinct date, event_id, channel, person
        from marts.event_people
        where
            date in (select date from days)
            and event_id in (select event_id from marts.opt_outs_after_messages)
            and kind in ('succeeded', 'failover_succeeded')
    ) as sends
    left join marts.daily_people as earlier
        on sends.person = earlier.person and earlier.date between sends.date - 28 and sends.date - 1
    where (select per = 'messages_before' from params)
    group by all
),
told as (
    select *, null as event_id
    from marts.recipient_messages
    where (select per <> 'messages_before' from params)
    union all by name
    -- The messages of the same campaigns and journeys, by the number of earlier ones as in fatigue.
    select sent_date as date, channel, at_least, messages, null as event_id
    from marts.daily_fatigue
    where
        (select per = 'messages_before' from params)
        and window_days = 28
        and (channel, coalesce(campaign_id, user_journey_id)) in (select (channel, resource_id) from marts.recipient_messages)
    union all by name
    select preceding.* exclude (date), preceding.sent_date as date, 0 as messages, before.at_least
    from marts.opt_outs_after_messages as preceding
    left join before on preceding.event_id = before.event_id and preceding.channel is not distinct from before.channel
),
groups as (
    select
        told.channel,
        case params.per
            when 'campaign' then coalesce(told.campaign_id, told.user_journey_id)
            when 'template' then concat_ws(' ', told.template_kind, told.template)
            when 'hour' then printf('%02d', told.hour)
            else printf('%02d', told.at_least)
        end as key,
        if(params.others = 'channel', told.channel, '') as compared_within,
        if(params.per = 'template', any_value(told.template), null) as template,
        if(params.per = 'hour', any_value(told.hour), null) as hour,
        any_value(told.at_least) as at_least,
        max(told.counted_as) as counted_as,
        min(told.date) filter (told.messages > 0) as first_sent,
        max(told.date) filter (told.messages > 0) as last_sent,
        sum(told.messages)::bigint as messages,
        least(count(distinct told.event_id), sum(told.messages))::bigint as opted_out
    from told
    cross join params
    where told.date in (select date from days) and (select has_recipients from known)
    group by told.channel, key, compared_within, params.per
    having sum(told.messages) > 0
),
rates as (
    select
        groups.*,
        opted_out / messages as rate,
        (sum(messages) over of_all - messages)::bigint as other_messages,
        (sum(opted_out) over of_all - opted_out)::bigint as other_opted_out,
        other_opted_out / nullif(other_messages, 0) as rate_of_others,
        marts.wilson_interval(opted_out, messages) as likely,
        marts.difference_interval(opted_out, messages, other_opted_out, nullif(other_messages, 0)) as likely_difference,
        messages >= params.least_messages as is_enough,
        -- Opt-outs are rare, so the test is exact: it uses the number of all opt-outs that would follow these messages by chance.
        case
            when is_enough and other_messages > 0 and opted_out + other_opted_out > 0
            then marts.binomial_p(opted_out, opted_out + other_opted_out, messages / (messages + other_messages))
        end as p_alone
    from groups
    cross join params
    window of_all as (partition by compared_within)
),
-- Among many comparisons some look unusual by chance, so Holm's correction covers all of them.
ranked as (
    select
        *,
        row_number() over (order by p_alone nulls last, channel, key) as place,
        count(p_alone) over () as comparisons
    from rates
),
judged as (
    select
        *,
        if(
            p_alone is null,
            null,
            max(least(1, p_alone * (comparisons - place + 1))) over (order by place rows unbounded preceding)
        ) as p_value,
        case
            when opted_out + other_opted_out = 0 then 'opt_outs_none'
            when other_messages = 0 then 'opt_outs_alone'
            when not is_enough then 'opt_outs_too_few'
            when p_value >= 0.05 then 'opt_outs_inconclusive'
            when rate > rate_of_others then 'opt_outs_more'
            else 'opt_outs_fewer'
        end as verdict_code,
        -- The interval is for one comparison, the exact test for all of them. If they disagree, the interval ends at zero.
        case
            when verdict_code = 'opt_outs_more' then greatest(likely_difference.low, 1e-6)
            when verdict_code = 'opt_outs_fewer' then likely_difference.low
            else least(likely_difference.low, 0)
        end as difference_low,
        case
            when verdict_code = 'opt_outs_more' then likely_difference.high
            when verdict_code = 'opt_outs_fewer' then least(likely_difference.high, -1e-6)
            else greatest(likely_difference.high, 0)
        end as difference_high
    from ranked
    union all by name
    select 'opt_outs_unknown' as verdict_code
    where not (select has_recipients from known)
)
select
    coalesce(
        campaigns.campaign_name, user_journeys.user_journey_name, judged.template, judged.hour::varchar, marts.message_step_name(judged.at_least),
        nullif(judged.key, '')
    ) as item,
    judged.channel,
    judged.messages,
    judged.opted_out,
    round(1000 * judged.rate, 6) as per_thousand,
    round(1000 * if(judged.likely.low < 0, 0, judged.likely.low), 6) as per_thousand_low,
    round(1000 * judged.likely.high, 6) as per_thousand_high,
    replace(judged.verdict_code, 'opt_outs_', '') as verdict_code,
    round(1000 * judged.rate_of_others, 6) as per_thousand_of_others,
    round(1000 * (judged.rate - judged.rate_of_others), 6) as difference,
    round(1000 * judged.difference_low, 6) as difference_low,
    round(1000 * judged.difference_high, 6) as difference_high,
    round(judged.rate / nullif(judged.rate_of_others, 0), 2) as ratio,
    round(judged.p_value, 6) as p_value,
    marts.fill_words(
        if(params.lang = 'ko', words.sentence_ko, words.sentence),
        map {
            'rate': printf('%.2f', 1000 * judged.rate),
            'others': printf('%.2f', 1000 * judged.rate_of_others),
            'messages': format('{:,d}', judged.messages),
            'least': format('{:,d}', params.least_messages),
            'comparisons': format('{:,d}', judged.comparisons)
        }
    ) as verdict,
    judged.counted_as,
    judged.other_messages,
    judged.other_opted_out,
    (select min(date) from days) as first_date,
    (select max(date) from days) as last_date,
    (select count(*) from days) as days,
    judged.first_sent,
    judged.last_sent,
    if(params.per = 'campaign', judged.key, null) as resource_id
from judged
cross join params
inner join verdict_words as words on judged.verdict_code = words.verdict_code
left join campaigns on params.per = 'campaign' and judged.key = campaigns.campaign_id
left join user_journeys on params.per = 'campaign' and judged.key = user_journeys.user_journey_id
where marts.matches('campaign', judged.key) or judged.verdict_code = 'opt_outs_unknown'
order by
    list_position(['unknown', 'more', 'fewer', 'inconclusive', 'too_few', 'alone', 'none'], replace(judged.verdict_code, 'opt_outs_', '')),
    judged.p_value,
    judged.opted_out desc,
    judged.messages desc,
    judged.channel,
    judged.key;

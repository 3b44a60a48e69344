-- grain: one KST day of a record, day and KST hour of sending, channel, campaign or user journey, and template.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
--
-- Messages that name their recipient (texts, friendtalks, alimtalks) and show an 080 number for opting out. sent counts messages
-- sent successfully, on their channel or as a text in its place. delivered counts deliveries on the channel of the send, in the
-- hour in which the message was sent.

with delivered as (
    select distinct event_id, date, channel
    from marts.counted_events
    where
        date in (select date from batch_days)
        and occurred_at is not null
        and marts.event_kind(event_name) = 'delivered'
),

-- Earlier sends are needed for messages that were delivered on this day.
occurred as (
    select event_id, date, occurred_at, channel, resource_type, campaign_id, user_journey_id
    from marts.counted_events
    where
        date in (select date from lookback_days)
        and (date in (select date from batch_days) or event_id in (select event_id from delivered))
        and occurred_at is not null
        and marts.event_kind(event_name) in ('succeeded', 'failover_succeeded')
),

messages as (
    select event_id, date, channel, template_kind, template
    from marts.addressed_messages()
    where
        date between getvariable('first_lookback_day') and getvariable('last_batch_day')
        and date in (select date from lookback_days)
        and len(marts.shown_numbers(text)) > 0
        and recipient_no is not null
        and event_id in (select event_id from occurred)
),

-- Only the earliest send counts, because a send that the service reports twice was made once.
sends as (
    select
        occurred.event_id,
        occurred.channel,
        occurred.date,
        min(
            {
                'sent_at': occurred.occurred_at,
                'channel': occurred.channel,
                'resource_type': occurred.resource_type,
                'campaign_id': occurred.campaign_id,
                'user_journey_id': occurred.user_journey_id,
                'template_kind': if(messages.template is null, null, messages.template_kind),
                'template': messages.template
            }
        ) as message
    from occurred
    inner join messages
        on
            occurred.event_id = messages.event_id
            and occurred.channel = messages.channel
            and occurred.date between messages.date and messages.date + 7
    group by occurred.event_id, occurred.channel, occurred.date
),

counted as (
    select date, message, true as is_sent
    from sends
    where date in (select date from batch_days)
    union all
    select delivered.date, arg_max(sends.message, sends.date), false
    from delivered
    inner join sends
        on
            delivered.event_id = sends.event_id
            and delivered.channel is not distinct from sends.channel
            and delivered.date between sends.date and sends.date + 7
    group by delivered.event_id, delivered.channel, delivered.date
)

select
    date,
    (message.sent_at at time zone 'Asia/Seoul')::date as sent_date,
    hour(message.sent_at at time zone 'Asia/Seoul')::integer as hour,
    message.channel as channel,
    message.resource_type as resource_type,
    message.campaign_id as campaign_id,
    message.user_journey_id as user_journey_id,
    message.template_kind as template_kind,
    message.template as template,
    count(*) filter (is_sent) as sent,
    count(*) filter (not is_sent) as delivered
from counted
group by all;

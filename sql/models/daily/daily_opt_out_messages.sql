-- grain: one opt-out, channel, and whether the message is known to be delivered.
-- materialized: incremental
-- depends_on: events, opt_outs
-- lookback: 3 days
--
-- For each opt-out (by the KST day of its request) and channel: the last message to the same recipient within 72 hours that shows
-- the opt-out's 080 number, and the last delivered one of these. marts.opt_outs_after_messages decides which of them
-- the opt-out follows. Recipients stored as given are compared in one spelling.

with requests as (
    select
        date,
        (md5_number_lower(json_array(unsubscribe_number, recipient, requested_at)::varchar) >> 1)::bigint as request,
        unsubscribe_number,
        if(getvariable('settings').recipients = 'keep', _plain_recipient(recipient), recipient) as recipient,
        requested_at
    from marts.opt_out_requests
    where date in (select date from batch_days) and recipient is not null and requested_at is not null
),

messages as (
    select
        event_id,
        date,
        channel,
        if(getvariable('settings').recipients = 'keep', _plain_recipient(recipient_no), recipient_no) as recipient,
        marts.shown_numbers(text) as numbers,
        template_kind,
        template
    from marts.addressed_messages()
    where
        date between getvariable('first_lookback_day') and getvariable('last_batch_day')
        and date in (select date from lookback_days)
        and recipient in (select recipient from requests)
),

occurred as (
    select *, marts.event_kind(event_name) as kind
    from marts.counted_events
    where
        date in (select date from lookback_days)
        and event_id in (select event_id from messages)
        and occurred_at is not null
),

preceding as (
    select
        requests.*,
        messages.event_id,
        messages.template_kind,
        messages.template,
        occurred.channel,
        occurred.resource_type,
        occurred.campaign_id,
        occurred.user_journey_id,
        occurred.occurred_at as sent_at,
        exists (
            select 1
            from occurred as later
            where
                later.event_id = messages.event_id
                and later.kind = 'delivered'
                and later.channel is not distinct from occurred.channel
                and later.date between occurred.date and requests.date
        ) as is_delivered
    from requests
    inner join messages
        on
            requests.recipient = messages.recipient
            and list_contains(messages.numbers, regexp_replace(requests.unsubscribe_number, '[^0-9]', '', 'g'))
    inner join occurred
        on
            messages.event_id = occurred.event_id
            and messages.channel = occurred.channel
            and occurred.date >= messages.date
            and requests.requested_at between occurred.occurred_at and occurred.occurred_at + interval 72 hours
    where
        occurred.kind in ('succeeded', 'failover_succeeded')
        and messages.date between requests.date - 3 and requests.date
        and occurred.date between requests.date - 3 and requests.date
)

select
    date,
    request,
    unsubscribe_number,
    requested_at,
    channel,
    is_delivered,
    event_id,
    resource_type,
    campaign_id,
    user_journey_id,
    if(template is null, null, template_kind) as template_kind,
    template,
    sent_at,
    (sent_at at time zone 'Asia/Seoul')::date as sent_date,
    hour(sent_at at time zone 'Asia/Seoul')::integer as hour
from preceding
qualify
    row_number() over (
        partition by request, channel, is_delivered
        order by sent_at desc, event_id desc, campaign_id, user_journey_id
    ) = 1;

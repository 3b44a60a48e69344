-- Documents that may hold somebody's number or address beside the recipient's own in its place, and those of other systems,
-- which may hold credentials: messages, and what records hold that no column takes. row_id is twice the row's number, and
-- one more for the latter.

create or replace temp table candidates as
with addressed as (
    select
        rowid as row_number,
        carries,
        message::varchar as message,
        if(
            carries in ('text-message', 'chatapp-alimtalk', 'chatapp-friendtalk'),
            regexp_extract(message, '"recipientNo":"([^"\\]*)"', 1),
            ''
        ) as recipient
    from staged
    where message is not null and (getvariable('recipients') <> 'keep' or carries in ('webhook', 'other'))
),

rests as (
    select
        *,
        if(recipient = '', message, replace(message, '"recipientNo":"' || recipient || '"', '')) as rest
    from addressed
),

masked_ones as (
    select
        row_number,
        carries,
        recipient,
        rest,
        message as given,
        -- Not `and`, which would look at both sides of every row.
        case when carries in ('webhook', 'other') then masked(json(message)::varchar) else message end as message,
        recipient <> '' and getvariable('recipients') <> 'keep' as has_recipient,
        regexp_full_match(recipient, '01[0-9]{8,9}') as is_mobile,
        case when has_recipient and not is_mobile then telling_number(recipient) end as number
    from rests
),

chosen as (
    select row_number * 2 as row_id, message, carries
    from masked_ones
    where
        message <> given
        or case when may_be_personal_json(rest) then may_be_personal_json(without_ids(rest)) else false end
        or case
            when not has_recipient then false
            when is_mobile then contains(rest, ltrim(recipient, '0'))
            when number is not null then holds_number(rest, number)
            else false
        end

    union all
    -- Without credentials already.
    select rowid * 2 + 1, extra::varchar, null
    from staged
    where extra is not null and may_be_personal_json(extra::varchar)
)

select
    row_id,
    document,
    own,
    -- Who writes to the own number is the recipient.
    if(plain_number(sender) = own, null, sender) as sender
from (
    select
        row_id,
        json(message)::varchar as document,
        telling_number(
            nullif(
                regexp_extract(
                    message, '"' || getvariable('recipient_key') || '"\s*:\s*"?([0-9+][^"\\,}]*)', 1
                ),
                ''
            )
        ) as own,
        -- Of an unknown channel it is not known that this is a sender.
        if(
            carries = 'other', null, nullif(regexp_extract(message, '"sendNo":"([0-9+][0-9 ().-]*)"', 1), '')
        ) as sender
    from chosen
    where row_id % 2 = 0

    union all
    select row_id, message, null, null
    from chosen
    where row_id % 2 = 1
) as read;

select count(*) as documents from candidates;

-- Applies the privacy settings to records and their messages, before anything is unfolded.
-- needs: staged
-- leaves: messages

-- name: columns
-- Applies privacy.columns to ids, and to messages and members without a column, which may have such keys at any depth.
update staged
set
    user_id = _ruled('user_id', user_id),
    service_user_id = _ruled('service_user_id', service_user_id),
    device_id = _ruled('device_id', device_id),
    service_device_id = _ruled('service_device_id', service_device_id);

update staged
set message = nullif(_ruled_document(message::varchar), 'null')
where message is not null and regexp_matches(message::varchar, getvariable('settings').ruled_pattern || '\\*"');

update staged
set extra = _ruled_document(extra::varchar)
where extra is not null and regexp_matches(extra::varchar, getvariable('settings').ruled_pattern || '\\*"');

-- name: fields
-- Removes numbers and addresses from the fields of records. Only few records have any.
create or replace temp table candidate_records as
from staged where is_candidate;

delete from staged where is_candidate;

insert into staged by name
select
    -- "\0" gives each column its own name.
    _redacted_field(
        columns(* exclude (occurred_at, date, export_date, extra, is_candidate, carries, message)),
        treatment()
    ) as "\0",
    occurred_at,
    date,
    export_date,
    extra,
    is_candidate,
    carries,
    message
from candidate_records;

-- name: messages
-- Each different message once, with the records that have it, because a campaign sends the same message to many recipients.
-- Credentials (in messages to other systems) and people's numbers and addresses are removed.

create or replace table messages as
with gathered as (
    select
        channel,
        carries,
        nfc_json(message)::varchar as message,
        list({event_id: event_id, date: date, export_date: export_date}) as records
    from staged
    where message is not null
    group by channel, carries, message
),

unmasked as (
    select
        * replace (case when carries in ('webhook', 'other') then _masked(message, carries) else message end as message)
    from gathered
),

-- The number under the recipient's own key is redacted when its column is read, so it does not make a message suspicious.
addressed as (
    select
        *,
        case
            when carries in ('text-message', 'chatapp-alimtalk', 'chatapp-friendtalk')
            then nullif(regexp_extract(message, '"recipientNo":"([^"\\]*)"', 1), '')
        end as recipient,
        if(recipient is null, message, replace(message, '"recipientNo":"' || recipient || '"', '')) as rest
    from unmasked
)

select
    channel,
    carries,
    case
        when treatment() = 'keep' then message
        when
            may_be_personal(rest)
            -- The message repeats its recipient's number, or that number needs a search for other spellings.
            or (recipient is not null and (not regexp_full_match(recipient, '01[0-9]{8,9}') or contains(rest, ltrim(recipient, '0'))))
        then _redacted_document(message, if(carries = 'other', 'other', 'message'), treatment())
        else message
    end::json as message,
    records
from addressed;

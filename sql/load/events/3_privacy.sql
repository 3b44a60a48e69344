-- Applies the settings of privacy to records and their messages, before anything is unfolded.

-- name: ids
-- Applies privacy.columns to ids, which are hashed as `forget` hashes them, under every setting of privacy.recipients.
set variable settings = struct_update(getvariable('settings'), recipients := 'hash');

update staged
set
    user_id = ruled('user_id', user_id),
    service_user_id = ruled('service_user_id', service_user_id),
    device_id = ruled('device_id', device_id),
    service_device_id = ruled('service_device_id', service_device_id);

-- name: documents
-- Applies privacy.columns to messages, and to members without a column. Finds the members with named keys at any depth,
-- also inside a text that is JSON. A text in a text that holds such a key is dropped as a whole.
create or replace temp table ruled_documents as
with documents as (
    select distinct json(message)::varchar as document from staged where message is not null
    union
    select json(extra)::varchar from staged where extra is not null
),

suspect as (
    select document
    from documents
    where regexp_matches(document, getvariable('settings').ruled_pattern || '\\*"')
),

nodes as (
    select document, key, value::varchar as value
    from suspect, json_tree(document)
),

texts as (
    select value, json(value ->> '$')::varchar as document
    from nodes
    where
        regexp_matches(value, '^"(?:[ ]|\\[nrt])*[[{]')
        and regexp_matches(value, getvariable('settings').ruled_pattern || '\\+"')
        and json_valid(value ->> '$')
    group by value
),

text_members as (
    select texts.value, ruled_member(key, json_tree.value::varchar) as member
    from texts, json_tree(texts.document)
    where rule_of(key) is not null
),

new_texts as (
    select
        texts.value,
        with_members(texts.document, list(text_members.member order by length(text_members.member) desc)) as document
    from texts
    left join text_members on texts.value = text_members.value
    group by texts.value, texts.document
),

members as (
    select document, ruled_member(key, value) as member
    from nodes
    where rule_of(key) is not null
    union
    select
        nodes.document,
        nodes.value || chr(31) || if(
            regexp_matches(new_texts.document, getvariable('settings').ruled_pattern || '\\+"'),
            'null',
            to_json(new_texts.document)::varchar
        )
    from nodes
    inner join new_texts on nodes.value = new_texts.value
)

select document, with_members(document, list(member order by length(member) desc)) as ruled_document
from members
group by document;

update staged
set message = nullif(ruled_documents.ruled_document, 'null')
from ruled_documents
where json(staged.message)::varchar = ruled_documents.document;

update staged
set extra = ruled_documents.ruled_document
from ruled_documents
where json(staged.extra)::varchar = ruled_documents.document;

set variable settings = struct_update(getvariable('settings'), recipients := getvariable('settings').stored_recipients);

-- name: fields
-- Removes addresses and numbers from the fields of records; few records have any.

-- Collects the records in one table first: the regular expressions are prepared once for each chunk of a table.
create or replace temp table candidate_records as
from staged where is_candidate;

delete from staged where is_candidate;

insert into staged by name
select
    redacted_field(columns(* exclude (occurred_at, date, export_date, extra, is_candidate, carries, message))) as "\0",
    occurred_at,
    date,
    export_date,
    extra,
    is_candidate,
    carries,
    message
from candidate_records;

-- name: candidates
-- Gathers each distinct message once, with the records that carry it, since a campaign sends the same message to many
-- recipients; then selects those that may hold personal data.

create or replace table messages as
select
    channel,
    carries,
    message,
    null::json as extra,
    list({event_id: event_id, date: date, export_date: export_date}) as records
from staged
where message is not null
group by channel, carries, message;

update messages
set message = nfc_json(message)
where may_be_decomposed(message);

-- Documents that may hold a person's number or address besides the recipient's own, and documents of other systems,
-- which may hold credentials: messages, and the members of records without a column. row_id is twice the row's number
-- for a message, and one more for the members of a record.

create or replace temp table candidates as
with addressed as (
    select
        rowid as row_number,
        carries,
        message::varchar as message,
        if(
            carries in ('text-message', 'chatapp-alimtalk', 'chatapp-friendtalk') and getvariable('settings').recipients <> 'keep',
            nullif(regexp_extract(message, '"recipientNo":"([^"\\]*)"', 1), ''),
            null
        ) as recipient
    from messages
    where getvariable('settings').recipients <> 'keep' or carries in ('webhook', 'other')
),

rests as (
    select
        *,
        if(recipient is null, message, replace(message, '"recipientNo":"' || recipient || '"', '')) as rest,
        -- `case` instead of `and`, since DuckDB evaluates both sides of `and` for every row.
        case when carries in ('webhook', 'other') then masked(json(message)::varchar) end as masked_message,
        case
            when not regexp_full_match(recipient, '01[0-9]{8,9}') then trim(plain_script(recipient))
        end as odd_recipient
    from addressed
),

numbered as (
    select *, plain_number(odd_recipient) as odd_number
    from rests
),

chosen as (
    select row_number * 2 as row_id, coalesce(masked_message, message) as message, carries
    from numbered
    where
        masked_message <> message
        or case when may_be_personal_json(rest) then may_be_personal_json(without_ids(rest)) else false end
        or case
            when recipient is null then false
            when odd_recipient is null then contains(rest, ltrim(recipient, '0'))
            when is_telling(odd_number) then holds_number(rest, odd_number)
            else false
        end

    union all
    -- Credentials have been masked already.
    select rowid * 2 + 1, extra::varchar, null
    from staged
    where extra is not null and may_be_personal_json(extra::varchar)
),

-- On an unknown channel, `sendNo` may be another number than the sender's.
told as (
    select
        row_id,
        if(row_id % 2 = 0, json(message)::varchar, message) as document,
        if(
            row_id % 2 = 0,
            trim(
                plain_script(
                    regexp_extract(
                        message, '"' || getvariable('patterns').recipient_key || '"\s*:\s*"?([0-9+][^"\\,}]*)', 1
                    )
                )
            ),
            null
        ) as own,
        if(
            row_id % 2 = 1 or carries = 'other',
            null,
            nullif(regexp_extract(message, '"sendNo":"([0-9+][0-9 ().-]*)"', 1), '')
        ) as sender
    from chosen
),

plain as (
    select *, plain_number(own) as own_number, plain_number(sender) as sender_number
    from told
)

select
    row_id,
    document,
    if(is_telling(own_number), own_number, null) as own,
    -- If the sender number equals the own number, it is the recipient's.
    if(is_telling(own_number) and sender_number = own_number, null, sender) as sender
from plain;

select count(*) as documents from candidates;

-- name: write_back
-- Replaces the documents that were redacted.
update messages
set message = redacted_documents.document
from redacted_documents
where redacted_documents.row_id % 2 = 0 and messages.rowid = redacted_documents.row_id // 2;

update staged
set extra = redacted_documents.document
from redacted_documents
where redacted_documents.row_id % 2 = 1 and staged.rowid = redacted_documents.row_id // 2;

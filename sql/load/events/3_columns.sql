-- Applies privacy.columns: hashes or drops ids, named keys of messages, and named keys of members without a column.

-- name: ids
-- Ids are hashed as `forget` hashes them, under every setting of privacy.recipients.
set variable settings = struct_update(getvariable('settings'), recipients := 'hash');

update staged
set
    user_id = ruled('user_id', user_id),
    service_user_id = ruled('service_user_id', service_user_id),
    device_id = ruled('device_id', device_id),
    service_device_id = ruled('service_device_id', service_device_id);

-- name: documents
-- Finds the members with named keys at any depth, also inside a text that is JSON. A text in a text that holds such a key
-- is dropped as a whole.
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
    select distinct value
    from nodes
    where
        regexp_matches(value, '^"(?:[ ]|\\[nrt])*[[{]')
        and regexp_matches(value, getvariable('settings').ruled_pattern || '\\+"')
        and json_valid(value ->> '$')
),

texts_read as (
    select value, json(value ->> '$')::varchar as document
    from texts
),

text_members as (
    select texts_read.value, ruled_member(key, json_tree.value::varchar) as member
    from texts_read, json_tree(texts_read.document)
    where rule_of(key) is not null
),

new_texts as (
    select
        texts_read.value,
        with_members(texts_read.document, list(text_members.member order by length(text_members.member) desc)) as document
    from texts_read
    left join text_members on texts_read.value = text_members.value
    group by texts_read.value, texts_read.document
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

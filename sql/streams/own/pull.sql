-- Statements that copy an own table into the landing zone, with the privacy settings applied and without erased persons. The
-- session hashes persons whatever the settings are; its table `erased_ids` has the digests of erased persons.

-- name: macros
-- Redacts numbers and addresses in a text or JSON document. Most have none, so no function is called.
create or replace temp macro redacted(given, is_document, how) as
    case
        when not regexp_matches(given, getvariable('patterns').personal) then given
        when is_document then _redacted_document(given, 'document', how)
        else _redacted_field(given, how)
    end;

-- Replaces an erased person in a text by asterisks: all numbers and addresses if one of them is the person's, and the ids that
-- match the pattern.
create or replace temp macro without_erased(given, is_document, ids) as
    regexp_replace(
        case
            when list_has_any(regexp_extract_all(redacted(given, is_document, 'hash'), '[0-9a-f]{64}'), (select list(id) from erased_ids))
            then regexp_replace(redacted(given, is_document, 'hash'), '[0-9a-f]{64}', '*', 'g')
            else given
        end,
        if(ids = '', '^\b$', '(^|\W)(' || ids || ')(\W|$)'),
        '\1*\3',
        'g'
    );

-- name: erased_words
-- A pattern for the ids of erased persons that occur as words in texts.
select coalesce(string_agg(regexp_replace(word, '[.+]', '\\\0', 'g'), '|'), '') as ids
from (
    select distinct unnest({words}) as word
    from read_parquet('{file}')
)
where
    person_digest('user_id', word) in (from erased_ids)
    or person_digest('service_user_id', word) in (from erased_ids)
    or person_digest('device_id', word) in (from erased_ids)
    or person_digest('service_device_id', word) in (from erased_ids);

-- name: copy
-- The file is not compressed, so that an erasure finds ids by searching its bytes.
copy (
    select {columns}
    from read_parquet('{from}')
    where not ({erased})
) to '{to}' (format parquet, compression uncompressed);

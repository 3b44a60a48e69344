-- Removes numbers and addresses of people from JSON at any depth: `candidates` (row_id, document, own, sender) becomes
-- `redacted_documents` (row_id, document). A document is split into its texts and numbers; each is examined once; then
-- the document is assembled again. A value under the key of a recipient's number is always redacted. `own` is the
-- number that the message went to, which is hidden in any spelling; `sender` is the number that it came from, which is
-- not personal.

create or replace temp table redacted_documents as
with cut as (
    select
        row_id,
        own,
        sender,
        regexp_split_to_array(document, getvariable('patterns').json_pieces) as between,
        regexp_extract_all(document, getvariable('patterns').json_pieces) as found
    from candidates
),

pieces as (
    select
        row_id,
        own,
        sender,
        unnest(between) as before,
        unnest(found) as piece,
        generate_subscripts(between, 1) as position
    from cut
),

-- The key of a telephone number forms one piece with its value.
members as (
    select *, regexp_extract(piece, getvariable('patterns').telephone_member) as key, substr(piece, length(key) + 1) as value
    from pieces
),

values_cut as (
    select
        row_id,
        own,
        sender,
        before || key as before,
        key,
        not regexp_matches(value, '^[[{]') and regexp_matches(key, getvariable('patterns').sure_key) as is_sure,
        position,
        regexp_split_to_array(value, getvariable('patterns').json_scalars) as between,
        regexp_extract_all(value, getvariable('patterns').json_scalars) as found
    from members
    where key <> ''
),

scalars as (
    select row_id, own, sender, position, 0 as part, coalesce(before, '') as before, piece as token, '' as key, false as is_sure
    from members
    where coalesce(key, '') = ''
    union all
    select
        row_id,
        own,
        sender,
        position,
        generate_subscripts(between, 1),
        if(generate_subscripts(between, 1) = 1, before, '') || unnest(between),
        unnest(found),
        key,
        is_sure
    from values_cut
),

told as (
    select
        *,
        ends_with(token, ':') as names,
        case
            when starts_with(token, '"sendNo":"') and sender is not null then null
            when starts_with(token, '"sendNo":"') then json_extract_string(substr(token, 10), '$')
            when starts_with(token, '"') then json_extract_string(rtrim(token, ':'), '$')
            else token
        end as text
    from scalars
),

judged as (
    select
        *,
        -- A scalar under such a key is a number if the key is unambiguous, or if the value looks like a number and is
        -- neither a service number nor a day nor a time in seconds.
        key <> '' and not names and token is not null and (
            is_sure
            or (
                regexp_full_match(trim(plain_script(text)), getvariable('patterns').telephone)
                and not regexp_full_match(trim(plain_script(text)), getvariable('patterns').service_number)
                and not regexp_matches(text, '^[0-9]{4}-[0-9]{2}-[0-9]{2}')
                and (starts_with(token, '"') or regexp_full_match(text, '(?:82)?10[0-9]{8}'))
            )
        ) as is_telephone,
        own is not null and holds_number(plain_script(text), own) as holds_own
    from told
),

without_own as (
    select * replace (if(holds_own and not is_telephone, without_number(plain_script(text), own), text) as text)
    from judged
),

-- Many texts are equal, so each distinct text is examined once.
texts as (
    select text, redacted(text) as redacted_text
    from (select distinct text from without_own where not is_telephone) as different
    where may_be_personal(text)
),

results as (
    select
        without_own.* exclude (text),
        case
            when without_own.is_telephone then recipient(without_own.text)
            when texts.text is not null then coalesce(texts.redacted_text, if(without_own.names, '', null))
            else without_own.text
        end as result,
        coalesce(
            without_own.is_telephone or without_own.holds_own or texts.text is not null, false
        ) as changed
    from without_own
    left join texts on without_own.text = texts.text
)

select
    row_id,
    string_agg(
        before || case
            when token is null then ''
            when changed and starts_with(token, '"sendNo":"')
            then '"sendNo":' || coalesce(to_json(result)::varchar, 'null')
            when not changed then token
            -- A number that redaction does not change stays a JSON number.
            when not starts_with(token, '"') and result = token then token
            else
                coalesce(
                    to_json(
                        if(
                            sender is null,
                            result,
                            replace(result, digest(plain_number(sender)), sender)
                        )
                    )::varchar,
                    'null'
                ) || if(names, ':', '')
        end,
        ''
        order by position, part
    )::json as document
from results
group by row_id;

-- Takes documents apart that differ from the specification: `odd` (row_id, place, document) becomes `tidied`, whose
-- document has known fields of the right kind alone, and whose extra has all the rest, as it
-- comes. Few documents come here, so this may take its time.

create or replace temp table tidied as
with keys as (
    select
        row_id,
        place,
        document,
        unnest(json_keys(document)) as key,
        generate_subscripts(json_keys(document), 1) as position
    from odd
    where starts_with(document, '{')
),

given_values as (
    select row_id, place, key, position, json_extract(document, pointer(key)) as given
    from keys
),

judged as (
    select
        given_values.row_id,
        given_values.key,
        given_values.position,
        given_values.given,
        fields.part,
        fits(fields.kind, given_values.given) as fit
    from given_values
    left join fields on given_values.place = fields.place and given_values.key = fields.field
),

part_keys as (
    select
        row_id,
        key,
        part,
        given,
        unnest(json_keys(given)) as part_key,
        generate_subscripts(json_keys(given), 1) as part_position
    from judged
    where fit and part is not null and json_type(given) = 'OBJECT'
),

part_values as (
    select row_id, key, part, part_key, part_position, json_extract(given, pointer(part_key)) as part_given
    from part_keys
),

judged_parts as (
    select part_values.*, fits(fields.kind, part_values.part_given) as fit
    from part_values
    left join fields on part_values.part = fields.place and part_values.part_key = fields.field
),

parts as (
    select
        row_id,
        key,
        '{'
            || coalesce(
                string_agg(member(part_key, part_given), ',' order by part_position) filter (fit), ''
            )
            || '}' as document,
        '{'
            || string_agg(
                member(part_key, part_given), ',' order by part_position
            ) filter (not fit)
            || '}' as extra
    from judged_parts
    group by row_id, key
),

pieces as (
    select
        judged.row_id,
        judged.key,
        judged.position,
        if(judged.fit, coalesce(parts.document, judged.given), null) as fitting,
        if(judged.fit, parts.extra, coalesce(judged.given, 'null')) as left_over
    from judged
    left join parts on judged.row_id = parts.row_id and judged.key = parts.key
),

whole_documents as (
    select
        row_id,
        '{'
            || coalesce(
                string_agg(member(key, fitting), ',' order by position) filter (fitting is not null), ''
            )
            || '}' as document,
        '{'
            || string_agg(member(key, left_over), ',' order by position) filter (left_over is not null)
            || '}' as extra
    from pieces
    group by row_id
)

select
    odd.row_id,
    odd.place,
    whole_documents.document::json as document,
    case
        when starts_with(odd.document, '{') then whole_documents.extra::json
        -- Nothing says what it is. What holds somebody's number is put under the setting, or kept by its type alone where
        -- there is more than the number; the landed page has it in any case.
        when
            getvariable('recipients') = 'keep'
            or not regexp_matches(regexp_replace(odd.document, '[0-9a-f]{64}', '', 'g'), '\d[\d ().-]{6,}')
        then json_object('value', odd.document)
        when regexp_matches(odd.document ->> '$', '^\s*\+?\d[\d ().-]{6,}$')
        then json_object('value', recipient(odd.document ->> '$'))
        else json_object('value', json_type(odd.document))
    end as extra
from odd
left join whole_documents on odd.row_id = whole_documents.row_id;

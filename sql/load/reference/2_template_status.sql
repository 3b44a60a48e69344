-- E5: the status of each template, under a key that is named after the messenger. Variables list the files and what they answer.

create or replace temp table template_status as
with reads as (
    select
        unnest(getvariable('template_files')) as file,
        unnest(getvariable('template_lists')) as list,
        unnest(getvariable('template_ids')) as template_id,
        unnest(getvariable('template_pulls')) as pull
),

answers as (
    select
        filename,
        json -> '$.data' as data,
        list_filter(json_keys(json -> '$.data'), lambda key: ends_with(key, 'Template'))[1] as key
    -- Whole answers: columns would not take a key that is given twice.
    from read_json_objects(
        getvariable('template_patterns'),
        format = 'unstructured',
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
)

select reads.list, reads.template_id, reads.pull, json_extract(answers.data, pointer(answers.key)) ->> '$.status' as status
from answers
inner join reads on answers.filename = reads.file;

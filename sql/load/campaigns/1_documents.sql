-- E19: the answers of the pulls. Variables list the files and what was asked for, in the same order.

create or replace temp table asked_campaigns as
select
    unnest(getvariable('paths')) as file,
    unnest(getvariable('path_pulls')) as pull,
    unnest(getvariable('campaigns')) as campaign_id,
    unnest(getvariable('window_starts'))::timestamptz as window_start,
    unnest(getvariable('window_ends'))::timestamptz as window_end;

create or replace temp table documents as
with answers as (
    select
        filename,
        case
            when json_type(data) is distinct from 'OBJECT' or json_type(data, '$.stats') is distinct from 'ARRAY'
            then error('not an answer with statistics: ' || filename)
            else data
        end as document
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', error: 'JSON'},
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
)

select
    row_number() over () as row_id,
    asked_campaigns.pull,
    asked_campaigns.campaign_id,
    asked_campaigns.window_start,
    asked_campaigns.window_end,
    answers.document,
    null::json as extra
from answers
inner join asked_campaigns on answers.filename = asked_campaigns.file;

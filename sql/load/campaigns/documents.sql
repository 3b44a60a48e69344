-- The answers of E19, unfolded level by level.

-- name: read
-- E19: reads the answers of the pulls. Variables hold the files and the requests, in the same order.

create or replace temp table asked_campaigns as
select
    unnest(getvariable('landed').paths) as file,
    unnest(getvariable('landed').path_pulls) as pull,
    unnest(getvariable('landed').campaigns) as campaign_id,
    unnest(getvariable('landed').window_starts)::timestamptz as window_start,
    unnest(getvariable('landed').window_ends)::timestamptz as window_end;

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
        getvariable('landed').files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', error: 'JSON'},
        maximum_object_size = getvariable('landed').largest_object,
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

-- name: none
-- For a range without campaigns: nothing was requested, so there are no files to read.

create or replace temp table documents (
    row_id bigint,
    pull varchar,
    campaign_id varchar,
    window_start timestamptz,
    window_end timestamptz,
    document json,
    extra json
);

-- name: answers
create or replace temp table staged_answers as
select
    pull,
    campaign_id,
    window_start,
    window_end,
    korean_day(epoch_us(window_start)) as first_date,
    korean_day(epoch_us(window_end) - 1) as last_date,
    -- The text has no time zone. The service uses Korean days, so Korean time is assumed; the text is kept too.
    korean_time(a."lastCollectedAt") at time zone 'Asia/Seoul' as last_collected_at,
    a."lastCollectedAt" as last_collected_text,
    document -> '$.stats[*]' as stats,
    extra
from (
    select
        *,
        json_transform(document, shape('answer')) as a
    from documents
) as read;

-- name: metrics
create or replace temp table staged_metrics as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    m."metricType" as metric_type,
    m."metricName" as metric_name,
    m."conversionType" as conversion_type,
    coalesce(number(m."totalSum"), quantity(m."totalCount")) as total,
    (document -> '$.dailySums[*]') || (document -> '$.dailyCounts[*]') as dailies,
    extra
from (
    select
        *,
        json_transform(document, shape('metric')) as m
    from documents
) as read;

-- name: dailies
create or replace temp table staged_dailies as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    try_cast(d.date as date) as date,
    coalesce(number(d.sum), quantity(d.count)) as value,
    (document -> '$.dimensionSums[*]') || (document -> '$.dimensionCounts[*]') as dimensions,
    extra
from (
    select
        *,
        json_transform(document, shape('daily')) as d
    from documents
) as read;

-- name: unfold
-- The documents of the next level: the elements of a list of {staged}, with all columns of their row except {own}. They
-- are numbered after the lists are unfolded, since each document needs its own number.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        * exclude ({list}, extra, {own}),
        unnest({list}) as document,
        null::json as extra
    from {staged}
) as unfolded;

-- name: dimensions
create or replace temp table staged_dimensions as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    date,
    d."dimensionKey" as dimension_key,
    d."dimensionValue" as dimension_value,
    coalesce(number(d.sum), quantity(d.count)) as value,
    extra
from (
    select
        *,
        json_transform(document, shape('dimension')) as d
    from documents
) as read;

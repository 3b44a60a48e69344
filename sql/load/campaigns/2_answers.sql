create or replace temp table staged_answers as
select
    pull,
    campaign_id,
    window_start,
    window_end,
    korean_day(epoch_us(window_start)) as first_date,
    korean_day(epoch_us(window_end) - 1) as last_date,
    -- It names no zone. The service runs on Korean days, so Korean time is assumed; the text is kept beside it.
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

-- Documents are numbered only when the lists are unfolded, since each needs a number of its own.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        pull,
        campaign_id,
        first_date,
        last_date,
        unnest(stats) as document,
        null::json as extra
    from staged_answers
) as unfolded;

create or replace temp table staged_answers as
select
    row_id,
    is_odd(document, 'answer')
    or (a."lastCollectedAt" is not null and korean_time(a."lastCollectedAt") is null) as odd,
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
from (select *, json_transform(document, shape('answer')) as a from documents) as read;

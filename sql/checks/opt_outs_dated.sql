-- severity: warn
-- stream: opt_outs
-- scope: full
-- meaning: Opt-outs have no readable time, or one after the snapshot that first showed them, so it is unclear which
--   message they follow. They are kept, and count on the day of that snapshot or on their own.

select
    valid_from as date,
    'opt_outs ' || coalesce(unsubscribe_number, 'without a number') as subject,
    if(
        requested_at is null,
        'Opt-outs have no readable time of their request.',
        'Opt-outs were requested after the snapshot that first showed them.'
    ) as finding,
    '0' as expected,
    count(*) as actual
from opt_outs
where requested_at is null or (requested_at at time zone 'Asia/Seoul')::date > valid_from
group by all;

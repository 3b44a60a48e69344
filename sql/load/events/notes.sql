insert into ops.load_notes by name
with counts as (
    select
        (select count(*) from (select event_id from shared_ids)) as shared_id,
        count(*) filter (event_id is null) as no_id,
        count(*) filter (event_name is null) as no_event_name,
        count(*) filter (occurred_at is null) as no_time,
        count(*) filter (korean_day(epoch_us(occurred_at)) <> date) as odd_time,
        count(*) filter (date <> export_date) as stray
    from events
    where export_date = getvariable('first_day')
)

select
    'events' as stream,
    getvariable('first_day') as date,
    getvariable('pull') as pull,
    note,
    records
from (unpivot counts on shared_id, no_id, no_event_name, no_time, odd_time, stray into name note value records) as notes
where records > 0

union all
select 'events', getvariable('first_day'), getvariable('pull'), 'repeated', getvariable('repeated')::bigint
where getvariable('repeated') > 0

union all
select 'events', getvariable('first_day'), getvariable('pull'), 'mended', getvariable('mended')::bigint
where getvariable('mended') > 0;

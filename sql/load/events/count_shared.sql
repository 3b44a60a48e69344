select
    (select count(*) from shared_ids) as shared,
    (
        select count(*) - count(distinct (event_id, event_name, occurred_at))
        from events
        where export_date = getvariable('first_day') and event_id in (select event_id from shared_ids)
    ) as repeated;

-- What makes days dirty, small lists all of them. Days are numbers, counted since 1970.

select
    -- The days that loads changed.
    (
        select coalesce(list({'stream': stream, 'day': (date - date '1970-01-01')::integer}), [])
        from ops.touched_days
        where date is not null
    ) as touched,
    -- A snapshot tells of opt-outs of earlier days, which matter where events are held.
    (
        select coalesce(list(distinct ((requested_at at time zone 'Asia/Seoul')::date - date '1970-01-01')::integer), [])
        from opt_outs_history
        where
            valid_from in (select date from ops.touched_days where stream = 'opt_outs')
            and requested_at >= (select min(date) from ops.coverage where stream = 'events')
            and isfinite(requested_at)
    ) as opt_outs_told,
    (
        select coalesce(list({'day': day, 'records': records}), [])
        from (
            select (date - date '1970-01-01')::integer as day, sum(rows)::bigint as records
            from ops.coverage
            group by date
        ) as days
    ) as covered,
    -- The days whose events left this file, and those of them whose records may count on days near them.
    (select coalesce(list((date - date '1970-01-01')::integer), []) from ops.archived_days) as archived,
    (
        select coalesce(list(distinct (archived_days.date - date '1970-01-01')::integer), [])
        from ops.archived_days
        inner join ops.load_notes using (date)
        where load_notes.stream = 'events' and load_notes.note = 'stray'
    ) as strays;

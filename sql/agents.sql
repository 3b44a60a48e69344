-- The context of an answer, for agents.

-- name: about
-- params: streams json, first_day date?, last_day date?, reads_events boolean, checks json
-- The days of the streams by their state in `ops.days` (not_held: neither loaded nor wanted), and the findings of checks about
-- these streams and days. Parameters: streams and checks (with their streams) as JSON.
-- reads_events is true if the question reads single events, which retention removes. first_day and last_day are those of the question,
-- or null for all loaded or wanted days.
with streams as (
    select unnest(from_json($streams, '["varchar"]')) as stream
),
held as (
    select stream, max(date) as last_held
    from ops.coverage
    group by stream
),
known as (
    select stream, date from ops.coverage where not marts.is_snapshot(stream)
    union
    select stream, date from ops.days where state <> 'not_complete'
),
-- A snapshot of reference data covers one day, so other days are not missing.
days as (
    select stream, unnest(generate_series(first_day, last_day, interval 1 day))::date as date
    from (
        select
            stream,
            coalesce($first_day::date, min(date)) as first_day,
            coalesce($last_day::date, (select max(date) from known)) as last_day
        from known
        group by stream
    )
),
states as (
    select
        days.stream,
        days.date,
        case
            when coverage.date is null then coalesce(nullif(wanted.state, 'not_complete'), 'not held')
            when days.stream = 'events' and $reads_events and removed_days.date is not null then 'removed'
            else 'held'
        end as state
    from days
    left join ops.coverage on days.stream = coverage.stream and days.date = coverage.date
    left join ops.days as wanted on days.stream = wanted.stream and days.date = wanted.date
    left join ops.removed_days on days.date = removed_days.date
),
coverage as (
    select
        streams.stream,
        case
            when any_value(held.stream) is null then {'stream': streams.stream, 'days': 0, 'missing': 'all: nothing of it is held'}::json
            when marts.is_snapshot(streams.stream) then {'stream': streams.stream, 'last_snapshot': any_value(held.last_held)}::json
            -- json_merge_patch leaves out members that are null.
            else json_merge_patch('{}', {
                'stream': streams.stream,
                'days': count(*) filter (state = 'held'),
                'of': count(state),
                'missing': coalesce(marts.listed_days(list(date) filter (state = 'missing')), 'none'),
                'under_way': marts.listed_days(list(date) filter (state = 'under_way')),
                'waits': marts.listed_days(list(date) filter (state = 'waits')),
                'given_up': marts.listed_days(list(date) filter (state = 'given_up')),
                'removed_by_retention': marts.listed_days(list(date) filter (state = 'removed')),
                'not_held': marts.listed_days(list(date) filter (state = 'not held'))
            }::json)
        end as entry
    from streams
    left join held using (stream)
    left join states using (stream)
    group by streams.stream
),
checks as (
    select unnest(from_json($checks, '[{"name": "varchar", "streams": ["varchar"]}]'), recursive := true)
),
-- A check that this version does not know may be about any table.
findings as (
    select
        found.name,
        found.severity,
        count(*) as findings,
        min(found.date) as first_date,
        max(found.date) as last_date,
        any_value(concat_ws(': ', found.subject, found.finding)) as example,
        to_json(any_value(found)) ->> '$.meaning' as meaning
    from ops.checks as found
    left join checks on found.name = checks.name
    where
        (checks.name is null or list_has_any(checks.streams, (select list(stream) from streams)))
        and (found.date is null or found.date between coalesce($first_day::date, found.date) and coalesce($last_day::date, found.date))
    group by found.name, found.severity
    order by found.severity, found.name
)
select
    (select coalesce(list(entry order by stream), []) from coverage)::json::varchar as coverage,
    (select coalesce(list(first_ten), []) from (from findings limit 10) as first_ten)::json::varchar as findings,
    (select count(*) from findings)::integer as checks_with_findings;

-- The facts that an answer for an agent states about itself.

-- name: about
-- The days of the streams, and the findings of checks of these streams and days. Parameters, the first two as JSON: streams,
-- checks (with their streams), reads_events (true if single events are read, of which retention removes days), first_day and
-- last_day of the question, or null for all days held.
with streams as (
    select unnest(from_json($streams, '["varchar"]')) as stream
),
-- Snapshots of reference data are of one day each; no other day is missing.
held as (
    select
        stream,
        min(date) as first_held,
        max(date) as last_held,
        list(date) as dates,
        stream in ('statistics', 'statistics_by_subchannel', 'campaigns', 'events') as is_daily
    from ops.coverage
    group by stream
),
newest as (
    select max(last_held) as last_held from held where is_daily
),
bounds as (
    select
        streams.stream,
        held.dates,
        held.is_daily,
        held.last_held,
        coalesce($first_day::date, held.first_held) as first_day,
        coalesce($last_day::date, newest.last_held) as last_day
    from streams
    left join held using (stream)
    cross join newest
),
days as (
    select bounds.stream, unnest(generate_series(first_day, last_day, interval 1 day))::date as date
    from bounds
    where is_daily
),
lists as (
    select
        days.stream,
        list(days.date) filter (coverage.date is null) as missing,
        list(removed_days.date) filter (removed_days.date is not null and days.stream = 'events' and $reads_events) as removed
    from days
    left join ops.coverage on days.stream = coverage.stream and days.date = coverage.date
    left join ops.removed_days on days.date = removed_days.date
    group by days.stream
),
coverage as (
    select
        bounds.stream,
        case
            when bounds.dates is null then {'stream': bounds.stream, 'days': 0, 'missing': 'all: nothing of it is held'}::json
            when not bounds.is_daily then {'stream': bounds.stream, 'last_snapshot': bounds.last_held}::json
            -- The merge leaves out what is null.
            else json_merge_patch('{}', {
                'stream': bounds.stream,
                'days': bounds.last_day - bounds.first_day + 1 - coalesce(len(lists.missing), 0) - coalesce(len(lists.removed), 0),
                'of': bounds.last_day - bounds.first_day + 1,
                'missing': coalesce(marts.listed_days(lists.missing), 'none'),
                'removed_by_retention': marts.listed_days(lists.removed)
            }::json)
        end as entry
    from bounds
    left join lists on bounds.stream = lists.stream
),
checks as (
    select unnest(from_json($checks, '[{"name": "varchar", "streams": ["varchar"]}]'), recursive := true)
),
-- A check that this version does not have may be about any table.
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
        (checks.name is null or list_has_any(checks.streams, (select list(stream) from bounds)))
        and (found.date is null or found.date between coalesce($first_day::date, found.date) and coalesce($last_day::date, found.date))
    group by found.name, found.severity
    order by found.severity, found.name
)
select
    (select coalesce(list(entry order by stream), []) from coverage)::json::varchar as coverage,
    (select coalesce(list(first_ten), []) from (from findings limit 10) as first_ten)::json::varchar as findings,
    (select count(*) from findings)::integer as checks_with_findings;

-- Snapshots are loaded in the order of their days: where one comes late, those after it are loaded again behind it.

delete from ops.loads
using (
    select split_part(pull, '/', 1) as stream, min(pulled_at) as pulled_at
    from (
        select unnest(getvariable('asked_pulls')) as pull, unnest(getvariable('instants'))::timestamptz as pulled_at
    ) as late
    group by stream
) as earliest
where loads.stream = earliest.stream and loads.pulled_at > earliest.pulled_at
returning loads.pull;

-- Snapshots are loaded in the order of their days: where one comes late, those after it are loaded again behind it.

delete from ops.loads
using (
    select split_part(pull, '/', 1) as stream, min(pull) as pull
    from (select unnest(getvariable('asked_pulls')) as pull) as late
    group by stream
) as earliest
where loads.stream = earliest.stream and loads.pull > earliest.pull
returning loads.pull;

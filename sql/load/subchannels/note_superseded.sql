-- E18: answers whose day a later answer has replaced, noted as loaded. How many records each brought is all that the
-- warehouse would remember of them. Variables list the pulls, in the same order.

insert into ops.loads by name
with passed as (
    select
        unnest(getvariable('pulls')) as pull,
        unnest(getvariable('pull_days'))::date as day,
        unnest(getvariable('pull_instants'))::timestamptz as pulled_at,
        unnest(getvariable('pull_rows'))::bigint as rows
)

select
    passed.pull,
    'statistics_by_subchannel' as stream,
    passed.day as first_day,
    passed.day as last_day,
    passed.pulled_at,
    true as complete,
    passed.rows,
    getvariable('loaded_at') as loaded_at
from passed
inner join ops.coverage as later
    on
        later.stream = 'statistics_by_subchannel'
        and later.date = passed.day
        and (later.pulled_at, later.pull) > (passed.pulled_at, passed.pull);

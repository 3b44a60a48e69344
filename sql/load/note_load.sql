insert into ops.loads by name
select
    getvariable('pull') as pull,
    getvariable('stream') as stream,
    getvariable('first_day') as first_day,
    getvariable('last_day') as last_day,
    getvariable('pulled_at') as pulled_at,
    getvariable('complete') as complete,
    getvariable('rows')::bigint as rows,
    getvariable('loaded_at') as loaded_at;

-- An export whose pages were read again is one pull with a later revision behind its `#`.
delete from ops.loads
where stream = 'events' and split_part(pull, '#', 1) = split_part(getvariable('pull'), '#', 1);

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

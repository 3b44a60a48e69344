-- Answers that could only be read with some of their characters replaced; of exports, load/events/notes tells.

insert into ops.load_notes by name
select
    getvariable('stream') as stream,
    (select min(date) from days) as date,
    getvariable('pull') as pull,
    'mended' as note,
    getvariable('mended')::bigint as records
where getvariable('mended') > 0 and getvariable('stream') <> 'events' and exists (from days);

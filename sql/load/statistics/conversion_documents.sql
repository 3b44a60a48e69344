-- Numbered only when the lists are unfolded: each document needs a number of its own.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        statistic_id,
        date,
        generate_subscripts(given, 1)::integer as position,
        unnest(given) as document,
        null::json as extra
    from (select statistic_id, date, conversion -> '$[*]' as given from staged_statistics) as lists
) as unfolded;

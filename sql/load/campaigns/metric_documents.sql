-- Numbered only when the lists are unfolded: each document needs a number of its own.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        campaign_id,
        first_date,
        last_date,
        unnest(stats) as document,
        null::json as extra
    from staged_answers
) as unfolded;

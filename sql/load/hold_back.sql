-- The days (of E19: of a campaign) that the pull does not replace, as `held_keys` lists them.

create or replace temp table held_sizes as
select *
from sizes
where list_contains(getvariable('held_keys'), concat_ws(' ', date, campaign_id));

insert into ops.held_back by name
select
    getvariable('stream') as stream,
    date,
    campaign_id,
    getvariable('pull') as pull,
    getvariable('pulled_at') as pulled_at,
    rows,
    messages
from held_sizes;

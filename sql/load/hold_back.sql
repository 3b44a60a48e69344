-- The days (of E19: of a campaign) that the pull does not replace, as `held_keys` lists them. There is one pull.

insert into held_sizes by name
select date, campaign_id, rows, messages
from sizes
where list_contains(getvariable('held_keys'), concat_ws(' ', date, campaign_id));

insert into ops.held_back by name
select
    getvariable('stream') as stream,
    held_sizes.date,
    held_sizes.campaign_id,
    asked.pull,
    asked.pulled_at,
    held_sizes.rows,
    held_sizes.messages
from held_sizes
cross join asked;

-- In E19, the other campaigns of the day are still loaded.
delete from days where date in (select date from held_sizes where campaign_id is null);
delete from versions where date in (select date from held_sizes where campaign_id is null);

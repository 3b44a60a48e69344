-- Holds back answers that would delete most of a day.
-- needs: asked, days, held_back_sizes, sizes, versions

-- name: found
-- params: stream text
-- The days (for E19, of a campaign) that the pull would shrink, with the sizes of the answers already held back for them.
select
    concat_ws(' ', sizes.date, sizes.campaign_id) as key,
    {rows: sizes.rows_before, messages: sizes.messages_before} as before,
    {rows: sizes.rows, messages: sizes.messages} as after,
    coalesce(
        list({rows: held_back.rows, messages: held_back.messages, "pulledAt": held_back.pulled_at})
            filter (held_back.pulled_at is not null),
        []
    ) as "heldBack"
from sizes
left join ops.held_back
    on
        held_back.stream = $stream
        and sizes.date = held_back.date
        and sizes.campaign_id is not distinct from held_back.campaign_id
        and held_back.pulled_at < sizes.pulled_at
where sizes.rows < sizes.rows_before or sizes.messages < sizes.messages_before
group by all
order by all;

-- name: hold_back
-- params: held_back_keys text[], stream text
-- Excludes the days (for E19, of a campaign) in `held_back_keys` from being replaced. The load must have only one pull.
insert into held_back_sizes by name
select date, campaign_id, rows, messages
from sizes
where list_contains($held_back_keys, concat_ws(' ', date, campaign_id));

insert into ops.held_back by name
select
    $stream as stream,
    held_back_sizes.date,
    held_back_sizes.campaign_id,
    asked.pull,
    asked.pulled_at,
    held_back_sizes.rows,
    held_back_sizes.messages
from held_back_sizes
cross join asked;

-- For E19, the other campaigns of the day are still loaded.
delete from days where date in (select date from held_back_sizes where campaign_id is null);
delete from versions where date in (select date from held_back_sizes where campaign_id is null);

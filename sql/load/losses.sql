-- Days, of E19 those of a campaign, that would become less, with what was held back of them before.

select
    sizes.date::varchar as date,
    sizes.campaign_id,
    sizes.rows_before,
    sizes.messages_before,
    sizes.rows,
    sizes.messages,
    to_json(
        coalesce(
            list({
                rows: held_back.rows,
                messages: held_back.messages,
                pulled_at_ms: epoch_ms(held_back.pulled_at)
            }) filter (held_back.pulled_at is not null),
            []
        )
    )::varchar as held
from sizes
left join ops.held_back
    on
        held_back.stream = getvariable('stream')
        and sizes.date = held_back.date
        and sizes.campaign_id is not distinct from held_back.campaign_id
        and held_back.pulled_at < sizes.pulled_at
where sizes.rows < sizes.rows_before or sizes.messages < sizes.messages_before
group by all
order by all;

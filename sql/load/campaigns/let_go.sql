-- What was held back of a campaign's day goes when that day is replaced.

delete from ops.held_back
where
    stream = getvariable('stream')
    and pulled_at < getvariable('pulled_at')
    and (campaign_id, date) in (select (campaign_id, date) from free_days);

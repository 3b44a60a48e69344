-- What was held back of a day goes when the day is replaced.

delete from ops.held_back
where
    stream = getvariable('stream')
    and campaign_id is null
    and pulled_at < getvariable('pulled_at')
    and date in (select date from days);

-- Notes and held-back sizes of these days are deleted with the pulls that they belong to.

delete from ops.load_notes where stream = getvariable('stream') and date in (select date from days) and getvariable('complete');
delete from ops.drift_by_day where stream = getvariable('stream') and date in (select date from days) and getvariable('complete');

delete from ops.held_back
using days
where
    held_back.stream = getvariable('stream')
    and held_back.campaign_id is null
    and held_back.date = days.date
    and held_back.pulled_at < days.pulled_at;

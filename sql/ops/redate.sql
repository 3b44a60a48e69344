-- Pulls that count as of other instants than those they were loaded with.

create or replace temp table redated as
select loads.pull, loads.stream, loads.first_day, asked.pulled_at
from ops.loads
inner join (
    select unnest(getvariable('asked_pulls')) as pull, unnest(getvariable('instants'))::timestamptz as pulled_at
) as asked using (pull)
where loads.pulled_at <> asked.pulled_at;

-- What snapshots say is of the day of their pull: all of it goes, and the histories follow when they are loaded again.
create or replace temp table moved as
select distinct stream, first_day as date, pull
from redated
where marts.is_snapshot(stream);

insert into ops.touched_days
select stream, date from moved
except
select stream, date from ops.touched_days;

delete from ops.loads where pull in (select pull from moved);
delete from ops.snapshots where pull in (select pull from moved);
delete from ops.coverage where pull in (select pull from moved);
delete from ops.load_notes where pull in (select pull from moved);
delete from ops.drift_by_day where (stream, date) in (select (stream, date) from moved);

update ops.loads set pulled_at = redated.pulled_at from redated where loads.pull = redated.pull;
update ops.coverage set pulled_at = redated.pulled_at from redated where coverage.pull = redated.pull;
update ops.held_back set pulled_at = redated.pulled_at from redated where held_back.pull = redated.pull;
update ops.restatements set detected_at = redated.pulled_at from redated where restatements.pull = redated.pull;
update campaign_collections
set pulled_at = redated.pulled_at
from redated
where campaign_collections.pull = redated.pull;

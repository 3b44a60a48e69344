-- A connection that prepares batches has its own in-memory database for its tables, and uses the macros of the
-- warehouse. The load's own transaction never reads from this database, or it would keep all batches in memory until
-- its end.

attach if not exists ':memory:' as {batch};
set search_path = '{batch}.main,{home}.macros';

-- One row per record: the columns of `events`, and the message as it came.
-- is_candidate: a field may hold a number or an address.
-- carries: the table of the message; `other` for channels and forms that the specification does not know.
create or replace table staged as
select *, null::boolean as is_candidate, null::varchar as carries, null::json as message
from {home}.main.events
limit 0;

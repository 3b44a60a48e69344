-- A connection that prepares batches has a database of its own in memory: its tables are there, macros still those of the
-- warehouse. The load's own transaction never reads from it, or it would keep all batches in memory until its end.

attach if not exists ':memory:' as {batch};
set search_path = '{batch}.main,{home}.macros';

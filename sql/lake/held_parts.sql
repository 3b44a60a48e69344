-- What the lake holds of relations that are compared by their rows.

create or replace temp table held_parts as
select relation, date, version
from lake.{ops}.lake_parts;

-- A row of an earlier day with that key stays the only one.

insert into {relation} by name
select fresh.*
from ({select}) as fresh
anti join {relation} as held on fresh.{unique_key} = held.{unique_key};

-- Who is there already came on an earlier day.

insert into {relation} by name
select fresh.*
from ({select}) as fresh
anti join {relation} as held on fresh.{once} = held.{once};

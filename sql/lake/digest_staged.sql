-- The same rows in any order have the same digest.

select count(*) as rows, count(*) || ' ' || coalesce(sum(hash(staged)), 0) as version
from staged;

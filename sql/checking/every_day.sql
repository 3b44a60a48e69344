-- For checks that are new or were changed.

create or replace temp table days_to_check as
select date
from all_days
where date is not null;

delete from ops.checks where name in ({names});

-- Tables are created without rows, and their statements are bound to these.

create or replace temp table batch_days (date date);

create or replace temp table lookback_days (date date);

-- No day is spared where none is archived.
create or replace temp table spared_days (date date);

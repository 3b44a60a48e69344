-- A model is created without rows; these tables are what its statement is bound to.

create or replace temp table stale (date date);

create or replace temp table within_reach (date date);

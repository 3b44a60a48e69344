-- What one transaction changes: it is told to the lake at its end, in one go for each table.

create or replace temp table covered_days (stream varchar, date date);

create or replace temp table cleared_parts (relation varchar, date date);

create or replace temp table pushed_parts (relation varchar, date date, version varchar);

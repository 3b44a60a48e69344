delete from lake.{ops}.lake_parts
where
    (relation, coalesce(date, date '0001-01-01'))
    in (select (relation, coalesce(date, date '0001-01-01')) from cleared_parts);

insert into lake.{ops}.lake_parts (relation, date, version)
select relation, date, version from pushed_parts;

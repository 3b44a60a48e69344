-- Days of incremental models, and of the people of events, that the lake does not hold as the file does. The people of a day's
-- events change with the links between ids, and with them the model that counts each day's people.

with file_days as (
    select relation, date, digest as version
    from ops.model_days

    union all

    select 'marts.event_people', date, digest
    from ops.model_days
    where relation = 'marts.daily_people' and date not in (select date from ops.archived_days)
),

lake_days as (
    select relation, date, version
    from lake.{ops}.lake_parts
    where
        (relation = 'marts.event_people' or relation in (select relation from ops.models where kind = 'table'))
        and not (relation = 'marts.event_people' and date in (select date from ops.archived_days))
)

select
    coalesce(file_days.relation, lake_days.relation) as relation,
    coalesce(file_days.date, lake_days.date)::varchar as date,
    file_days.version
from file_days
full join lake_days on file_days.relation = lake_days.relation and file_days.date = lake_days.date
where file_days.version is distinct from lake_days.version
order by relation, date;

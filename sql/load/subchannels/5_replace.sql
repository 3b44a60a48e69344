insert into loaded_rows
select pull, count(*)
from staged_statistics
semi join versions using (pull, date)
group by pull;

delete from daily_statistics_by_subchannel where date in (select date from days);
delete from daily_conversions_by_subchannel where date in (select date from days);

insert into daily_statistics_by_subchannel by name
select staged_statistics.* exclude (pull, of_other_day, conversion)
from staged_statistics
semi join days using (pull, date);

insert into daily_conversions_by_subchannel by name
select staged_conversions.* exclude (pull, type), staged_conversions.type as type_label
from staged_conversions
semi join days using (pull, date);

insert into ops.load_notes by name
select
    'statistics_by_subchannel' as stream,
    date,
    pull,
    'other_day' as note,
    null as subject,
    count(*) as records
from staged_statistics
semi join days using (pull, date)
where of_other_day
group by date, pull

union all
select 'statistics_by_subchannel', date, pull, 'same_grain', statistic_id, 1
from staged_statistics
semi join days using (pull, date)
where ordinal > 1;

create or replace temp table extras as
select 'statistic_by_subchannel' as place, date, extra
from staged_statistics
semi join days using (pull, date)
where extra is not null
union all
select 'conversion', date, extra
from staged_conversions
semi join days using (pull, date)
where extra is not null;

insert into ops.drift_by_day by name
select
    'statistics_by_subchannel' as stream,
    date,
    'record' as place,
    field,
    'missing' as kind,
    count(*) as records
from (
    select
        pull,
        date,
        unnest(
            if(resource_id is null, ['resource_id'], [])
            || if(channel is null, ['channel'], [])
            || if(message_sent is null, ['message_sent'], [])
            || if(message_failed is null, ['message_failed'], [])
        ) as field,
        extra
    from staged_statistics
) as missing
semi join days using (pull, date)
where json_extract(extra, pointer(field)) is null
group by date, field;

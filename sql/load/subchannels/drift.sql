create or replace temp table extras as
select 'statistic_by_subchannel' as place, date, extra
from staged_statistics
where extra is not null and date in (select date from days)
union all
select 'conversion', date, extra
from staged_conversions
where extra is not null and date in (select date from days);

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
where date in (select date from days) and json_extract(extra, pointer(field)) is null
group by date, field;

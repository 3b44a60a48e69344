-- needs: changed_exports, days, message_extras, note_counts, repeats
-- leaves: extras, loaded_rows
-- params: days date[], beside bigint[], erased bigint[], full_days date[], first_day date, last_day date, pulls text[],
--   counts bigint[]
-- Records how exports are irregular.

insert into ops.load_notes by name
with beside as (
    select unnest($days)::date as export_date, unnest($beside)::bigint as records
),

all_counts as (
    select export_date, note, noted as records
    from (unpivot note_counts on no_id, no_event_name, no_time, stray, odd_time into name note value noted)
    union all
    -- Second answers for a page repeat records of the first, so those do not count as repeated.
    select export_date, note, counted.records - if(note = 'repeated', coalesce(beside.records, 0), 0)
    from (unpivot repeats on shared_id, repeated into name note value records) as counted
    left join beside using (export_date)
    union all
    select unnest($days)::date, 'erased', unnest($erased)::bigint
    union all
    select unnest($full_days)::date, 'full_page', 1
)

select
    'events' as stream,
    days.date,
    days.pull,
    all_counts.note,
    sum(all_counts.records)::bigint as records
from all_counts
inner join days on all_counts.export_date = days.date
group by all
having sum(all_counts.records) > 0;

-- The drift of an export is computed from the rows that it keeps.
delete from ops.drift_by_day where stream = 'events' and date in (select date from changed_exports);

create or replace temp table extras as
with found as (
    select 'record' as place, export_date, extra from events
    union all
    from message_extras
)

select place, export_date as date, extra
from found
where
    export_date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
    and export_date in (select date from changed_exports)
    and extra is not null;

insert into ops.drift_by_day by name
-- Channels that the specification does not list.
select
    'events' as stream,
    export_date as date,
    'channel' as place,
    coalesce(channel, 'none') as field,
    if(channel is null, 'missing', 'unknown') as kind,
    'VARCHAR' as example_type,
    count(*) as records
from events
where
    export_date in (select date from changed_exports)
    and (channel is null or 'message_data:' || channel not in (select place from fields))
group by all

union all
-- Messages that are not an object; other_messages has them. Counted before the join, which could read all of them into memory.
select 'events', export_date, 'record', 'message_data', 'type', min(type), sum(records)
from (
    select export_date, channel, min(json_type(message_data)) as type, count(*) as records
    from other_messages
    where export_date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
    group by export_date, channel
) as counted
where export_date in (select date from changed_exports) and 'message_data:' || channel in (select place from fields)
group by export_date

union all
select 'events', export_date, 'record', field, 'missing', null, count(*)
from (
    select
        export_date,
        unnest(
            if(event_id is null, ['id'], [])
            || if(event_name is null, ['event_name'], [])
            || if(occurred_at is null, ['time'], [])
        ) as field,
        extra
    from events
    where
        export_date in (select date from changed_exports)
        and (event_id is null or event_name is null or occurred_at is null)
) as required
where json_extract_string(extra, pointer(field)) is null
group by export_date, field;

create or replace temp table loaded_rows as
select unnest($pulls) as pull, unnest($counts)::bigint as rows;

-- Updates the row counts of days that lost duplicates to the loaded days. Archived days keep the count of their original rows.

update ops.coverage
set rows = (
    select count(*)
    from events
    where
        events.export_date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
        and events.export_date = coverage.date
)
where
    stream = 'events'
    and date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
    and date not in (select date from days)
    and date not in (select date from ops.removed_days);

-- Records outside the export's day count on other days, so models and checks must refresh these days.

insert into ops.touched_days
select distinct 'events', date
from events
where
    export_date between $first_day::date and $last_day::date
    and export_date in (select date from days);

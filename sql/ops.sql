-- Statements about runs, coverage, exports and the state of the warehouse.

-- name: campaigns_seen
-- params: start date, end date
select distinct campaign_id
from daily_statistics
where campaign_id is not null and date between $start::date and $end::date
order by campaign_id;

-- name: count_rows
-- params: files text[], largest_object bigint, id_pointer text
-- Counts the rows on the pages of a list, the rows that repeat one of an earlier page, and the rows that equal another. With a
-- pointer, rows are compared by the value there, and a value that occurs again counts on any page. Without a pointer, whole rows
-- are compared, and equal rows on one page are allowed. Compares 64-bit hashes: they need a tenth of the memory, and for a million
-- rows collide in one of 40 million lists.
with pages as (
    select row_number() over () as page, rows_in(data, "templateListResponse") as documents
    from read_json(
        $files,
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', "templateListResponse": 'JSON'},
        maximum_object_size = $largest_object
    )
),

listed as (
    select page, unnest(documents) as document
    from pages
),

hashed as (
    select
        page,
        hash(coalesce(nullif(json_extract_string(document, nullif($id_pointer, '')), ''), document::varchar)) as value
    from listed
)

select
    count(*) as rows,
    if($id_pointer = '', count(distinct hash(page, value)), count(*)) - count(distinct value) as repeated,
    if($id_pointer = '', count(*) - count(distinct value), 0) as equal
from hashed;

-- name: days
-- params: days text[]
-- Replaces the wanted days by those of this run, each as JSON.
delete from ops.days;

insert into ops.days
select row.stream, row.date, row.state, row."expectedRecords", row."expectedPrice"
from (
    select from_json(
        unnest($days::varchar[]),
        '{"stream": "VARCHAR", "date": "DATE", "state": "VARCHAR", "expectedRecords": "BIGINT", "expectedPrice": "DOUBLE"}'
    ) as row
) as given;

-- name: covered_since
-- params: stream text, instant timestamptz
select date::varchar as date
from ops.coverage
where stream = $stream and pulled_at > $instant
order by coverage.date;

-- name: experiments
-- params: experiments json
-- Replaces the settings of A/B tests.
delete from ops.experiments;

insert into ops.experiments
select row.*
from (
    select unnest(from_json(
        $experiments,
        '[{
            "campaign_id": "VARCHAR", "baseline": "VARCHAR", "goal": "VARCHAR", "smallest_effect": "DOUBLE",
            "alpha": "DOUBLE", "power": "DOUBLE", "split": "MAP(DATE, MAP(VARCHAR, DOUBLE))", "hold_outs": ["VARCHAR"],
            "conversions_per_person": "DOUBLE", "accept_crossing": "BOOLEAN"
        }]'
    )) as row
) as given;

-- name: exports
-- params: exports text[]
-- Replaces all exports by those of the ledger, each as JSON.
delete from ops.exports;

insert into ops.exports
select
    key,
    day::timestamp at time zone 'Asia/Seoul',
    (day + 1)::timestamp at time zone 'Asia/Seoul',
    * exclude (key, short, "billedRecords"),
    short is not null,
    -- The ledger has 0 for an unknown number.
    nullif(short, 0),
    "billedRecords"
from (
    select row.*
    from (
        select from_json(
            unnest($exports::varchar[]),
            '{
                "key": "VARCHAR", "day": "DATE", "state": "VARCHAR", "billed": "VARCHAR", "exportId": "VARCHAR", "messageData": "BOOLEAN",
                "records": "BIGINT", "pages": "BIGINT", "estimate": "BIGINT", "pricePerRecord": "DOUBLE",
                "requestedAt": "TIMESTAMPTZ", "updatedAt": "TIMESTAMPTZ", "note": "VARCHAR", "short": "BIGINT", "billedRecords": "BIGINT"
            }'
        ) as row
    ) as read
) as given;

update ops.coverage
set incomplete = coalesce(lacking.incomplete, false), short = lacking.short
from ops.coverage as covered
left join (
    select date, bool_or(incomplete) as incomplete, max(short) as short from ops.exports where state = 'loaded' group by all
) as lacking using (date)
where coverage.stream = 'events' and covered.stream = 'events' and coverage.date = covered.date;

-- Unreadable pages are noted until you resume the export. The number of their records is unknown.
delete from ops.load_notes where note = 'unreadable_page';

insert into ops.load_notes by name
with unreadable as (
    select day::date as date, unnest(unreadable) as page
    from (
        select row.*
        from (
            select from_json(
                unnest($exports::varchar[]), '{"day": "DATE", "state": "VARCHAR", "unreadable": ["BIGINT"]}'
            ) as row
        ) as read
    ) as given
    where state in ('landed', 'loaded')
)

select 'events' as stream, unreadable.date, coverage.pull, 'unreadable_page' as note, 'page ' || page as subject
from unreadable
left join ops.coverage on coverage.stream = 'events' and unreadable.date = coverage.date;

-- Notes about exports whose missing records the settings tolerate, or you accepted.
delete from ops.load_notes where note in ('tolerated', 'accepted');

insert into ops.load_notes by name
select
    'events' as stream,
    given.day as date,
    coverage.pull,
    if(given.accepted, 'accepted', 'tolerated') as note,
    given.tolerated as records
from (
    select row.*
    from (
        select from_json(
            unnest($exports::varchar[]),
            '{"day": "DATE", "state": "VARCHAR", "tolerated": "BIGINT", "accepted": "BOOLEAN"}'
        ) as row
    ) as read
) as given
left join ops.coverage on coverage.stream = 'events' and given.day = coverage.date
where given.state = 'loaded' and (given.tolerated is not null or given.accepted);

-- name: budget
-- params: budget json
-- Replaces the settings of paid exports.
delete from ops.budget;

insert into ops.budget (records_per_run, records_per_month, price_per_record, currency, start_date, noted_at)
select unnest(from_json(
    $budget,
    '{"budget": {"recordsPerRun": "BIGINT", "recordsPerMonth": "BIGINT"}, "pricePerRecord": "DOUBLE",
      "currency": "VARCHAR", "startDate": "DATE", "notedAt": "TIMESTAMPTZ"}'
), recursive := true);

-- name: finished_runs
select run_id, exit_code
from ops.runs
where finished_at is not null;

-- name: held_back_days
-- params: stream text
select distinct date::varchar as date
from ops.held_back
where stream = $stream
order by date;

-- name: home
select current_database() as home;

-- name: journal
select seq::double as seq, sum, erase from ops.journal;

-- name: note_journal
-- params: head json
-- Records the head of the journal, so that this file knows the journal's last line.
delete from ops.journal;

insert into ops.journal
select row.*
from (select from_json($head, '{"seq": "BIGINT", "sum": "VARCHAR", "erase": "VARCHAR"}') as row) as given;

-- name: clicks_and_ids
-- params: not_clicks text[], placeholder_ids text[]
-- Replaces the names of events that are not clicks, and the placeholder ids. If they changed, the next refresh computes all models
-- again.
update ops.models
set fingerprint = 'other settings'
where
    list_sort((select coalesce(list(name), []) from ops.not_clicks)) <> list_sort($not_clicks)
    or list_sort((select coalesce(list(id), []) from ops.placeholder_ids)) <> list_sort($placeholder_ids);

delete from ops.not_clicks;

insert into ops.not_clicks select unnest($not_clicks);

delete from ops.placeholder_ids;

insert into ops.placeholder_ids select unnest($placeholder_ids);

-- name: exclude
-- params: user_ids text[]
-- Finds the staff and test people whom the settings exclude: the listed ids that have an event or a row in an own table.
create or replace temp table excluded_before as from ops.excluded_ids;

create or replace temp table known_ids as
select distinct user_id, service_user_id, device_id, service_device_id
from events
where len($user_ids) > 0;

delete from ops.excluded_people;

insert into ops.excluded_people
select distinct marts.strongest_id(user_id, null, null, null)
from (select user_id from known_ids union all {own_ids}) as known
where user_id in (select unnest($user_ids)) and marts.real_id(user_id) is not null;

-- name: exclude_weaker
-- Adds ids of a weaker kind that appeared with these people and nobody else.
insert into ops.excluded_people
select marts.strongest_id({alone})
from (select {kind}, marts.strongest_id({stronger}) as owner from known_ids)
where marts.real_id({kind}) is not null and owner is not null
group by {kind}
having bool_and(owner in (select person from ops.excluded_people));

-- name: note_excluded
-- params: user_ids text[], listed bigint
-- Records these people. The days of events of people who were added or removed are refreshed.
delete from ops.excluded_ids;

insert into ops.excluded_ids
select *
from known_ids
where marts.strongest_id(user_id, service_user_id, device_id, service_device_id) in (select person from ops.excluded_people);

insert into ops.touched_days
select distinct 'events', events.date
from events
semi join (
    (from ops.excluded_ids except from excluded_before)
    union all
    (from excluded_before except from ops.excluded_ids)
) as changed
    on
        (events.user_id, events.service_user_id, events.device_id, events.service_device_id)
        is not distinct from (changed.user_id, changed.service_user_id, changed.device_id, changed.service_device_id)
where events.date is not null;

delete from ops.excluded_events;

insert into ops.excluded_events
select events.event_id, events.date
from events
semi join ops.excluded_ids
    on
        (events.user_id, events.service_user_id, events.device_id, events.service_device_id)
        is not distinct from (excluded_ids.user_id, excluded_ids.service_user_id, excluded_ids.device_id, excluded_ids.service_device_id);

delete from ops.exclusions;

insert into ops.exclusions by name
select
    $listed as listed,
    (select count(distinct user_id) from known_ids where user_id in (select unnest($user_ids))) as people,
    (select count(*) from ops.excluded_events) as events,
    (select min(date) from ops.excluded_events) as first_date,
    (select max(date) from ops.excluded_events) as last_date
where $listed > 0;

drop table known_ids;

drop table excluded_before;

-- name: keep_main_goals
-- params: main_goals json, today date
-- Replaces the main goals that come from the settings, given as JSON. A campaign that is no longer in the settings gets a chosen
-- goal again.
create or replace temp table configured_goals as
select entry.key as resource_id, entry.value as goal
from (select unnest(map_entries(from_json($main_goals, '"MAP(VARCHAR, VARCHAR)"'))) as entry) as given;

delete from ops.main_goals
where
    resource_id in (select resource_id from configured_goals where configured_goals.goal <> main_goals.goal)
    or (chosen_by = 'setting') <> (resource_id in (select resource_id from configured_goals));

insert into ops.main_goals
select resource_id, goal, $today::date, 'setting'
from configured_goals
where resource_id not in (select resource_id from ops.main_goals);

-- name: choose_main_goals
-- params: today date
-- Chooses a main goal for each campaign and user journey without one. The goal that an earlier run chose has priority; the journal
-- of runs has its digest. Otherwise, the goal with most conversions over all channels, or the first by name among equals.
insert into ops.main_goals
with chosen as (
    select started_at, unnest(from_json(summary -> 'main_goal_digests', '["VARCHAR"]')) as digest
    from ops.runs
)

select goals.resource_id, goals.goal, (min(chosen.started_at) at time zone 'Asia/Seoul')::date, 'rule'
from marts.goals as goals
inner join chosen on sha256(goals.resource_id || chr(10) || goals.goal) = chosen.digest
where goals.resource_id not in (select resource_id from ops.main_goals)
group by goals.resource_id, goals.goal
qualify row_number() over (partition by goals.resource_id order by min(chosen.started_at), goals.goal) = 1;

insert into ops.main_goals
select resource_id, goal, $today::date, 'rule'
from marts.goals
where resource_id is not null and goal is not null and resource_id not in (select resource_id from ops.main_goals)
group by resource_id, goal
having sum(conversions) > 0
qualify row_number() over (partition by resource_id order by sum(conversions) desc, goal) = 1
returning resource_id, goal;

-- name: lack
-- params: day date
-- The number of records that a day's export may lack: records that came twice, and successful sends that the daily statistics count
-- but the export lacks (without erased persons). Up to 1% is ignored, unless the last page is full. Only channels
-- with sends in the events of four weeks, and channels that send directly, are counted. Records that share an id are not missing. Also:
-- missing: the sends, failures and clicks that the statistics count beyond the export, by channel and sender
-- senders, empty: the number of campaigns and journeys with missing records; the number of channels and senders without any record
-- is_provable: true if the statistics count every channel of the export; then an export without missing records is complete
with notes as (
    select
        coalesce(sum(records) filter (note = 'repeated'), 0) as repeated,
        coalesce(sum(records) filter (note = 'no_id'), 0) as without_id,
        coalesce(sum(records) filter (note = 'erased'), 0) as erased,
        count(*) filter (note = 'full_page') > 0 as ends_full
    from ops.load_notes
    where stream = 'events' and date = $day::date
),

counted as (
    select channel, sum(message_sent - coalesce(message_failed, 0)) as sends
    from daily_statistics
    where date = $day::date
    group by channel
),

exported as (
    select channel, count(*) filter (date = $day::date or export_date = $day::date) as sends
    from events
    where date between $day::date - 28 and $day::date + 28 and event_name = 'send_success'
    group by channel
),

lack as (
    select
        coalesce(sum(greatest(counted.sends - coalesce(exported.sends, 0), 0)), 0) - any_value(erased) as sends,
        sum(counted.sends) as all_sends
    from notes
    left join counted on true
    left join exported using (channel)
    where
        exported.channel is not null
        or counted.channel in (
            'text-message', 'email', 'push-notification', 'web-push-notification', 'chatapp-alimtalk', 'chatapp-friendtalk',
            'chatapp-brand-message'
        )
),

records as (
    select
        coalesce(channel, '') as channel,
        coalesce(campaign_id, user_journey_id, '') as sender,
        count(*) filter (event_name = 'send_success') as sends,
        count(*) filter (event_name = 'send_failure') as failures,
        count(*) filter (event_name like '%\_click' escape '\' and event_name <> 'close_button_click') as clicks
    from events
    where date = $day::date or export_date = $day::date
    group by all
),

cells as (
    select
        channel,
        sender,
        coalesce(statistics.sends, 0) as sends,
        coalesce(records.sends, 0) as exported_sends,
        greatest(coalesce(statistics.sends, 0) - coalesce(records.sends, 0), 0)
        + greatest(coalesce(statistics.failures, 0) - coalesce(records.failures, 0), 0)
        + greatest(coalesce(statistics.clicks, 0) - coalesce(records.clicks, 0), 0) as missing
    from (
        select
            coalesce(channel, '') as channel,
            coalesce(campaign_id, user_journey_id, '') as sender,
            sum(greatest(message_sent - coalesce(message_failed, 0), 0)) as sends,
            sum(message_failed) as failures,
            sum(click) as clicks
        from daily_statistics
        where date = $day::date
        group by all
    ) as statistics
    left join records using (channel, sender)
),

-- Channels and senders for which the statistics count sends but the export has none.
empty as (
    select count(*) as empty
    from (
        select 1
        from cells
        group by grouping sets ((channel), (sender))
        having sum(sends) > 0 and sum(exported_sends) = 0
    ) as without_sends
),

compared as (
    select
        coalesce(sum(missing), 0) as missing,
        coalesce(sum(sends), 0) as counted,
        count(distinct sender) filter (missing > 0) as senders,
        coalesce(sum(sends), 0) > 0 and not exists (
            select 1 from records where channel not in (select coalesce(counted.channel, '') from counted where counted.sends > 0)
        ) as is_provable
    from cells
)

select
    repeated,
    without_id,
    erased,
    greatest(missing - erased, 0) as missing,
    counted,
    senders,
    empty,
    is_provable,
    (select count(*) from events where export_date = $day::date) as records,
    case
        when $day::date in (select date from ops.removed_days) then 0
        when lack.sends * 100 >= all_sends or (ends_full and all_sends > 0) then greatest(lack.sends, 0)
        else 0
    end as uncounted
from notes
cross join lack
cross join compared
cross join empty;

-- name: loaded
select pull from ops.loads;

-- name: loaded_of
-- params: pulls text[]
select pull
from ops.loads
where pull in (select unnest($pulls));

-- name: macros_version
select version from macros.made_of();

-- name: memory_limit
-- Sets the threads first, because DuckDB refuses a memory limit that is too low for them.
set threads = {threads};
set memory_limit = '{megabytes}MB';

-- name: message_prices
-- params: prices text[]
-- Replaces the prices of messages.
delete from ops.message_prices;

insert into ops.message_prices
select row.*
from (
    select from_json(
        unnest($prices::varchar[]), '{"channel": "VARCHAR", "sub_channel": "VARCHAR", "price": "DOUBLE"}'
    ) as row
) as given;

-- name: migrations
select number, name
from ops.migrations
order by number;

-- name: note_migrations
-- params: numbers bigint[], names text[], applied_at timestamptz
insert into ops.migrations (number, name, applied_at)
select unnest($numbers::varchar[])::integer, unnest($names::varchar[]), $applied_at;

-- name: note_privacy
-- params: recipients text, columns text, key_fingerprint text?
delete from ops.privacy;

insert into ops.privacy by name
select
    $recipients as recipients,
    nullif($columns, '') as columns,
    $key_fingerprint as key_fingerprint;

-- name: privacy_stored
-- The recorded setting (or null), and whether the file has rows.
select
    privacy.recipients,
    privacy.columns,
    privacy.key_fingerprint,
    exists (from ops.loads) as has_rows
from (values (1)) as always (one)
left join ops.privacy as privacy on true;

-- name: read_file
-- params: files text[], largest_object bigint
select count(*) from read_json_objects(
    $files, format = 'unstructured', maximum_object_size = $largest_object
);

-- name: read_table
select bit_xor(hash(one)) as checksum
from {table} as one;

-- name: set
-- params: value text
set variable "{name}" = $value::{type};

-- name: unload_after
-- params: pulls text[], instants timestamptz[]
-- Marks later snapshots as not loaded. Snapshots must be loaded in the order of their days, so after a late one, the later ones are
-- loaded again.
delete from ops.loads
using (
    select split_part(pull, '/', 1) as stream, min(pulled_at) as pulled_at
    from (
        select unnest($pulls) as pull, unnest($instants)::timestamptz as pulled_at
    ) as late
    group by stream
) as earliest
where loads.stream = earliest.stream and loads.pulled_at > earliest.pulled_at
returning loads.pull;

-- name: snapshot_rows
-- params: stream text
select list, rows
from ops.snapshots
where stream = $stream
qualify row_number() over (partition by list order by date desc, pulled_at desc, pull desc) = 1;

-- name: runs
-- params: runs text[]
-- Writes runs of the journal, each as JSON. An existing summary stays, because the journal has only its counts; the part after
-- publishing is added.
create or replace temp table given_runs as
select
    run.begun."runId" as run_id, run.begun.command as command, run.begun."at" as started_at, run."over"."at" as finished_at,
    run."over"."exitCode" as exit_code, run."over".outcome as outcome, run."over".summary as summary,
    run.begun.version as version, run.begun."processId" as process_id
from (
    select from_json(
        unnest($runs::varchar[]),
        '{"begun": {"runId": "VARCHAR", "command": "VARCHAR", "at": "TIMESTAMPTZ", "version": "VARCHAR", "processId": "BIGINT"},
          "over": {"at": "TIMESTAMPTZ", "exitCode": "INTEGER", "outcome": "VARCHAR", "summary": "JSON"}}'
    ) as run
) as given;

update ops.runs
set finished_at = given.finished_at, exit_code = given.exit_code, outcome = given.outcome,
    summary = if(
        runs.summary is null,
        given.summary,
        json_merge_patch(
            runs.summary, json_object('exit_code', given.exit_code, 'failed_steps', given.summary -> 'failed_steps')
        )
    )
from given_runs as given
where runs.run_id = given.run_id;

insert into ops.runs by name
select * from given_runs where run_id not in (select run_id from ops.runs);

-- name: tables
select '"' || schema_name || '"."' || table_name || '"' as name
from duckdb_tables()
where not internal and database_name = current_database()
order by name;

-- name: threads
set threads = {threads};

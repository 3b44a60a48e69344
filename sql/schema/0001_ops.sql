-- The job about itself: what was loaded, what is covered, what changed, what was odd.

create schema ops;

create table ops.migrations (
    number integer,
    name varchar,
    applied_at timestamptz
);
comment on table ops.migrations is 'One row per change of the schema that this file has seen.';
comment on column ops.migrations.number is 'Number of the migration, as in the name of its file under sql/schema.';
comment on column ops.migrations.name is 'Name of the migration.';
comment on column ops.migrations.applied_at is 'When it was applied to this file.';

create table ops.loads (
    pull varchar,
    stream varchar,
    first_day date,
    last_day date,
    pulled_at timestamptz,
    complete boolean,
    rows bigint,
    loaded_at timestamptz
);
comment on table ops.loads is 'One row per pull of the landing zone that this warehouse has loaded.';
comment on column ops.loads.pull is 'Id of the pull in the landing zone.';
comment on column ops.loads.stream is 'statistics, statistics_by_subchannel, campaigns or events.';
comment on column ops.loads.first_day is 'First KST day that was asked for.';
comment on column ops.loads.last_day is 'Last KST day that was asked for.';
comment on column ops.loads.pulled_at is 'When the service answered. Of two pulls of one day the later one counts.';
comment on column ops.loads.complete is 'False when a part could not be had (some campaign of a campaign pull).';
comment on column ops.loads.rows is 'Rows that the pull brought into the fact table of its stream.';
comment on column ops.loads.loaded_at is 'When it was loaded into this file; a rebuild sets it anew.';

create table ops.coverage (
    stream varchar,
    date date,
    rows bigint,
    loaded_at timestamptz,
    pull varchar,
    pulled_at timestamptz
);
comment on table ops.coverage is 'One row per stream and KST day that the warehouse holds whole.';
comment on column ops.coverage.stream is 'statistics, statistics_by_subchannel, campaigns or events.';
comment on column ops.coverage.date is 'KST day; for events the day of the export window.';
comment on column ops.coverage.rows is 'Rows of that day in the fact table of the stream, for events the distinct records of the export; zero is a day on which nothing happened.';
comment on column ops.coverage.loaded_at is 'When the day was loaded into this file.';
comment on column ops.coverage.pull is 'Id of the pull that the day came with.';
comment on column ops.coverage.pulled_at is 'When the service answered that pull.';

create table ops.load_notes (
    stream varchar,
    date date,
    pull varchar,
    note varchar,
    subject varchar,
    records bigint
);
comment on table ops.load_notes is 'What a load found odd and dealt with, by day; the checks report it.';
comment on column ops.load_notes.stream is 'Stream of the pull.';
comment on column ops.load_notes.date is 'KST day that the note is about; it goes when the day is replaced.';
comment on column ops.load_notes.pull is 'Id of the pull.';
comment on column ops.load_notes.note is 'repeated, shared_id, stray, no_id, no_time, no_event_name, mended, outside_range, other_day, undated or same_grain.';
comment on column ops.load_notes.subject is 'What it concerns, where there is more to say than the day.';
comment on column ops.load_notes.records is 'How many records.';

create table ops.drift_by_day (
    stream varchar,
    date date,
    place varchar,
    field varchar,
    kind varchar,
    example_type varchar,
    records bigint
);
comment on table ops.drift_by_day is 'Fields that differ from the specification, by day; ops.schema_drift sums it up.';
comment on column ops.drift_by_day.stream is 'Stream in which the field was seen.';
comment on column ops.drift_by_day.date is 'KST day of the pull that holds it.';
comment on column ops.drift_by_day.place is 'Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.';
comment on column ops.drift_by_day.field is 'Name of the field; for place channel the unknown channel.';
comment on column ops.drift_by_day.kind is 'unknown (not in the specification), type (a value that does not fit), missing (required and absent).';
comment on column ops.drift_by_day.example_type is 'JSON type of one such value; the value itself is never kept here.';
comment on column ops.drift_by_day.records is 'In how many records.';

create view ops.schema_drift as
select
    stream,
    place,
    field,
    kind,
    min(example_type) as example_type,
    min(date) as first_date,
    max(date) as last_date,
    sum(records)::bigint as records
from ops.drift_by_day
group by stream, place, field, kind;
comment on view ops.schema_drift is 'One row per field that the service sends otherwise than specified. Nothing is lost: see the extra columns.';
comment on column ops.schema_drift.stream is 'Stream in which the field was seen.';
comment on column ops.schema_drift.place is 'Where: record, channel_metadata, message_data:<channel>, button, attachment, conversion, metric, channel.';
comment on column ops.schema_drift.field is 'Name of the field; for place channel the unknown channel.';
comment on column ops.schema_drift.kind is 'unknown (not in the specification), type (a value that does not fit), missing (required and absent).';
comment on column ops.schema_drift.example_type is 'JSON type of one such value; never the value.';
comment on column ops.schema_drift.first_date is 'First KST day on which it was seen.';
comment on column ops.schema_drift.last_date is 'Last KST day on which it was seen.';
comment on column ops.schema_drift.records is 'In how many records of the days now held.';

create table ops.restatements (
    detected_at timestamptz,
    date date,
    statistic_id varchar,
    counter varchar,
    kind varchar,
    before bigint,
    after bigint,
    pull varchar
);
comment on table ops.restatements is 'One row per counter of daily_statistics that a later pull of the same day changed.';
comment on column ops.restatements.detected_at is 'When the service gave the new value.';
comment on column ops.restatements.date is 'KST day of the statistic.';
comment on column ops.restatements.statistic_id is 'The statistic, as in daily_statistics.';
comment on column ops.restatements.counter is 'message_sent, message_failed, delivered, click, or conversion:<type>:<name>.';
comment on column ops.restatements.kind is 'changed, appeared (the row was not there before) or vanished (it is not there any more).';
comment on column ops.restatements.before is 'Value held until then; null where there was none.';
comment on column ops.restatements.after is 'Value held from then on; null where there is none.';
comment on column ops.restatements.pull is 'Id of the pull that brought the change.';

create table ops.exports (
    key varchar,
    window_start timestamptz,
    window_end timestamptz,
    date date,
    state varchar,
    export_id varchar,
    message_data boolean,
    records bigint,
    pages bigint,
    estimated_records bigint,
    price_per_record double,
    requested_at timestamptz,
    updated_at timestamptz,
    note varchar
);
comment on table ops.exports is 'One row per paid export (E20) of the ledger, as it stood when the warehouse was published.';
comment on column ops.exports.key is 'Key of the export in the ledger.';
comment on column ops.exports.window_start is 'First instant of the window.';
comment on column ops.exports.window_end is 'End of the window, not included.';
comment on column ops.exports.date is 'KST day of the window.';
comment on column ops.exports.state is 'State in the ledger, such as requested, ambiguous, landed or abandoned.';
comment on column ops.exports.export_id is 'Id that the service gave; null until it is known.';
comment on column ops.exports.message_data is 'Whether the messages themselves were asked for.';
comment on column ops.exports.records is 'Records received.';
comment on column ops.exports.pages is 'Pages received.';
comment on column ops.exports.estimated_records is 'Records expected from the daily statistics before the request.';
comment on column ops.exports.price_per_record is 'Price of one record by the configuration of the day.';
comment on column ops.exports.requested_at is 'When the paid request was sent.';
comment on column ops.exports.updated_at is 'When the state last changed.';
comment on column ops.exports.note is 'What a person wrote, or the reason of the state.';

create table ops.runs (
    run_id varchar,
    command varchar,
    started_at timestamptz,
    finished_at timestamptz,
    exit_code integer,
    outcome varchar,
    summary json,
    version varchar,
    process_id bigint
);
comment on table ops.runs is 'One row per run of the job since the warehouse was last rebuilt.';
comment on column ops.runs.run_id is 'Id of the run, as in its log lines.';
comment on column ops.runs.command is 'Command that ran, without its secrets.';
comment on column ops.runs.started_at is 'When it began.';
comment on column ops.runs.finished_at is 'When it ended; null if it never said so.';
comment on column ops.runs.exit_code is 'Exit code of the command.';
comment on column ops.runs.outcome is 'done, incomplete or failed.';
comment on column ops.runs.summary is 'What it did, in numbers.';
comment on column ops.runs.version is 'Version of dawnload.';
comment on column ops.runs.process_id is 'Id of the process.';

create table ops.checks (
    checked_at timestamptz,
    name varchar,
    severity varchar,
    stream varchar,
    date date,
    subject varchar,
    finding varchar,
    expected varchar,
    actual varchar
);
comment on table ops.checks is 'What the last round of checks (sql/checks) found; no rows means sound.';
comment on column ops.checks.checked_at is 'When the checks ran.';
comment on column ops.checks.name is 'Name of the check, as its file under sql/checks.';
comment on column ops.checks.severity is 'stop (do not trust that part) or warn (look at it).';
comment on column ops.checks.stream is 'Stream concerned.';
comment on column ops.checks.date is 'KST day concerned; null where it is no single day.';
comment on column ops.checks.subject is 'What exactly, for example a table, a statistic or a field.';
comment on column ops.checks.finding is 'The finding in one sentence.';
comment on column ops.checks.expected is 'What should have been.';
comment on column ops.checks.actual is 'What is.';

-- The job about itself: what was loaded, what is covered, what changed, what was odd.

create schema ops;

create table ops.migrations (
    number integer,
    name varchar,
    applied_at timestamptz
);

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

create table ops.coverage (
    stream varchar,
    date date,
    rows bigint,
    loaded_at timestamptz,
    pull varchar,
    pulled_at timestamptz
);

create table ops.load_notes (
    stream varchar,
    date date,
    pull varchar,
    note varchar,
    subject varchar,
    records bigint
);

create table ops.drift_by_day (
    stream varchar,
    date date,
    place varchar,
    field varchar,
    kind varchar,
    example_type varchar,
    records bigint
);

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

create table ops.restatements (
    detected_at timestamptz,
    date date,
    statistic_id varchar,
    counter varchar,
    kind varchar,
    before bigint,
    after bigint,
    pull varchar,
    -- The subject of the counter: a statistic that vanished has no row of its own any more.
    resource_type varchar,
    campaign_id varchar,
    variant_id varchar,
    user_journey_id varchar,
    user_journey_node_id varchar,
    channel varchar
);

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

-- The settings exports.budget, exports.price_per_record, exports.currency and exports.start_date of the last run: one row.
create table ops.budget (
    records_per_run bigint,
    records_per_month bigint,
    price_per_record double,
    start_date date,
    noted_at timestamptz,
    currency varchar
);

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

create table ops.checks (
    checked_at timestamptz,
    name varchar,
    severity varchar,
    stream varchar,
    date date,
    subject varchar,
    finding varchar,
    expected varchar,
    actual varchar,
    -- The meaning of a finding of the check, and the remedy.
    meaning varchar
);

-- Grain: one check whose findings stand in ops.checks for all days; fingerprint: of its text.
create table ops.check_versions (
    name varchar,
    fingerprint varchar
);

-- Days whose rows a load changed: models and checks have not seen them yet.
create table ops.touched_days (
    stream varchar,
    date date
);

create table ops.models (
    relation varchar,
    kind varchar,
    fingerprint varchar
);

-- The privacy setting that the rows of this file were written under: rows of two settings must not stand side by side.
create table ops.privacy (
    recipients varchar,
    key_fingerprint varchar,
    -- The rules of privacy.columns, such as `device_id: drop, user_id: hash`; null if every column is kept.
    columns varchar
);

-- Answers that would have wiped most of a day and did not replace it. Grain: one pull, KST day and campaign (of E19).
create table ops.held_back (
    stream varchar,
    date date,
    campaign_id varchar,
    pull varchar,
    pulled_at timestamptz,
    rows bigint,
    messages bigint
);

-- How tests are judged, from the configuration. Grain: one campaign that is named there; `default` speaks for all others.
create table ops.experiments (
    campaign_id varchar,
    baseline varchar,
    goal varchar,
    smallest_effect double,
    alpha double,
    power double,
    split map(varchar, double),
    hold_outs varchar[],
    conversions_per_person double
);

insert into ops.experiments values ('default', null, null, 0.2, 0.05, 0.8, null, null, null);

-- One row for each list that was read whole, and KST day: what its snapshot of that day held. A list is a catalog's items,
-- the templates of a sender key or a channel, or what a stream has but one of.
create table ops.snapshots (
    stream varchar,
    list varchar,
    date date,
    rows bigint,
    announced bigint,
    pull varchar,
    pulled_at timestamptz
);

-- Grain: one campaign or user journey; chosen_by: setting or rule.
create table ops.main_goals (
    resource_id varchar,
    goal varchar,
    chosen_on date,
    chosen_by varchar
);

-- Erasures of persons. No id and no digest of a person is here.
create table ops.erasures (
    line bigint,
    sum varchar,
    erased_at timestamptz,
    persons bigint,
    records bigint,
    rows bigint,
    late_records bigint
);

-- Removals by the settings under `retention`, one row for each run and place.
create table ops.retention (
    removed_at timestamptz,
    place varchar,
    first_day date,
    last_day date,
    days bigint,
    items bigint
);

-- Pushes: answers of queries that went back to the service, as the ledger had them when a run published.
create table ops.pushes (
    push_id varchar,
    target varchar,
    name varchar,
    state varchar,
    begun_at timestamptz,
    updated_at timestamptz,
    rows bigint,
    sent bigint,
    unchanged bigint,
    rejected bigint,
    unknown bigint,
    erased bigint,
    calls bigint,
    note varchar
);

-- The job's own records: loads, covered days, changes, notes, exports, settings.

create schema ops;

create table ops.migrations (
    number integer,
    name varchar,
    applied_at timestamptz
);

create table ops.loads (
    pull varchar,
    stream varchar,
    first_date date,
    last_date date,
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
    pulled_at timestamptz,
    incomplete boolean,
    -- Number of event records that may be missing; null if unknown, or if the day is complete.
    short bigint
);

-- The days that the settings want, and their state after the last run: loaded, restatable, missing, under_way, waits, given_up,
-- removed or not_complete.
create table ops.days (
    stream varchar,
    date date,
    state varchar,
    expected_records bigint,
    expected_price double
);

create table ops.load_notes (
    stream varchar,
    date date,
    pull varchar,
    note varchar,
    subject varchar,
    records bigint,
    -- The counts of a statistic with several rows, largest first.
    statistic_id varchar,
    given_rows json
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
    -- The keys of the statistic, because a statistic that vanished has no row any more.
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
    billed varchar,
    export_id varchar,
    message_data boolean,
    records bigint,
    pages bigint,
    estimated_records bigint,
    price_per_record double,
    requested_at timestamptz,
    updated_at timestamptz,
    note varchar,
    incomplete boolean,
    short bigint,
    billed_records bigint
);

-- The settings exports.budget, exports.price_per_record, exports.currency and exports.start_date in the last run. One row.
create table ops.budget (
    records_per_run bigint,
    records_per_month bigint,
    price_per_record double,
    start_date date,
    noted_at timestamptz,
    currency varchar
);

-- The setting prices in the last run. A channel has one price, or one for each sub-channel.
create table ops.message_prices (
    channel varchar,
    sub_channel varchar,
    price double
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
    -- What a finding of the check means, and the remedy.
    meaning varchar
);

-- Grain: one check whose findings in ops.checks cover all days. fingerprint is the hash of its text.
create table ops.check_versions (
    name varchar,
    fingerprint varchar
);

-- Days whose rows a load changed, and which models and checks have not processed since.
create table ops.touched_days (
    stream varchar,
    date date
);

create table ops.models (
    relation varchar,
    kind varchar,
    fingerprint varchar
);

-- The privacy settings with which the rows of this file were written. A file never mixes rows of two settings.
create table ops.privacy (
    recipients varchar,
    key_fingerprint varchar,
    -- The rules of privacy.columns, such as `device_id: drop, user_id: hash`; null if every column is kept.
    columns varchar
);

-- Answers that were held back because they would have removed most of a day's rows. Grain: one pull, KST day and campaign (E19).
create table ops.held_back (
    stream varchar,
    date date,
    campaign_id varchar,
    pull varchar,
    pulled_at timestamptz,
    rows bigint,
    messages bigint
);

-- The settings of A/B tests. Grain: one campaign in the settings. The row `default` applies to all other campaigns.
create table ops.experiments (
    campaign_id varchar,
    baseline varchar,
    goal varchar,
    smallest_effect double,
    alpha double,
    power double,
    split map(date, map(varchar, double)),
    hold_outs varchar[],
    conversions_per_person double,
    accept_crossing boolean
);

insert into ops.experiments values ('default', null, null, 0.2, 0.05, 0.8, null, null, null, null);

-- Grain: one list that was read completely, and KST day. A list is the items of a catalog, the templates of a sender key or
-- channel, or `*` for a stream with a single list.
create table ops.snapshots (
    stream varchar,
    list varchar,
    date date,
    rows bigint,
    announced bigint,
    pull varchar,
    pulled_at timestamptz
);

-- Grain: one name of an event that ends in `_click` but shows no interest, from the settings.
create table ops.not_clicks (
    name varchar
);

-- Grain: one id that belongs to nobody.
create table ops.placeholder_ids (
    id varchar
);

-- When clicks on an e-mail count as those of a machine, because mail scanners open every link within seconds. Grain: one row.
create table ops.machine_clicks (
    seconds_after double,
    clicked bigint,
    within_seconds double
);

insert into ops.machine_clicks values (5, 3, 2);

-- Grain: one campaign or user journey. chosen_by is `setting` or `rule`.
create table ops.main_goals (
    resource_id varchar,
    goal varchar,
    chosen_on date,
    chosen_by varchar
);

-- Erasures of persons, without any id or digest of a person. key_fingerprint identifies the key of the digests.
create table ops.erasures (
    line bigint,
    key_fingerprint varchar,
    erased_at timestamptz,
    people bigint,
    records bigint,
    rows bigint,
    late_records bigint
);

-- The keyed digests of erased persons, written backwards, with the line of their erasure.
create table ops.erased_ids (
    line bigint,
    id varchar
);

-- The head of the journal when the file was written: number and checksum of its last line, and the names of its erasures.
create table ops.journal (
    seq bigint,
    sum varchar,
    erase varchar
);

-- Removals by the settings under `retention`. Grain: one run and place.
create table ops.retention (
    removed_at timestamptz,
    place varchar,
    first_date date,
    last_date date,
    days bigint,
    items bigint
);

-- Pushes of query results to the service, as the ledger recorded them when the file was written.
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

-- Statements of `dawnload explore`. Their values are session variables, as for questions.

-- name: texts
-- The latest text of each message of a campaign or user journey, as the service gave it.
select
    channel,
    coalesce(arg_max(variant_name, date), arg_max(user_journey_node_name, date)) as variant_or_node,
    max(date)::varchar as last_date,
    sum(message_sent) as sent,
    any_value(message)::varchar as message
from daily_statistics
where getvariable('id') in (campaign_id, user_journey_id) and message is not null
group by channel, variant_id, user_journey_node_id, message::varchar
order by max(date) desc, sent desc
limit 60;

-- name: about
-- A campaign or user journey: its names, tags, channels and days.
select campaign_name as name, former_names, tags, channels, first_date::varchar as first_date, last_date::varchar as last_date
from campaigns
where campaign_id = getvariable('id')
union all by name
select user_journey_name as name, former_names, channels, first_date::varchar as first_date, last_date::varchar as last_date
from user_journeys
where user_journey_id = getvariable('id');

-- name: causes
-- Failed messages of a campaign or user journey by cause, with up to four of the reasons in the events.
with reasons as (
    select marts.failure_cause(failure_reason) as cause, failure_reason, sum(failed) as failed, min(date) as first_date, max(date) as last_date
    from marts.daily_failures
    where getvariable('id') in (campaign_id, user_journey_id)
    group by all
)
select
    coalesce(cause, 'unknown') as cause,
    sum(failed) as failed,
    array_to_string(list(failure_reason order by failed desc, failure_reason)[:4], ' · ') as failure_reason,
    min(first_date) as first_date,
    max(last_date) as last_date
from reasons
group by cause
order by failed desc, cause;

-- name: days
-- The state of each day of each stream in the last five weeks.
with known as (
    select stream, date, 'loaded' as state from ops.coverage where not marts.is_snapshot(stream)
    union all
    select stream, date, state from ops.days where state not in ('loaded', 'restatable', 'not_complete')
    union all
    select 'events', date, 'removed' from ops.removed_days
)
select stream, date::varchar as date, arg_max(state, if(state = 'loaded', 0, 1)) as state
from known
where date > (select max(date) from known) - 35
group by all
order by stream, date;

-- name: runs
-- The latest runs.
select
    command,
    started_at,
    finished_at,
    outcome,
    exit_code
from ops.runs
order by started_at desc
limit 20;

-- name: exports
-- The latest paid exports.
select date, state, records, estimated_records, round(records * price_per_record, 2) as fee, requested_at, note
from ops.exports
order by date desc, key desc
limit 31;

-- name: macros
-- The macros of the file, with their parameters.
select schema_name || '.' || function_name as name, '(' || array_to_string(parameters, ', ') || ')' as takes
from duckdb_functions()
where function_type in ('macro', 'table_macro') and not internal and schema_name = 'marts'
order by name;

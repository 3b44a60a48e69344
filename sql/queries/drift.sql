-- title: Fields that differ from the specification
-- question: Which fields does the service send otherwise than specified, and since when?
-- params:
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events): only this stream
-- In other DuckDB clients, set parameters before: set variable stream = 'events';

with params as (
    select getvariable('stream')::varchar as only_stream
)
select
    schema_drift.stream,
    schema_drift.place,
    schema_drift.field,
    schema_drift.kind,
    schema_drift.example_type,
    schema_drift.first_date,
    schema_drift.last_date,
    schema_drift.records
from ops.schema_drift
cross join params
where params.only_stream is null or schema_drift.stream = params.only_stream
order by schema_drift.stream, schema_drift.place, schema_drift.field, schema_drift.kind;

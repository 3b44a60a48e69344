-- Statements of the process that reads the source of an own table. It may only read the copy of the source and write one file.

-- name: attach
attach '{file}' as source (read_only);

-- name: confine
set allowed_paths = [{paths}];

set enable_external_access = false;

set lock_configuration = true;

-- name: view
-- Converts a text to a type; null if it has another form. An instant without an offset is in the table's time zone. A number that
-- starts with 0, or has too many digits for the type, is a code and not a number. Numbers may have thousands separators (39,000).
create temp macro as_integer(given) as
    if(
        regexp_full_match(given, '-?(0|[1-9]\d{0,18}|[1-9]\d{0,2}(,\d{3}){1,6})'),
        try_cast(replace(given, ',', '') as bigint),
        null
    );

create temp macro as_number(given) as
    if(
        regexp_full_match(given, '-?(0|[1-9]\d{0,14}|[1-9]\d{0,2}(,\d{3}){1,4})(\.\d+)?'),
        try_cast(replace(given, ',', '') as double),
        null
    );

create temp macro as_boolean(given) as
    if(regexp_full_match(given, '(?i:true|false)'), given::boolean, null);

create temp macro as_date(given) as
    if(regexp_full_match(given, '\d{4}[-/.]\d\d[-/.]\d\d'), try_cast(translate(given, '/.', '--') as date), null);

create temp macro as_instant(given) as
    case
        when not regexp_full_match(given, '\d{4}[-/.]\d\d[-/.]\d\d[ T]\d?\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?') then null
        when regexp_matches(given[11:], '[Z+-]') then try_cast(translate(given[:10], '/.', '--') || given[11:] as timestamptz)
        else try_cast(translate(given[:10], '/.', '--') || given[11:] as timestamp)
            at time zone '{zone}'
    end;

-- An id as text. Some programs write 1001.0 if the column has missing ids; that becomes 1001.
create temp macro as_id(given) as
    nullif(trim(if(regexp_matches(typeof(given), '^(DOUBLE|FLOAT|DECIMAL)'), regexp_replace(given::varchar, '\.0+$', ''), given::varchar)), '');

-- The number of texts with a value, and for each type the number of texts that do not fit it.
create temp macro odd(given) as [
    count(*) filter (given <> ''),
    count(*) filter (given <> '' and as_integer(given) is null),
    count(*) filter (given <> '' and as_number(given) is null),
    count(*) filter (given <> '' and as_boolean(given) is null),
    count(*) filter (given <> '' and as_date(given) is null),
    count(*) filter (given <> '' and as_instant(given) is null)
];

create temp view given as
{select};

-- name: columns
select column_name as name, data_type as type
from duckdb_columns()
where database_name = 'temp' and table_name = 'given'
order by column_index;

-- name: parquet_names
select distinct name, '' as type
from parquet_schema([{files}]);

-- name: fitting
-- For several columns in one pass: the number of texts that do not fit each type.
select [{counts}]::bigint[][] as counts
from (select {values} from given) as texts;

-- name: write
copy (select {columns} from given) to '{out}' (format parquet);

-- name: rows
select count(*) as rows
from given;

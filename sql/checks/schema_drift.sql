-- severity: warn
-- The service sends what the specification says.

select
    last_date as date,
    stream || ' ' || place || '.' || field as subject,
    case kind
        when 'unknown' then 'The specification does not know this; it is kept in extra, or under other_messages.'
        when 'type' then 'The value does not fit its column; it is kept in extra.'
        else 'A required field is missing.'
    end as finding,
    '0' as expected,
    records as actual
from ops.schema_drift;

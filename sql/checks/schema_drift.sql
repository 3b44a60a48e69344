-- severity: warn
-- scope: full
-- meaning: The service sends something that its specification does not describe, or leaves out something that it does.
--   Nothing is lost; `dawnload query drift` shows since when. Set brand and messenger to your service's words for
--   service and chatapp (`dawnload doctor --first` shows them). A newer version of dawnload may know the rest.

select
    last_date as date,
    stream || ' ' || place || '.' || field as subject,
    case kind
        when 'unknown' then 'The specification does not describe this; it is kept in extra, or in other_messages.'
        when 'type' then 'The value does not fit its column; it is kept in extra.'
        else 'A required field is missing.'
    end as finding,
    '0' as expected,
    records as actual
from ops.schema_drift;

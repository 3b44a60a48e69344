select distinct goal as value, null::varchar as name
from marts.goals;

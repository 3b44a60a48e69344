select distinct tag as value, null::varchar as name
from campaign_tags;

-- grain: one KST day, tag and channel.
-- also_in: main
--
-- A message counts for each tag of its campaign, so the tags of a day must not be added up.

with tagged as (
    select * exclude (tags), unnest(list_distinct(tags)) as tag
    from marts.message_days
)

select date, tag, channel, unnest(marts.performance(tagged))
from tagged
where tag is not null
group by date, tag, channel;

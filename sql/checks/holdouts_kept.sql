-- severity: warn
-- scope: full
-- meaning: People in a holdout got messages within the last seven days with events, so `uplift` understates the effect
--   of messages. Exclude them from campaigns at the service, by the property `holdout_arm`, or list the campaigns' ids
--   under holdouts.NAME.exempt.

select
    max(messages.date) as date,
    messages.holdout as subject,
    'People of the holdout got messages.' as finding,
    '0' as expected,
    count(distinct messages.person) as actual
from marts.held_out_messages as messages
inner join (select max(date) as last_day from ops.coverage where stream = 'events' and rows > 0) as events
    on messages.date > events.last_day - 7
group by messages.holdout;

-- severity: warn
-- scope: full
-- meaning: People of a holdout got messages within the last seven days with events, so `uplift` shows less than messages bring. Leave
--   them out of campaigns at the service, by the property `holdout_arm`, or list the ids of campaigns under holdouts.NAME.exempt.

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

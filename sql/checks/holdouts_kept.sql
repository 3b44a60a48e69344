-- severity: warn
-- scope: full
-- meaning: People of a holdout got messages within the last seven days with events, so `uplift` shows less than messages bring. Leave
--   them out of the campaign at the service, by the property `holdout_arm`, or list its id under holdouts.NAME.exempt.

select
    max(held_out_messages.date) as date,
    concat_ws(', ', held_out_messages.holdout, held_out_messages.resource_id) as subject,
    'People of the holdout got messages.' as finding,
    '0' as expected,
    count(distinct held_out_messages.person) as actual
from marts.held_out_messages
inner join (select max(date) as last_day from ops.coverage where stream = 'events' and rows > 0) as events
    on held_out_messages.date > events.last_day - 7
group by held_out_messages.holdout, held_out_messages.resource_id;

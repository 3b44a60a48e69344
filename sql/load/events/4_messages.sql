-- Each different message once, with the records that carry it: what a campaign sends is the same for many, and is looked at
-- once.

create or replace table messages as
select
    channel,
    carries,
    message,
    null::json as extra,
    list({event_id: event_id, date: date, export_date: export_date}) as records
from staged
where message is not null
group by channel, carries, message;

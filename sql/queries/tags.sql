-- title: Tags
-- question: How do the campaigns with each tag do together?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   tag   channel                days_sent  sent  failed  succeeded  delivered  clicked  conversions  failure_rate  …
--   11월  chatapp-brand-message  16         4194  361     3833                           125          0.0861        …
--   11월  push-notification      20         5094  152     4942       4534       270      180          0.0298        …
--   VIP   chatapp-friendtalk     8          262   11      251                            4            0.042         …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'statistics'
)
-- A campaign with two tags counts for both, so the rows do not add up to a total.
select
    tag_days.tag,
    tag_days.channel,
    count(distinct tag_days.date) filter (tag_days.sent > 0) as days_sent,
    sum(tag_days.sent)::bigint as sent,
    sum(tag_days.failed)::bigint as failed,
    sum(tag_days.succeeded)::bigint as succeeded,
    sum(tag_days.delivered)::bigint as delivered,
    sum(tag_days.clicked)::bigint as clicked,
    sum(tag_days.conversions)::bigint as conversions,
    round(sum(tag_days.failed) / nullif(sum(tag_days.sent), 0), 4) as failure_rate,
    -- A rate leaves out the days on which nobody counted deliveries, or clicks.
    round(
        sum(tag_days.delivered) / nullif(sum(tag_days.succeeded) filter (tag_days.delivered is not null), 0), 4
    ) as delivery_rate,
    round(
        sum(tag_days.clicked) / nullif(sum(tag_days.succeeded) filter (tag_days.clicked is not null), 0), 4
    ) as click_rate
from marts.tag_days
inner join params on tag_days.date between params.first_day and params.last_day
where params.only_channel is null or tag_days.channel = params.only_channel
group by tag_days.tag, tag_days.channel
order by tag_days.tag, tag_days.channel;
